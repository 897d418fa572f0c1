"""`float-min-as-int`: the smallest of numbers that are never negative is found among their bits.

As integers they are in the order of the numbers.  The smaller of two integers is there after one cycle, that of two
numbers after three (operators.yaml), and a running one has to be back before the next.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import arith, func, math, tensor
from xdsl.dialects.builtin import FloatAttr, ModuleOp, TensorType, f32, i32
from xdsl.dialects.linalg.ops import FillOp, GenericOp, YieldOp
from xdsl.ir import Block, BlockArgument, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.ir.module_walk import functions
from sttest.compile.ir.names import NUMBERS, argument_names, source_of
from sttest.compile.linalg.iteration import is_view, shape_of, source_of_view
from sttest.compile.linalg.tensor_build import Named, constant, dims_map, element_of, generic

_NEVER_NEGATIVE = (math.AbsFOp, math.ExpOp)
_IF_ALL_ARE = (arith.AddfOp, arith.MulfOp, arith.MinimumfOp)


@dataclass(frozen=True)
class FloatMinAsInt(ModulePass):
    """Rewrites reductions to the smallest of f32 numbers; whoever reads the result reads bits as the number again."""

    name = "float-min-as-int"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrites the minima and maxima whose operands the text shows not to be negative."""
        for function in functions(op):
            signs = _Signs(function)
            found = [each for each in function.body.block.ops if isinstance(each, GenericOp) and _is_minimum(each)]
            for each in [each for each in found if signs.never_negative(each.results[0])]:
                _among_bits(each)


class _Signs:
    """What a function shows of the signs of its tensors: they are numbers, and none is -0."""

    def __init__(self, function: func.FuncOp) -> None:
        self._numbers = {value for value, name in argument_names(function).items() if name == NUMBERS}

    def never_negative(self, value: SSAValue) -> bool:
        """Whether no element of a value is negative."""
        while (shown := source_of_view(value)) is not None:
            value = shown
        op = value.owner
        if isinstance(op, FillOp):
            return self._scalar(op.inputs[0])
        if isinstance(op, GenericOp) and len(op.results) == 1:
            return self._scalar(_yielded(op), op)
        return value in self._numbers

    def _scalar(self, scalar: SSAValue, body: GenericOp | None = None) -> bool:
        if isinstance(scalar, BlockArgument):
            return body is not None and self.never_negative(body.operands[scalar.index])
        op = scalar.owner
        if isinstance(op, arith.ConstantOp):
            return isinstance(op.value, FloatAttr) and copysign(1, op.value.value.data) > 0
        if isinstance(op, arith.SelectOp):
            return all(self._scalar(value, body) for value in (op.lhs, op.rhs))
        if isinstance(op, _IF_ALL_ARE):
            return all(self._scalar(value, body) for value in op.operands)
        return isinstance(op, _NEVER_NEGATIVE)


def _yielded(op: GenericOp) -> SSAValue:
    last = op.body.block.last_op
    assert isinstance(last, YieldOp)
    return last.operands[0]


def _is_minimum(op: GenericOp) -> bool:
    """Whether an op's one result is the smallest of what it evaluates, from a constant on."""
    if len(op.results) != 1 or element_of(op.results[0]) != f32 or not isinstance(op.outputs[0].owner, FillOp):
        return False
    smallest, running = _yielded(op).owner, op.body.block.args[-1]
    return isinstance(smallest, arith.MinimumfOp) and running in smallest.operands and running.has_one_use()


def _among_bits(op: GenericOp) -> None:
    fill, smallest, result = op.outputs[0].owner, _yielded(op).owner, op.results[0]
    assert isinstance(smallest, arith.MinimumfOp)
    assert isinstance(fill, FillOp)
    number = smallest.rhs if smallest.lhs is op.body.block.args[-1] else smallest.lhs
    kind = TensorType(i32, shape_of(result))
    with ImplicitBuilder(Builder(InsertPoint.before(op))):
        start = constant(_bits(fill.inputs[0]), i32)
        first = FillOp([start], [tensor.EmptyOp([], kind).tensor], [kind])
    first.attributes.update(fill.attributes)
    op.operands[len(op.operands) - 1] = first.results[0]
    running = Rewriter.replace_value_with_new_type(op.body.block.args[-1], i32)
    with ImplicitBuilder(Builder(InsertPoint.before(smallest))):
        least = arith.MinSIOp(arith.BitcastOp(number, i32).result, running).result
    smallest.result.replace_all_uses_with(least)
    Rewriter.erase_op(smallest)
    readers = list(result.uses)
    _read_bits(Rewriter.replace_value_with_new_type(result, kind), readers)


def _bits(number: SSAValue) -> int:
    assert isinstance(number.owner, arith.ConstantOp)
    assert isinstance(number.owner.value, FloatAttr)
    (bits,) = struct.unpack("<i", struct.pack("<f", number.owner.value.value.data))
    return bits


def _read_bits(bits: SSAValue, readers: Sequence[Use]) -> None:
    """Another loop nest reads them in its body; for what reads no elements, such as a return, there is one."""
    others = [use for use in readers if not _reads_elements(use)]
    for use in readers:
        if use not in others:
            _as_number(use.operation.regions[0].block, use.index)
    if not others:
        return
    writer, access = bits.owner, dims_map(len(shape_of(bits)), range(len(shape_of(bits))))
    assert isinstance(writer, GenericOp)
    with ImplicitBuilder(Builder(InsertPoint.after(writer))):
        number = generic(
            [(bits, access)],
            (TensorType(f32, shape_of(bits)), access),
            lambda read, _: arith.BitcastOp(read, f32).result,
            Named(source_of(writer), "number"),
        )
    for use in others:
        use.operation.operands[use.index] = number


def _reads_elements(use: Use) -> bool:
    return isinstance(use.operation, GenericOp) and not is_view(use.operation)


def _as_number(body: Block, index: int) -> None:
    read = Rewriter.replace_value_with_new_type(body.args[index], i32)
    readers = list(read.uses)
    with ImplicitBuilder(Builder(InsertPoint.at_start(body))):
        number = arith.BitcastOp(read, f32).result
    for use in readers:
        use.operation.operands[use.index] = number
