"""`expand-functions`: functions that no operator of the library computes, written in those that one does.

Each becomes sums, products, roundings and the exponential of binary32, so every engine has its values to the bit.  The
coefficients are series, cut where the next term is below the rounding of binary32, except for the error function
(Abramowitz and Stegun 7.1.26, to 1.5e-7).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf, log, nan, pi
from operator import mul

import numpy as np
from xdsl.builder import Builder, ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp, f32, f64, i1, i32
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.linalg.support import place_of
from sttest.core.errors import InputError

MOST = 64
"""Largest exponent of a power that becomes products."""


@dataclass(frozen=True)
class ExpandFunctions(ModulePass):
    """Rewrites payloads in place; an operation of another type than f32, or of i1, stays."""

    name = "expand-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrites all payloads of the module.

        Raises:
            InputError: a power whose exponent is no constant, or an unsigned integer.
        """
        for nest in [each for each in op.walk() if isinstance(each, GenericOp)]:
            for each in list(nest.body.block.ops):
                if isinstance(each, arith.CmpfOp) and each.lhs.type == f64:
                    _compare_narrow(each)
                expand = _EXPANSIONS.get(each.name)
                if expand is not None and each.results[0].type in (f32, i1):
                    _replace(each, expand)


def _replace(op: Operation, expand: Callable[[Operation], SSAValue]) -> None:
    with ImplicitBuilder(Builder(InsertPoint.before(op))):
        value = expand(op)
    op.results[0].replace_all_uses_with(value)
    Rewriter.erase_op(op)


def _compare_narrow(op: arith.CmpfOp) -> None:
    """PyTorch's scalars are f64: an f32 is compared with one in f32 where that is exact."""
    wide = [each.owner for each in op.operands]
    for index, each in enumerate(wide):
        if isinstance(each, arith.ExtFOp) and each.input.type == f32:
            op.operands[index] = each.input
        elif (number := _constant(op.operands[index])) is not None and not _is_rounded(number):
            with ImplicitBuilder(Builder(InsertPoint.before(op))):
                op.operands[index] = _value(number)
    for each in wide:
        if isinstance(each, arith.ExtFOp) and not each.result.uses.get_length():
            Rewriter.erase_op(each)


def _is_rounded(number: float) -> bool:
    return np.isfinite(number) and float(np.float32(number)) != number


# --- Numbers of a payload


@dataclass(frozen=True)
class Number:
    """A value of f32, with the operators of Python."""

    value: SSAValue

    def __add__(self, other: Number | float) -> Number:
        return Number(arith.AddfOp(self.value, _value(other)).result)

    def __sub__(self, other: Number | float) -> Number:
        return Number(arith.SubfOp(self.value, _value(other)).result)

    def __rsub__(self, other: float) -> Number:
        return Number(arith.SubfOp(_value(other), self.value).result)

    def __mul__(self, other: Number | float) -> Number:
        return Number(arith.MulfOp(self.value, _value(other)).result)

    def __truediv__(self, other: Number | float) -> Number:
        return Number(arith.DivfOp(self.value, _value(other)).result)

    def __rtruediv__(self, other: float) -> Number:
        return Number(arith.DivfOp(_value(other), self.value).result)

    def __neg__(self) -> Number:
        return Number(arith.NegfOp(self.value).result)

    __radd__, __rmul__ = __add__, __mul__


def _value(number: Number | float) -> SSAValue:
    if isinstance(number, Number):
        return number.value
    return arith.ConstantOp(FloatAttr(number, f32)).result


def _where(
    left: Number | float, relation: str, right: Number | float, then: Number | float, other: Number | float
) -> Number:
    holds = arith.CmpfOp(_value(left), _value(right), relation).result
    return Number(arith.SelectOp(holds, _value(then), _value(other)).result)


def _nearest(x: Number) -> Number:
    return Number(math.RoundEvenOp(x.value).result)


def _magnitude(x: Number) -> Number:
    return Number(math.AbsFOp(x.value).result)


def _exponential(x: Number) -> Number:
    return Number(math.ExpOp(x.value).result)


def _polynomial(x: Number, coefficients: Sequence[float]) -> Number:
    """By Horner's rule, the constant term first."""
    last, *others = reversed(coefficients)
    y = x * last + others[0]
    for each in others[1:]:
        y = y * x + each
    return y


# --- Roundings


def _floor(x: Number) -> Number:
    nearest = _nearest(x)
    return nearest - _where(nearest, "ogt", x, 1.0, 0.0)


def _ceil(x: Number) -> Number:
    nearest = _nearest(x)
    return nearest + _where(nearest, "olt", x, 1.0, 0.0)


def _trunc(x: Number) -> Number:
    return _where(x, "olt", 0.0, _ceil(x), _floor(x))


# --- Logarithms and powers

# ln 2 in two parts: products of the first with whole numbers below 2^8 are exact.
_LN2 = (0.693359375, -2.12194440e-4)
_BIT_OF_ONE, _ONE = 2.0**23, 127
_SPLIT = _ONE - 0.0857864  # mantissas from the root of 2 on belong to the next exponent


def _log(x: Number) -> Number:
    """``k ln 2 + 2 artanh(s)``, with x = m 2^k, m between the roots of 1/2 and 2, and s = (m - 1) / (m + 1)."""
    bits = arith.BitcastOp(_magnitude(x).value, i32).result
    k = _nearest(Number(arith.SIToFPOp(bits, f32).result) * (1 / _BIT_OF_ONE) - _SPLIT)
    scale = arith.FPToSIOp(((_ONE - k) * _BIT_OF_ONE).value, i32).result
    m = x * Number(arith.BitcastOp(scale, f32).result)
    s = (m - 1.0) / (m + 1.0)
    artanh = s * _polynomial(s * s, [2 / odd for odd in (1, 3, 5, 7, 9)])
    y = k * _LN2[0] + (k * _LN2[1] + artanh)
    finite = _where(x, "olt", inf, y, x)
    return _where(x, "ogt", 0.0, finite, _where(x, "oeq", 0.0, -inf, nan))


def _log1p(x: Number) -> Number:
    """Kahan: what 1 + x loses, its logarithm's slope gives back."""
    u = x + 1.0
    y = _where(u, "oeq", 1.0, x, _log(u) * (x / (u - 1.0)))
    return _where(u, "olt", inf, y, x)


def _expm1(x: Number) -> Number:
    """Kahan, where e^x is about 1; elsewhere the difference loses nothing."""
    u = _exponential(x)
    near = _where(u, "oeq", 1.0, x, (u - 1.0) * (x / _log(u)))
    return _where(_magnitude(x), "olt", 0.5, near, u - 1.0)


def _power(x: Number, exponent: float) -> Number:
    """Whole powers and those halfway between by squares and a root; others by logarithm, NaN for x below 0."""
    if abs(exponent) > MOST or exponent * 2 != int(exponent * 2):
        return _exponential(_log(x) * exponent)
    whole, square = int(abs(exponent)), x
    factors = [Number(math.SqrtOp(x.value).result)] if abs(exponent) != whole else []
    while whole:
        factors += [square] if whole % 2 else []
        whole //= 2
        square = square * square if whole else square
    y = reduce(mul, factors) if factors else Number(_value(1.0))
    return 1.0 / y if exponent < 0 else y


# --- Error function, sine and cosine


def _erf(x: Number) -> Number:
    t = 1.0 / (_magnitude(x) * 0.3275911 + 1.0)
    series = t * _polynomial(t, (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429))
    y = 1.0 - series * _exponential(-(x * x))
    return _where(x, "olt", 0.0, -y, y)


# pi in three parts: products of the first two with whole numbers below 2^13 are exact.
_PI = (3.140625, 0.0009670257568359375, 6.277114152908325e-07)
_SINE = (1.0, -1 / 6, 1 / 120, -1 / 5040, 1 / 362880, -1 / 39916800)


def _sine(x: Number, shift: float) -> Number:
    """Sine of x + shift pi: (-1)^n sin(r), with r = x + (shift - n) pi at most a quarter turn; for |x| below 25,000."""
    n = _nearest(x * (1 / pi) + shift) if shift else _nearest(x * (1 / pi))
    turns = n - shift if shift else n
    r = reduce(lambda rest, part: rest - turns * part, _PI, x)
    odd = n - 2.0 * _nearest(n * 0.5)
    return r * _polynomial(r * r, _SINE) * (1.0 - 2.0 * (odd * odd))


def _sinh(x: Number) -> Number:
    e = _expm1(_magnitude(x))
    y = _where(e, "olt", inf, (e + e / (e + 1.0)) * 0.5, e)
    return _where(x, "olt", 0.0, -y, y)


# --- What stands for which operation

Unary = Callable[[Number], Number]


def _of_one(function: Unary) -> Callable[[Operation], SSAValue]:
    return lambda op: function(Number(op.operands[0])).value


def _power_of(op: Operation) -> SSAValue:
    base, exponent = (_constant(each) for each in op.operands)
    if exponent is not None:
        return _power(Number(op.operands[0]), exponent).value
    if base is not None and base > 0:
        return _exponential(Number(op.operands[1]) * log(base)).value
    nest = op.parent_op()
    where = place_of(nest) if isinstance(nest, GenericOp) and "sttest.place" not in op.attributes else place_of(op)
    hints = ["make the exponent a number", "compute that on the host and give its result as an input"]
    raise InputError("unsupported-op", f"{op.name} of an exponent that is no constant", where=where, hints=hints)


def _constant(value: SSAValue) -> float | None:
    op = value.owner
    if not isinstance(op, arith.ConstantOp) or not isinstance(op.value, FloatAttr | IntegerAttr):
        return None
    return float(op.value.value.data)


def _truth(value: bool) -> SSAValue:
    return arith.ConstantOp(IntegerAttr(value, i1)).result


def _both(op: Operation) -> SSAValue:
    return arith.SelectOp(op.operands[0], op.operands[1], _truth(False)).result


def _either(op: Operation) -> SSAValue:
    return arith.SelectOp(op.operands[0], _truth(True), op.operands[1]).result


def _one_of_two(op: Operation) -> SSAValue:
    left, right = op.operands
    return arith.SelectOp(left, arith.SelectOp(right, _truth(False), _truth(True)).result, right).result


def _as_number(op: Operation) -> SSAValue:
    if op.operands[0].type != i1:
        raise InputError("unsupported-op", "an unsigned integer as a number", where=op.name, hints=["use signed ones"])
    return arith.SelectOp(op.operands[0], _value(1.0), _value(0.0)).result


_FUNCTIONS: Mapping[str, Unary] = {
    "ceil": _ceil,
    "floor": _floor,
    "trunc": _trunc,
    "log": _log,
    "log1p": _log1p,
    "log2": lambda x: _log(x) * (1 / log(2)),
    "log10": lambda x: _log(x) * (1 / log(10)),
    "exp2": lambda x: _exponential(x * log(2)),
    "expm1": _expm1,
    "erf": _erf,
    "sin": lambda x: _sine(x, 0.0),
    "cos": lambda x: _sine(x, 0.5),
    "tan": lambda x: _sine(x, 0.0) / _sine(x, 0.5),
    "sinh": _sinh,
    "cosh": lambda x: (_exponential(x) + _exponential(-x)) * 0.5,
}
_EXPANSIONS: Mapping[str, Callable[[Operation], SSAValue]] = {
    **{f"math.{name}": _of_one(function) for name, function in _FUNCTIONS.items()},
    "math.powf": _power_of,
    "math.fpowi": _power_of,
    "arith.andi": _both,
    "arith.ori": _either,
    "arith.xori": _one_of_two,
    "arith.uitofp": _as_number,
}
