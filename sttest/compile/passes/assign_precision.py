"""`assign-precision`: gives every streamed tensor the element type of its role.

A parameter that only contractions read is a weight; a tensor that
contractions read (and the KV cache, in and out) carries activations;
everything else keeps floating point.  The scalar payloads stay in f32: scales
are applied where a stream enters or leaves a task.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.dialects.df import KernelOp, TaskOp, itensor_of
from sttest.compile.module_walk import all_of, functions, returned
from sttest.compile.names import cache_results, parameters_of
from sttest.compile.precision import Precision, precision

_VIEWS = (tensor.ExpandShapeOp, tensor.CollapseShapeOp, GenericOp)


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
        for function in functions(op):
            _retype_function(function, chosen)


def _retype_function(function: func.FuncOp, chosen: Precision) -> None:
    values = [*function.body.block.args]
    values += [result for kernel in all_of(function, KernelOp) for result in kernel.outputs]
    roles = _Roles(chosen, parameters_of(function), {_root(value) for value in cache_results(function)})
    for value, dtype in [(value, roles.dtype_of(value)) for value in values]:
        if isinstance(value.type, TensorType) and value.type.get_element_type() != dtype:
            _retype(value, value.type, dtype)
    results = returned(function).operands
    function.function_type = FunctionType.from_lists(
        [argument.type for argument in function.body.block.args], [operand.type for operand in results]
    )


@dataclass(frozen=True)
class _Roles:
    """What decides the element type of a tensor."""

    chosen: Precision
    parameters: set[SSAValue]
    cached: set[SSAValue]

    def dtype_of(self, value: SSAValue) -> Attribute:
        if value in self.cached:
            return self.chosen.activation
        readers = _readers(value)
        factor = [_is_factor(kernel, index) for kernel, index in readers]
        if not any(factor):
            return self.chosen.other
        # What a contraction reads may also be summed (softmax: weights and denominator then agree), nothing else.
        if not all(is_one or _only_sums(kernel) for is_one, (kernel, _) in zip(factor, readers, strict=True)):
            return self.chosen.other
        return self.chosen.weight if value in self.parameters else self.chosen.activation


def _root(value: SSAValue) -> SSAValue:
    """The tensor behind a chain of views."""
    owner = value.owner
    while isinstance(owner, _VIEWS):
        value = owner.operands[0]
        owner = value.owner
    return value


def _readers(value: SSAValue) -> list[tuple[KernelOp, int]]:
    """The kernels that read a tensor, with the number of the input."""
    return [(use.operation, use.index) for use in value.uses if isinstance(use.operation, KernelOp)]


def _only_sums(kernel: KernelOp) -> bool:
    task = kernel.body.block.first_op
    return isinstance(task, TaskOp) and "reduction" in task.loop_kinds and len(task.sources) == 1


def _is_factor(kernel: KernelOp, index: int) -> bool:
    """Whether a kernel multiplies this input in a contraction, whose first two inputs are its factors."""
    task = kernel.body.block.first_op
    return isinstance(task, TaskOp) and task.is_contraction and index < 2


def _retype(value: SSAValue, kind: TensorType, dtype: Attribute) -> None:
    """Changes the element type of a tensor, of its views, and of the streams that carry it inside kernels."""
    owner = value.owner
    value = Rewriter.replace_value_with_new_type(value, TensorType(dtype, kind.get_shape()))
    if isinstance(owner, KernelOp):
        _retype_stream(owner.stream_of(value), dtype)
    for use in list(value.uses):
        if isinstance(use.operation, KernelOp):
            _retype_stream(use.operation.body.block.args[use.index], dtype)
        elif isinstance(use.operation, _VIEWS):
            _retype_view(use.operation, dtype)


def _retype_stream(stream: SSAValue, dtype: Attribute) -> None:
    Rewriter.replace_value_with_new_type(stream, itensor_of(stream).with_dtype(dtype))


def _retype_view(view: Operation, dtype: Attribute) -> None:
    result = view.results[0]
    if not isinstance(result.type, TensorType):
        return
    if isinstance(view, GenericOp):
        _retype_copy(view, result.type, dtype)
    _retype(result, result.type, dtype)


def _retype_copy(view: GenericOp, kind: TensorType, dtype: Attribute) -> None:
    """A transpose carries its own destination and scalar arguments."""
    destination = tensor.EmptyOp([], TensorType(dtype, kind.get_shape()))
    Rewriter.insert_op(destination, InsertPoint.before(view))
    view.operands[len(view.inputs)] = destination.tensor
    for argument in view.body.block.args:
        Rewriter.replace_value_with_new_type(argument, dtype)
