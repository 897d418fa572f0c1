"""Runs the passes on one block's linalg text and keeps what the later stages need."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Literal

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from sttest.boards.board import FpgaBoard
from sttest.boards.load import target_board
from sttest.compile.dialects import df
from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.ir.module_walk import all_of, refuse_other_cards, set_target
from sttest.compile.lane_adaptation import LaneAdaptation, adaptation_of, engines_of
from sttest.compile.linalg.loop_choices import possible_choices
from sttest.compile.opt import new_context, parse, printed
from sttest.compile.options import CompileOptions
from sttest.compile.passes.fuse_kernels import decide
from sttest.compile.passes.linalg_to_kernels import loop_extents
from sttest.compile.passes.size_fifos import SizeFifos, set_depths
from sttest.compile.pipeline import all_passes, place_of, streaming_passes, tiling_passes
from sttest.compile.quantization.coverage import Coverage, coverage, float_factors, with_parameters
from sttest.compile.reference_graph import value_graph
from sttest.compile.schedule.kernel_schedule import NodeSchedules
from sttest.compile.sharing.layers import carries_parameters
from sttest.compile.sharing.processes import fifos_of, processes_of
from sttest.compile.spaces.fusion import Fusion
from sttest.compile.timing.timed_graph import timed_graph
from sttest.core.errors import note_renamed
from sttest.core.report_table import ReportTable
from sttest.models.quant.scheme import load_scheme
from sttest.reference.graph import ReferenceGraph
from sttest.sim.graph import TimedGraph

# --- Groups, and the intermediate results before and after fusion (StreamTensor Fig. 10a)


@dataclass(frozen=True)
class FusionReport:
    """The fusion decision and the bytes of all results that one kernel hands to another through memory without it."""

    fusion: Fusion
    original_bytes: Mapping[str, int]

    @property
    def total_original_bytes(self) -> int:
        """Intermediate results before fusion, parameters excluded."""
        return sum(self.original_bytes.values())

    def table(self) -> ReportTable:
        """One row per kernel: group, its result before fusion, and the group's on-chip cost in its two parts."""
        costs = self.fusion.costs
        columns = ["kernel", "group", "original_result_bytes", "group_converter_bytes", "group_local_buffer_bytes"]
        rows = (
            {
                "kernel": name,
                "group": group,
                "original_result_bytes": self.original_bytes.get(name, 0),
                "group_converter_bytes": costs[group].converter_bytes,
                "group_local_buffer_bytes": costs[group].local_buffer_bytes,
            }
            for name, group in self.fusion.group_of.items()
        )
        return ReportTable.of(columns, rows)


def fusion_report(module: ModuleOp, c_max_bytes: int) -> FusionReport:
    """Taken right before `fuse-kernels`, on one kernel per op."""
    kernels = [op for op in module.walk() if isinstance(op, df.KernelOp)]
    original = {
        kernel.sym_name.data: sum(
            _stream_bytes(df.itensor_of(stream))
            for tensor, stream in zip(kernel.outputs, kernel.terminator.arguments, strict=True)
            if _is_read_by_kernel(tensor)
        )
        for kernel in kernels
    }
    return FusionReport(decide(kernels, c_max_bytes), original)


def _is_read_by_kernel(tensor: SSAValue) -> bool:
    return any(isinstance(use.operation, df.KernelOp) for use in tensor.uses)


def _stream_bytes(stream: ITensorType) -> int:
    return -(-prod(stream.full_shape) * stream.element_bits // 8)


@dataclass(frozen=True)
class OnChip:
    """Bytes that stand for the intermediate results after fusion."""

    converter_bytes: int
    fifo_bytes: int
    dma_tile_bytes: int

    @property
    def total_bytes(self) -> int:
        """All three parts."""
        return self.converter_bytes + self.fifo_bytes + self.dma_tile_bytes


def on_chip(module: ModuleOp) -> OnChip:
    """Converters (both halves), FIFOs and DMA tiles (both halves) of a design at the stream level.

    FIFOs behind DMAs of parameters hold no intermediate results, however far ahead they are filled.
    """
    converters = fifos = tiles = 0
    for kernel in all_of(module, df.KernelOp):
        for op, *_ in processes_of(kernel).values():
            if isinstance(op, df.ConverterOp) and op.buffer is not None:
                converters += 2 * prod(op.buffer.values) * df.itensor_of(op.sources[0]).element_bits
            elif isinstance(op, df.DmaOp):
                tiles += 2 * df.itensor_of(op.port).token_bits
        for stream, *_ in fifos_of(kernel).values():
            if carries_parameters(stream):
                continue
            if stream.sized_by is None or stream.sized_by.data != "folded":
                fifos += stream.result.type.depth.data * stream.result.type.itensor.token_bits
    return OnChip(converters // 8, fifos // 8, tiles // 8)


# Of a compilation's IR, which takes a third of its time to print; `sttest opt` makes any of it from the first.
KeptIr = Literal["none", "ends", "all"]


@dataclass(frozen=True)
class PassStage:
    """One pass: its command-line form, the IR after it where that is kept, its seconds, 0 where not measured."""

    name: str
    spec: str
    text: str | None
    seconds: float


@dataclass(frozen=True)
class CompiledDesign:
    """A compiled block."""

    name: str  # e.g. ``gpt2-prefill-n32-u55c``.
    # options, board: compile options and board
    options: CompileOptions
    board: FpgaBoard
    module: ModuleOp  # IR at the stream level, FIFOs sized
    graph: TimedGraph  # graph that the engines take
    fusion: FusionReport  # groups and intermediate results before and after
    stages: tuple[PassStage, ...] = ()  # the passes that ran
    # model, phase, tokens and context as the text says, and what the caller adds
    workload: dict[str, str | int] = field(default_factory=dict)
    coverage: Coverage | None = None  # what a scheme of integers has made integers; None in floating point
    # how its lanes differ from those that it was given
    adaptation: LaneAdaptation = field(default_factory=LaneAdaptation)
    # how often the pipeline of each task is entered in a layer, where sizing has found it
    entered: Mapping[str, int] | None = field(default=None, repr=False, compare=False)

    def with_depths(self, depths: Mapping[str, int]) -> "CompiledDesign":
        """The same design with other depths of some FIFOs, in the IR as in the timed graph.

        Raises:
            InputError: a FIFO is not there, or a depth is not possible.
        """
        graph = self.graph.with_depths(depths)
        module = self.module.clone()
        changed = {name: depth for name, depth in depths.items() if depth != self.depths[name]}
        set_depths(module, changed, "user")
        keeps = any(stage.text is not None for stage in self.stages)
        stages = (*self.stages, PassStage("user-depths", "user-depths", printed(module), 0.0)) if keeps else self.stages
        return replace(self, module=module, graph=graph, stages=stages)

    @property
    def knobs(self) -> CompileOptions:
        """What the options were called in the version before this one."""
        note_renamed("design.knobs", "design.options")
        return self.options

    @property
    def depths(self) -> dict[str, int]:
        """Depth in tokens of every FIFO."""
        return {fifo.name: fifo.depth for fifo in self.graph.fifos}

    @cached_property
    def passes(self) -> dict[str, int]:
        """How often the pipeline of each task is entered in a layer, which its C++ asks for twice."""
        if self.entered is not None:
            return dict(self.entered)
        (kernel,) = all_of(self.module, df.KernelOp)
        return NodeSchedules(kernel, self.board).passes

    @cached_property
    def values(self) -> ReferenceGraph:
        """What the design computes, which its package and the logic of its memory ports ask for.

        Raises:
            InputError: it has what docs/reference/values.md gives no meaning to.
        """
        return value_graph(self.module, self.name)


def compile_text(
    text: str,
    name: str,
    board: str | FpgaBoard,
    options: CompileOptions | None = None,
    *,
    keep_ir: KeptIr = "none",
    progress: Callable[[str], None] | None = None,
    workload: Mapping[str, str | int] | None = None,
    parameters: Sequence[str] = (),
    where: str = "",
) -> CompiledDesign:
    """Linalg text to a sized design.

    Args:
        text: one decoder block (or any linalg function) in MLIR's generic or custom form.
        name: name of the design.
        board: board with HBM, or its name or path.
        options: documented defaults if not given.
        keep_ir: the passes whose text is kept: none, the first and the last (``ends``), or all.
        progress: callback that gets each pass's name before it runs.
        workload: facts that the text does not hold, such as the tokens asked for before padding.
        parameters: arguments that are weights, where the text does not say so.
        where: how errors name the text; its design's name if not given.

    Raises:
        InputError: bad IR, unsupported ops, or no such board.
        DoesNotFitError: more lanes, channels or on-chip memory than there are.
    """
    options = options or CompileOptions()
    hardware = target_board(board)
    context = new_context()
    module = parse(text, where or name, context)
    if parameters:
        with_parameters(module, parameters)
    set_target(module, hardware)
    refuse_other_cards(module, options.cards)
    runner = _Runner(context, module, keep_ir, progress)
    tiling = tiling_passes(options)
    at, lanes = place_of("quantize", tiling), place_of("assign-lanes", tiling)
    runner.run(tiling[:at])
    quantizes = load_scheme(options.precision).quantizes
    stored = float_factors(module) if quantizes else ()
    runner.run(tiling[at : at + 1])
    covered = coverage(module, stored) if quantizes else None
    runner.run(tiling[at + 1 : lanes])
    engines = engines_of(all_of(module, df.TaskOp))
    runner.run(tiling[lanes : lanes + 1])
    adaptation = adaptation_of(options.lanes, engines, all_of(module, df.TaskOp))
    runner.run(tiling[lanes + 1 :])
    fusion = fusion_report(module, most_bytes(options, hardware))
    runner.run(streaming_passes(options))
    runner.finish()
    graph = timed_graph(module, hardware, name)
    facts = {**workload_of(module), **(workload or {})}
    return CompiledDesign(
        name, options, hardware, module, graph, fusion, tuple(runner.stages), facts, covered, adaptation
    )


@dataclass
class _Runner:
    """Applies passes and keeps what they leave behind."""

    context: Context
    module: ModuleOp
    keep_ir: KeptIr
    progress: Callable[[str], None] | None
    stages: list[PassStage] = field(default_factory=list)

    def run(self, chosen: Sequence[ModulePass]) -> None:
        for each in chosen:
            if self.progress:
                self.progress(each.name)
            began = time.perf_counter()
            each.apply(self.context, self.module)
            seconds = time.perf_counter() - began
            keeps = self.keep_ir == "all" or (self.keep_ir == "ends" and not self.stages)
            self.stages.append(PassStage(each.name, _spec(each), printed(self.module) if keeps else None, seconds))

    def finish(self) -> None:
        if self.keep_ir == "ends":
            self.stages[-1] = replace(self.stages[-1], text=printed(self.module))


def most_bytes(options: CompileOptions, board: FpgaBoard) -> int:
    """On-chip memory that a group may fill, on all cards."""
    return options.c_max_bytes or options.cards * board.fabric.usable_onchip_bytes


def choose_lanes(text: str, options: CompileOptions) -> tuple[str, ...]:
    """Lanes (``name:lanes``) that the tiling space gives a text, as ``CompileOptions.lanes`` takes them."""
    context = new_context()
    module = parse(text, "lanes", context)
    for each in tiling_passes(options):
        each.apply(context, module)
    tasks = [op for op in module.walk() if isinstance(op, df.TaskOp)]
    return tuple(f"{task.sym_name.data}:{task.lane_count}" for task in tasks)


def workload_of(module: ModuleOp) -> dict[str, str | int]:
    """Model, phase and shape from the function's ``sttest.*`` attributes; empty for foreign text."""
    found: dict[str, str | int] = {}
    for function in module.walk():
        if not isinstance(function, func.FuncOp):
            continue
        for key in ("model", "phase", "tokens", "context", "batch", "cards"):
            value = function.attributes.get(f"sttest.{key}")
            if isinstance(value, StringAttr):
                found[key] = value.data
            elif isinstance(value, IntegerAttr):
                found[key] = value.value.data
    return found


def _spec(each: ModulePass) -> str:
    return str(each.spec())


# --- Compiles one text with many options; what several designs share is done once


# Tilings that are kept; the eldest goes.
_KEPT = 64


@dataclass(frozen=True, eq=False)
class Tiled:
    """A module before lanes are assigned, and what fusion will make of it; not to be changed."""

    module: ModuleOp
    fusion: FusionReport


class StagedCompiler:
    """A text on a board, ready to be compiled with any options.

    Args:
        text: one decoder block in MLIR's generic or custom form.
        name: name of the designs.
        board: name or path of a board with HBM.
        workload: facts that the text does not hold.
        parameters: arguments that are weights, where the text does not say so.
        where: how errors name the text; its designs' name if not given.
        progress: callback that gets each pass's name before it runs.

    Attributes:
        inputs: what all designs are made from, besides their options.

    Raises:
        InputError: bad IR, or no such board.
    """

    def __init__(
        self,
        text: str,
        name: str,
        board: str | FpgaBoard,
        workload: Mapping[str, str | int] | None = None,
        parameters: Sequence[str] = (),
        where: str = "",
        progress: Callable[[str], None] | None = None,
    ) -> None:
        self.name = name
        self.board = target_board(board)
        self.inputs = text, name, self.board, dict(workload or {}), tuple(parameters)
        self._context: Context = new_context()
        self._parsed = parse(text, where or name, self._context)
        if parameters:
            with_parameters(self._parsed, parameters)
        set_target(self._parsed, board)
        self._workload = {**workload_of(self._parsed), **(workload or {})}
        self._tiled: dict[tuple[tuple[ModulePass, ...], int], Tiled] = {}
        self._before: dict[tuple[ModulePass, ...], ModuleOp] = {(): self._parsed}
        self._seconds: dict[ModulePass, float] = {}
        self._progress = progress or (lambda name: None)

    def tiled(self, options: CompileOptions) -> Tiled:
        """The module with types and tiles, as it is before lanes are assigned.

        Raises:
            InputError: ops, a scheme or a tile that are not possible.
            DoesNotFitError: a kernel's own buffers exceed the board's memory.
        """
        chosen, c_max_bytes = self._split(options)[0], most_bytes(options, self.board)
        if (chosen, c_max_bytes) not in self._tiled:
            if len(self._tiled) >= _KEPT:
                del self._tiled[next(iter(self._tiled))]
            module = self._after(chosen)
            self._tiled[chosen, c_max_bytes] = Tiled(module, fusion_report(module, c_max_bytes))
        return self._tiled[chosen, c_max_bytes]

    def adapted(self, options: CompileOptions) -> CompileOptions:
        """The options with those tiles and orders that the tasks of the text can have.

        Raises:
            InputError: ops or a scheme that are not possible.
        """
        chosen = self._split(options)[0]
        at = place_of("linalg-to-kernels", chosen)
        module = self._after(chosen[:at]) if at else self._parsed
        extents = loop_extents(module, options.tile_size, options.gemv_lanes)
        tiles, orders = possible_choices(options.tiles, options.orders, extents)
        return options.with_(tiles=tiles, orders=orders)

    def _after(self, chosen: tuple[ModulePass, ...]) -> ModuleOp:
        """The text after some passes, of which several tilings share the first ones; not to be changed."""
        if chosen not in self._before:
            if len(self._before) >= _KEPT:
                self._before = {(): self._parsed}
            shared = _shared(chosen)
            self._before[chosen] = self._applied(chosen[shared:], self._after(chosen[:shared]))
        return self._before[chosen]

    def design(self, options: CompileOptions) -> CompiledDesign:
        """The sized design.

        Raises:
            InputError: see :meth:`tiled`; also lanes of a task that is not there.
            DoesNotFitError: more lanes, channels or on-chip memory than there are.
        """
        refuse_other_cards(self._parsed, options.cards)
        tiled = self.tiled(options)
        lanes, *chosen = self._split(options)[1]
        module = self._applied((lanes,), tiled.module)
        engines = engines_of(all_of(tiled.module, df.TaskOp))
        adaptation = adaptation_of(options.lanes, engines, all_of(module, df.TaskOp))
        graph, entered = self._streamed(module, chosen)
        return CompiledDesign(
            self.name, options, self.board, module, graph, tiled.fusion, workload=dict(self._workload),
            adaptation=adaptation, entered=entered,
        )  # fmt: skip

    def _streamed(
        self, module: ModuleOp, chosen: Sequence[ModulePass]
    ) -> tuple[TimedGraph, dict[str, int] | None]:  # fmt: skip
        """Applies the passes after the lanes; the timed graph of what they make, and how often tasks are entered."""
        last = chosen[-1]
        if not isinstance(last, SizeFifos):
            self._apply(chosen, module)
            return timed_graph(module, self.board, self.name), None
        # Sizing has made most of the timed graph; what comes after it, in launches of several layers, changes it.
        self._apply(chosen[:-1], module)
        self._progress(last.name)
        began = time.perf_counter()
        graphs = last.size(module)
        found = graphs.graph(self.name), graphs.passes
        self._seconds[last] = time.perf_counter() - began
        return found

    def documented(self, design: CompiledDesign) -> CompiledDesign:
        """A design that was made here with the text after its first and its last pass, and with what became integers.

        Looking for a design does without: to print the text takes a third of the time of a compilation.
        """
        before, chosen = self._split(design.options)
        module = self._applied(all_passes(design.options)[len(before) + len(chosen) :], design.module)
        stages = self._stages(all_passes(design.options), module)
        return replace(design, module=module, stages=stages, coverage=self._coverage(design.options, before))

    def _stages(self, passes: tuple[ModulePass, ...], module: ModuleOp) -> tuple[PassStage, ...]:
        """All passes of a design, with the text after the first and the last; seconds are those of their last runs."""
        texts = {0: printed(self._after(passes[:1])), len(passes) - 1: printed(module)}
        return tuple(
            PassStage(each.name, _spec(each), texts.get(place), self._seconds[each])
            for place, each in enumerate(passes)
        )

    def _coverage(self, options: CompileOptions, before: tuple[ModulePass, ...]) -> Coverage | None:
        """What the design's scheme has made integers."""
        if not load_scheme(options.precision).quantizes:
            return None
        at = place_of("quantize", before)
        return coverage(self._after(before[: at + 1]), float_factors(self._after(before[:at])))

    def laned(self, options: CompileOptions) -> ModuleOp:
        """The module with the lanes of every task.

        Raises:
            InputError: see :meth:`tiled`; also lanes of a task that is not there.
            DoesNotFitError: the budget of lanes does not cover the first ones.
        """
        tiled = self.tiled(options)
        return self._applied(self._split(options)[1][:1], tiled.module)

    def _split(self, options: CompileOptions) -> tuple[tuple[ModulePass, ...], tuple[ModulePass, ...]]:
        """The passes before lanes are assigned, and the others up to the schedule, which sizing makes as well."""
        chosen = all_passes(options)
        first, last = place_of("assign-lanes", chosen), place_of("schedule-processes", chosen)
        return chosen[:first], chosen[first:last]

    def _applied(self, chosen: Sequence[ModulePass], module: ModuleOp) -> ModuleOp:
        copy = module.clone()
        self._apply(chosen, copy)
        return copy

    def _apply(self, chosen: Sequence[ModulePass], module: ModuleOp) -> None:
        for each in chosen:
            self._progress(each.name)
            began = time.perf_counter()
            each.apply(self._context, module)
            self._seconds[each] = time.perf_counter() - began


def _shared(chosen: Sequence[ModulePass]) -> int:
    """The passes after which a module is kept on its way: all but the last, and but those that only mark tasks.

    To mark tasks takes less time than to copy the module that others could start from.
    """
    return min(place_of("linalg-to-kernels", chosen) + 1, len(chosen) - 1)
