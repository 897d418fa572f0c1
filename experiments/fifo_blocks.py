"""What FIFOs of full decode blocks cost, in their default designs: own depths beside those by the paper's method.

Beside a design's own cycles stand those with FIFOs that are never full wherever data that depends on the block's input
goes, and those with no FIFO ever full.  The last read parameters and caches ahead from the first cycle on, into on-chip
memory that no board has: what is lost against it is a matter of ``--prefetch-kib``, not of depths that keep a pace.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, quantities, require_hbm
from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.core.results import Row
from sttest.frontend.shipped import lowered_text
from sttest.sim import TimedGraph, simulate
from sttest.sim.graph import fifo_ends
from sttest.studies.whatif.settings import changed_board
from sttest.studies.whatif.study import Value

CONTEXT, BOARD = 64, "u55c"
SPEEDS = (1.0, 0.5, 0.25)
SIZINGS = {
    "own": CompileOptions(),
    "paper, normal": CompileOptions(sizing="paper"),
    "paper, conservative": CompileOptions(sizing="paper", strategy="conservative"),
}
PREFETCH = CompileOptions(prefetch_kib=4096)
_ENDLESS = 1 << 20
_SPEED = "memory.hbm.sustained_gb_per_s_per_channel"


@dataclass(frozen=True)
class Cost:
    """One design of a decode block: bits of its FIFOs and cycles, ``None`` for a deadlock."""

    model: str
    point: str
    bits: int
    cycles: int | None


def costs(model: str, engine: str) -> list[Cost]:
    """One block's designs: by sizing, then by speed of memory with FIFOs that are never full."""
    text = lowered_text(model, "decode", small=False)
    board = require_hbm(load_board(BOARD))
    sized = [_cost(model, name, _graph(text, board, options), engine) for name, options in SIZINGS.items()]
    return [*sized, *(each for speed in SPEEDS for each in _endless(model, text, slowed(board, speed), speed, engine))]


def _endless(model: str, text: str, board: FpgaBoard, speed: float, engine: str) -> Iterator[Cost]:
    at = f"memory at {speed:g}"
    graph = _graph(text, board, SIZINGS["own"])
    yield _cost(model, at, graph, engine)
    data = graph.with_depths(dict.fromkeys(downstream(graph, "load_x"), _ENDLESS))
    yield _cost(model, f"{at}, FIFOs of data never full", data, engine)
    yield _cost(model, f"{at}, no FIFO ever full", graph.with_all_depths(_ENDLESS), engine)
    yield _cost(model, f"{at}, --prefetch-kib {PREFETCH.prefetch_kib}", _graph(text, board, PREFETCH), engine)


def _graph(text: str, board: FpgaBoard, options: CompileOptions) -> TimedGraph:
    return compile_text(text, "block", board, options).graph


def _cost(model: str, point: str, graph: TimedGraph, engine: str) -> Cost:
    return Cost(
        model, point, sum(each.depth * each.bits for each in graph.fifos), simulate(graph, engine=engine).cycles
    )


def downstream(graph: TimedGraph, source: str) -> set[str]:
    """FIFOs that what the process ``source`` writes can reach."""
    ends = fifo_ends(graph)
    reached = {[process.name for process in graph.processes].index(source)}
    while more := {reader for writer, reader in ends if writer in reached} - reached:
        reached |= more
    return {fifo.name for fifo, (writer, _) in zip(graph.fifos, ends, strict=True) if writer in reached}


def slowed(board: FpgaBoard, speed: float) -> FpgaBoard:
    """The board with memory of this share of its speed."""
    rate = next(each.value for path, each in quantities(board) if path == _SPEED)
    return changed_board(board, {f"board.{_SPEED}": Value(value=rate * speed)})


def rows(each: Cost, engine: str) -> Iterator[Row]:
    """Cycles and, where FIFOs have depths that a design can have, bits."""
    values = [("cycles", each.cycles, "cycles")]
    if each.point in SIZINGS:
        values.append(("FIFO bits", each.bits, "bits"))
    for metric, value, unit in values:
        yield Row(
            "fifo",
            f"{metric} c={CONTEXT}, {each.point}",
            value,
            unit,
            "simulated",
            model=each.model,
            board=BOARD,
            phase="decode",
            engine=engine,
            note="not published" if value is not None else "the design deadlocks",
        )
