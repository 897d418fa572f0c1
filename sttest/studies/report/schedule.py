"""Blocks simulated for the page: what each process did when, what each FIFO held, and where the cycles went."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.core.results import Kind, Row, config_hash
from sttest.frontend.shipped import SHIPPED_SHAPES, lowered_text
from sttest.models.program import Phase
from sttest.sim import Fifo, Simulation, TimedGraph, simulate
from sttest.sim.critical_path import breakdown
from sttest.sim.export import MEMORY, STALL_IN, STALL_OUT, stretches
from sttest.sim.simulation import RunRecord
from sttest.studies.blocks import BlockPoint, BlockShape
from sttest.studies.report.ledger import Cell, Column, Ledger, Table, TableLine, cells

_PHASES: tuple[Phase, ...] = ("decode", "prefill")
SHAPES = tuple(BlockShape("gpt2", phase, *SHIPPED_SHAPES[False][phase]) for phase in _PHASES)
"""Blocks that are shipped as linalg text: no PyTorch is needed."""
BOARD, ENGINE = "u55c", "maxplus"
TOP_STALLS, TOP_FIFOS = 16, 16
_STALLS = {STALL_IN: "input", STALL_OUT: "output", MEMORY: "memory"}


@dataclass(frozen=True)
class Schedule:
    """A simulated block; ``hash`` names its configuration, as those of manifests do."""

    shape: BlockShape
    run: Simulation
    hash: str

    @property
    def name(self) -> str:
        """Name of its trace, and of the experiment that its numbers belong to."""
        return f"{self.shape.model}-{self.shape.phase}"

    @property
    def graph(self) -> TimedGraph:
        """What was run."""
        assert self.run.graph is not None
        return self.run.graph

    @property
    def record(self) -> RunRecord:
        """All access times."""
        assert self.run.record is not None
        return self.run.record

    @property
    def cycles(self) -> int:
        """Cycles of the block."""
        assert self.run.cycles is not None
        return self.run.cycles

    def row(self, metric: str, value: float, unit: str, kind: Kind = "simulated", note: str = "") -> Row:
        """One of its numbers."""
        size = f"{self.shape.tokens} tokens" if self.shape.phase == "prefill" else f"context {self.shape.context}"
        return Row(
            experiment=self.name, model=self.shape.model, board=BOARD, phase=self.shape.phase, engine=ENGINE,
            metric=metric, value=value, unit=unit, kind=kind, source="simulated for this page",
            note=f"one block, {size}, default lanes" + (f"; {note}" if note else ""),
        )  # fmt: skip


def simulate_blocks(say: Callable[[str], None]) -> list[Schedule]:
    """Compiles and simulates the blocks of the page."""
    found = []
    for shape in SHAPES:
        say(f"simulating {shape}")
        knobs = CompileOptions()
        design = compile_text(lowered_text(shape.model, shape.phase, small=False), str(shape), BOARD, knobs)
        run = simulate(design.graph, engine=ENGINE, record=True)
        found.append(Schedule(shape, run, config_hash(BlockPoint(shape, knobs, BOARD, ENGINE).key())))
    return found


def headline(schedule: Schedule, ledger: Ledger) -> list[tuple[str, str, Cell]]:
    """Label, unit and number of what is said of the whole block."""
    graph, clock = schedule.graph, schedule.graph.clock_mhz
    rows = [
        ("time of the block", schedule.row("time of the block", schedule.cycles / clock, "us")),
        ("cycles", schedule.row("cycles", schedule.cycles, "cycles", note=f"at {clock:g} MHz")),
        ("processes", schedule.row("processes", len(graph.processes), "count", "derived")),
        ("FIFOs", schedule.row("FIFOs", len(graph.fifos), "count", "derived")),
        ("storage of all FIFOs", schedule.row(
            "storage of all FIFOs", sum(fifo.depth * fifo.bits for fifo in graph.fifos) / 8192, "KiB", "derived",
            "depth times width, summed")),
    ]  # fmt: skip
    made = [(label, row.unit, cells([row], ledger)[0]) for label, row in rows]
    return [(label, unit, cell) for label, unit, cell in made if cell is not None]


def critical_table(schedule: Schedule, ledger: Ledger) -> Table:
    """The cycles of the block along its critical path, in parts that add up to all of them."""
    items = sorted(breakdown(schedule.run).by_kind.items(), key=lambda item: -item[1])
    lines = [((category, kind), {"cycles": cycles}) for (category, kind), cycles in items]
    return _table(schedule, "critical path", ("process", "spent in"), ("cycles",), lines, ledger, share=True)


def stall_table(schedule: Schedule, ledger: Ledger) -> Table:
    """The longest stalls, without each process's wait for its first token: process, what it waited for, cycles."""
    waits = []
    for number, process in enumerate(schedule.graph.processes):
        done = stretches(schedule.graph, schedule.record, number, schedule.cycles)
        later = done.start > done.begin
        for kind, waited in _STALLS.items():
            cycles = int((done.end - done.start)[later & (done.kind == kind)].sum())
            waits.append(((process.name, process.origin, waited), {"cycles": cycles}))
    waits.sort(key=lambda wait: -wait[1]["cycles"])
    heads = ("process", "module", "waits for")
    return _table(schedule, "longest stalls once begun", heads, ("cycles",), waits[:TOP_STALLS], ledger, share=True)


def process_table(schedule: Schedule, ledger: Ledger) -> Table:
    """Every process: busy, stalls and memory, in cycles from its start to its finish."""
    lines = []
    for process in schedule.graph.processes:
        name, part = process.name, schedule.run.breakdown[process.name]
        lines.append(((name, process.category, process.origin), {
            "finish": schedule.run.finish[name], "busy": part.busy_cycles, "stall on input": part.stall_in_cycles,
            "stall on output": part.stall_out_cycles, "wait for memory": part.memory_wait_cycles,
        }))  # fmt: skip
    columns = ("finish", "busy", "stall on input", "stall on output", "wait for memory")
    return _table(schedule, "all processes", ("process", "category", "module"), columns, lines, ledger)


def fullest_fifos(schedule: Schedule) -> list[Fifo]:
    """Those that held most bits, the fullest first."""
    most = schedule.run.max_occupancy
    return sorted(schedule.graph.fifos, key=lambda fifo: (-most[fifo.name] * fifo.bits, fifo.name))[:TOP_FIFOS]


def fifo_table(schedule: Schedule, ledger: Ledger) -> Table:
    """The fullest FIFOs: depth, width, most and mean held."""
    columns = (
        ("depth", "tokens"), ("token", "bits"), ("most held", "tokens"), ("mean held", "tokens"), ("most held", "KiB"),
    )  # fmt: skip
    made = []
    for fifo in fullest_fifos(schedule):
        most = schedule.run.max_occupancy[fifo.name]
        made.append([
            schedule.row(f"depth, {fifo.name}", fifo.depth, "tokens", "derived", "sized by the linear program"),
            schedule.row(f"token, {fifo.name}", fifo.bits, "bits", "derived"),
            schedule.row(f"most held, {fifo.name}", most, "tokens"),
            schedule.row(f"mean held, {fifo.name}", _mean_held(schedule, fifo), "tokens"),
            schedule.row(f"most held, {fifo.name}", most * fifo.bits / 8192, "KiB"),
        ])  # fmt: skip
    by_column = [cells(column, ledger) for column in zip(*made, strict=True)]
    lines = [
        TableLine([fifo.name], "", found)
        for fifo, *found in zip(fullest_fifos(schedule), *by_column, strict=True)
    ]  # fmt: skip
    return Table("fullest FIFOs", [], ["FIFO"], [Column(*column) for column in columns], lines)


def _mean_held(schedule: Schedule, fifo: Fifo) -> float:
    """Tokens held, averaged over the block; a token leaves in the cycle after its read."""
    index, end = schedule.graph.fifo_index[fifo.name], schedule.cycles
    writes, reads = schedule.record.writes[index], schedule.record.reads[index]
    left = np.append(reads + 1, np.full(fifo.initial_tokens + writes.size - reads.size, end))
    return float(left.sum() - writes.sum()) / end


def _table(
    schedule: Schedule,
    title: str,
    heads: tuple[str, ...],
    columns: tuple[str, ...],
    lines: list[tuple[tuple[str, ...], dict[str, int]]],
    ledger: Ledger,
    *,
    share: bool = False,
) -> Table:
    """A table of cycles; with ``share``, also of the block."""
    shown = [Column(column, "cycles") for column in columns]
    made = [
        cells([schedule.row(f"{title}: {column}, {' '.join(filter(None, texts))}", values[column], "cycles")
               for texts, values in lines], ledger)
        for column in columns
    ]  # fmt: skip
    if share:
        shown.append(Column("share", "%"))
        made.append(cells([schedule.row(f"{title}: share, {' '.join(filter(None, texts))}",
                                        100 * values[columns[0]] / schedule.cycles, "%", "derived",
                                        "of the block's cycles")
                           for texts, values in lines], ledger))  # fmt: skip
    return Table(title, [], heads, shown, [
        TableLine(texts, "", found) for (texts, _), *found in zip(lines, *made, strict=True)
    ])  # fmt: skip
