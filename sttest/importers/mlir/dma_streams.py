"""What the DMA channels of an object FIFO do: objects out of one pool, into all others, as one stream of bits.

The channel of the source takes an object, the switches copy what it sends to every consumer, and none goes on before
all have a place for it.  An object's place is free once it was sent, as often as it is to be sent.  Where the ends have
objects of different sizes, places are taken and objects put where the stream comes to their beginning and end.
"""

import heapq
from collections.abc import Iterator, Sequence
from math import lcm
from typing import NamedTuple

from sttest.core.errors import InputError
from sttest.importers.mlir.object_fifos import ObjectFifo, ObjectSlice, filled
from sttest.importers.mlir.scripts import Script

STREAM_BITS = 32
"""A stream of the array moves so many bits a cycle (AM009 and AM020: 32-bit AXI4-Stream switches)."""
MAX_STREAM_STEPS = 1 << 20
"""Steps of one channel's period."""


class _Boundary(NamedTuple):
    """Where an object begins or ends in the stream; of those at one place, ends come first."""

    bit: int
    order: int
    fifo: str
    writes: bool


def _source(slices: Sequence[ObjectSlice], repeat: int) -> Iterator[_Boundary]:
    """Objects that are taken, each part sent so often before its place is free."""
    bit = 0
    while True:
        for part in slices:
            yield _Boundary(bit, 2, filled(part.pool), False)
            bit += part.bits * repeat
            yield _Boundary(bit, 0, part.pool, False)


def _target(slices: Sequence[ObjectSlice]) -> Iterator[_Boundary]:
    """Places that are taken, and the objects put into them."""
    bit = 0
    while True:
        for part in slices:
            yield _Boundary(bit, 3, part.pool, True)
            bit += part.bits
            yield _Boundary(bit, 1, filled(part.pool), True)


class ObjectFifoDma:
    """The DMA channels of one object FIFO, as one process."""

    def __init__(self, fifo: ObjectFifo) -> None:
        self.fifo = fifo
        self.script = Script(f"dma {fifo.name}", f"@{fifo.name}", "dma")
        targets = [slices for slices in fifo.targets if slices is not None]
        ends = [_target(slices) for slices in targets]
        if fifo.source is not None:
            ends.append(_source(fifo.source, fifo.repeat))
        if not ends:
            what = "both of its ends are in the host's memory"
            raise InputError("open-end", what, where=f"@{fifo.name}", hints=["leave it out"])
        self.boundaries = heapq.merge(*ends)
        self.next = next(self.boundaries)
        self.bit = 0
        periods = [sum(part.bits for part in slices) for slices in targets]
        if fifo.source is not None:
            periods.append(fifo.repeat * sum(part.bits for part in fifo.source))
        self.period = lcm(*periods)

    def move(self, bits: int) -> None:
        """Moves the next bits of the stream."""
        until = self.bit + bits
        while (self.next.bit, self.next.order) < (until, 2):
            self._pass(self.next.bit)
            if self.next.writes:
                self.script.put(self.next.fifo)
            else:
                self.script.take(self.next.fifo)
            self.next = next(self.boundaries)
            if len(self.script.steps) > MAX_STREAM_STEPS:
                what = f"it takes and puts more than {MAX_STREAM_STEPS:,} objects"
                raise InputError("too-many-steps", what, where=f"@{self.fifo.name}")
        self._pass(until)

    def for_ever(self) -> None:
        """From here on, moves objects for ever."""
        self.script.endless_from = len(self.script.steps)
        self.move(self.period)

    def _pass(self, bit: int) -> None:
        if bit > self.bit:
            self.script.spend(-(-(bit - self.bit) // STREAM_BITS))
            self.bit = bit
