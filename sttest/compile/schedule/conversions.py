"""Conversions to integers that round and saturate: a chain of payload operations that one function stands for."""

from dataclasses import dataclass

from xdsl.dialects.arith import ConstantOp, FPToSIOp, MaximumfOp, MinimumfOp, NegfOp
from xdsl.dialects.builtin import FloatAttr
from xdsl.dialects.math import RoundEvenOp
from xdsl.ir import Operation, SSAValue

_BELOW = 1 << 22  # a binary32 number beyond all bounds has no fraction


@dataclass(frozen=True)
class Saturation:
    """What a conversion and the operations before it do together."""

    value: SSAValue  # the float that is converted
    # low, high: bounds of the result, whole numbers
    low: int
    high: int
    inside: tuple[Operation, ...]  # the operations before the conversion


def saturation_of(op: Operation) -> Saturation | None:
    """The chain that ends in a conversion: rounded to nearest even, clamped on both sides by whole numbers.

    Nothing else may use what is in between, and the bounds must leave something.
    """
    if not isinstance(op, FPToSIOp):
        return None
    inside: list[Operation] = []
    bounds: dict[str, int] = {}
    value = op.operands[0]
    while isinstance(step := value.owner, MaximumfOp | MinimumfOp) and step.name not in bounds:
        found = next(((n, bound) for n, each in enumerate(step.operands) if (bound := _whole(each)) is not None), None)
        if found is None or not value.has_one_use():
            return None
        inside.append(step)
        bounds[step.name] = found[1]
        value = step.operands[1 - found[0]]
    low, high = bounds.get(MaximumfOp.name), bounds.get(MinimumfOp.name)
    if low is None or high is None or low > high or not isinstance(step, RoundEvenOp) or not value.has_one_use():
        return None
    return Saturation(step.operands[0], low, high, (*inside, step))


def is_inside_saturation(op: Operation) -> bool:
    """Whether an operation is part of a conversion that stands behind it."""
    if not isinstance(op, RoundEvenOp | MaximumfOp | MinimumfOp):
        return False
    end = op
    while isinstance(end, RoundEvenOp | MaximumfOp | MinimumfOp):
        users = [use.operation for use in end.results[0].uses]
        if len(users) != 1:
            return False
        (end,) = users
    found = saturation_of(end)
    return found is not None and op in found.inside


def _whole(value: SSAValue) -> int | None:
    """A constant that is a whole number, negated or not."""
    owner = value.owner
    if isinstance(owner, NegfOp):
        positive = _whole(owner.operands[0])
        return None if positive is None else -positive
    if not isinstance(owner, ConstantOp) or not isinstance(owner.value, FloatAttr):
        return None
    number = float(owner.value.value.data)
    return int(number) if number.is_integer() and abs(number) < _BELOW else None
