"""`assign-precision`: gives every streamed tensor the element type of its role.

A parameter that only contractions read is a weight; a tensor that
contractions read (and the KV cache, in and out) carries activations;
everything else keeps floating point.  The scalar payloads stay in f32: scales
are applied where a stream enters or leaves a task.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, linalg, tensor
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from sttest.compile.dialects.df import KernelOp, TaskOp
from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.precision import Precision, precision
from sttest.compile.task_facts import is_contraction_task

_VIEWS = (tensor.ExpandShapeOp, tensor.CollapseShapeOp, linalg.GenericOp)


@dataclass(frozen=True)
class AssignPrecision(ModulePass):
    """Sets element types by role: ``fp32``, ``w4a8`` or ``w8a8``."""

    name = "assign-precision"

    precision: str = "w4a8"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Retypes tensors and itensors in place.

        Raises:
            InputError: unknown precision.
        """
        chosen = precision(self.precision)
        for function in [item for item in op.walk() if isinstance(item, func.FuncOp)]:
            _retype_function(function, chosen)


def _retype_function(function: func.FuncOp, chosen: Precision) -> None:
    values = [*function.body.block.args]
    values += [result for op in function.body.block.ops if isinstance(op, KernelOp) for result in op.results]
    cached = _cache_roots(function)
    for value, dtype in [(value, _dtype_of(value, chosen, cached)) for value in values]:
        if isinstance(value.type, TensorType) and value.type.get_element_type() != dtype:
            _retype(value, dtype)
    results = function.body.block.last_op
    assert results is not None
    function.function_type = FunctionType.from_lists(
        [argument.type for argument in function.body.block.args], [operand.type for operand in results.operands]
    )


def _dtype_of(value: SSAValue, chosen: Precision, cached: set[SSAValue]) -> Attribute:
    if value in cached:
        return chosen.activation
    readers = _readers(value)
    factor = [_is_factor(kernel, index) for kernel, index in readers]
    if not any(factor):
        return chosen.other
    # What a contraction reads may also be summed (softmax: weights and denominator then agree), nothing else.
    if not all(is_one or _only_sums(kernel) for is_one, (kernel, _) in zip(factor, readers, strict=True)):
        return chosen.other
    return chosen.weight if _is_weight(value) else chosen.activation


def _cache_roots(function: func.FuncOp) -> set[SSAValue]:
    """Kernel results that leave as new cache entries: every function result but the first, behind its views."""
    last = function.body.block.last_op
    assert last is not None
    roots: set[SSAValue] = set()
    for value in list(last.operands)[1:]:
        while isinstance(value.owner, _VIEWS):
            value = value.owner.operands[0]
        roots.add(value)
    return roots


def _only_sums(kernel: KernelOp) -> bool:
    task = kernel.body.block.first_op
    return isinstance(task, TaskOp) and "reduction" in task.loop_kinds and len(task.sources) == 1


def _is_weight(value: SSAValue) -> bool:
    """A function argument of rank 2: the matrices; caches have a head dim as well."""
    return isinstance(value, BlockArgument) and isinstance(value.type, TensorType) and value.type.get_num_dims() == 2


def _readers(value: SSAValue) -> list[tuple[KernelOp, int]]:
    """The kernels that read a tensor, with the number of the input."""
    return [(use.operation, use.index) for use in value.uses if isinstance(use.operation, KernelOp)]


def _is_factor(kernel: KernelOp, index: int) -> bool:
    """Whether a kernel multiplies this input in a contraction; the first two inputs of a contraction are its factors."""
    task = kernel.body.block.first_op
    return isinstance(task, TaskOp) and is_contraction_task(task) and index < 2


def _retype(value: SSAValue, dtype: Attribute) -> None:
    """Changes the element type of a tensor, of its views, and of the streams that carry it inside kernels."""
    assert isinstance(value.type, TensorType)
    owner = value.owner
    value = Rewriter.replace_value_with_new_type(value, TensorType(dtype, value.type.get_shape()))
    if isinstance(owner, KernelOp):
        _retype_stream(owner.terminator.arguments[owner.results.index(value)], dtype)  # pyright: ignore
    for use in list(value.uses):
        if isinstance(use.operation, KernelOp):
            _retype_stream(use.operation.body.block.args[use.index], dtype)
        elif isinstance(use.operation, _VIEWS):
            _retype_view(use.operation, dtype)


def _retype_stream(stream: SSAValue, dtype: Attribute) -> None:
    assert isinstance(stream.type, ITensorType)
    Rewriter.replace_value_with_new_type(stream, stream.type.with_dtype(dtype))


def _retype_view(view: Operation, dtype: Attribute) -> None:
    if isinstance(view, linalg.GenericOp):
        _retype_copy(view, dtype)
    _retype(view.results[0], dtype)


def _retype_copy(view: linalg.GenericOp, dtype: Attribute) -> None:
    """A transpose carries its own destination and scalar arguments."""
    empty = view.outputs[0].owner
    assert isinstance(empty, tensor.EmptyOp) and isinstance(empty.tensor.type, TensorType)
    own = tensor.EmptyOp([], TensorType(dtype, empty.tensor.type.get_shape()))
    block = view.parent_block()
    assert block is not None
    block.insert_op_before(own, view)
    view.operands[len(view.inputs)] = own.tensor
    for argument in view.body.block.args:
        Rewriter.replace_value_with_new_type(argument, dtype)
