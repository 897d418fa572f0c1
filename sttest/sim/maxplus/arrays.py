"""The arrays that the compiled engine works on: tables of records, and flat int64 arrays."""

from collections.abc import Mapping, Set
from itertools import pairwise
from mmap import mmap
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sttest.sim.bursts import burst_plan
from sttest.sim.graph import Actor, MemoryPort, Pipeline, TimedGraph
from sttest.sim.maxplus.programs import Programs, find_programs
from sttest.sim.stages import UNBOUNDED, FlatGraph

Records: TypeAlias = Any
"""A numpy array of records: compiled code reads and writes ``array[i].field``, which type checkers don't know."""

Wholes: TypeAlias = Any
"""A numpy array of whole numbers, in compiled code, where an index gives a number."""

PIPELINE, READ_PORT, WRITE_PORT, ACTOR, TWIN = range(5)
"""Kinds of processes; a twin is always in the state of another one and is not run."""

BEFORE_TIME = -(1 << 62)
"""Write time of tokens that are there at the start."""

NEVER_FULL = UNBOUNDED
"""A FIFO of this depth takes every write."""

_LARGE = 1 << 22

UNKNOWN = -1
"""A burst's start that has not been decided, or another of its times."""

NEVER_BUSY = -(1 << 52)
"""When a channel without a burst became free: longer ago than any delay."""


def _record(*names: str) -> np.dtype:
    return np.dtype([(name, np.int64) for name in names])


FIFO = _record(
    "depth",
    "raw",
    "war",
    "write_first",
    "read_first",
    "written",
    "read",
    "waits",
    "writer",
    "reader",
    "claim_first",
    "claimed",
    "taken",
)
"""``*_first``: where its times lie; ``waits``: who waits for it, in bits; ``claimed``, ``taken``: by actors."""

READER_WAITS, WRITER_WAITS = 1, 2

PROCESS = _record(
    "kind", "number", "is_ordered", "first", "last", "segment", "left", "stage", "gap", "rerun", "visits",
    "all_visits", "clock", "finish", "tail", "stall_in", "stall_out", "stall_memory", "is_queued",
)  # fmt: skip
"""``number``: among the ports; ``is_ordered``: its firings can't overtake; ``first``, ``last``: its segments;

``segment``, ``left``, ``stage``, ``gap``: where it stands, walks left of that segment, its next row, and the stages
to there; ``rerun``, ``tail``: see ``Rows``; ``clock``: cycle of its last visit, of a port the next that it may use;
``finish``: -1 before.
"""

PORT = _record(
    "process", "fifo", "tokens", "token_bytes", "burst_bytes", "bursts", "window", "begin",
    "lane_first", "lanes", "burst_first", "requested", "in_burst", "asks_at", "until", "channel", "begins", "rest",
    "beats", "lasts", "writes", "random", "one_id", "gap", "early", "ready", "whole",
)  # fmt: skip
"""A memory port: its channels lie in ``lanes`` from ``lane_first`` on, its bursts from ``burst_first`` on.

``in_burst``: tokens per burst, 0 where some are in two.  Of a read port also what costs divisions: ``asks_at``: tokens
to be written before its next request; of the burst that it reads, ``until``: the token after its last one,
``channel``, ``begins``: the cycle from which on beats arrive, ``rest`` units later, ``beats``, ``lasts``: beats up to a
token, and cycles for these.  All of this is found anew where more tokens are written than it says.  ``ready``,
``whole``: bursts that an ``early`` port, or one of several channels, may request, and has all data of.
"""

BURST = _record("request", "start", "rest", "due", "late", "ready", "whole")
"""``start``: the cycle in which its channel took it, ``rest`` units before it begins; ``due``: when its beats come,

``late`` units after that, or when its response does; ``ready``: when its data let it be requested, ``whole``: the cycle
after its last byte came; the latter two only where ports keep them.
"""

_OF_CHANNELS = ("beat_bytes", "beats_num", "random_bytes", "random_short", "random_long", "turn_cycles")

CHANNEL = _record(
    *_OF_CHANNELS, "read_units", "write_units", "latency", "busy_latency", "response", "busy_response",
    "read_turns", "write_turns", "free_at", "free_rest", "held", "read_served", "write_served", "writes", "in_a_row",
    "member_first", "members",
)  # fmt: skip
"""The ports that use it are ``members`` from ``member_first`` on, by process.

``free_at``, ``free_rest``: when it is free, in cycles and units; ``held``: whether a burst waits for its data there;
``*_served``: who had the last turn; ``writes``, ``in_a_row``: the direction of the last burst, and how many had it.
"""

MEMBER = _record("port", "head")
"""A port that uses a channel, and its first burst there that is not served."""

END = _record("cycle", "process", "stage")
"""The end of a firing that others may overtake."""


class Net(NamedTuple):
    """All arrays of a run.

    ``times``: cycles of all writes, reads and claims; ``gap``, ``pattern``, ``pointer``, ``op``, ``tokens``,
    ``segments``: the programs, end to end, see ``Programs``; ``duration``: per row, of an actor's phase;
    ``todo[1:]``: stack of the processes that may be able to go on, ``todo[0]`` its height; ``limits``: the last cycle
    to be run, and whether somebody waits for it to pass; ``ends_open[0]``: how many of ``ends`` there are.
    """

    processes: Records
    fifos: Records
    times: Wholes
    gap: Wholes
    pattern: Wholes
    pointer: Wholes
    op: Wholes
    tokens: Wholes
    segments: Records
    duration: Wholes
    todo: Wholes
    limits: Wholes
    ports: Records
    lanes: Wholes
    bursts: Records
    channels: Records
    members: Records
    ends: Records
    ends_open: Wholes


class Mark(NamedTuple):
    """Counts and clocks of processes and FIFOs after ``cycle``: what parts of a net are compared by."""

    cycle: int
    processes: Records
    fifos: Records


class Snapshot(NamedTuple):
    """Counts and clocks after ``cycle``."""

    cycle: int
    processes: Records
    fifos: Records
    ports: Records
    channels: Records
    members: Records

    def may_be(self, old: "Snapshot") -> bool:
        """A quick look, before the compiled one: whether clocks moved as they should."""
        now, was = self.processes, old.processes
        moved = now["clock"] - was["clock"] == self.cycle - old.cycle
        return bool((moved | (now["visits"] == was["visits"])).all())


def snapshot_of(net: Net, cycle: int) -> Snapshot:
    """Copies of the counts and clocks of a net that has run up to a cycle."""
    arrays = (net.processes, net.fifos, net.ports, net.channels, net.members)
    return Snapshot(cycle, *(array.copy() for array in arrays))


class Components(NamedTuple):
    """``part``: int64[P], of each process, -1 for none; of each part, int64[K], the ``cycles`` of its period,

    for how many ``periods`` it goes on, and the ``visits`` that it made in the last one.
    """

    part: Wholes
    cycles: Wholes
    periods: Wholes
    visits: Wholes

    @property
    def gain(self) -> np.ndarray:
        """Visits that each part would jump over, int64[K]."""
        return self.periods * self.visits


class PastOfParts(NamedTuple):
    """The state of each part one of its periods ago: the row ``state``, int64[K], of records[S, P], records[S, F]."""

    state: Wholes
    processes: Records
    fifos: Records


class RepeatLinks(NamedTuple):
    """Per FIFO, int64[F]: whether it repeats together with both its ends, and tokens per period of these.

    ``writes`` and ``reads`` are 0 where the writer, or the reader, stays.
    """

    is_inside: Wholes
    writes: Wholes
    reads: Wholes


def build(graph: TimedGraph, flat: FlatGraph | Programs, *, unbounded: bool, leads: np.ndarray | None = None) -> Net:
    """Fresh arrays for a run.

    Args:
        graph: graph with the depths to run.
        flat: the same graph; its programs are looked up if this isn't them.
        unbounded: FIFOs take every write.
        leads: numbers of the FIFOs to be computed, that stand for the others (``Programs.leads``); all if not given.
    """
    programs = flat if isinstance(flat, Programs) else find_programs(graph)
    leads = np.arange(len(graph.fifos)) if leads is None else leads
    number = np.searchsorted(leads, np.arange(len(graph.fifos)))
    twins = _twins(graph, leads)
    processes = _processes(graph, programs, twins)
    fifos, times = _fifos(graph, programs, processes["kind"], leads, unbounded=unbounded)
    pointer, op, tokens = programs.accesses_of(leads, number)
    ports, lanes = _ports(graph, twins)
    ports["fifo"] = number[ports["fifo"]]
    bursts = np.full(int(ports["bursts"].sum()), UNKNOWN, np.int64)
    channels, members = _channels(graph, ports, lanes, _heads(graph, twins))
    size = len(graph.processes)
    return Net(
        processes=processes,
        fifos=fifos,
        times=times,
        gap=programs.gap,
        pattern=programs.pattern,
        pointer=pointer,
        op=op,
        tokens=tokens,
        segments=programs.segments,
        duration=_durations(graph, programs),
        todo=np.zeros(1 + size, np.int64),
        limits=np.array([UNBOUNDED, 0], np.int64),
        ports=ports,
        lanes=lanes,
        bursts=np.repeat(bursts, len(BURST.names or ())).view(BURST),
        channels=channels,
        members=members,
        ends=np.empty(sum(p.firings or 0 for p in graph.processes if isinstance(p, Actor)), END),
        ends_open=np.zeros(1, np.int64),
    )


def _twins(graph: TimedGraph, leads: np.ndarray) -> set[int]:
    """The memory ports for which others are run: their FIFOs are not computed."""
    computed = set(leads.tolist())
    return {
        number
        for number, process in enumerate(graph.processes)
        if isinstance(process, MemoryPort) and graph.fifo_index[process.fifo] not in computed
    }


def _kind(process: object) -> int:
    if isinstance(process, Pipeline):
        return PIPELINE
    if isinstance(process, Actor):
        return ACTOR
    assert isinstance(process, MemoryPort)
    return READ_PORT if process.op == "read" else WRITE_PORT


def _starts(sizes: np.ndarray | list[int]) -> np.ndarray:
    """The start of each of some spans that lie end to end."""
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64) if len(sizes) else np.empty(0, np.int64)


def _fifos(
    graph: TimedGraph, programs: Programs, kinds: np.ndarray, leads: np.ndarray, *, unbounded: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Some FIFOs, and room for all their times."""
    fifos = np.zeros(leads.size, FIFO)
    fifos["writer"], fifos["reader"] = programs.writer[leads], programs.reader[leads]
    by_actor = kinds[fifos["writer"]] == ACTOR
    between_actors = by_actor & (kinds[fifos["reader"]] == ACTOR)
    depth = np.array([fifo.depth for fifo in graph.fifos], np.int64)
    fifos["depth"] = UNBOUNDED if unbounded else depth[leads]
    fifos["raw"] = np.where(between_actors, 0, programs.read_after_write_cycles(depth)[leads])
    fifos["war"] = np.where(between_actors, 0, 1)
    initial = programs.initial[leads]
    written, read = programs.tokens[1::2][leads] + initial, programs.tokens[::2][leads]
    claims = np.where(by_actor, written, 0)
    starts = _starts(np.concatenate([written, read, claims]))
    fifos["write_first"], fifos["read_first"], fifos["claim_first"] = np.split(starts, 3)
    fifos["written"] = fifos["claimed"] = initial
    times = _room(int(written.sum() + read.sum() + claims.sum()))
    for index in np.flatnonzero(initial).tolist():
        first = int(fifos["write_first"][index])
        times[first : first + int(initial[index])] = BEFORE_TIME
    return fifos, times


def _room(size: int) -> np.ndarray:
    """Room for so many cycles; pages that are never touched take no memory.

    numpy asks for huge pages, of which a run that skips most of its tokens would touch all.
    """
    if size < _LARGE:
        return np.empty(size, np.int64)
    return np.frombuffer(mmap(-1, 8 * size), np.int64)


def _processes(graph: TimedGraph, programs: Programs, twins: Set[int]) -> np.ndarray:
    processes = np.zeros(len(graph.processes), PROCESS)
    kinds = (TWIN if number in twins else _kind(process) for number, process in enumerate(graph.processes))
    processes["kind"] = list(kinds)
    is_port = (processes["kind"] == READ_PORT) | (processes["kind"] == WRITE_PORT)
    processes["number"] = np.cumsum(is_port) - 1
    processes["is_ordered"] = [
        not isinstance(p, Actor) or len({phase.time for phase in p.phases}) == 1 for p in graph.processes
    ]
    first = programs.segment_first[:-1]
    processes["first"] = processes["segment"] = first
    processes["last"] = programs.segment_first[1:] - 1
    walks = np.flatnonzero(programs.segment_first[1:] > first)
    start = programs.segments[first[walks]]
    processes["left"][walks], processes["stage"][walks] = start["times"], start["first"]
    processes["gap"][walks] = programs.gap[start["first"]]
    processes["rerun"], processes["tail"] = programs.rerun, programs.tail
    processes["all_visits"] = np.where(processes["kind"] == TWIN, 0, programs.visits)
    processes["clock"] = [process.start for process in graph.processes]
    processes["finish"] = -1
    return processes


def _durations(graph: TimedGraph, programs: Programs) -> np.ndarray:
    """Cycles of each actor's phase, by row; empty where there are no actors."""
    if not any(isinstance(process, Actor) for process in graph.processes):
        return np.empty(0, np.int64)
    duration = np.zeros(programs.gap.size, np.int64)
    for process, segment in zip(graph.processes, programs.segment_first.tolist(), strict=False):
        if isinstance(process, Actor):
            first = int(programs.segments["first"][segment])
            duration[first : first + len(process.phases)] = [phase.time for phase in process.phases]
    return duration


def _ports(graph: TimedGraph, twins: Set[int]) -> tuple[np.ndarray, np.ndarray]:
    """The memory ports that are run, and the channels of each, end to end."""
    channels = {channel.name: channel for channel in graph.channels}
    index = {name: number for number, name in enumerate(channels)}
    ports_of = ((number, process) for number, process in enumerate(graph.processes) if isinstance(process, MemoryPort))
    found = [(number, port) for number, port in ports_of if number not in twins]
    ports = np.zeros(len(found), PORT)
    for row, (number, port) in zip(ports, found, strict=True):
        plan = burst_plan(port, channels)
        row["process"], row["fifo"] = number, graph.fifo_index[port.fifo]
        row["tokens"], row["token_bytes"], row["burst_bytes"] = port.tokens, port.token_bytes, port.burst_bytes
        row["bursts"], row["window"], row["begin"] = plan.bursts, plan.window, port.start
        row["lanes"] = len(port.channels)
        row["in_burst"] = 0 if port.burst_bytes % port.token_bytes else port.burst_bytes // port.token_bytes
        for name in ("writes", "random", "one_id", "gap", "early"):
            row[name] = getattr(plan, name)
    ports["lane_first"], ports["burst_first"] = _starts(ports["lanes"]), _starts(ports["bursts"])
    return ports, np.array([index[name] for _, port in found for name in port.channels], np.int64)


def _channels(
    graph: TimedGraph, ports: np.ndarray, lanes: np.ndarray, heads: Mapping[tuple[int, int], int]
) -> tuple[np.ndarray, np.ndarray]:
    """The channels, and the ports that use each, end to end; ``heads``: see :func:`_heads`."""
    bounds = [*ports["lane_first"].tolist(), lanes.size]
    used: list[list[int]] = [lanes[first:last].tolist() for first, last in pairwise(bounds)]
    users: list[list[int]] = [[] for _ in graph.channels]
    for port, mine in enumerate(used):
        for channel in dict.fromkeys(mine):
            users[channel].append(port)
    channels = np.zeros(len(graph.channels), CHANNEL)
    for row, channel in zip(channels, graph.channels, strict=True):
        for name in _OF_CHANNELS:
            row[name] = getattr(channel, name)
        for way, delay, busy in (("read", "latency", "busy_latency"), ("write", "response", "busy_response")):
            writes = way == "write"
            row[f"{way}_units"], row[f"{way}_turns"] = (
                channel.units_per_beat(writes=writes),
                getattr(channel, f"{way}_turns"),
            )
            row[delay], row[busy] = channel.delay(writes=writes), channel.busy_delay(writes=writes)
    channels["free_at"] = NEVER_BUSY
    channels["read_served"] = channels["write_served"] = channels["writes"] = -1
    channels["members"] = [len(ports_of) for ports_of in users]
    channels["member_first"] = _starts(channels["members"])
    members = [(port, heads[port, channel]) for channel, ports_of in enumerate(users) for port in ports_of]
    return channels, np.array(members, MEMBER)


def _heads(graph: TimedGraph, twins: Set[int]) -> dict[tuple[int, int], int]:
    """Per port and channel of it, by their numbers, the first burst that goes there; all bursts, if none does."""
    channels = {channel.name: channel for channel in graph.channels}
    number = {name: each for each, name in enumerate(channels)}
    found: dict[tuple[int, int], int] = {}
    ports = [port for each, port in enumerate(graph.processes) if isinstance(port, MemoryPort) and each not in twins]
    for row, port in enumerate(ports):
        plan = burst_plan(port, channels)
        missing = set(range(len(port.channels)))
        for burst in range(plan.bursts if len(missing) > 1 else 1):
            if (lane := plan.lane(burst)) in missing:
                missing.remove(lane)
                found[row, number[port.channels[lane]]] = burst
            if not missing:
                break
        found |= {(row, number[port.channels[lane]]): plan.bursts for lane in missing}
    return found
