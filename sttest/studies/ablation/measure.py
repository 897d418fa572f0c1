"""One design of an ablation, or the designs of its kernels: compiled, simulated, weighed, in whatever process."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, require_hbm
from sttest.boards.operators import operators
from sttest.boards.resources import KINDS, Resources, total
from sttest.compile.compiler import CompiledDesign, compile_text, fusion_report
from sttest.compile.dialects import df
from sttest.compile.ir.kernel_modules import kernel_modules
from sttest.compile.ir.module_walk import all_of, functions, set_target
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.passes.assign_lanes import AssignLanes
from sttest.compile.passes.fuse_kernels import FuseKernels, merge_groups
from sttest.compile.pipeline import streaming_passes, tiling_passes
from sttest.compile.resources.design import design_resources, die_of
from sttest.compile.resources.nodes import memories
from sttest.compile.sharing.functional_units import stream_ends
from sttest.compile.spaces.fusion import Fusion, GroupCost
from sttest.compile.timing.timed_graph import timed_graph
from sttest.frontend.lowering import linalg_text
from sttest.models.config import DecoderConfig
from sttest.models.program import Phase
from sttest.models.ranks import with_ranks
from sttest.models.registry import model_config
from sttest.sim import simulate
from sttest.studies.ablation.form import Cut, Lanes
from sttest.studies.campaign import Plain, guarded
from sttest.studies.whatif.bounds import moved_bytes
from sttest.studies.whatif.points import block_text

# --- The designs of a row: one for the whole block, or one for each of the kernels that fusion left apart


def designs_of(text: str, board: str, options: CompileOptions, cut: Cut, lanes: Lanes) -> Iterator[CompiledDesign]:
    """The designs that run one after the other, in that order.

    Args:
        text: linalg text of the block.
        board: name of the board.
        options: compile options; one layer where the block is cut.
        cut: cuts between kernels.
        lanes: ``shared``: as chosen for the whole block; ``own``: every kernel has the whole budget for itself.

    Raises:
        SttestError: no such design.
    """
    if cut == "block":
        yield compile_text(text, "block", board, options)
        return
    context, hardware = new_context(), require_hbm(load_board(board))
    module = parse(text, "block", context)
    set_target(module, board)
    # Kernels with lanes of their own get them below, each from the whole budget.
    tiling = (each for each in tiling_passes(options) if lanes == "shared" or not isinstance(each, AssignLanes))
    _apply(context, module, tuple(tiling))
    _cut(context, module, cut)
    for name, kernel in kernel_modules(module):
        yield _design(context, kernel, name, options, hardware, lanes)


def _design(
    context: Context, module: ModuleOp, name: str, options: CompileOptions, hardware: FpgaBoard, lanes: Lanes
) -> CompiledDesign:
    if lanes == "own":
        AssignLanes(options.overall_unroll, options.first_lanes, gemv_lanes=options.gemv_lanes).apply(context, module)
    fusion = fusion_report(module, hardware.fabric.usable_onchip_bytes)
    # The cut is made: of one kernel there is nothing left to fuse.
    passes = (each for each in streaming_passes(options) if not isinstance(each, FuseKernels))
    _apply(context, module, tuple(passes))
    return CompiledDesign(name, options, hardware, module, timed_graph(module, hardware, name), fusion)


def _cut(context: Context, module: ModuleOp, cut: Cut) -> None:
    if isinstance(cut, int):
        FuseKernels(cut * 1024).apply(context, module)
        return
    part_of = _PARTS[cut]
    for function in functions(module):
        kernels = [op for op in function.body.block.ops if isinstance(op, df.KernelOp)]
        merge_groups(function, by_part(kernels, part_of))


def by_part(kernels: Sequence[df.KernelOp], part_of: Callable[[df.TaskOp], str]) -> Fusion:
    """Groups of kernels of the same part; a part that needs what comes between its kernels is several groups.

    Args:
        kernels: kernels of one task each, in program order.
        part_of: the part that a task belongs to.
    """
    group_of: dict[str, int] = {}
    newest: dict[str, int] = {}
    for kernel in kernels:
        (task,) = all_of(kernel, df.TaskOp)
        part = part_of(task)
        producers = (tensor.owner for tensor in kernel.inputs)
        after = max((group_of[each.sym_name.data] for each in producers if isinstance(each, df.KernelOp)), default=0)
        # A group never reads from one with a higher number, so that no two wait for each other.
        if newest.get(part, -1) < after:
            newest[part] = len(set(group_of.values()))
        group_of[kernel.sym_name.data] = newest[part]
    return Fusion(group_of, (GroupCost(0, 0),) * len(set(group_of.values())), ())


def _module_of(task: df.TaskOp) -> str:
    return df.identifier(task.origin_name or task.sym_name.data)


_PARTS: dict[str, Callable[[df.TaskOp], str]] = {
    "halves": lambda task: _module_of(task).partition("_")[0],
    "operators": _module_of,
    "tasks": lambda task: task.sym_name.data,
}


def _apply(context: Context, module: ModuleOp, passes: Sequence[ModulePass]) -> None:
    for each in passes:
        each.apply(context, module)


# --- What a design keeps of attention on its way: FIFOs and converters between the scores and what is mixed


_STEPS = ("attn_scores", "attn_softmax", "attn_mix")
_ROLES = ("fifo", "converter")


def attention_bytes(design: CompiledDesign) -> int:
    """Bytes of the FIFOs into and behind scores, softmax and mix, and of the converters between them.

    The converters that keep a prompt's keys and values are those of the projections, and left out.
    """
    library = operators(design.board)
    kernels = all_of(design.module, df.KernelOp)
    facts = [each for kernel in kernels for each in memories(kernel, stream_ends(kernel), design.graph, library)]
    kept = (each for each in facts if each.role in _ROLES and any(step in each.name for step in _STEPS))
    return -(-sum(each.used_bits for each in kept) // 8)


def measure(key: Mapping[str, Any]) -> Plain:
    """Compiles and simulates.

    Args:
        key: key of a :class:`sttest.studies.ablation.form.Candidate`.

    Returns:
        Plain data: ``cycles`` and ``moved_bytes`` of one launch of every kernel, the ``attention_bytes`` that they
        buffer, ``kernels``, ``clock_mhz``, and the shares of the board's ``published`` budget that all kernels and
        the ``largest`` one take; or an error, see :func:`guarded`.
    """
    return guarded(_measured, key)


def _measured(key: Mapping[str, Any]) -> Plain:
    options = CompileOptions(**key["options"])
    config = with_ranks(model_config(key["model"]), options.ranks)
    text = _text(config, key["phase"], key["tokens"], key["context"], key["head"])
    cycles = moved = buffered = 0
    taken: list[Resources] = []
    clock_mhz = 0.0
    for design in designs_of(text, key["board"], options, key["cut"], key["lanes"]):
        run = simulate(design.graph, engine=key["engine"])
        if run.cycles is None:
            raise AssertionError(f"{design.name}: the sized design deadlocks: {run.to_text()}")
        cycles += run.cycles
        moved += moved_bytes(design.graph)
        buffered += attention_bytes(design)
        budget = total(die_of(design.board, "published").budgets)
        taken.append(design_resources(design).total.shares_of(budget))
        clock_mhz = design.graph.clock_mhz
    return {
        "cycles": cycles,
        "moved_bytes": moved,
        "attention_bytes": buffered,
        "kernels": len(taken),
        "clock_mhz": clock_mhz,
        "shares": _by_kind(total(taken)),
        "largest": {kind: max(getattr(each, kind) for each in taken) for kind in KINDS},
    }


def _text(config: DecoderConfig, phase: Phase, tokens: int, context: int, head: bool) -> str:
    if head:
        return linalg_text(config, phase, tokens, context, head=True)
    return block_text(config, phase, tokens, context)


def _by_kind(shares: Resources) -> dict[str, float]:
    return {kind: getattr(shares, kind) for kind in KINDS}
