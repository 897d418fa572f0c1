"""A design that does not fuse into one kernel: a design for each group, which hand tensors on in memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue

from sttest.boards.board import FpgaBoard
from sttest.boards.load import target_board
from sttest.compile.compiler import CompiledDesign, FusionReport, PassStage, fusion_report, most_bytes
from sttest.compile.dialects import df
from sttest.compile.ir.kernel_modules import kernel_modules
from sttest.compile.ir.module_walk import all_of, functions, refuse_other_cards, returned, set_target
from sttest.compile.ir.names import argument_kinds, argument_names, result_names
from sttest.compile.opt import new_context, parse, printed
from sttest.compile.options import CompileOptions
from sttest.compile.passes.fuse_kernels import FuseKernels
from sttest.compile.pipeline import streaming_passes, tiling_passes
from sttest.compile.spaces.fusion import Fusion
from sttest.compile.timing.timed_graph import timed_graph
from sttest.core.errors import InputError


@dataclass(frozen=True)
class HandedOn:
    """A tensor that one group makes and others take."""

    name: str
    giver: int
    takers: tuple[int, ...]
    total_bytes: int


@dataclass(frozen=True)
class GroupedDesign:
    """Groups in the order in which they run, each a design of one kernel."""

    name: str
    designs: tuple[CompiledDesign, ...]
    tensors: tuple[HandedOn, ...]


def compile_groups(
    text: str, name: str, board: str | FpgaBoard, options: CompileOptions, where: str = ""
) -> GroupedDesign:
    """Linalg text to a sized design for every group that fusion leaves.

    Args:
        text: any linalg function in MLIR's generic or custom form.
        name: name of the whole; group ``n`` is called ``<name>-group<n>``.
        board: board with HBM, or its name or path.
        options: options of the compiler, the same for all groups.
        where: how errors name the text; the name if not given.

    Raises:
        InputError: bad IR, unsupported ops, no such board, or something between groups that is no view of a tensor.
        DoesNotFitError: more lanes, channels or on-chip memory than there are.
    """
    if options.cards > 1 or options.layers > 1:
        raise InputError(
            "groups-alone",
            "several groups are of one layer, and each is on one card",
            where="--groups",
            hints=["leave out --layers and --cards", "raise --c-max-bytes until there is one group"],
        )
    hardware = target_board(board)
    context = new_context()
    module = parse(text, where or name, context)
    set_target(module, hardware)
    refuse_other_cards(module, options.cards)
    for each in tiling_passes(options):
        each.apply(context, module)
    fusion = fusion_report(module, most_bytes(options, hardware))
    streaming = streaming_passes(options)
    fused = 1 + next(number for number, each in enumerate(streaming) if isinstance(each, FuseKernels))
    for each in streaming[:fused]:
        each.apply(context, module)
    plan = _Plan(next(iter(functions(module))))
    designs = []
    for number, (_, group) in enumerate(kernel_modules(module)):
        plan.name(number, group)
        for each in streaming[fused:]:
            each.apply(context, group)
        own = f"{name}-group{number}"
        graph, stage = timed_graph(group, hardware, own), PassStage("group", f"group{number}", printed(group), 0.0)
        designs.append(CompiledDesign(own, options, hardware, group, graph, _of_group(fusion, number), (stage,)))
    return GroupedDesign(name, tuple(designs), plan.handed_on())


def _of_group(report: FusionReport, number: int) -> FusionReport:
    members = [name for name, group in report.fusion.group_of.items() if group == number]
    own = Fusion(dict.fromkeys(members, 0), (report.fusion.costs[number],), ())
    return FusionReport(own, {name: report.original_bytes.get(name, 0) for name in members})


def tensor_of(argument: str) -> str:
    """The tensor that an argument of a group is, of which it may take several shapes.

    >>> tensor_of("group4_0"), tensor_of("group4_0__shape1")
    ('group4_0', 'group4_0')
    """
    return argument.partition(_SHAPE)[0]


_SHAPE = "__shape"


def _alias(name: str, shape: int) -> str:
    return f"{name}{_SHAPE}{shape}" if shape else name


class _Plan:
    """What the tensors of a function that several kernels share are called."""

    def __init__(self, function: func.FuncOp) -> None:
        self.kernels = all_of(function, df.KernelOp)
        self.kinds = argument_kinds(function)
        self.names: dict[SSAValue, str] = {
            output: f"group{number}_{place}"
            for number, kernel in enumerate(self.kernels)
            for place, output in enumerate(kernel.outputs)
        }
        results = zip(result_names(function), returned(function).operands, strict=True)
        self.names |= {self._root(value, of_result=True): name for name, value in results}
        self.names |= argument_names(function)

    def name(self, number: int, group: ModuleOp) -> None:
        """Says in the module of a group what its arguments and results are called."""
        kernel, (function,) = self.kernels[number], functions(group)
        roots = [self._root(tensor) for tensor in kernel.inputs]
        given = {
            "arg_names": [_alias(self.names[root], roots[:place].count(root)) for place, root in enumerate(roots)],
            "arg_kinds": [self.kinds.get(root, "input") for root in roots],
            "result_names": [self.names[output] for output in kernel.outputs],
        }
        for key, values in given.items():
            function.attributes[f"sttest.{key}"] = ArrayAttr([StringAttr(value) for value in values])

    def handed_on(self) -> tuple[HandedOn, ...]:
        """The tensors that go from group to group."""
        takers: Mapping[SSAValue, list[int]] = {output: [] for kernel in self.kernels for output in kernel.outputs}
        for number, kernel in enumerate(self.kernels):
            for root in dict.fromkeys(self._root(tensor) for tensor in kernel.inputs):
                if root in takers:
                    takers[root].append(number)
        return tuple(
            HandedOn(self.names[output], number, tuple(takers[output]), _bytes_of(kernel, output))
            for number, kernel in enumerate(self.kernels)
            for output in kernel.outputs
            if takers[output]
        )

    def _root(self, value: SSAValue, *, of_result: bool = False) -> SSAValue:
        """The argument or the kernel's result behind reshapes; what a result is seen through is the host's business."""
        owner = value.owner
        if not isinstance(owner, Operation) or isinstance(owner, df.KernelOp):
            return value
        if len(owner.operands) != 1 and not of_result:
            raise InputError(
                "host-op",
                f"{owner.name} stands between groups, where nothing computes it",
                where="groups",
                hints=["raise --c-max-bytes until its readers are in one group"],
            )
        return self._root(owner.operands[0], of_result=of_result)


def _bytes_of(kernel: df.KernelOp, output: SSAValue) -> int:
    stream = df.itensor_of(kernel.terminator.arguments[kernel.outputs.index(output)].owner.operands[0])  # pyright: ignore
    return -(-prod(stream.full_shape) * stream.element_bits // 8)
