"""MeshGEMV as a timed graph: a process per core that multiplies and adds up, and a router per core that hands out sums.

A core has a tile of the matrix and the part of the vector that goes with it.  When it has multiplied, it takes the
sums of its neighbor in, word by word, adds its own and sends them on; the root of a group takes in two chains, one
word of each in two cycles.  The root of all then sends the sums back along the column, through routers alone.  Columns
of cores have nothing to do with each other, as the vector lies along them in every row already.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sttest.boards.systems import MeshBoard
from sttest.core.errors import DoesNotFitError, InputError
from sttest.sim.bursts import ceil_div
from sttest.sim.graph import Event, Fifo, Loop, Pipeline, Process, TimedGraph
from sttest_systems.wafer_mesh.reduction import Group, Reduction

GAP = 2
"""Stages between two loops of a core, as everywhere in the timed graph."""
ELEMENT_BYTES = 2
WAITING_WORDS = 4


@dataclass(frozen=True)
class MeshGemv:
    """A product of a vector with a matrix whose tiles lie in the cores of a square mesh."""

    board: MeshBoard
    side: int  # cores of a column and of a row
    inputs: int
    outputs: int
    reduction: Reduction  # how a column is summed

    def __post_init__(self) -> None:
        if not 2 <= self.side <= self.board.side.count or self.inputs < 1 or self.outputs < 1:
            what = f"{self.inputs} x {self.outputs} on a mesh of {self.side} x {self.side}"
            raise InputError("bad-value", what, where=self.board.name, hints=[f"give a side of 2 to {self.board.side}"])
        held = self.rows * self.words * ELEMENT_BYTES
        if held > self.board.core_bytes.count:
            raise DoesNotFitError(
                "core-memory",
                "no room for a tile",
                where=self.board.name,
                demand=held,
                bound=self.board.core_bytes.count,
                unit="bytes",
                hints=["take more cores"],
            )

    @property
    def rows(self) -> int:
        """Elements of the vector that a core has."""
        return ceil_div(self.inputs, self.side)

    @property
    def words(self) -> int:
        """Sums of a core, a word each."""
        return ceil_div(self.outputs, self.side)

    @property
    def compute_cycles(self) -> int:
        """Cycles of a core for its tile."""
        return ceil_div(self.rows * self.words, self.board.macs_per_cycle.count)


def column_graph(gemv: MeshGemv, columns: int = 1) -> TimedGraph:
    """Columns of the mesh, one beside the other.

    Args:
        gemv: product and mesh.
        columns: how many; all take the same time.

    Raises:
        InputError: not a graph that an engine could run.
    """
    fifos, processes = list[Fifo](), list[Process]()
    for column in range(columns):
        own_fifos, own_processes = _column(gemv, f"c{column}")
        fifos += own_fifos
        processes += own_processes
    name = f"mesh-gemv-{gemv.side}"
    return TimedGraph(name, gemv.board.clock_mhz.value, tuple(fifos), tuple(processes))


def _column(gemv: MeshGemv, name: str) -> tuple[list[Fifo], list[Process]]:
    fifos = list[Fifo]()
    loops = {core: [Loop((gemv.compute_cycles,), 1, 1, (), GAP)] for core in range(gemv.side)}
    for number, groups in enumerate(gemv.reduction.levels):
        for group in groups:
            for core, loop, outgoing in _group_loops(gemv, group, f"{name}.s{number}"):
                loops[core].append(loop)
                fifos += outgoing
    root = gemv.reduction.root
    spread = [(f"{name}.up", range(root + 1, gemv.side)), (f"{name}.down", range(root - 1, -1, -1))]
    routers = list[Process]()
    starts = [Event(f"{way}{root}", "write", 0) for way, cores in spread if cores]
    loops[root].append(Loop((gemv.words,), 1, 1, tuple(starts), GAP))
    for way, cores in spread:
        made = _routers(gemv, way, [root, *cores])
        fifos += made[0]
        routers += made[1]
    cores = [Pipeline(f"{name}.core{core}", tuple(own), category="mesh") for core, own in loops.items()]
    return fifos, [*cores, *routers]


def _group_loops(gemv: MeshGemv, group: Group, name: str) -> Iterator[tuple[int, Loop, list[Fifo]]]:
    """The loop of each core of a group, with the link that it sends into."""
    last = gemv.board.relay_cycles.count - 1
    into_root = list[Event]()
    for chain in group.sides:
        for place, core in enumerate(chain):
            following = chain[place + 1] if place + 1 < len(chain) else group.root_core
            fifo = _link(gemv, f"{name}.from{core}", core, following)
            events = [Event(f"{name}.from{chain[place - 1]}", "read", 0)] if place else []
            events.append(Event(fifo.name, "write", last))
            yield core, Loop((gemv.words,), 1, last + 1, tuple(events), GAP), [fifo]
            if following == group.root_core:
                into_root.append(Event(fifo.name, "read", len(into_root)))
    if into_root:
        interval = len(into_root)
        yield group.root_core, Loop((gemv.words,), interval, last + interval, tuple(into_root), GAP), []


def _link(gemv: MeshGemv, name: str, core: int, other: int) -> Fifo:
    """A path through the routers between two cores: every one has a word on its way, the last a few that wait."""
    cycles = abs(core - other) * gemv.board.hop_cycles.count
    return Fifo(name, cycles + WAITING_WORDS, 32, "srl", latency=cycles - 1)


def _routers(gemv: MeshGemv, way: str, cores: Sequence[int]) -> tuple[list[Fifo], list[Process]]:
    """A router per core but the root, which has none here: each takes a word, keeps it and passes it on."""
    fifos = [_link(gemv, f"{way}{core}", 0, 1) for core in cores[:-1]]
    routers = list[Process]()
    for place, core in enumerate(cores[1:], start=1):
        events = [Event(f"{way}{cores[place - 1]}", "read", 0)]
        if place + 1 < len(cores):
            events.append(Event(f"{way}{core}", "write", 0))
        routers.append(Pipeline(f"{way}.router{core}", (Loop((gemv.words,), 1, 1, tuple(events), GAP),)))
    return fifos, routers


def closed_form_cycles(gemv: MeshGemv) -> int:
    """Cycles of a product without a simulation: the longest chain of every level, and the way back.

    Exact where a level's groups are alike.  It knows neither words in flight nor links.
    """
    relay, hop, words = gemv.board.relay_cycles.count, gemv.board.hop_cycles.count, gemv.words
    total = gemv.compute_cycles
    for groups in gemv.reduction.levels:
        ends = list[int]()
        for group in groups:
            arrivals = [_arrival(gemv, [*chain, group.root_core]) for chain in group.sides if chain]
            inputs = len(arrivals)
            late = max((arrival - place for place, arrival in enumerate(arrivals)), default=0)
            # The root's interval is a cycle per chain, and so is the room between its first read and its last.
            ends.append(late + inputs * (words - 1) + relay - 1 + inputs if inputs else 0)
        total += GAP + max(ends)
    farthest = max(gemv.reduction.root, gemv.side - 1 - gemv.reduction.root)
    return total + GAP + words + farthest * hop


def _arrival(gemv: MeshGemv, path: Sequence[int]) -> int:
    """Cycles from the start of a chain until the last core of its path can read a word."""
    relay, hop = gemv.board.relay_cycles.count, gemv.board.hop_cycles.count
    return sum(relay - 1 + hop * abs(one - other) for one, other in pairwise(path))
