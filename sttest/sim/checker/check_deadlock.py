"""Checks the certificate of a deadlock against the graph, by a token game of its own.

Why a certificate proves the deadlock: let each process of a closed cycle stand at its stage.
The first of them to pass would need a token, or space, that the next gives only at its own
stage or later; so none is first.  A chain that is not closed ends at a process that has
nothing more to give.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from sttest.sim.deadlock.certificate import Deadlock, Wait
from sttest.sim.graph import Actor, Memory, Process, TimedGraph
from sttest.sim.program import expand

PAST_END = 1 << 62
"""Where a process stands that has finished; also the depth of a FIFO without limit."""


def check_deadlock(graph: TimedGraph, deadlock: Deadlock, *, unbounded: bool = False) -> list[str]:
    """What is wrong with a certificate, one line each; empty if it is right.

    Args:
        graph: what is said to deadlock.
        deadlock: why.
        unbounded: whether it is said to deadlock without limits of FIFOs.
    """
    game = _Game(graph, unbounded=unbounded)
    stands = game.play(game.depths, dict.fromkeys(game.ops, 0))
    told = {name: PAST_END if stage is None else stage for name, stage in deadlock.stands_at.items()}
    if told != stands:
        names = [name for name in {**stands, **told} if told.get(name) != stands.get(name)]
        return [f"{name} does not stand at stage {deadlock.stands_at.get(name)}" for name in names]
    if all(stage == PAST_END for stage in stands.values()):
        return ["every process finishes"]
    if not deadlock.cycle:
        return ["nobody is said to wait"]
    faults = [fault for wait in deadlock.cycle for fault in _wait_faults(game, stands, wait)]
    faults += _chain_faults(deadlock, stands)
    return faults + list(_fix_faults(game, stands, deadlock))


class _Game:
    """``stages[op]``: ascending stages at which a kind of access (2 * FIFO index + write) happens, int64."""

    def __init__(self, graph: TimedGraph, *, unbounded: bool) -> None:
        self.graph = graph
        self.depths = [PAST_END if unbounded else fifo.depth for fifo in graph.fifos]
        self.stages: dict[int, np.ndarray] = {}
        self.owner: dict[int, str] = {}
        self.ops: dict[str, list[int]] = {}
        for process in graph.processes:
            tick, op = _accesses(process, graph)
            self.ops[process.name] = np.unique(op).tolist()
            for kind in self.ops[process.name]:
                self.stages[kind], self.owner[kind] = tick[op == kind], process.name

    def passed(self, op: int, stands: Mapping[str, int]) -> int:
        """Accesses of a kind that lie before where its process stands, initial tokens counted as writes."""
        initial = self.graph.fifos[op // 2].initial_tokens if op % 2 else 0
        return initial + (int(np.searchsorted(self.stages[op], stands[self.owner[op]])) if op in self.stages else 0)

    def possible(self, op: int, depths: Sequence[int], stands: Mapping[str, int]) -> int:
        """Accesses of a kind that the other end allows, counted in the same way."""
        return self.passed(op ^ 1, stands) + (depths[op // 2] if op % 2 else 0)

    def blocked_at(self, op: int, depths: Sequence[int], stands: Mapping[str, int]) -> int:
        """Stage of the first access of a kind that the other end does not allow."""
        initial = self.graph.fifos[op // 2].initial_tokens if op % 2 else 0
        allowed = self.possible(op, depths, stands) - initial
        return int(self.stages[op][allowed]) if allowed < self.stages[op].size else PAST_END

    def play(self, depths: Sequence[int], start: Mapping[str, int]) -> dict[str, int]:
        """The stage that each process can't pass when nobody can go on; ``start`` is a state that can be reached."""
        stands, todo = dict(start), dict.fromkeys(self.ops)
        while todo:
            process, _ = todo.popitem()
            reached = min((self.blocked_at(op, depths, stands) for op in self.ops[process]), default=PAST_END)
            if reached > stands[process]:
                stands[process] = reached
                todo.update(dict.fromkeys(self.owner[op ^ 1] for op in self.ops[process] if op ^ 1 in self.owner))
        return stands


def _accesses(process: Process, graph: TimedGraph) -> tuple[np.ndarray, np.ndarray]:
    """Stage and kind of each access; a port's stages are its tokens, an actor's its firings."""
    if isinstance(process, Memory):
        kind = 2 * graph.fifo_index[process.fifo] + (process.op == "read")
        return np.arange(process.tokens, dtype=np.int64), np.full(process.tokens, kind, np.int32)
    if not isinstance(process, Actor):
        return expand(process, graph.fifo_index).whole()
    tick, op = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
    for number, phase in enumerate(process.phases):
        firings = np.arange(number, process.firings or 0, len(process.phases), dtype=np.int64)
        for is_write, rates in enumerate((phase.reads, phase.writes)):
            for fifo, tokens in rates.items():
                tick.append(np.repeat(firings, tokens))
                op.append(np.full(firings.size * tokens, 2 * graph.fifo_index[fifo] + is_write, np.int32))
    order = np.argsort(np.concatenate(tick), kind="stable")
    return np.concatenate(tick)[order], np.concatenate(op)[order]


def _wait_faults(game: _Game, stands: Mapping[str, int], wait: Wait) -> Iterator[str]:
    """Against the state: who waits, at which end of which FIFO, for which token, with how many in it."""
    index = game.graph.fifo_index.get(wait.fifo)
    if index is None or wait.waits_to not in ("read", "write"):
        yield f"{wait.process} waits to {wait.waits_to} on {wait.fifo}, which is not there"
        return
    op = 2 * index + (wait.waits_to == "write")
    if game.owner.get(op) != wait.process:
        yield f"{wait.process} never {wait.waits_to}s {wait.fifo}"
        return
    if game.blocked_at(op, game.depths, stands) != stands[wait.process]:
        yield f"{wait.process} does not wait to {wait.waits_to} {wait.fifo} at the stage at which it stands"
    occupancy = game.passed(2 * index + 1, stands) - game.passed(2 * index, stands)
    facts = {
        "token": game.possible(op, game.depths, stands),
        "depth": game.graph.fifos[index].depth,
        "occupancy": occupancy,
        "peer": game.owner.get(op ^ 1, wait.peer),
    }
    for what, value in facts.items():
        if getattr(wait, what) != value:
            yield f"{wait.process} on {wait.fifo}: {what} is {value}, not {getattr(wait, what)}"


def _chain_faults(deadlock: Deadlock, stands: Mapping[str, int]) -> Iterator[str]:
    """Each waits for the next; the last for the first, or for a process that has finished."""
    cycle = deadlock.cycle
    if len({wait.process for wait in cycle}) < len(cycle):
        yield "a process stands twice in the cycle"
    for wait, following in pairwise(cycle):
        if wait.peer != following.process:
            yield f"{wait.process} waits for {wait.peer}, not for {following.process}"
    last = cycle[-1].peer
    if deadlock.is_closed and last != cycle[0].process:
        yield f"the cycle is not closed: {cycle[-1].process} waits for {last}"
    if not deadlock.is_closed and stands.get(last) != PAST_END:
        yield f"the chain ends at {last}, which has not finished"


def _fix_faults(game: _Game, stands: Mapping[str, int], deadlock: Deadlock) -> Iterator[str]:
    """The graph finishes with a fix, and if it is said to be minimal with no FIFO less deep; without one it never does.

    Deeper FIFOs can go the same way as far as the dead state, so every run may begin there.
    """
    index, fix = game.graph.fifo_index, deadlock.fix
    if not fix:
        if _finishes(game, [PAST_END] * len(index), stands):
            yield "deeper FIFOs would help, but no fix is given"
        return
    if not fix.keys() <= index.keys() or any(depth <= game.depths[index[name]] for name, depth in fix.items()):
        yield "a fix must deepen FIFOs of the graph"
        return
    fixed = [fix.get(name, depth) for name, depth in zip(index, game.depths, strict=True)]
    if not _finishes(game, fixed, stands):
        yield "it does not finish with the fix"
        return
    for name, depth in fix.items() if deadlock.is_minimal else ():
        if _finishes(game, [*fixed[: index[name]], depth - 1, *fixed[index[name] + 1 :]], stands):
            yield f"{name} need not be {depth} deep"


def _finishes(game: _Game, depths: Sequence[int], stands: Mapping[str, int]) -> bool:
    return all(stage == PAST_END for stage in game.play(depths, stands).values())
