"""What every engine takes: processes, the FIFOs between them, and memory channels.

Times are cycles of the design's clock, sizes of FIFOs are tokens.  All objects
are immutable; a graph checks itself when it is made (``sttest.sim.graph``).
"""

import os
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import lcm, prod
from typing import NamedTuple, TypeAlias

import numpy as np

from sttest.core.errors import InputError, did_you_mean

# --- Facts about FIFOs and the loops that move tokens, of Vitis HLS and of the code that is emitted for it


SRL_MAX_BITS = 1024
"""Vitis HLS keeps a FIFO of at most this many bits in shift registers (UG1399, stream storage)."""
SRL_CYCLES, RAM_CYCLES = 1, 2
"""Cycles from the write of a token to its earliest read, by kind of FIFO: a memory has an output register."""
MIN_DEPTH = 2
"""Tokens.  A shift register of depth 1 passes a token only every second cycle."""
PING_PONG = 2
"""Halves of a buffer of which one is filled while the other is drained."""
COPY_CYCLES = 2
"""Latency of a token that is passed on, or put together: a register between its read and its writes."""
FILL_CYCLES, DRAIN_CYCLES = 2, 3
"""Latency of filling a buffer, which writes in the cycle after the read, and of draining it through a register."""


def srl_depth(bits: int) -> int:
    """The deepest FIFO of so many bits per token that is kept in shift registers; less than 1 where none is."""
    return SRL_MAX_BITS // bits


def full_rate_depth(bits: int) -> int:
    """The least depth that passes a token every cycle: a memory's longer latency takes a token more."""
    return MIN_DEPTH if srl_depth(bits) >= MIN_DEPTH else MIN_DEPTH + RAM_CYCLES - SRL_CYCLES


When: TypeAlias = int | tuple[int, int, int] | None
"""Iterations of one loop dim that an event happens in: all, one index, or (first, last, step)."""


@dataclass(frozen=True)
class Fifo:
    """A queue with exactly one writer and one reader.

    ``impl`` is ``srl``, ``ram`` or ``auto`` (by size); ``initial_tokens`` are there before cycle 0.  ``latency`` are
    cycles on a way between the ends, such as a link between cards; what is on it takes up places.
    """

    name: str
    depth: int
    bits: int
    impl: str = "auto"
    initial_tokens: int = 0
    origin: str = ""
    latency: int = 0

    @property
    def kind(self) -> str:
        """``srl`` or ``ram``, with ``auto`` resolved by size."""
        if self.impl != "auto":
            return self.impl
        return "srl" if self.depth <= srl_depth(self.bits) else "ram"

    @property
    def read_after_write_cycles(self) -> int:
        """Cycles from the write of a token to its earliest read."""
        return self.latency + (SRL_CYCLES if self.kind == "srl" else RAM_CYCLES)


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
class ActorPhase:
    """One firing of an actor: its duration and the tokens it takes and puts, per FIFO."""

    time: int
    reads: Mapping[str, int] = field(default_factory=dict[str, int])
    writes: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True)
class Actor:
    """A (cyclo-static) dataflow actor; ``firings`` counts phases, None means for ever.

    ``initial_phases``: what an actor that fires for ever does once, before its phases.
    """

    name: str
    phases: tuple[ActorPhase, ...]
    firings: int | None = None
    start: int = 0
    origin: str = ""
    category: str = ""
    initial_phases: tuple[ActorPhase, ...] = ()

    @property
    def all_phases(self) -> tuple[ActorPhase, ...]:
        """The initial ones, then those that take turns."""
        return (*self.initial_phases, *self.phases)


@dataclass(frozen=True)
class MemoryPort:
    """A port that streams ``tokens`` tokens between external memory and a FIFO, in order.

    ``op`` is the memory's view: ``read`` fills the FIFO, ``write`` empties it.  Of its bursts of at most
    ``burst_bytes``, ``outstanding`` may be in flight.  Over several channels a ``sequential`` port with ``one`` ID
    reads one contiguous range of each after the other, one with ``many`` takes them in turn; where a ``random`` port
    goes, a hash says.
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
    pattern: str = "sequential"  # or random: every burst opens a row
    ids: str = "one"  # or many: AXI IDs, of which one waits where it turns to another channel
    gap: int = 0  # cycles without data after each write burst
    early: bool = False  # a write burst is requested with its first byte, and holds its channel until the last came


@dataclass(frozen=True)
class Channel:
    """A memory channel: ``beats_num`` beats of ``beat_bytes`` per ``beats_den`` cycles, after ``latency`` cycles.

    What a burst takes is counted in units of 1/``beats_num`` cycle, so that nothing is lost to rounding: a beat takes
    ``beats_den`` units, one that is written ``write_den``.  What stands empty is as it says beside it.
    """

    name: str
    latency: int  # cycles from the start of a read burst until its beats come
    beat_bytes: int
    beats_num: int = 1
    beats_den: int = 1
    write_den: int | None = None  # beats_den
    busy_latency: int | None = None  # latency, from when the channel was free for the burst: of a saturated channel
    response: int | None = None  # latency + 1; cycles from the start of a write burst to its response
    busy_response: int | None = None  # response
    random_bytes: int = 0  # bytes of a short random burst,
    random_short: int = 0  # least units of one,
    random_long: int = 0  # and of a longer one
    id_wait: int | None = None  # latency; cycles that one ID waits after its last beat for another channel
    read_turns: int = 1  # bursts that are read in a row while others wait to be written,
    write_turns: int = 1  # and written while others wait to be read

    def units_per_beat(self, *, writes: bool) -> int:
        """Units of 1/``beats_num`` cycle per beat."""
        return self.write_den if writes and self.write_den is not None else self.beats_den

    def delay(self, *, writes: bool) -> int:
        """Cycles from a burst's start to its beats or its response."""
        if not writes:
            return self.latency
        return self.latency + 1 if self.response is None else self.response

    def busy_delay(self, *, writes: bool) -> int:
        """The same from when the channel was free for the burst, at least."""
        busy = self.busy_response if writes else self.busy_latency
        return self.delay(writes=writes) if busy is None else busy

    @property
    def turn_cycles(self) -> int:
        """Cycles that a port with one ID waits after its last beat here before it goes to another channel."""
        return self.latency if self.id_wait is None else self.id_wait

    def bytes_per_cycle(self, *, writes: bool = False) -> Fraction:
        """What it moves at most."""
        return Fraction(self.beat_bytes * self.beats_num, self.units_per_beat(writes=writes))


Process: TypeAlias = Pipeline | Actor | MemoryPort


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
        validate(self)

    @cached_property
    def fifo_index(self) -> dict[str, int]:
        """Place of each FIFO in ``fifos``, by name."""
        return {fifo.name: index for index, fifo in enumerate(self.fifos)}

    @property
    def is_endless(self) -> bool:
        """Whether it has actors that fire for ever."""
        return any(isinstance(process, Actor) and process.firings is None for process in self.processes)

    def with_depths(self, depths: Mapping[str, int]) -> "TimedGraph":
        """The same graph with other depths for the FIFOs named.

        Raises:
            InputError: a FIFO is not there, or a depth is not possible.
        """
        for name in depths:
            if name not in self.fifo_index:
                raise InputError(
                    "unknown-fifo", f"no FIFO '{name}'", where=self.name, hints=[did_you_mean(name, self.fifo_index)]
                )

        return self.with_fifos(
            replace(fifo, depth=depths[fifo.name]) if fifo.name in depths else fifo for fifo in self.fifos
        )

    def with_fifos(self, fifos: Iterable[Fifo], name: str = "") -> "TimedGraph":
        """The same graph with its FIFOs changed in all but their names and their order.

        Args:
            fifos: all of its FIFOs.
            name: another name for the graph.

        Raises:
            InputError: a name or a FIFO that is not possible.
        """
        # All but these has been checked, and is most of what there is.
        changed = copy(self)
        object.__setattr__(changed, "fifos", tuple(fifos))
        if name:
            check_name(name, "graph")
            object.__setattr__(changed, "name", name)
        check_fifos(changed)
        return changed

    def with_all_depths(self, depth: int) -> "TimedGraph":
        """The same graph with every FIFO ``depth`` deep."""
        return self.with_depths({fifo.name: depth for fifo in self.fifos})


# --- Which process writes and which reads each FIFO


class Ends(NamedTuple):
    """Places in ``graph.processes`` of a FIFO's writer and reader."""

    writer: int
    reader: int


def accesses_of(graph: TimedGraph, process: Process) -> tuple[set[str], set[str]]:
    """Names of the FIFOs that a process reads and of those that it writes."""
    if isinstance(process, MemoryPort):
        return (set(), {process.fifo}) if process.op == "read" else ({process.fifo}, set())
    if isinstance(process, Actor):
        reads = {name for phase in process.all_phases for name in phase.reads}
        return reads, {name for phase in process.all_phases for name in phase.writes}
    if process.trace is not None:
        names = [(graph.fifos[op // 2].name, op % 2) for op in process.trace.ops_used]
        return {name for name, write in names if not write}, {name for name, write in names if write}
    events = [event for loop in process.loops for event in loop.events]
    return {e.fifo for e in events if e.op == "read"}, {e.fifo for e in events if e.op == "write"}


def fifo_ends(graph: TimedGraph) -> list[Ends]:
    """The ends of each FIFO, in the order of ``graph.fifos``."""
    writer: dict[str, int] = {}
    reader: dict[str, int] = {}
    for number, process in enumerate(graph.processes):
        reads, writes = accesses_of(graph, process)
        reader.update(dict.fromkeys(reads, number))
        writer.update(dict.fromkeys(writes, number))
    return [Ends(writer[fifo.name], reader[fifo.name]) for fifo in graph.fifos]


def joins_actors(graph: TimedGraph, ends: Ends) -> bool:
    """Whether a FIFO follows the SDF law: tokens and space pass from actor to actor within a cycle."""
    return isinstance(graph.processes[ends.writer], Actor) and isinstance(graph.processes[ends.reader], Actor)


def frees_at_once(graph: TimedGraph) -> list[bool]:
    """For each FIFO, whether a token that leaves makes room for what comes in the same cycle, whatever else waits.

    Not where firings without duration read it: one of them may itself wait for what would take its place.
    """
    waiting = {
        name
        for process in graph.processes
        if isinstance(process, Actor)
        for phase in process.all_phases
        if phase.time == 0
        for name, tokens in phase.reads.items()
        if tokens
    }
    pairs = zip(graph.fifos, fifo_ends(graph), strict=True)
    return [joins_actors(graph, ends) and fifo.name not in waiting for fifo, ends in pairs]


# --- Refuses timed graphs that no engine could run, each with one line that says why


# --- Single checks of timed graphs, each refusing with one clear line, and the limits


MIN_CLOCK_MHZ, MAX_CLOCK_MHZ = 1e-3, 1e6
"""A kHz and a THz: slower than any watch, and a thousand times as fast as the transistors of any card."""
MAX_FIFOS = 100_000
MAX_PROCESSES = 20_000
MAX_CHANNELS = 256
MAX_DIMS = 30
"""Dims of a loop."""
MAX_LANES = 16_384
"""Channels of all memory ports together, each counted as often as a port lists it."""
MAX_LOOPS = 65_536
MAX_LOOP_EVENTS = 131_072
MAX_ENDLESS = 8192
"""Actors that fire for ever."""
MAX_PHASES = 65_536
MAX_RATES = 262_144
"""FIFOs named by all phases of all actors together."""
MAX_DEPTH = 1 << 40
MAX_BITS = 1 << 24
MAX_CYCLES = 1 << 50
MAX_EVENTS = 1 << 26
"""Tokens of one access, of one phase, or there at the start."""
MAX_TOKENS = 1 << 31
MAX_NAME_CHARS = 200
MAX_ORIGIN_CHARS = 2000
DEFAULT_MAX_ACCESSES = 1 << 27
MAX_ACCESSES_VARIABLE = "STTEST_MAX_ACCESSES"
"""Environment variable that raises or lowers ``max_accesses``."""


def max_accesses() -> int:
    """FIFO accesses that a whole simulation may make; so many firings and bursts are possible, too.

    Raises:
        InputError: the environment variable is set to something else than a number.
    """
    asked = os.environ.get(MAX_ACCESSES_VARIABLE, "")
    if not asked:
        return DEFAULT_MAX_ACCESSES
    if not (asked.isascii() and asked.isdecimal()) or not 0 < len(asked) <= 12:
        what = f"'{asked:.40}' is no number of FIFO accesses"
        raise InputError("bad-limit", what, where=MAX_ACCESSES_VARIABLE, hints=["give up to 12 digits", "unset it"])
    return int(asked)


def check_work(value: int, what: str, where: str) -> None:
    """Refuses more than ``max_accesses`` of something that a simulation spells out, and says how to raise the limit."""
    most = max_accesses()
    if value > most:
        raise InputError(
            "too-large",
            f"{what} is {value}, at most {most} is possible",
            where=where,
            hints=[f"set {MAX_ACCESSES_VARIABLE} higher, at up to 100 bytes of memory each"],
        )


def check_whole(value: object, what: str, where: str, least: int, most: int) -> int:
    """``value`` as an int in [least, most].

    Raises:
        InputError: it is not a whole number, or out of range.
    """
    if type(value) is int and least <= value <= most:
        return value
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise InputError("not-whole", f"{what} is {value!r:.80}, not a whole number", where=where)
    number = int(value)  # pyright: ignore[reportUnknownArgumentType] - of which numpy type is all the same
    if number < least:
        raise InputError("too-small", f"{what} is {_digits(number)}, at least {least} is needed", where=where)
    if number > most:
        raise InputError("too-large", f"{what} is {_digits(number)}, at most {most} is possible", where=where)
    return number


def _digits(value: int) -> str:
    """A number, or of one with thousands of digits only how long it is."""
    bits = value.bit_length()
    return str(value) if bits <= 256 else f"{'-' if value < 0 else ''}2^{bits - 1} or more"


def check_text(text: object, what: str, where: str, most_chars: int) -> None:
    """Refuses what is not text, is too long, or could steer a terminal that it is printed on."""
    if not isinstance(text, str) or len(text) > most_chars or not text.isprintable():
        raise InputError("bad-text", f"{what} {text!r:.80} is not up to {most_chars} printable characters", where=where)


def check_name(name: object, what: str) -> None:
    """Refuses a name that is empty, too long, not text, or holds characters that cannot be printed."""
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME_CHARS or not name.isprintable():
        raise InputError("bad-name", f"{what} name {name!r:.80} is not 1 to {MAX_NAME_CHARS} printable characters")


def check_choice(value: str, what: str, where: str, choices: Iterable[str]) -> None:
    """Refuses a value that is none of the choices; the nearest is named."""
    if value not in choices:
        raise InputError(
            "unknown-value", f"unknown {what} '{value!s:.80}'", where=where, hints=[did_you_mean(str(value), choices)]
        )


# --- Refuses timed graphs that are long-winded beyond the limits, so that reading them stays little work


def check_extent(graph: TimedGraph) -> None:
    """Counts what the processes of a graph consist of.

    Raises:
        InputError: there is more of something than the limits allow.
    """
    loops: list[Loop] = []
    phases: list[ActorPhase] = []
    lanes = endless = 0
    for process in graph.processes:
        if isinstance(process, Pipeline):
            loops += process.loops
        elif isinstance(process, Actor):
            phases += process.all_phases
            endless += process.firings is None
        else:
            lanes += len(process.channels)
    extent = (
        (len(loops), "number of loops in all", MAX_LOOPS),
        (sum(len(loop.events) for loop in loops), "number of events in all loops", MAX_LOOP_EVENTS),
        (len(phases), "number of phases in all", MAX_PHASES),
        (sum(len(phase.reads) + len(phase.writes) for phase in phases), "number of rates in all", MAX_RATES),
        (endless, "number of actors that fire for ever", MAX_ENDLESS),
        (lanes, "number of channels of all ports", MAX_LANES),
    )
    for count, what, most in extent:
        check_whole(count, what, graph.name, 0, most)


# --- Refuses processes that no engine could run, and counts the FIFO accesses of the others


OPS = ("read", "write")


class Work(NamedTuple):
    """What a process makes at most: FIFO accesses, and firings or bursts."""

    accesses: int
    steps: int = 0


def check_process(graph: TimedGraph, process: Process, where: str) -> Work:
    """Refuses a process that cannot be; gives how much work it is at most."""
    check_whole(process.start, "start", where, 0, MAX_CYCLES)
    check_text(process.origin, "origin", where, MAX_ORIGIN_CHARS)
    check_text(process.category, "category", where, MAX_NAME_CHARS)
    if isinstance(process, Pipeline):
        return Work(_check_pipeline(graph, process, where))
    if isinstance(process, MemoryPort):
        return _check_memory(graph, process, where)
    return _check_actor(graph, process, where)


def _check_known_fifo(graph: TimedGraph, name: str, where: str) -> None:
    if name not in graph.fifo_index:
        hints = [did_you_mean(name, graph.fifo_index)] if graph.fifos else []
        raise InputError("unknown-fifo", f"no FIFO '{name:.80}'", where=where, hints=hints)


def _check_pipeline(graph: TimedGraph, pipeline: Pipeline, where: str) -> int:
    check_whole(pipeline.repeat, "repeat", where, 1, MAX_TOKENS)
    if pipeline.end is not None:
        check_whole(pipeline.end, "end", where, 0, MAX_CYCLES)
    if pipeline.trace is not None:
        if pipeline.loops:
            raise InputError("loops-and-trace", "both loops and a trace", where=where, hints=["keep one of the two"])
        return _check_trace(graph, pipeline, pipeline.trace, where)
    stages, accesses = 0, 0
    for number, loop in enumerate(pipeline.loops):
        accesses += _check_loop(graph, loop, f"{where} loop {number}")
        stages += loop.length + loop.entry_gap
    check_whole(stages * pipeline.repeat, "length in stages", where, 0, MAX_CYCLES)
    check_work(accesses, "number of FIFO accesses in one run", where)
    program_end = stages - pipeline.loops[-1].entry_gap if pipeline.loops else 0
    if pipeline.end is not None and pipeline.end < program_end - 1:
        raise InputError("end-too-early", f"end is {pipeline.end} but its loops run to {program_end}", where=where)
    return accesses * pipeline.repeat


def _check_loop(graph: TimedGraph, loop: Loop, where: str) -> int:
    """Refuses a loop that cannot be; gives the FIFO accesses that it makes at most."""
    check_whole(loop.ii, "ii", where, 1, MAX_CYCLES)
    check_whole(loop.latency, "latency", where, 1, MAX_CYCLES)
    check_whole(loop.entry_gap, "entry_gap", where, 0, MAX_CYCLES)
    check_whole(len(loop.trips), "number of loop dims", where, 0, MAX_DIMS)
    for trip in loop.trips:
        check_whole(trip, "trip count", where, 1, MAX_CYCLES)
    check_whole(loop.length, "length in stages", where, 1, MAX_CYCLES)
    return sum(_check_event(graph, loop, event, where) for event in loop.events)


def _check_event(graph: TimedGraph, loop: Loop, event: Event, where: str) -> int:
    """Refuses an event that cannot be; gives the accesses that it makes."""
    _check_known_fifo(graph, event.fifo, where)
    where = f"{where} event on '{event.fifo}'"
    check_choice(event.op, "op", where, OPS)
    check_whole(event.stage, "stage", where, 0, loop.latency - 1)
    check_whole(event.tokens, "tokens", where, 1, MAX_EVENTS)
    if not event.when:
        return loop.iterations * event.tokens
    if len(event.when) != len(loop.trips):
        raise InputError(
            "when-dims", f"when has {len(event.when)} entries for {len(loop.trips)} loop dims", where=where
        )
    count = event.tokens
    for when, trip in zip(event.when, loop.trips, strict=True):
        if when is None:
            count *= trip
            continue
        first, last, step = when if isinstance(when, tuple) else (when, when, 1)
        check_whole(last, "last index of when", where, 0, trip - 1)
        check_whole(first, "first index of when", where, 0, last)
        check_whole(step, "step of when", where, 1, MAX_CYCLES)
        count *= (last - first) // step + 1
    return count


def _check_trace(graph: TimedGraph, pipeline: Pipeline, trace: Trace, where: str) -> int:
    if trace.tick.ndim != 1 or trace.tick.shape != trace.op.shape:
        shapes = f"tick is {trace.tick.shape}, op is {trace.op.shape}"
        raise InputError("trace-shape", f"{shapes}; both must be lists of one length", where=where)
    if trace.tick.dtype != np.int64 or trace.op.dtype != np.int32:
        raise InputError(
            "trace-dtype", f"tick is {trace.tick.dtype} and op {trace.op.dtype}, not int64 and int32", where=where
        )
    check_work(trace.tick.size, "length of the trace", where)
    if not trace.is_ordered:
        raise InputError("trace-order", "ticks fall, or start below 0", where=where)
    if trace.ops_used and not 0 <= trace.ops_used[0] <= trace.ops_used[-1] < 2 * len(graph.fifos):
        bad = trace.ops_used[0] if trace.ops_used[0] < 0 else trace.ops_used[-1]
        raise InputError("trace-op", f"op {bad} names no FIFO, there are {len(graph.fifos)}", where=where)
    last = int(trace.tick[-1]) if trace.tick.size else 0
    end = last if pipeline.end is None else pipeline.end
    if end < last:
        raise InputError("end-too-early", f"end is {end} but its trace runs to stage {last}", where=where)
    check_whole((end + 3) * pipeline.repeat, "length in stages", where, 0, MAX_CYCLES)
    return trace.tick.size * pipeline.repeat


def _check_memory(graph: TimedGraph, port: MemoryPort, where: str) -> Work:
    _check_known_fifo(graph, port.fifo, where)
    check_choice(port.op, "op", where, OPS)
    check_whole(port.tokens, "tokens", where, 1, MAX_TOKENS)
    check_whole(port.token_bytes, "token_bytes", where, 1, MAX_TOKENS)
    check_whole(port.burst_bytes, "burst_bytes", where, 1, MAX_TOKENS)
    check_whole(port.outstanding, "outstanding", where, 1, 1 << 20)
    check_whole(len(port.channels), "number of channels", where, 1, MAX_CHANNELS)
    for number, name in enumerate(port.channels):
        if name in port.channels[:number]:
            hints = ["list each channel once"]
            raise InputError("repeated-channel", f"channel '{name:.80}' is listed twice", where=where, hints=hints)
    check_choice(port.pattern, "pattern", where, PATTERNS)
    check_choice(port.ids, "ids", where, IDS)
    check_whole(port.gap, "gap", where, 0, MAX_RATE)
    for what in ("gap", "early"):
        if port.op == "read" and getattr(port, what):
            raise InputError(f"{what}-read", f"'{what}' is of ports that write", where=where, hints=["leave it out"])
    total = port.tokens * port.token_bytes
    bursts = -(-total // port.burst_bytes)
    check_work(bursts, "number of bursts", where)
    known = {channel.name for channel in graph.channels}
    for name in port.channels:
        if name not in known:
            hints = [did_you_mean(name, known)] if known else ["declare it under channels"]
            raise InputError("unknown-channel", f"no channel '{name:.80}'", where=where, hints=hints)
    # A token touches so many bursts, or one more where it isn't aligned; what all touch together tells whether any is.
    least = -(-port.token_bytes // port.burst_bytes)
    all_touched = port.tokens + bursts - -(-total // lcm(port.token_bytes, port.burst_bytes))
    touched = least + (all_touched > least * port.tokens)
    if touched > port.outstanding:
        raise InputError(
            "token-exceeds-window",
            "a token lies in more bursts than may be in flight, so the port could never finish it",
            where=where,
            demand=touched,
            bound=port.outstanding,
            unit="bursts",
            hints=["make the token smaller", "raise outstanding"],
        )
    return Work(port.tokens, bursts)


def _check_actor(graph: TimedGraph, actor: Actor, where: str) -> Work:
    check_whole(len(actor.phases), "number of phases", where, 1, MAX_PHASES)
    if actor.firings is not None:
        check_whole(actor.firings, "firings", where, 0, MAX_TOKENS)
        if actor.initial_phases:
            hints = ["write them as the first of its phases, and all others as often as they happen"]
            raise InputError("initial-phases", "initial phases of an actor that ends", where=where, hints=hints)
    for phase in actor.all_phases:
        check_whole(phase.time, "time", where, 0, MAX_CYCLES)
        for fifo, tokens in (*phase.reads.items(), *phase.writes.items()):
            _check_known_fifo(graph, fifo, where)
            check_whole(tokens, f"tokens on '{fifo}'", where, 0, MAX_EVENTS)
    in_one_cycle = sum(sum(phase.reads.values()) + sum(phase.writes.values()) for phase in actor.phases)
    return Work(in_one_cycle * -(-(actor.firings or 1) // len(actor.phases)), actor.firings or 0)


IMPLS = ("auto", "srl", "ram")
PATTERNS = ("sequential", "random")
IDS = ("one", "many")
MAX_RATE = 1 << 20
"""Most beats, cycles or turns in the numbers of a channel, and cycles of a gap of a port."""


def validate(graph: TimedGraph) -> None:
    """Checks everything that can be checked without running the graph.

    Raises:
        InputError: naming the place, what is wrong there, and the way out.
    """
    check_name(graph.name, "graph")
    if not MIN_CLOCK_MHZ <= graph.clock_mhz <= MAX_CLOCK_MHZ:
        what = f"clock_mhz is {graph.clock_mhz!s:.40}, not {MIN_CLOCK_MHZ:g} to {MAX_CLOCK_MHZ:g}"
        raise InputError("bad-clock", what, where=graph.name, hints=["give the clock in MHz"])
    if not graph.processes:
        raise InputError("empty-graph", "no processes", where=graph.name, hints=["add a process"])
    check_whole(len(graph.fifos), "number of FIFOs", graph.name, 0, MAX_FIFOS)
    check_whole(len(graph.processes), "number of processes", graph.name, 1, MAX_PROCESSES)
    check_whole(len(graph.channels), "number of channels", graph.name, 0, MAX_CHANNELS)
    check_extent(graph)
    for kind, items in (("FIFO", graph.fifos), ("process", graph.processes), ("channel", graph.channels)):
        _check_unique(kind, (item.name for item in items), graph.name)
    check_fifos(graph)
    for channel in graph.channels:
        _check_channel(channel, f"{graph.name}: channel '{channel.name}'")
    accesses = sum(fifo.initial_tokens for fifo in graph.fifos)
    steps = 0
    for process in graph.processes:
        work = check_process(graph, process, f"{graph.name}: process '{process.name}'")
        accesses, steps = accesses + work.accesses, steps + work.steps
    if not graph.is_endless:  # else how often they fire is not known yet
        check_work(accesses, "number of FIFO accesses in all", graph.name)
    check_work(steps, "number of firings and bursts in all", graph.name)
    _check_ends(graph)


def check_fifos(graph: TimedGraph) -> None:
    """Refuses FIFOs that cannot be, whatever is at their ends.

    Raises:
        InputError: naming the FIFO and what is wrong with it.
    """
    for fifo in graph.fifos:
        _check_fifo(fifo, f"{graph.name}: FIFO '{fifo.name}'")


def _check_unique(kind: str, names: Iterable[str], where: str) -> None:
    seen: set[str] = set()
    for name in names:
        check_name(name, kind)
        if name in seen:
            raise InputError("duplicate-name", f"two {kind} entries are called '{name}'", where=where)
        seen.add(name)


def _check_fifo(fifo: Fifo, where: str) -> None:
    check_whole(fifo.depth, "depth", where, 1, MAX_DEPTH)
    check_whole(fifo.bits, "bits", where, 1, MAX_BITS)
    check_whole(fifo.initial_tokens, "initial_tokens", where, 0, min(MAX_EVENTS, fifo.depth))
    check_choice(fifo.impl, "impl", where, IMPLS)
    check_text(fifo.origin, "origin", where, MAX_ORIGIN_CHARS)
    check_whole(fifo.latency, "latency", where, 0, MAX_CYCLES)


def _check_channel(channel: Channel, where: str) -> None:
    check_whole(channel.latency, "latency", where, 0, MAX_CYCLES)
    for what in ("beat_bytes", "beats_num", "beats_den", "read_turns", "write_turns"):
        check_whole(getattr(channel, what), what, where, 1, MAX_RATE)
    for what in ("random_bytes", "random_short", "random_long"):
        check_whole(getattr(channel, what), what, where, 0, MAX_CYCLES >> 20)
    check_whole(channel.units_per_beat(writes=True), "write_den", where, 1, MAX_RATE)
    check_whole(channel.turn_cycles, "id_wait", where, 0, MAX_CYCLES)
    check_whole(channel.busy_delay(writes=False), "busy_latency", where, channel.latency, MAX_CYCLES)
    check_whole(channel.delay(writes=True), "response", where, 1, MAX_CYCLES + 1)
    check_whole(channel.busy_delay(writes=True), "busy_response", where, channel.delay(writes=True), MAX_CYCLES + 1)


def _check_ends(graph: TimedGraph) -> None:
    writers: dict[str, str] = {}
    readers: dict[str, str] = {}
    for process in graph.processes:
        reads, writes = accesses_of(graph, process)
        for side, ends, names in (("readers", readers, reads), ("writers", writers, writes)):
            for name in sorted(names):
                if name in ends:
                    both = f"'{ends[name]}' and '{process.name}'"
                    raise InputError(
                        "shared-fifo",
                        f"two {side}, {both}",
                        where=f"{graph.name}: FIFO '{name}'",
                        hints=["give each its own FIFO"],
                    )
                ends[name] = process.name
    actors = {process.name for process in graph.processes if isinstance(process, Actor)}
    for fifo in graph.fifos:
        if fifo.latency and {readers.get(fifo.name), writers.get(fifo.name)} <= actors:
            raise InputError(
                "latency-between-actors",
                f"latency {fifo.latency} between two actors, which pass tokens within a cycle",
                where=f"{graph.name}: FIFO '{fifo.name}'",
                hints=["put an actor that takes so long between them"],
            )
        for side, ends in (("reader", readers), ("writer", writers)):
            if fifo.name not in ends:
                raise InputError(
                    f"no-{side}",
                    f"no process is its {side}",
                    where=f"{graph.name}: FIFO '{fifo.name}'",
                    hints=["connect it or remove it"],
                )
