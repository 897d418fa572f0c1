"""Explains a deadlock: who waits for whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sttest.sim.deadlock.liveness import TokenState
from sttest.sim.flat import FlatGraph
from sttest.sim.graph import TimedGraph


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
        """As in the contract ``sttest.simulation/1``."""
        keys = ("process", "waits_to", "fifo", "token", "depth", "occupancy", "peer")
        return {key: getattr(self, key) for key in keys}


@dataclass(frozen=True)
class Deadlock:
    """A certificate that a graph can't finish, and what would let it.

    ``cycle``: each member waits for the next, the last for the first if ``is_closed``; if not, the last
    waits for a process that has finished.  ``fix``: depths with which the graph finishes, empty if no
    depths do; ``is_minimal``: no fix adds fewer tokens.  ``stands_at``: per process the first stage that
    it can't pass (of a memory port the token, of an actor the firing), None where it has finished; with it
    ``sttest.sim.checker.check_deadlock`` can check the rest.
    """

    cycle: tuple[Wait, ...]
    is_closed: bool
    fix: dict[str, int] = field(default_factory=dict)
    is_minimal: bool = False
    stands_at: dict[str, int | None] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As in the contract ``sttest.simulation/1``."""
        fix = [{"fifo": name, "depth": depth} for name, depth in self.fix.items()]
        return {
            "cycle": [wait.to_json() for wait in self.cycle],
            "fix": fix,
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
    """Only the waits from which a cycle can be reached."""
    alive = {process: list(out) for process, out in edges.items()}
    waiters: dict[int, set[int]] = {}
    for process, out in alive.items():
        for edge in out:
            waiters.setdefault(edge.peer, set()).add(process)
    dead = [peer for peer in waiters if peer not in alive]
    while dead:
        gone = dead.pop()
        for process in waiters.get(gone, ()):
            if process not in alive:
                continue
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
