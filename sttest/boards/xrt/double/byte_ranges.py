"""Sets of bytes of a buffer, kept as ranges."""

from __future__ import annotations

from collections.abc import Iterator


class ByteRanges:
    """A set of byte offsets, as ascending ranges that neither touch nor overlap."""

    def __init__(self) -> None:
        self._ranges: list[range] = []

    def __iter__(self) -> Iterator[range]:
        return iter(self._ranges)

    def __bool__(self) -> bool:
        return bool(self._ranges)

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
