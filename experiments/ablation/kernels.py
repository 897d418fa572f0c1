"""The designs of a row: one for the whole block, or one for each of the kernels that fusion left apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from experiments.ablation.form import Cut, Lanes
from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, require_hbm
from sttest.compile.compiler import Design, compile_text
from sttest.compile.context import new_context, parse
from sttest.compile.dialects.df import KernelOp, TaskOp
from sttest.compile.fusion_report import fusion_report
from sttest.compile.ir.module_walk import all_of, functions
from sttest.compile.ir.names import identifier
from sttest.compile.passes.assign_lanes import AssignLanes
from sttest.compile.passes.fuse_kernels import FuseKernels, merge_groups
from sttest.compile.pipeline import Knobs, streaming_passes, tiling_passes
from sttest.compile.spaces.fusion import Fusion, GroupCost
from sttest.compile.timing.timed_graph import timed_graph
from sttest.compile.turns.kernel_modules import kernel_modules


def designs_of(text: str, board: str, knobs: Knobs, cut: Cut, lanes: Lanes) -> Iterator[Design]:
    """The designs that run one after the other, in that order.

    Args:
        text: linalg text of the block.
        board: by name.
        knobs: of the compiler; one layer where the block is cut.
        cut: where kernels end.
        lanes: ``shared``: as chosen for the whole block; ``own``: every kernel has the whole budget for itself.

    Raises:
        SttestError: no such design.
    """
    if cut == "block":
        yield compile_text(text, "block", board, knobs)
        return
    context, hardware = new_context(), require_hbm(load_board(board))
    module = parse(text, "block", context)
    # Kernels with lanes of their own get them below, each from the whole budget.
    tiling = (each for each in tiling_passes(knobs) if lanes == "shared" or not isinstance(each, AssignLanes))
    _apply(context, module, tuple(tiling))
    _cut(context, module, cut)
    for name, kernel in kernel_modules(module):
        yield _design(context, kernel, name, knobs, hardware, board, lanes)


def _design(
    context: Context, module: ModuleOp, name: str, knobs: Knobs, hardware: FpgaBoard, board: str, lanes: Lanes
) -> Design:
    if lanes == "own":
        AssignLanes(knobs.overall_unroll, knobs.first_lanes, gemv_lanes=knobs.gemv_lanes).apply(context, module)
    onchip_bytes = hardware.fabric.usable_onchip_bytes
    fusion = fusion_report(module, onchip_bytes)
    # The cut is made: of one kernel there is nothing left to fuse.
    passes = (each for each in streaming_passes(knobs, board, onchip_bytes) if not isinstance(each, FuseKernels))
    _apply(context, module, tuple(passes))
    return Design(name, knobs, hardware, module, timed_graph(module, hardware, name), fusion)


def _cut(context: Context, module: ModuleOp, cut: Cut) -> None:
    if isinstance(cut, int):
        FuseKernels(cut * 1024).apply(context, module)
        return
    part_of = _PARTS[cut]
    for function in functions(module):
        kernels = [op for op in function.body.block.ops if isinstance(op, KernelOp)]
        merge_groups(function, by_part(kernels, part_of))


def by_part(kernels: Sequence[KernelOp], part_of: Callable[[TaskOp], str]) -> Fusion:
    """Groups of kernels of the same part; a part that needs what comes between its kernels is several groups.

    Args:
        kernels: of one task each, in program order, which is one of dependence.
        part_of: the part that a task belongs to.
    """
    group_of: dict[str, int] = {}
    newest: dict[str, int] = {}
    for kernel in kernels:
        (task,) = all_of(kernel, TaskOp)
        part = part_of(task)
        producers = (tensor.owner for tensor in kernel.inputs)
        after = max((group_of[each.sym_name.data] for each in producers if isinstance(each, KernelOp)), default=0)
        # A group never reads from one with a higher number, so that no two wait for each other.
        if newest.get(part, -1) < after:
            newest[part] = len(set(group_of.values()))
        group_of[kernel.sym_name.data] = newest[part]
    return Fusion(group_of, (GroupCost(0, 0),) * len(set(group_of.values())), ())


def _module_of(task: TaskOp) -> str:
    return identifier(task.origin.data if task.origin else task.sym_name.data)


_PARTS: dict[str, Callable[[TaskOp], str]] = {
    "halves": lambda task: _module_of(task).partition("_")[0],
    "operators": _module_of,
    "tasks": lambda task: task.sym_name.data,
}


def _apply(context: Context, module: ModuleOp, passes: Sequence[ModulePass]) -> None:
    for each in passes:
        each.apply(context, module)
