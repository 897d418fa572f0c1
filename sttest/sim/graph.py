"""What every engine takes: processes, the FIFOs between them, and memory channels.

Times are cycles of the design's clock, sizes of FIFOs are tokens.  All objects
are immutable; a graph checks itself when it is made (``sttest.sim.validation.graph``).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np

from sttest.errors import InputError, did_you_mean

SRL_MAX_BITS = 1024
"""Vitis HLS keeps a FIFO of at most this many bits in shift registers (UG1399, stream storage)."""

When: TypeAlias = int | tuple[int, int, int] | None
"""Iterations of one loop dim that an event happens in: all, one index, or (first, last, step)."""


@dataclass(frozen=True)
class Fifo:
    """A queue with exactly one writer and one reader.

    ``impl`` is ``srl``, ``ram`` or ``auto`` (by size); ``initial_tokens`` are there before cycle 0.
    """

    name: str
    depth: int
    bits: int
    impl: str = "auto"
    initial_tokens: int = 0
    origin: str = ""

    @property
    def kind(self) -> str:
        """``srl`` or ``ram``, with ``auto`` resolved by size."""
        if self.impl != "auto":
            return self.impl
        return "srl" if self.depth * self.bits <= SRL_MAX_BITS else "ram"

    @property
    def read_after_write_cycles(self) -> int:
        """Cycles from the write of a token to its earliest read."""
        return 1 if self.kind == "srl" else 2


@dataclass(frozen=True)
class Event:
    """``tokens`` accesses to a FIFO (``op`` is ``read`` or ``write``) at offset ``stage`` of an iteration.

    ``when`` has one entry per loop dim, outermost first; empty means in every iteration.
    """

    fifo: str
    op: str
    stage: int
    when: tuple[When, ...] = ()
    tokens: int = 1


@dataclass(frozen=True)
class Loop:
    """A pipelined loop nest, flattened: ``trips`` outermost first, one initiation interval.

    It takes ``(prod(trips) - 1) * ii + latency`` stages; what follows is entered ``entry_gap`` stages later.
    """

    trips: tuple[int, ...]
    ii: int
    latency: int
    events: tuple[Event, ...] = ()
    entry_gap: int = 2

    @property
    def iterations(self) -> int:
        """Trip count of the flattened loop."""
        return prod(map(int, self.trips))

    @property
    def length(self) -> int:
        """Stages from its entry to the one after its last."""
        return (self.iterations - 1) * self.ii + self.latency


@dataclass(frozen=True, eq=False)
class Trace:
    """Accesses of a pipeline spelled out: ``tick`` int64, rising stages; ``op`` int32, 2 * FIFO index + write."""

    tick: np.ndarray
    op: np.ndarray

    @cached_property
    def ops_used(self) -> tuple[int, ...]:
        """The distinct values of ``op``, ascending."""
        return tuple(int(value) for value in np.unique(self.op))

    @cached_property
    def is_ordered(self) -> bool:
        """Whether ticks start at 0 or later and never fall."""
        return self.tick.size == 0 or (int(self.tick[0]) >= 0 and bool((self.tick[1:] >= self.tick[:-1]).all()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trace):
            return NotImplemented
        return np.array_equal(self.tick, other.tick) and np.array_equal(self.op, other.op)

    def __hash__(self) -> int:
        return hash((self.tick.size, self.ops_used))


@dataclass(frozen=True)
class Pipeline:
    """A stalling HLS pipeline: a program of loops, or a trace, run ``repeat`` times, drained in between.

    ``end`` is the stage at which one run of the program ends; by default where its last loop does,
    or one after the last access of a trace.
    """

    name: str
    loops: tuple[Loop, ...] = ()
    start: int = 0
    repeat: int = 1
    end: int | None = None
    trace: Trace | None = None
    origin: str = ""
    category: str = ""


@dataclass(frozen=True)
class Phase:
    """One firing of an actor: its duration and the tokens it takes and puts, per FIFO."""

    time: int
    reads: Mapping[str, int] = field(default_factory=dict)
    writes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Actor:
    """A (cyclo-static) dataflow actor; ``firings`` counts phases, None means for ever."""

    name: str
    phases: tuple[Phase, ...]
    firings: int | None = None
    start: int = 0
    origin: str = ""
    category: str = ""


@dataclass(frozen=True)
class Memory:
    """A port that streams ``tokens`` tokens between external memory and a FIFO, in order.

    ``op`` is the memory's view: ``read`` fills the FIFO, ``write`` empties it.  Bursts of at most
    ``burst_bytes`` go round robin over ``channels``, ``outstanding`` of them per channel.
    """

    name: str
    op: str
    fifo: str
    tokens: int
    token_bytes: int
    channels: tuple[str, ...]
    burst_bytes: int = 4096
    outstanding: int = 16
    start: int = 0
    origin: str = ""
    category: str = ""


@dataclass(frozen=True)
class Channel:
    """A memory channel: ``beats_num`` beats of ``beat_bytes`` per ``beats_den`` cycles, after ``latency`` cycles."""

    name: str
    latency: int
    beat_bytes: int
    beats_num: int = 1
    beats_den: int = 1


Process: TypeAlias = Pipeline | Actor | Memory


@dataclass(frozen=True)
class TimedGraph:
    """Processes joined by FIFOs, with the memory channels they share.

    Raises:
        InputError: when it is not a graph that an engine could run.
    """

    name: str
    clock_mhz: float
    fifos: tuple[Fifo, ...]
    processes: tuple[Process, ...]
    channels: tuple[Channel, ...] = ()

    def __post_init__(self) -> None:
        from sttest.sim.validation.graph import validate

        validate(self)

    @cached_property
    def fifo_index(self) -> dict[str, int]:
        """Place of each FIFO in ``fifos``, by name."""
        return {fifo.name: index for index, fifo in enumerate(self.fifos)}

    def with_depths(self, depths: Mapping[str, int]) -> TimedGraph:
        """The same graph with other depths for the FIFOs named.

        Raises:
            InputError: a FIFO is not there, or a depth is not possible.
        """
        for name in depths:
            if name not in self.fifo_index:
                raise InputError(
                    "unknown-fifo", f"no FIFO '{name}'", where=self.name, levers=[did_you_mean(name, self.fifo_index)]
                )
        from sttest.sim.validation.graph import check_fifos

        # All but the FIFOs has been checked, and is most of what there is.
        changed = copy(self)
        fifos = tuple(replace(f, depth=depths[f.name]) if f.name in depths else f for f in self.fifos)
        object.__setattr__(changed, "fifos", fifos)
        check_fifos(changed)
        return changed

    def with_all_depths(self, depth: int) -> TimedGraph:
        """The same graph with every FIFO ``depth`` deep."""
        return self.with_depths({fifo.name: depth for fifo in self.fifos})
