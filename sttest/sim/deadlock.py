"""Explains a deadlock: who waits for whom."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sttest.core.errors import DeadlockError
from sttest.sim.bursts import sharing_ports
from sttest.sim.fix_cost import FixCost
from sttest.sim.graph import MemoryPort, TimedGraph
from sttest.sim.stages import UNBOUNDED, FlatGraph, depths_of

# --- Whether a graph can finish at all: the token game without times


@dataclass(frozen=True)
class TokenState:
    """The progress of a graph, int64 each.

    ``visits``: per process, stage visits done; ``written`` (initial tokens included) and ``read``: per FIFO;
    ``peak``: per FIFO, most tokens held in this order of events, an upper bound of the depth needed.
    """

    visits: np.ndarray
    written: np.ndarray
    read: np.ndarray
    peak: np.ndarray

    def is_done(self, flat: FlatGraph) -> bool:
        """Whether every process has made all its visits."""
        return bool((self.visits == flat.visits).all())

    def is_possible(self, op: int, tokens: int, depth: int) -> bool:
        """Whether ``tokens`` accesses of kind ``op`` can happen in this state."""
        fifo = op // 2
        if op % 2:
            return bool(self.written[fifo] + tokens - depth <= self.read[fifo])
        return bool(self.read[fifo] + tokens <= self.written[fifo])


def start_state(flat: FlatGraph) -> TokenState:
    """The state before cycle 0."""
    reads = np.zeros_like(flat.initial)
    return TokenState(np.zeros_like(flat.visits), flat.initial.copy(), reads, flat.initial.copy())


def advance(flat: FlatGraph, depths: np.ndarray, state: TokenState | None = None) -> TokenState:
    """Lets every process go as far as it can with FIFOs of ``depths`` (int64[F]), from ``state`` or the start."""
    from sttest.sim.token_kernel import advance_tokens

    begin = start_state(flat) if state is None else state
    copies = [array.copy() for array in (begin.visits, begin.written, begin.read, begin.peak)]
    arrays = (flat.stage_first, flat.pointer, flat.op, flat.count, flat.visits, flat.writer, flat.reader)
    advance_tokens(*arrays, depths, *copies)
    return TokenState(*copies)


@dataclass(frozen=True)
class Wait:
    """A process that can't go on until the next one does: it waits to read or write ``token`` of ``fifo``."""

    process: str
    waits_to: str
    fifo: str
    token: int
    depth: int
    occupancy: int
    peer: str

    def to_json(self) -> dict[str, Any]:
        """The deadlock as JSON values of the contract ``sttest.simulation/1``."""
        keys = ("process", "waits_to", "fifo", "token", "depth", "occupancy", "peer")
        return {key: getattr(self, key) for key in keys}


@dataclass(frozen=True)
class Deadlock:
    """A certificate that a graph can't finish, and what would let it.

    ``cycle``: each member waits for the next, the last for the first if ``is_closed``; if not, the last
    waits for a process that has finished.  ``fix``: depths with which the graph finishes, empty if no
    depths do; ``is_minimal``: no fix adds fewer tokens.  ``stands_at``: per process the first stage that
    it can't pass (of a memory port the token, of an actor the firing), None where it has finished; with it
    ``sttest.sim.checker`` can check the rest.  ``cost``: of the fix in time, of a finite graph.
    """

    cycle: tuple[Wait, ...]
    is_closed: bool
    fix: dict[str, int] = field(default_factory=dict[str, int])
    is_minimal: bool = False
    stands_at: dict[str, int | None] = field(default_factory=dict[str, int | None])
    cost: FixCost | None = None

    def to_json(self) -> dict[str, Any]:
        """The deadlock as JSON values of the contract ``sttest.simulation/1``."""
        fix = [{"fifo": name, "depth": depth} for name, depth in self.fix.items()]
        return {
            "cycle": [wait.to_json() for wait in self.cycle],
            "fix": fix,
            "fix_cost": None if self.cost is None else self.cost.to_json(),
            "is_closed": self.is_closed,
            "is_minimal": self.is_minimal,
            "stands_at": self.stands_at,
        }


@dataclass(frozen=True)
class Edge:
    """Process ``waiter`` waits on the FIFO of ``op`` for process ``peer``; both are indices."""

    waiter: int
    op: int
    tokens: int
    peer: int


def wait_edges(flat: FlatGraph, depths: list[int], state: TokenState) -> dict[int, list[Edge]]:
    """For each process that hasn't finished, everything that its next stage waits for; keys ascending."""
    edges: dict[int, list[Edge]] = {}
    for process, table in enumerate(flat.tables):
        if state.visits[process] == table.visits:
            continue
        edges[process] = [
            Edge(process, op, tokens, int((flat.reader if op % 2 else flat.writer)[op // 2]))
            for op, tokens in table.accesses(int(state.visits[process]))
            if not state.is_possible(op, tokens, depths[op // 2])
        ]
    return edges


def find_cycle(edges: dict[int, list[Edge]]) -> tuple[list[Edge], bool]:
    """A closed chain of waits among all choices if there is one, else a chain to a finished process.

    The cycle is the shortest through the first process that is on any.
    """
    alive = _without_dead_ends(edges)
    for start in edges:
        cycle = _shortest_cycle(alive, start) if start in alive else []
        if cycle:
            return cycle, True
    chain = [next(iter(edges.values()))[0]]
    while chain[-1].peer in edges:
        chain.append(edges[chain[-1].peer][0])
    return chain, False


def _without_dead_ends(edges: dict[int, list[Edge]]) -> dict[int, list[Edge]]:
    """The waits from which a cycle can be reached."""
    alive = {process: list(out) for process, out in edges.items()}
    waiters: dict[int, set[int]] = {}
    for process, out in alive.items():
        for edge in out:
            waiters.setdefault(edge.peer, set()).add(process)
    dead = [peer for peer in waiters if peer not in alive]
    while dead:
        gone = dead.pop()
        for process in waiters.get(gone, ()):
            alive[process] = [edge for edge in alive[process] if edge.peer != gone]
            if not alive[process]:
                del alive[process]
                dead.append(process)
    return alive


def _shortest_cycle(alive: dict[int, list[Edge]], start: int) -> list[Edge]:
    """Breadth first from ``start`` back to it; empty if it is on no cycle."""
    came_by: dict[int, Edge] = {}
    frontier = [start]
    while frontier and start not in came_by:
        reached: list[int] = []
        for process in frontier:
            for edge in alive[process]:
                if edge.peer not in came_by:
                    came_by[edge.peer] = edge
                    reached.append(edge.peer)
        frontier = reached
    if start not in came_by:
        return []
    path = [came_by[start]]
    while path[-1].waiter != start:
        path.append(came_by[path[-1].waiter])
    return path[::-1]


def describe(graph: TimedGraph, state: TokenState, edge: Edge) -> Wait:
    """An edge in names and counts; the token is the first that is not possible."""
    index = edge.op // 2
    fifo = graph.fifos[index]
    written, read = int(state.written[index]), int(state.read[index])
    token = max(written, read + fifo.depth) if edge.op % 2 else max(read, written)
    occupancy = written - read
    waits_to = "write" if edge.op % 2 else "read"
    names = graph.processes
    return Wait(names[edge.waiter].name, waits_to, fifo.name, token, fifo.depth, occupancy, names[edge.peer].name)


def standing(graph: TimedGraph, flat: FlatGraph, state: TokenState) -> dict[str, int | None]:
    """The stage at which each process stands, None where it has finished."""
    stands: dict[str, int | None] = {}
    for process, table, visits in zip(graph.processes, flat.tables, state.visits.tolist(), strict=True):
        run, row = divmod(visits, max(table.tick.size, 1))
        stands[process.name] = None if visits == table.visits else run * table.period + int(table.tick[row])
    return stands


# --- The fewest tokens that let a deadlocked graph finish, by search


MAX_TRIALS = 1500
"""Sets of depths that are tried before the search is given up, in small graphs."""
MAX_WAITERS = 400_000
"""Processes looked at in all trials together, so that large graphs are given up sooner."""
_TOKENS_PER_WAITER = 1000
"""So many tokens take as long to pass as a process takes to be looked at."""


def least_fix(flat: FlatGraph, depths: np.ndarray, state: TokenState, most: int) -> dict[int, int] | None:
    """FIFO index → depth, with the fewest tokens added of all fixes; of those, with the fewest FIFOs changed.

    Args:
        flat: a graph that would finish with unbounded FIFOs.
        depths: int64[F], with which it deadlocks.
        state: its state then.
        most: tokens that some known fix adds.

    Returns:
        None where that could not be found out within ``MAX_TRIALS`` and ``MAX_WAITERS``.
    """
    heap: list[tuple[int, int, tuple[tuple[int, int], ...], int]] = [(0, 0, (), 0)]
    states = {0: state}
    seen: set[tuple[tuple[int, int], ...]] = {()}
    waiters = len(flat.tables) + int(flat.tokens.sum()) // _TOKENS_PER_WAITER
    for _ in range(min(MAX_TRIALS, MAX_WAITERS // waiters)):
        if not heap:
            return None
        added, _, changes, parent = heapq.heappop(heap)
        trial = depths.copy()
        for index, depth in changes:
            trial[index] = depth
        reached = advance(flat, trial, states[parent])
        if reached.is_done(flat):
            return dict(changes)
        number = len(states)
        states[number] = reached
        for index, depth in _ways_on(flat, trial, reached):
            further = tuple(sorted((dict(changes) | {index: depth}).items()))
            total = added + depth - int(trial[index])
            if total <= most and further not in seen:
                seen.add(further)
                heapq.heappush(heap, (total, len(further), further, number))
    return None


def _ways_on(flat: FlatGraph, depths: np.ndarray, state: TokenState) -> list[tuple[int, int]]:
    """FIFOs that one wait cycle waits to write, each with the depth that this write asks for."""
    cycle, _ = find_cycle(wait_edges(flat, depths.tolist(), state))
    fifos = ((edge.op // 2, edge.tokens) for edge in cycle if edge.op % 2)
    return [(fifo, int(state.written[fifo] + tokens - state.read[fifo])) for fifo, tokens in fifos]


MAX_SEARCH = 1 << 31
"""Work in the search of depths, about one step of compiled code each, after which those found so far must do."""
_PROCESS_STEPS = 500
"""What looking at a process in Python counts."""


class _Search:
    """The graph that is searched, and the work that is left."""

    def __init__(self, flat: FlatGraph) -> None:
        self.flat = flat
        self._left = MAX_SEARCH
        accesses = int(flat.tokens.sum()) if flat.tokens.size else 0
        self._trial = accesses + _PROCESS_STEPS * len(flat.tables)

    def is_over(self) -> bool:
        """Whether no further trial is possible; counts one if it is."""
        self._left -= self._trial
        return self._left < 0


def explain(graph: TimedGraph, flat: FlatGraph, *, unbounded: bool = False) -> Deadlock:
    """The certificate of a graph that deadlocks.

    Raises:
        DeadlockError: its FIFOs let it finish, see :func:`held_channel`.
    """
    depths = np.full(len(graph.fifos), UNBOUNDED, np.int64) if unbounded else depths_of(graph)
    state = advance(flat, depths)
    if state.is_done(flat):
        raise held_channel(graph)
    cycle, is_closed = find_cycle(wait_edges(flat, depths.tolist(), state))
    fix, is_minimal = _find_fix(flat, depths, state, cycle)
    named = {graph.fifos[index].name: depth for index, depth in sorted(fix.items())}
    waits = tuple(describe(graph, state, edge) for edge in cycle)
    return Deadlock(waits, is_closed, named, is_minimal, standing(graph, flat, state))


def held_channel(graph: TimedGraph) -> DeadlockError:
    """The error of a run that stops with no FIFO in its way.

    An early burst holds its channel until its last byte comes.  Where that waits for a burst behind it, both stay.
    """
    shared = sharing_ports(graph)
    ports = [port.name for port in graph.processes if isinstance(port, MemoryPort) and port.early]
    held = ", ".join(f"'{name}'" for name in ports if name in shared)
    assert held, "only a burst that holds a channel stops what FIFOs let finish"
    return DeadlockError(
        "held-channel",
        f"early bursts (port {held}) hold a channel for data that wait for bursts of other ports there",
        where=graph.name,
        hints=["give the port channels of its own", "leave out its 'early'"],
    )


def _find_fix(flat: FlatGraph, depths: np.ndarray, state: TokenState, cycle: list[Edge]) -> tuple[dict[int, int], bool]:
    """FIFO index → depth, and whether no fix adds fewer tokens; nothing where unbounded FIFOs deadlock too.

    A fix must deepen some FIFO that the cycle waits to write, so a single FIFO is looked for there.
    """
    if not advance(flat, np.full_like(depths, UNBOUNDED), state).is_done(flat):
        return {}, False
    search = _Search(flat)
    full = sorted({edge.op // 2 for edge in cycle if edge.op % 2})
    singles = {index: depth for index in full if (depth := _least_single(search, depths, state, index))}
    if singles:
        best = min(singles, key=lambda index: (singles[index] - depths[index], index))
        fix = {best: singles[best]}
        if _is_least(flat, depths, full, best, singles[best]):
            return fix, True
    else:
        fix = _several(search, depths, state)
    if search.is_over():
        return fix, False
    least = least_fix(flat, depths, state, most=sum(depth - int(depths[index]) for index, depth in fix.items()))
    return (fix, False) if least is None else (least, True)


def _least_single(search: _Search, depths: np.ndarray, state: TokenState, index: int) -> int | None:
    """The least depth of one FIFO with which the graph finishes, None if there is none."""
    flat = search.flat
    raised = depths.copy()
    raised[index] = UNBOUNDED
    unbounded = advance(flat, raised, state)
    if not unbounded.is_done(flat):
        return None
    return _least_common(search, raised, depths, [index], int(unbounded.peak[index]))


def _least_common(search: _Search, trial: np.ndarray, depths: np.ndarray, group: Sequence[int], high: int) -> int:
    """Least depth up to ``high`` that the FIFOs of a group may have together, each at least its own in ``depths``.

    With ``high``, and the others as in ``trial``, the graph finishes.  Less is found out only while the search lasts.
    """
    trial, members = trial.copy(), np.array(group)
    low = int(depths[members].min())
    while low < high and not search.is_over():
        middle = (low + high) // 2
        trial[members] = np.maximum(depths[members], middle)
        if advance(search.flat, trial).is_done(search.flat):
            high = middle
        else:
            low = middle + 1
    return high


def _is_least(flat: FlatGraph, depths: np.ndarray, full: list[int], index: int, depth: int) -> bool:
    """Whether it can be shown that no fix adds fewer tokens.

    One token is the least there is.  And where only this FIFO is full on the cycle, every fix deepens
    it; if one token less is too little even with all others unbounded, every fix adds as much.
    """
    if depth == depths[index] + 1:
        return True
    if len(full) > 1:
        return False
    others = np.full_like(depths, UNBOUNDED)
    others[index] = depth - 1
    return not advance(flat, others).is_done(flat)


def _several(search: _Search, depths: np.ndarray, state: TokenState) -> dict[int, int]:
    """Unbinds FIFOs along one cycle after the other until the graph finishes, then takes each back.

    Where the search is over before that, all are unbound, and none is taken back.
    """
    flat, trial = search.flat, depths.copy()
    groups: list[list[int]] = []
    while not state.is_done(flat):
        group = list(range(depths.size)) if search.is_over() else _next_group(flat, trial, state)
        groups.append(group)
        trial[group] = UNBOUNDED
        state = advance(flat, trial, state)
    for group in groups:
        trial[group] = np.maximum(depths[group], state.peak[group])
    for group in groups:
        _lower(search, trial, depths, group)
    return {int(i): int(trial[i]) for i in np.flatnonzero(trial > depths)}


def _next_group(flat: FlatGraph, trial: np.ndarray, state: TokenState) -> list[int]:
    """The FIFOs that the first writer on some wait cycle waits for one process to read."""
    edges = wait_edges(flat, trial.tolist(), state)
    first = next(edge for edge in find_cycle(edges)[0] if edge.op % 2)
    return [e.op // 2 for e in edges[first.waiter] if e.op % 2 and e.peer == first.peer]


def _lower(search: _Search, trial: np.ndarray, depths: np.ndarray, group: list[int]) -> None:
    """Takes the depths of a group back as far as the graph stays live, first together, then each."""
    common = _least_common(search, trial, depths, group, int(trial[group].max()))
    trial[group] = np.maximum(depths[group], common)
    for index in group:
        high = int(trial[index])
        if high == depths[index]:
            continue
        if search.is_over():
            return
        trial[index] = high - 1
        is_live = advance(search.flat, trial).is_done(search.flat)
        trial[index] = _least_common(search, trial, depths, [index], high - 1) if is_live else high
