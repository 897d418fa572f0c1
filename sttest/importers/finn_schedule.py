"""A layer's loop nests: which tokens it reads and writes in which cycle of a frame."""

from dataclasses import dataclass
from math import prod

from sttest.sim.graph import When


@dataclass(frozen=True)
class StreamAccess:
    """A token read from an input or written to an output in some iterations of a nest."""

    port: int
    when: tuple[When, ...] = ()


@dataclass(frozen=True)
class StreamNest:
    """A pipelined loop nest with one iteration per cycle, or per ``ii`` cycles; ``trips`` outermost first."""

    trips: tuple[int, ...]
    reads: tuple[StreamAccess, ...] = ()
    writes: tuple[StreamAccess, ...] = ()
    ii: int = 1

    def tokens(self, accesses: tuple[StreamAccess, ...], port: int) -> int:
        """Tokens that pass a port in one run of the nest."""
        return sum(_times(self.trips, each.when) for each in accesses if each.port == port)


@dataclass(frozen=True)
class Layer:
    """The nests of one frame, in order; elements per token by input and by output of the node."""

    nests: tuple[StreamNest, ...]
    in_elements: tuple[int, ...]
    out_elements: tuple[int, ...]

    @property
    def cycles(self) -> int:
        """Cycles per frame, which FINN estimates too."""
        return sum(prod(nest.trips) * nest.ii for nest in self.nests)

    def tokens(self, op: str, port: int) -> int:
        """Tokens per frame on an input (``read``) or output (``write``)."""
        return sum(nest.tokens(nest.reads if op == "read" else nest.writes, port) for nest in self.nests)


def _times(trips: tuple[int, ...], when: tuple[When, ...]) -> int:
    count = 1
    for trip, each in zip(trips, when or (None,) * len(trips), strict=True):
        if each is None:
            count *= trip
        elif isinstance(each, tuple):
            count *= (each[1] - each[0]) // each[2] + 1
    return count


def each_time(ports: int = 1) -> tuple[StreamAccess, ...]:
    """One token in every iteration, on each of the first ports."""
    return tuple(StreamAccess(port) for port in range(ports))


def reads_only(count: int) -> tuple[StreamNest, ...]:
    """So many cycles that only read, or nothing."""
    return (StreamNest((count,), each_time()),) if count > 0 else ()
