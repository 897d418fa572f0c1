"""Runs the passes on one block's linalg text and keeps what the later stages need."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass

from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, require_hbm
from sttest.compile.context import new_context, parse, printed
from sttest.compile.dialects.df import TaskOp
from sttest.compile.fusion_report import FusionReport, fusion_report
from sttest.compile.pipeline import Knobs, streaming_passes, tiling_passes
from sttest.compile.timing.timed_graph import timed_graph
from sttest.sim.graph import TimedGraph


@dataclass(frozen=True)
class Stage:
    """One pass: its command-line form, the IR after it, its seconds."""

    name: str
    spec: str
    text: str
    seconds: float


@dataclass(frozen=True)
class Design:
    """A compiled block.

    Attributes:
        name: e.g. ``gpt2-prefill-n32-u55c``.
        knobs, board: what it was compiled with.
        module: IR at the stream level, FIFOs sized.
        graph: what the engines take.
        fusion: groups and intermediate results before and after.
        stages: the IR after every pass, if it was asked for.
        workload: model, phase, tokens and context as the text says, and what the caller adds.
    """

    name: str
    knobs: Knobs
    board: FpgaBoard
    module: ModuleOp
    graph: TimedGraph
    fusion: FusionReport
    stages: tuple[Stage, ...] = ()
    workload: dict[str, str | int] = field(default_factory=dict)


def compile_text(
    text: str,
    name: str,
    board: str,
    knobs: Knobs | None = None,
    *,
    keep_ir: bool = False,
    progress: Callable[[str], None] | None = None,
    workload: Mapping[str, str | int] | None = None,
) -> Design:
    """Linalg text to a sized design.

    Args:
        text: one decoder block (or any linalg function) in MLIR's generic or custom form.
        name: of the design.
        board: name or path of a board with HBM.
        knobs: documented defaults if not given.
        keep_ir: keep the text after every pass.
        progress: called with each pass's name before it runs.
        workload: facts that the text does not hold, such as the tokens asked for before padding.

    Raises:
        InputError: bad IR, unsupported ops, or no such board.
        DoesNotFitError: more lanes, channels or on-chip memory than there are.
    """
    knobs = knobs or Knobs()
    hardware = require_hbm(load_board(board))
    c_max_bytes = hardware.fabric.usable_onchip_bytes
    context = new_context()
    module = parse(text, name, context)
    runner = _Runner(context, module, keep_ir, progress)
    runner.run(tiling_passes(knobs))
    fusion = fusion_report(module, c_max_bytes)
    runner.run(streaming_passes(knobs, board, c_max_bytes))
    graph = timed_graph(module, hardware, name)
    facts = {**workload_of(module), **(workload or {})}
    return Design(name, knobs, hardware, module, graph, fusion, tuple(runner.stages), facts)


@dataclass
class _Runner:
    """Applies passes and keeps what they leave behind."""

    context: Context
    module: ModuleOp
    keep_ir: bool
    progress: Callable[[str], None] | None
    stages: list[Stage] = field(default_factory=list)

    def run(self, chosen: Sequence[ModulePass]) -> None:
        for each in chosen:
            if self.progress:
                self.progress(each.name)
            began = time.perf_counter()
            each.apply(self.context, self.module)
            seconds = time.perf_counter() - began
            if self.keep_ir:
                self.stages.append(Stage(each.name, _spec(each), printed(self.module), seconds))


def choose_lanes(text: str, knobs: Knobs) -> tuple[str, ...]:
    """The lanes (``name:lanes``) that the tiling space gives the tasks of a text: ``Knobs.lanes`` of other shapes."""
    context = new_context()
    module = parse(text, "lanes", context)
    for each in tiling_passes(knobs):
        each.apply(context, module)
    tasks = [op for op in module.walk() if isinstance(op, TaskOp)]
    return tuple(f"{task.sym_name.data}:{task.lane_count}" for task in tasks)


def workload_of(module: ModuleOp) -> dict[str, str | int]:
    """Model, phase, tokens and context from the function's ``sttest.*`` attributes; empty for foreign text."""
    found: dict[str, str | int] = {}
    for function in module.walk():
        if not isinstance(function, func.FuncOp):
            continue
        for key in ("model", "phase", "tokens", "context"):
            value = function.attributes.get(f"sttest.{key}")
            if isinstance(value, StringAttr):
                found[key] = value.data
            elif isinstance(value, IntegerAttr):
                found[key] = value.value.data
    return found


def _spec(each: ModulePass) -> str:
    return str(each.spec())
