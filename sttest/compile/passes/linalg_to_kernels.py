"""`linalg-to-kernels`: every computing linalg op becomes a `df.kernel` of one tiled task.

The itensor type of each port follows from the tile loops (streamtensor.md
section 1.1); transposes, broadcasts and reshapes dissolve into these types.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, func, linalg, math, tensor
from xdsl.dialects.builtin import FloatAttr, ModuleOp, StringAttr, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from sttest.compile.dialects.df import IntListAttr, KernelOp, TaskOp, YieldOp, itensor_of
from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.iteration import IterationSpace, is_view
from sttest.compile.loop_nest import LoopNest, plan_nest
from sttest.compile.names import NameTable, hint
from sttest.errors import InputError

_STRUCTURE = (
    ModuleOp, func.FuncOp, func.ReturnOp, linalg.FillOp, linalg.GenericOp, linalg.YieldOp,
    tensor.EmptyOp, tensor.ExpandShapeOp, tensor.CollapseShapeOp,
)  # fmt: skip
_SCALAR_DIALECTS = (arith.Arith, math.Math)


@dataclass(frozen=True)
class LinalgToKernels(ModulePass):
    """Tiles with one default size and streams every operand in the order of the tile loops."""

    name = "linalg-to-kernels"

    tile_size: int = 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrites all functions of the module in place.

        Raises:
            InputError: ops outside the supported set, all named at once.
        """
        refuse_unsupported(op)
        for function in [item for item in op.walk() if isinstance(item, func.FuncOp)]:
            _Rewriter(self.tile_size).rewrite(function)
            _erase_unread(function.body.block)


def refuse_unsupported(module: ModuleOp) -> None:
    """Raises one InputError that lists every op that no pass can take, with how often it occurs."""
    scalar = {op for dialect in _SCALAR_DIALECTS for op in dialect.operations}
    counts: dict[str, int] = {}
    for op in module.walk():
        if isinstance(op, _STRUCTURE) or type(op) in scalar:
            continue
        name = getattr(op, "op_name", None)
        shown = name.data if isinstance(name, StringAttr) else op.name
        counts[shown] = counts.get(shown, 0) + 1
    if counts:
        listed = ", ".join(f"{name} ({count}x)" for name, count in sorted(counts.items()))
        raise InputError(
            "unsupported-ops",
            f"{len(counts)} unsupported op{'s' if len(counts) > 1 else ''}: {listed}",
            where="linalg-to-kernels",
            levers=["rewrite the model with matmul, elementwise, reduction, transpose and reshape ops"],
        )


def _erase_unread(block: Block) -> None:
    """Destinations, constants and views that only dissolved ops used."""
    for op in reversed(list(block.ops)):
        if op.results and not any(result.uses.get_length() for result in op.results):
            op.detach()
            op.erase()


@dataclass
class _Rewriter:
    tile_size: int
    names: NameTable = field(default_factory=NameTable)
    streamed: dict[SSAValue, ITensorType] = field(default_factory=dict)

    def rewrite(self, function: func.FuncOp) -> None:
        self.names.read_arguments(function)
        for op in list(function.body.block.ops):
            if isinstance(op, linalg.GenericOp) and not is_view(op):
                self._replace(op)

    def _replace(self, op: linalg.GenericOp) -> None:
        space = IterationSpace(op)
        nest = plan_nest(space, self.streamed, self.tile_size)
        name, origin = self.names.of(op, [access.root for access in space.inputs])
        kernel = _kernel(op, nest, name, origin)
        block = op.parent_block()
        assert block is not None
        block.insert_op_before(kernel, op)
        for old, new, stream in zip(op.results, kernel.outputs, kernel.terminator.arguments, strict=True):
            old.replace_all_uses_with(new)
            new.name_hint = hint(name)
            self.streamed[new] = itensor_of(stream)
        op.detach()
        op.erase()


def _kernel(op: linalg.GenericOp, nest: LoopNest, name: str, origin: str) -> KernelOp:
    roots = [access.root for access in nest.space.inputs]
    inputs = [nest.input_type(access, _dtype(access.root)) for access in nest.space.inputs]
    outputs = [nest.output_type(access, _dtype(access.root)) for access in nest.space.outputs]
    inside = Block(arg_types=inputs)
    payload = op.body.clone()
    _end_in_df_yield(payload.block)
    task = TaskOp(
        operands=[inside.args, []],
        result_types=[outputs],
        regions=[payload],
        properties={
            "sym_name": StringAttr(name),
            "trips": IntListAttr.of(nest.trips),
            "tile": IntListAttr.of(nest.tile_sizes),
            "iterators": StringAttr(",".join(nest.kinds)),
            "origin": StringAttr(origin),
            **_initial_value(op),
        },
    )
    inside.add_ops([task, YieldOp(task.streams)])
    return KernelOp(name, roots, [result.type for result in op.results], Region(inside))


def _dtype(value: SSAValue) -> Attribute:
    if not isinstance(value.type, TensorType):
        raise InputError("not-a-tensor", f"expected a tensor operand, found {value.type}", where="linalg.generic")
    return value.type.get_element_type()


def _end_in_df_yield(payload: Block) -> None:
    last = payload.last_op
    assert isinstance(last, linalg.YieldOp)
    payload.insert_op_before(YieldOp(list(last.operands)), last)
    last.detach()
    last.erase()
    _inline_constants(payload)


def _inline_constants(payload: Block) -> None:
    """Copies constants from outside into the payload: a task sees nothing but its streams."""
    copies: dict[Operation, Operation] = {}
    for op in list(payload.ops):
        for index, operand in enumerate(op.operands):
            source = operand.owner
            if not isinstance(source, arith.ConstantOp) or source.parent_block() is payload:
                continue
            if source not in copies:
                copies[source] = source.clone()
                first = payload.first_op
                assert first is not None
                payload.insert_op_before(copies[source], first)
            op.operands[index] = copies[source].results[0]


def _initial_value(op: linalg.GenericOp) -> dict[str, Attribute]:
    """The value that a reduction starts from, taken from the fill of its destination."""
    if all(kind.data.value == "parallel" for kind in op.iterator_types):
        return {}
    fill = op.outputs[0].owner
    constant = fill.inputs[0].owner if isinstance(fill, linalg.FillOp) else None
    value = constant.value if isinstance(constant, arith.ConstantOp) else None
    if not isinstance(value, FloatAttr):
        raise InputError(
            "unknown-initial-value",
            "a reduction must start from a constant fill",
            where="linalg.generic",
            levers=["initialise the destination with linalg.fill"],
        )
    return {"init": value}
