"""What the hardware of a process does in which cycle: loop nests with the tokens of their ports, or a walk of memory.

A process is one node of a kernel, or several that take turns on it.  Times are cycles of the design's clock, counted
from the start of an iteration.  The op that keeps it is ``sched.process`` (``sttest/compile/dialects/sched.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import TypeAlias

When: TypeAlias = int | tuple[int, int, int] | None
"""Iterations of a loop: all, one index, or (first, last, step)."""


@dataclass(frozen=True)
class Port:
    """A side of a FIFO: the tokens that pass it in an iteration."""

    fifo: str
    writes: bool
    cycles: tuple[int, ...]  # cycle of each access
    when: tuple[When, ...] = ()  # iterations of each loop inside those that are left; empty for all
    tokens: int = 1  # tokens of an access


@dataclass(frozen=True)
class Nest:
    """Loops of which the outermost are left and entered again, while the others are flattened into one pipeline."""

    trips: tuple[int, ...]  # outermost first
    left: int  # loops that are left, after each of whose iterations the pipeline drains
    interval: int  # cycles from one iteration to the next
    latency: int  # cycles of one iteration
    ports: tuple[Port, ...] = ()
    gap: int = 2  # cycles from the end of a pass to the start of what follows

    @property
    def passes(self) -> int:
        """How often the pipeline is entered."""
        return prod(self.trips[: self.left])

    @property
    def inner(self) -> tuple[int, ...]:
        """Trips of the loops of the pipeline."""
        return self.trips[self.left :]


@dataclass(frozen=True)
class MemoryWalk:
    """A DMA's way through memory."""

    writes: bool
    fifo: str
    tokens: int
    token_bytes: int
    channel: int  # number of its bank on the board
    burst_bytes: int  # most bytes that one request asks for
    outstanding: int  # requests in flight at the most
    gap: int = 0  # cycles without data after each write burst


@dataclass(frozen=True)
class AddedFifo:
    """A FIFO that no stream of the kernel is: between the halves of a buffer, behind a memory port, or on a link."""

    name: str
    depth: int  # tokens
    bits: int  # bits of a token
    impl: str = "auto"  # srl, ram, or auto by size
    initial: int = 0  # tokens that are there from the start
    latency: int = 0  # cycles on the way between its ends


@dataclass(frozen=True)
class NodeTurn:
    """What a process does for one of its nodes, in one layer."""

    node: str  # label of the node
    does: tuple[Nest, ...] | MemoryWalk
    origin: str = ""  # where the node comes from
    once: bool = False  # whether it runs once per token of a launch, and not in every layer
    late: bool = False  # whether it waits for numbers: turns before it must not stay in the pipeline until then
    fifos: tuple[AddedFifo, ...] = ()  # FIFOs that come with it

    def on_fifos(self, name_of: Mapping[str, str]) -> NodeTurn:
        """The same on other FIFOs.

        Args:
            name_of: names of FIFOs by those that they have here; others stay.
        """
        fifos = tuple(replace(each, name=name_of.get(each.name, each.name)) for each in self.fifos)
        if isinstance(self.does, MemoryWalk):
            walk = replace(self.does, fifo=name_of.get(self.does.fifo, self.does.fifo))
            return replace(self, does=walk, fifos=fifos)
        return replace(self, does=tuple(_on_fifos(nest, name_of) for nest in self.does), fifos=fifos)


def _on_fifos(nest: Nest, name_of: Mapping[str, str]) -> Nest:
    return replace(nest, ports=tuple(replace(port, fifo=name_of.get(port.fifo, port.fifo)) for port in nest.ports))


@dataclass(frozen=True)
class ProcessSchedule:
    """A process."""

    name: str
    category: str  # compute, fork, join, gather, converter, layers or dma, or what an extension calls it
    turns: tuple[NodeTurn, ...]  # its turns in the order in which they come

    @property
    def sides(self) -> Iterator[tuple[str, bool]]:
        """The FIFOs that it uses, each with whether it writes them."""
        for turn in self.turns:
            if isinstance(turn.does, MemoryWalk):
                yield turn.does.fifo, not turn.does.writes
                continue
            for nest in turn.does:
                yield from ((port.fifo, port.writes) for port in nest.ports)
