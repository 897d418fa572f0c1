"""The operations of a payload on arrays, each exactly as docs/reference/values.md says."""

from collections.abc import Callable

import numpy as np

from sttest.core.errors import InputError
from sttest.reference import binary32
from sttest.reference.graph import BITS, NARROW, NUMPY, Array, is_integer

Function = Callable[..., Array]
F32 = np.float32


def _maximum(left: Array, right: Array) -> Array:
    """The larger; NaN if one is; of two zeros +0, as IEEE 754-2019 has it."""
    return _with_zeros(np.maximum(left, right), left, right, np.bitwise_and)


def _minimum(left: Array, right: Array) -> Array:
    """The smaller; NaN if one is; of two zeros -0."""
    return _with_zeros(np.minimum(left, right), left, right, np.bitwise_or)


def _with_zeros(chosen: Array, left: Array, right: Array, join: np.ufunc) -> Array:
    """The chosen values with the sign of zeros: where both are equal their bits are, too, but for that sign."""
    if np.all(chosen):
        return chosen
    joined = join(np.asarray(left).view(np.uint32), np.asarray(right).view(np.uint32)).view(F32)
    return np.where(np.equal(left, right), joined, chosen)


FLOAT_OPS: dict[str, Function] = {
    "arith.addf": binary32.add,
    "arith.subf": binary32.subtract,
    "arith.mulf": binary32.multiply,
    "arith.divf": binary32.divide,
    "arith.negf": np.negative,
    "arith.maximumf": _maximum,
    "arith.minimumf": _minimum,
    "math.absf": np.abs,
    "math.roundeven": np.rint,
    "math.exp": binary32.exp,
    "math.tanh": binary32.tanh,
    "math.sqrt": binary32.sqrt,
    "math.rsqrt": binary32.rsqrt,
}
"""Operations from binary32 to binary32."""

INTEGER_OPS: dict[str, np.ufunc] = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.andi": np.bitwise_and,
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
}
"""Operations between integers of one width, wrapping."""

_RELATIONS: dict[str, Function] = {
    "eq": np.equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
    "ne": np.not_equal,
}


def compare(predicate: str) -> Function:
    """The comparison of that name (``olt``, ``une``, ``ord``, …)."""
    if predicate in ("false", "true"):
        return lambda left, right: np.full(np.broadcast_shapes(left.shape, right.shape), predicate == "true")
    if predicate in ("ord", "uno"):
        return lambda left, right: _unordered(left, right) == (predicate == "uno")
    relation, is_ordered = _RELATIONS[predicate[1:]], predicate[0] == "o"

    def holds(left: Array, right: Array) -> Array:
        related = relation(binary32.flushed(left), binary32.flushed(right))
        return related & ~_unordered(left, right) if is_ordered else related | _unordered(left, right)

    return holds


def _unordered(left: Array, right: Array) -> Array:
    return np.isnan(left) | np.isnan(right)


def integer_op(name: str, dtype: str) -> Function:
    """Two's complement in the width of the type; what numpy holds wider is cut to it again."""
    function = INTEGER_OPS[name]
    if NUMPY[dtype].itemsize * 8 == BITS[dtype]:
        return lambda left, right: function(left, right, dtype=NUMPY[dtype])
    return lambda left, right: truncated(function(_wide(left), _wide(right), dtype=np.int8), dtype)


def converted(name: str, source: str, target: str) -> Function:
    """A conversion between two element types that :mod:`sttest.reference.graph` has found fit."""
    if name == "arith.fptosi":
        return lambda x: _to_integer(x, target)
    if name == "arith.trunci":
        return lambda x: truncated(x, target)
    kind = NUMPY[target]
    if name == "arith.bitcast":
        return lambda x: np.asarray(x).view(kind)
    return lambda x: (_wide(x) if source == "i1" else x).astype(kind)


def truncated(values: Array, dtype: str) -> Array:
    """The low bits of integers as an integer of that width."""
    if dtype == "i1":
        return (values & 1).astype(np.bool_)
    if dtype in NARROW:
        sign = 1 << BITS[dtype] - 1
        low = (values & 2 * sign - 1).astype(np.int8)
        return ((low ^ sign) - sign).astype(np.int8)
    return values.astype(NUMPY[dtype])


def _wide(values: Array) -> Array:
    """An i1 as the integer that it is, 0 or -1; anything else as it is."""
    return -values.astype(np.int8) if values.dtype == np.bool_ else values


def _to_integer(values: Array, dtype: str) -> Array:
    """Towards zero.

    Raises:
        InputError: a value that the type cannot hold, for which there is no result.
    """
    whole = np.trunc(np.asarray(values, np.float64))
    reach = 2.0 ** (BITS[dtype] - 1)
    fits = (whole >= -reach) & (whole < reach)
    if not fits.all():
        value = float(whole[~fits].flat[0])
        what = f"arith.fptosi of {value}, which {dtype} does not hold"
        raise InputError("integer-overflow", what, hints=["clamp the value first"])
    return truncated(whole.astype(np.int32), dtype) if dtype in ("i1", *NARROW) else whole.astype(NUMPY[dtype])


def constant(text: str, dtype: str) -> Array:
    """A constant as Python writes it.

    Raises:
        InputError: no such number in that type.
    """
    try:
        if not is_integer(dtype):
            return np.asarray(float(text)).astype(NUMPY[dtype])
        number = int(text) if text not in ("True", "False") else -int(text == "True")
    except ValueError as error:
        raise _no_constant(text, dtype) from error
    reach = 1 << (BITS[dtype] - 1)
    if not -reach <= number < 2 * reach:
        raise _no_constant(text, dtype)
    return truncated(np.asarray(number, dtype=np.int64), dtype)


def _no_constant(text: str, dtype: str) -> InputError:
    return InputError("bad-constant", f"'{text:.40}' is no {dtype}", where="payload")
