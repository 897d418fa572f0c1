"""What sizing by a linear program assumes, and where a graph violates it (docs/fix-a-deadlock/fifo-sizing.md).

The program finds one schedule in which nobody waits, and gives each FIFO the places that this takes.  Whatever the
schedule does not know of may ask for more.  The program of a compiled design knows when each access comes.  That of the
paper (StreamTensor, section 5) knows one rate per FIFO and one first output per process, and takes more for granted.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import combinations

import numpy as np

from sttest.core.directed_graph import strong_parts
from sttest.sim.bursts import sharing_ports
from sttest.sim.graph import Actor, Pipeline, TimedGraph
from sttest.sim.stages import FlatGraph, StageTable, flatten

SHOWN = 4
"""Names that a line gives before it only counts."""


@dataclass(frozen=True)
class BrokenAssumption:
    """One that does not hold: in words, and the processes and FIFOs where.

    ``may_deadlock``: not only lose cycles.  ``of_rates``: only a program of one rate per FIFO makes it.
    """

    name: str
    meaning: str
    processes: tuple[str, ...] = ()
    fifos: tuple[str, ...] = ()
    may_deadlock: bool = True
    of_rates: bool = False

    def to_json(self) -> dict[str, object]:
        """Name, meaning, where, and what may come of it."""
        return {
            "assumption": self.name,
            "meaning": self.meaning,
            "processes": list(self.processes),
            "fifos": list(self.fifos),
            "may_deadlock": self.may_deadlock,
            "of_rates": self.of_rates,
        }

    def to_text(self) -> str:
        """One line."""
        where = [_some("FIFO", self.fifos)] if self.fifos else []
        where += [_some("process", self.processes)] if self.processes else []
        return f"{self.name}: {self.meaning}" + (f" ({'; '.join(where)})" if where else "")


def _some(what: str, names: tuple[str, ...]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{what} {', '.join(names[:SHOWN])}{more}"


def broken_assumptions(graph: TimedGraph, *, invocations: int = 1) -> list[BrokenAssumption]:
    """What the linear programs take for granted and ``graph`` does not give, in a fixed order.

    Args:
        graph: any; its depths matter only for FIFOs with initial tokens, which no program sizes.
        invocations: number of overlapping runs with the depths of one.
    """
    flat = flatten(graph)
    found = [
        *_actors(graph),
        *_cycles(graph, flat),
        *_unequal_counts(graph, flat),
        *_initial_tokens(graph, flat),
        *_one_run(invocations),
        *_rates(graph, flat),
        *_meetings(graph, flat),
        *_channels(graph),
        *_starts(graph),
    ]
    return [broken for broken in found if broken.processes or broken.fifos or broken.name == "one run"]


def assumption_lines(broken: list[BrokenAssumption]) -> list[str]:
    """The broken assumptions in words; those that only a program of one rate per FIFO makes are named."""
    lines = [f"  {one.to_text()}" for one in broken if not one.of_rates]
    rates = [one.name for one in broken if one.of_rates]
    lines += [f"  only with one rate per FIFO: {', '.join(rates)}"] if rates else []
    return ["The linear program assumes what does not hold for this design:", *lines] if lines else []


def _actors(graph: TimedGraph) -> Iterator[BrokenAssumption]:
    names = tuple(process.name for process in graph.processes if isinstance(process, Actor))
    yield BrokenAssumption("known accesses", "nobody knows beforehand when an actor fires", names)


def _cycles(graph: TimedGraph, flat: FlatGraph) -> Iterator[BrokenAssumption]:
    """The FIFOs without initial tokens inside strongly connected processes."""
    some = [i for i, fifo in enumerate(graph.fifos) if not fifo.initial_tokens and flat.tokens[2 * i : 2 * i + 2].any()]
    ends = list(zip(flat.writer[some].tolist(), flat.reader[some].tolist(), strict=True))
    part = strong_parts(len(graph.processes), ends)
    inside = [index for index, (writer, reader) in zip(some, ends, strict=True) if part[writer] == part[reader]]
    members = sorted({int(end) for index in inside for end in (flat.writer[index], flat.reader[index])})
    yield BrokenAssumption(
        "no cycle",
        "FIFOs without initial tokens lead back to the process that they come from",
        tuple(graph.processes[member].name for member in members),
        tuple(graph.fifos[index].name for index in inside),
    )


def _unequal_counts(graph: TimedGraph, flat: FlatGraph) -> Iterator[BrokenAssumption]:
    wrong = np.flatnonzero(flat.tokens[::2] != flat.tokens[1::2]).tolist()
    names = tuple(graph.fifos[index].name for index in wrong)
    yield BrokenAssumption("equal counts", "a run does not write as many tokens as it reads", fifos=names)


def _initial_tokens(graph: TimedGraph, flat: FlatGraph) -> Iterator[BrokenAssumption]:
    """Those in which somebody may have to wait all the same."""
    names = tuple(
        fifo.name
        for fifo, reads, writes in zip(graph.fifos, flat.tokens[::2], flat.tokens[1::2], strict=True)
        if fifo.initial_tokens and (reads > fifo.initial_tokens or writes > fifo.depth - fifo.initial_tokens)
    )
    meaning = "the schedule does not know of processes that wait for credits to flow back"
    yield BrokenAssumption("no initial tokens", meaning, fifos=names)


def _one_run(invocations: int) -> Iterator[BrokenAssumption]:
    if invocations > 1:
        yield BrokenAssumption("one run", f"{invocations} invocations overlap, but the schedule is that of one")


def _channels(graph: TimedGraph) -> Iterator[BrokenAssumption]:
    meaning = "ports share a memory channel that the schedule gives to each of them alone"
    yield BrokenAssumption("own channels", meaning, sharing_ports(graph), may_deadlock=False)


def _starts(graph: TimedGraph) -> Iterator[BrokenAssumption]:
    late = tuple(process.name for process in graph.processes if process.start)
    yield BrokenAssumption(
        "free starts", "a process starts at a fixed cycle, not when the schedule says", late, may_deadlock=False
    )


@dataclass(frozen=True)
class _Port:
    """What a process does to a FIFO: first stage, accesses of a run, stages between them (None: not always as many)."""

    fifo: str
    is_write: bool
    first: int
    tokens: int
    ii: int | None


def _rates(graph: TimedGraph, flat: FlatGraph) -> Iterator[BrokenAssumption]:
    """What one rate per FIFO, one count, one first read and one first write per process leave out."""
    pipelines = [
        (process.name, _ports(graph, table))
        for process, table in zip(graph.processes, flat.tables, strict=True)
        if isinstance(process, Pipeline) and table.visits
    ]
    uneven = [(name, port.fifo) for name, ports in pipelines for port in ports if port.ii is None]
    yield _of_rates("even rate", "the accesses to one FIFO are unevenly spaced", uneven)
    unequal = [(name, port.fifo) for name, ports in pipelines for port in ports if len({p.tokens for p in ports}) > 1]
    yield _of_rates("one count", "a process passes different numbers of tokens through its FIFOs", unequal)
    skewed = [
        (name, port.fifo)
        for name, ports in pipelines
        for side in (False, True)
        for port in ports
        if port.is_write == side and len({other.first for other in ports if other.is_write == side}) > 1
    ]
    yield _of_rates(
        "no stage skew", "a process first reads, or first writes, its FIFOs in different pipeline stages", skewed
    )
    paces = {port.ii for _, ports in pipelines for port in ports if port.ii and port.tokens > 1}
    slower = [
        (name, port.fifo)
        for name, ports in pipelines
        for port in ports
        if len(paces) > 1 and port.ii == max(paces) and port.tokens > 1
    ]
    meaning = "a slower process holds back faster ones, whose results stay in FIFOs meanwhile"
    yield _of_rates("one pace", meaning, slower)


def _meetings(graph: TimedGraph, flat: FlatGraph) -> Iterator[BrokenAssumption]:
    """The places where two origins that meet meet again: each path is long enough for one origin, not for both."""
    before: list[set[int]] = [set() for _ in graph.processes]
    for writer, reader, fifo in zip(map(int, flat.writer), map(int, flat.reader), graph.fifos, strict=True):
        if writer != reader and not fifo.initial_tokens:
            before[reader].add(writer)
    met: dict[tuple[int, int], list[int]] = {}
    origins: dict[int, set[int]] = {}
    for process in _in_order(before):
        reached = [origins[earlier] for earlier in before[process]]
        origins[process] = set().union(*reached) or {process}
        for pair in combinations(sorted(origins[process]), 2):
            if not any(one.issuperset(pair) for one in reached):
                met.setdefault(pair, []).append(process)
    again = sorted({place for places in met.values() if len(places) > 1 for place in places})
    meaning = "paths from two origins meet in more than one process"
    names = tuple(graph.processes[place].name for place in again)
    yield BrokenAssumption("one meeting", meaning, names, of_rates=True)


def _in_order(before: list[set[int]]) -> Iterator[int]:
    """Each process after all those before it; none from a cycle on."""
    order = TopologicalSorter(dict(enumerate(before)))
    with suppress(CycleError):
        yield from list(order.static_order())


def _of_rates(name: str, meaning: str, where: list[tuple[str, str]]) -> BrokenAssumption:
    processes, fifos = (tuple(dict.fromkeys(column)) for column in zip(*where, strict=True)) if where else ((), ())
    return BrokenAssumption(name, meaning, processes, fifos, of_rates=True)


def _ports(graph: TimedGraph, table: StageTable) -> list[_Port]:
    stage_of = np.repeat(table.tick, np.diff(table.pointer))
    ports: list[_Port] = []
    for op in map(int, np.unique(table.op)):
        here = table.op == op
        once = np.repeat(stage_of[here], table.count[here])
        two_runs = np.concatenate([once, once + table.period]) if table.runs > 1 else once
        distances = np.unique(np.diff(two_runs))
        ii = 0 if not distances.size else int(distances[0]) if distances.size == 1 else None
        ports.append(_Port(graph.fifos[op // 2].name, op % 2 == 1, int(once[0]), once.size * table.runs, ii))
    return ports
