"""The two copies of a buffer, and which bytes of which are the newer ones.

XRT keeps no such books; the emulator does, to refuse what would read an old copy.  Copies are filled with a
pattern wherever their content means nothing, so that what slips through shows in the results.
"""

import weakref
from bisect import insort
from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np

from sttest.boards.tiers import banks_text
from sttest.core.errors import DoesNotFitError
from sttest.targets.xrt.contract import PAGE_BYTES

# --- Sets of bytes of a buffer, kept as ranges


class ByteRanges:
    """A set of byte offsets, as ascending ranges that neither touch nor overlap."""

    def __init__(self) -> None:
        self._ranges: list[range] = []

    def __iter__(self) -> Iterator[range]:
        return iter(self._ranges)

    def add(self, new: range) -> None:
        """Puts bytes in."""
        if not new:
            return
        touching = [old for old in self._ranges if old.start <= new.stop and new.start <= old.stop]
        start = min([new.start, *(old.start for old in touching)])
        stop = max([new.stop, *(old.stop for old in touching)])
        apart = [old for old in self._ranges if old not in touching]
        self._ranges = sorted([*apart, range(start, stop)], key=lambda one: one.start)

    def discard(self, gone: range) -> None:
        """Takes bytes out."""
        pieces = []
        for old in self._ranges:
            pieces += [range(old.start, min(old.stop, gone.start)), range(max(old.start, gone.stop), old.stop)]
        self._ranges = [piece for piece in pieces if piece] if gone else self._ranges

    def within(self, window: range) -> list[range]:
        """The bytes that lie in ``window``."""
        cut = (range(max(old.start, window.start), min(old.stop, window.stop)) for old in self._ranges)
        return [piece for piece in cut if piece]

    def outside(self, window: range) -> list[range]:
        """The bytes of ``window`` that are not in the set."""
        rest = ByteRanges()
        rest.add(window)
        for old in self._ranges:
            rest.discard(old)
        return list(rest)


# --- Memory banks of a card: which addresses are taken


class CardMemory:
    """The address space of banks, one behind the other; buffers lie on pages and are placed first fit.

    Args:
        banks: number of banks of the HBM.
        bank_bytes: size of each.
        behind: sizes of the banks behind them, which are of the DDR.
    """

    def __init__(self, banks: int, bank_bytes: int, behind: Sequence[int] = ()) -> None:
        self.banks = banks + len(behind)
        self.hbm_banks = banks
        self._starts = [0, *accumulate([bank_bytes] * banks + list(behind))]
        self._taken: list[tuple[int, int]] = []

    def take(self, size: int, banks: range) -> int:
        """Address of ``size`` bytes in neighboring banks, from now on taken.

        Raises:
            DoesNotFitError: no hole there is large enough.
        """
        low, high = self._starts[banks.start], self._starts[banks.stop]
        largest = 0
        for start, stop in self._holes(low, high):
            if size <= stop - start:
                insort(self._taken, (start, start + size))
                return start
            largest = max(largest, stop - start)
        raise DoesNotFitError(
            "bank-full",
            "no room for a buffer",
            where=banks_text(banks, self.hbm_banks),
            demand=size,
            bound=largest,
            unit="bytes",
            hints=["drop buffers that are not needed", "connect it to more banks"],
        )

    def free(self, address: int) -> None:
        """Gives a buffer back."""
        self._taken = [taken for taken in self._taken if taken[0] != address]

    def used_bytes(self) -> int:
        """Bytes that are taken, without the rest of their last pages."""
        return sum(stop - start for start, stop in self._taken)

    def _holes(self, low: int, high: int) -> list[tuple[int, int]]:
        """Free stretches that start on a page, in ascending order."""
        holes, start = [], low
        for taken_start, taken_stop in self._taken:
            if taken_start < high and low < taken_stop:
                holes.append((start, taken_start))
                start = -(-taken_stop // PAGE_BYTES) * PAGE_BYTES
        return [*holes, (start, high)]


MEANINGLESS = 0xCD
"""Fills bytes that nobody may rely on."""


class Storage:
    """A buffer's host copy and card copy, each ``size`` bytes; its place on the card is freed with it.

    Attributes:
        host, card: uint8, ``[size]``.
        unsynced: bytes of ``host`` that were written and not yet synced to the card.
        stale: bytes of ``host`` that a kernel has overtaken on the card.
        known: bytes of ``card`` that were synced or written by a kernel.
        mapped: whether the host has had a view, through which it may write unseen.
        generation: number of the card's configuration; a buffer does not outlive it.
    """

    def __init__(self, memory: CardMemory, size: int, banks: range, generation: int) -> None:
        self.address = memory.take(size, banks)
        self.banks = banks
        self.generation = generation
        self.host = np.full(size, MEANINGLESS, np.uint8)
        self.card = np.full(size, MEANINGLESS, np.uint8)
        self.unsynced, self.stale, self.known = ByteRanges(), ByteRanges(), ByteRanges()
        self.mapped = False
        weakref.finalize(self, memory.free, self.address)

    @property
    def size(self) -> int:
        """Bytes."""
        return self.host.size

    def view(self, window: range) -> memoryview:
        """The host copy itself."""
        self.mapped = True
        return self.host.data[window.start : window.stop]

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
        current = ((piece, slice(piece.start, piece.stop)) for piece in self.stale.outside(window))
        return next((piece for piece, at in current if not np.array_equal(self.host[at], self.card[at])), None)
