"""Values of integer expressions of C++ over all iterations of a loop nest, where the text alone decides them."""

from collections.abc import Mapping
from math import prod
from typing import TypeAlias

import numpy as np

from sttest.core.errors import InputError
from sttest.importers.hls.cpp_model import Call, Expr, Num, Op, VariableName

Value: TypeAlias = "int | np.ndarray | None"
"""A number, one per iteration (int64 or bool, with one axis per loop, of length 1 where it makes no difference), or
None where it depends on data."""
_CONVERSIONS = ("to",)
_COMPARISONS = {
    "==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip
_ARITHMETIC = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
}
_MOST_SHIFT = 62
MOST_ITERATIONS = 1 << 23
"""Of the loops on which one condition depends: 64 MiB of numbers."""


def value_of(expr: Expr, known: Mapping[str, Value]) -> Value:
    """The value of an expression.

    Args:
        expr: the expression.
        known: values of variables by name; others are data.
    """
    match expr:
        case Num(value, "int"):
            return int(value)
        case VariableName(name):
            return known.get(name)
        case Call(name, (inner, *_)) if name in _CONVERSIONS:
            return value_of(inner, known)
        case Op("&&" | "||" as op, (left, right)):
            return _either(op, value_of(left, known), value_of(right, known))
        case Op("?:", (condition, then, other)):
            chosen = [value_of(each, known) for each in (condition, then, other)]
            return None if any(each is None for each in chosen) else np.where(*chosen)  # pyright: ignore
        case Op(op, (one,)):
            return _unary(op, value_of(one, known))
        case Op(op, (left, right)):
            return _binary(op, value_of(left, known), value_of(right, known))
    return None


def is_never(value: Value) -> bool:
    """Whether a condition holds in no iteration."""
    return value is not None and not np.any(value)


def _either(op: str, left: Value, right: Value) -> Value:
    """``&&`` or ``||``, which one side alone may decide."""
    decided = op == "||"
    for side, other in ((left, right), (right, left)):
        if side is None and other is not None and bool(np.all(np.asarray(other, bool) == decided)):
            return int(decided)
    if left is None or right is None:
        return None
    sides = fitting(left, right, bool)
    return np.logical_and(*sides) if op == "&&" else np.logical_or(*sides)


def fitting(left: Value, right: Value, kind: type) -> tuple[np.ndarray, np.ndarray]:
    """Two values as arrays whose combination fits in memory.

    Raises:
        InputError: there would be a value for each iteration of too many loops.
    """
    sides = np.asarray(left, kind), np.asarray(right, kind)
    size = prod(np.broadcast_shapes(*(side.shape for side in sides)))
    if size > MOST_ITERATIONS:
        what = "a condition depends on too many iterations"
        raise InputError("too-large", what, demand=size, bound=MOST_ITERATIONS)
    return sides


def _unary(op: str, value: Value) -> Value:
    if value is None:
        return None
    match op:
        case "-":
            return np.negative(np.asarray(value, np.int64))
        case "+":
            return value
        case "!":
            return np.logical_not(value)
    return None


def _binary(op: str, left: Value, right: Value) -> Value:
    if left is None or right is None:
        return None
    sides = fitting(left, right, np.int64)
    if op in _COMPARISONS:
        return _COMPARISONS[op](*sides)
    if op in _ARITHMETIC:
        return _ARITHMETIC[op](*sides)
    if op in ("/", "%"):
        return _divided(op, *sides)
    if op in ("<<", ">>") and np.all((sides[1] >= 0) & (sides[1] <= _MOST_SHIFT)):
        return np.left_shift(*sides) if op == "<<" else np.right_shift(*sides)
    return None


def _divided(op: str, left: np.ndarray, right: np.ndarray) -> Value:
    """As C++ divides, towards zero."""
    if np.any(right == 0):
        return None
    quotient = np.abs(left) // np.abs(right) * np.sign(left) * np.sign(right)
    return quotient if op == "/" else left - quotient * right
