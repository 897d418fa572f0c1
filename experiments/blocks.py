"""One decoder block, compiled and simulated: the points that every experiment is made of."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sttest.boards.energy import Activity, activity_of
from sttest.boards.load import load_board
from sttest.compile.compiler import CompiledDesign, choose_lanes, compile_text, on_chip
from sttest.compile.options import CompileOptions
from sttest.compile.reports import activity_table
from sttest.core.closure import program_hash
from sttest.core.processes import run_all
from sttest.core.results import PointStore
from sttest.frontend.lowering import linalg_text
from sttest.models.program import Phase
from sttest.models.registry import get_config
from sttest.sim import Simulation, simulate
from sttest.sim.critical_path import critical_path


@dataclass(frozen=True)
class BlockRun:
    """What one block runs: ``prefill`` of ``tokens``, or ``decode`` of one token after ``context`` cached ones."""

    model: str
    phase: Phase
    tokens: int
    context: int = 0

    def __str__(self) -> str:
        size = f"n{self.tokens}" if self.phase == "prefill" else f"c{self.context}"
        return f"{self.model}-{self.phase}-{size}"

    def text(self) -> str:
        """Linalg text, lowered from PyTorch (cached)."""
        return linalg_text(get_config(self.model), self.phase, self.tokens, self.context)


@dataclass(frozen=True)
class BlockPoint:
    """A shape with everything that its simulated time depends on."""

    shape: BlockRun
    options: CompileOptions
    board: str
    engine: str

    def key(self) -> dict[str, Any]:
        """What identifies the result: the configuration, the board's file content and the program itself."""
        board = load_board(self.board).model_dump(mode="json")
        return {
            "shape": asdict(self.shape),
            "options": self.options.model_dump(),
            "board": board,
            "engine": self.engine,
            "source": program_hash(__name__),
        }


@dataclass(frozen=True)
class BlockTime:
    """A simulated block."""

    cycles: int  # cycles with the sized FIFOs, at ``clock_mhz``
    unbounded_cycles: int  # cycles with FIFOs that are never full; the difference is the cost of sizing
    clock_mhz: float
    items: dict[str, int]  # cycles of the critical path per item, adding up to ``cycles``
    # original_bytes, fused_bytes: intermediate results before and after fusion
    original_bytes: int
    fused_bytes: int
    fifo_bits: int  # all sized FIFOs
    # kernels, groups: numbers of kernels and groups of the design
    kernels: int
    groups: int
    max_fill: float  # the largest occupancy of a FIFO over its depth; never above 1
    # activity of the block, for its energy: fields of :class:`Activity`
    activity: Mapping[str, float] = field(default_factory=dict)

    @property
    def microseconds(self) -> float:
        """Time of the block."""
        return self.cycles / self.clock_mhz

    @property
    def done(self) -> Activity:
        """What the block did."""
        return Activity(**self.activity)


def lanes_for(shape: BlockRun, options: CompileOptions) -> CompileOptions:
    """The options with the lanes that the tiling space chooses at ``shape``, to hold at a design's other shapes."""
    return options.with_(lanes=choose_lanes(shape.text(), options))


def simulate_block(point: BlockPoint) -> dict[str, Any]:
    """Compiles and simulates one block; the fields of :class:`BlockTime` as plain data."""
    design = compile_text(point.shape.text(), str(point.shape), point.board, point.options)
    run = simulate(design.graph, engine=point.engine, record=True)
    if run.cycles is None:
        raise AssertionError(f"{point.shape}: the sized design deadlocks: {run.to_text()}")
    free = simulate(design.graph, engine=point.engine, unbounded=True)
    depths = {fifo.name: fifo.depth for fifo in design.graph.fifos}
    return {
        "cycles": run.cycles,
        "unbounded_cycles": free.cycles,
        "clock_mhz": design.board.clock_mhz.value,
        "items": _items(run),
        "original_bytes": design.fusion.total_original_bytes,
        "fused_bytes": on_chip(design.module).total_bytes,
        "fifo_bits": sum(fifo.depth * fifo.bits for fifo in design.graph.fifos),
        "kernels": len(design.fusion.fusion.group_of),
        "groups": len(design.fusion.fusion.costs),
        "max_fill": max(run.max_occupancy[name] / depth for name, depth in depths.items()),
        "activity": asdict(_activity(design, run)),
    }


def _activity(design: CompiledDesign, run: Simulation) -> Activity:
    assert run.cycles is not None
    busy = {name: process.busy_cycles for name, process in run.breakdown.items()}
    return activity_of(activity_table(design), busy, run.cycles, design.board.clock_mhz.value)


# What a segment of the critical path is called where the kernel itself does not compute.
_ITEM_OF_KIND = {
    "hbm-latency": "HBM wait",
    "hbm-transfer": "HBM transfer",
    "stall-out": "stall on output",
    "fifo": "hand-over between kernels",
}


def _items(run: Simulation) -> dict[str, int]:
    """The critical path in cycles per item: computing kernels by their PyTorch module, everything else by kind."""
    assert run.graph is not None
    processes = {process.name: process for process in run.graph.processes}
    items: Counter[str] = Counter()
    for segment in critical_path(run):
        process = processes[segment.process]
        computes = segment.kind == "compute" and process.category == "compute"
        own = f"compute {process.origin}" if computes else f"{process.category}s"
        items[_ITEM_OF_KIND.get(segment.kind, own)] += segment.cycles
    return dict(items)


def run_points(
    points: Sequence[BlockPoint], store: PointStore, jobs: int, done: Callable[[BlockPoint], None]
) -> dict[BlockPoint, BlockTime]:
    """Simulates all points on ``jobs`` processes; finished ones are taken from the store."""
    found = {point: store.load(point.key()) for point in points}
    missing = [point for point, result in found.items() if result is None]
    for point in points:
        if found[point] is not None:
            done(point)
    # Long points first, so that the last one to finish is short.
    order = sorted(missing, key=lambda point: -point.shape.tokens)
    for point, result in run_all(simulate_block, {point: point for point in order}, jobs, "blocks"):
        found[point] = result
        store.save(point.key(), result)
        done(point)
    return {point: BlockTime(**result) for point, result in found.items() if result is not None}
