"""The two copies of a buffer, and which bytes of which are the newer ones.

XRT keeps no such books; the double does, to refuse what would read an old copy.  Copies are filled with a
pattern wherever their content means nothing, so that what slips through shows in the results.
"""

from __future__ import annotations

import weakref
from contextlib import suppress

import numpy as np

from sttest.boards.xrt.double.byte_ranges import ByteRanges
from sttest.boards.xrt.double.memory import Memory

MEANINGLESS = 0xCD
"""Fills bytes that nobody may rely on."""


class Storage:
    """A buffer's host copy and card copy, each ``size`` bytes; its place on the card is freed with it.

    Attributes:
        host, card: uint8, ``[size]``.
        unsynced: bytes of ``host`` that were written and not yet synced to the card.
        stale: bytes of ``host`` that a kernel has overtaken on the card.
        known: bytes of ``card`` that were synced or written by a kernel.
        mapped: whether the host holds a view, through which it may write unseen.
        generation: of the card's configuration; a buffer does not outlive it.
    """

    def __init__(self, memory: Memory, size: int, banks: range, generation: int) -> None:
        self.address = memory.take(size, banks)
        self.banks = banks
        self.generation = generation
        self.host = np.full(size, MEANINGLESS, np.uint8)
        self.card = np.full(size, MEANINGLESS, np.uint8)
        self.unsynced, self.stale, self.known = ByteRanges(), ByteRanges(), ByteRanges()
        self._views: list[memoryview] = []
        weakref.finalize(self, _freed, memory, self.address, self.host, self._views)

    @property
    def size(self) -> int:
        """Bytes."""
        return self.host.size

    @property
    def mapped(self) -> bool:
        """Whether the host may write without being seen."""
        return bool(self._views)

    def view(self, window: range) -> memoryview:
        """The host copy itself; it ends with the buffer."""
        view = self.host.data[window.start : window.stop]
        self._views.append(view)
        return view

    def write(self, data: bytes | memoryview, start: int) -> None:
        """Into the host copy."""
        window = range(start, start + len(data))
        self.host[window.start : window.stop] = np.frombuffer(data, np.uint8)
        self.unsynced.add(window)
        self.stale.discard(window)

    def to_card(self, window: range) -> None:
        """Host copy to card copy."""
        self.card[window.start : window.stop] = self.host[window.start : window.stop]
        self.unsynced.discard(window)
        self.stale.discard(window)
        self.known.add(window)

    def from_card(self, window: range) -> None:
        """Card copy to host copy."""
        self.host[window.start : window.stop] = self.card[window.start : window.stop]
        self.unsynced.discard(window)
        self.stale.discard(window)

    def overtaken(self, window: range) -> None:
        """A kernel has written the card copy; the host copy means nothing until it is synced."""
        self.host[window.start : window.stop] = MEANINGLESS
        self.unsynced.discard(window)
        self.stale.add(window)
        self.known.add(window)

    def unsynced_in(self, window: range) -> range | None:
        """Bytes that the host has changed and not synced, for what can be known of them."""
        written = self.unsynced.within(window)
        if written:
            return written[0]
        if not self.mapped:
            return None
        differs = (piece for piece in self.stale.outside(window) if not np.array_equal(*self._copies(piece)))
        touched = (piece for piece in self.stale.within(window) if np.any(self._copies(piece)[0] != MEANINGLESS))
        return next(differs, None) or next(touched, None)

    def _copies(self, piece: range) -> tuple[np.ndarray, np.ndarray]:
        """Host copy and card copy of some bytes."""
        return self.host[piece.start : piece.stop], self.card[piece.start : piece.stop]


def _freed(memory: Memory, address: int, host: np.ndarray, views: list[memoryview]) -> None:
    """Frees the place; views that are still about fail from now on, and arrays that lie on them show the pattern."""
    memory.free(address)
    for view in views:
        with suppress(BufferError):
            view.release()
    if views:
        host[:] = MEANINGLESS
