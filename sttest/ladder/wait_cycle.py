"""Who waits for whom after a C simulation has come to a stand, in the terms of the timed graph.

In the C++ a converter is two processes around a stream of blocks; in the graph these are joined by two FIFOs, of
full halves and of empty ones.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from sttest.boards.backends.csim import BlockedProcess, CsimRun
from sttest.compile.hls.names import legal
from sttest.sim import TimedGraph
from sttest.sim.ends import fifo_ends
from sttest.sim.simulation import Simulation


@dataclass(frozen=True)
class Wait:
    """A process that can't go on until the other end of a FIFO does."""

    process: str
    waits_to: Literal["read", "write"]
    fifo: str
    depth: int
    peer: str

    def __str__(self) -> str:
        return f"'{self.process}' waits to {self.waits_to} '{self.fifo}' (depth {self.depth}) for '{self.peer}'"


@dataclass(frozen=True)
class WaitCycle:
    """Each member waits for the next.

    Attributes:
        waits: in order; if ``is_closed`` the last waits for the first, else for a process that has ended.
    """

    waits: tuple[Wait, ...]
    is_closed: bool

    def is_that_of(self, simulation: Simulation) -> bool:
        """Whether a simulation of the timed graph ends in the same waits."""
        if simulation.deadlock is None:
            return False
        theirs = {(wait.process, wait.waits_to, wait.fifo) for wait in simulation.deadlock.cycle}
        return theirs == {(wait.process, wait.waits_to, wait.fifo) for wait in self.waits}

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {"cycle": [asdict(wait) for wait in self.waits], "is_closed": self.is_closed}


def wait_cycle(graph: TimedGraph, run: CsimRun) -> WaitCycle:
    """The waits that hold a run up: a closed cycle if there is one, else the chain from the first process.

    Args:
        graph: of the same package, with the depths of the run.
        run: ended in a deadlock.
    """
    waits = {wait.process: wait for wait in (_wait(graph, blocked) for blocked in run.blocked)}
    chains = [_chain(waits, start) for start in waits]
    return next((chain for chain in chains if chain.is_closed), chains[0])


def _chain(waits: dict[str, Wait], start: str) -> WaitCycle:
    """From a process from peer to peer; of a closed chain, what is before its cycle is cut off."""
    chain: list[Wait] = []
    name = start
    while name in waits and waits[name] not in chain:
        chain.append(waits[name])
        name = waits[name].peer
    if name not in waits:
        return WaitCycle(tuple(chain), is_closed=False)
    return WaitCycle(_from_a_full_fifo(chain[chain.index(waits[name]) :]), is_closed=True)


def _from_a_full_fifo(cycle: list[Wait]) -> tuple[Wait, ...]:
    """A closed cycle told from a wait to write, which is where a depth may be wrong."""
    first = next((number for number, wait in enumerate(cycle) if wait.waits_to == "write"), 0)
    return (*cycle[first:], *cycle[:first])


def _wait(graph: TimedGraph, blocked: BlockedProcess) -> Wait:
    names = [process.name for process in graph.processes]
    ends = fifo_ends(graph)
    if blocked.fifo in graph.fifo_index:
        index = graph.fifo_index[blocked.fifo]
        reader, writer = names[ends[index].reader], names[ends[index].writer]
        process, peer = (reader, writer) if blocked.waits_to == "read" else (writer, reader)
        return Wait(process, blocked.waits_to, blocked.fifo, graph.fifos[index].depth, peer)
    # A stream of blocks: the half takes a full or an empty one from its other half.
    process = next(name for name in names if legal(name) == blocked.process)
    label, _, half = process.rpartition("_")
    peer = f"{label}_{'drain' if half == 'fill' else 'fill'}"
    between = (names.index(peer), names.index(process))
    index = next(number for number, end in enumerate(ends) if (end.writer, end.reader) == between)
    return Wait(process, "read", graph.fifos[index].name, graph.fifos[index].depth, peer)
