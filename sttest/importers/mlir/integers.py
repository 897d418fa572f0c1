"""Integers of a width, as the arith dialect of MLIR computes them: in two's complement, held as signed numbers.

So ``true`` is -1 of i1, and -1 of i8 is 255 to what takes it as unsigned.  What MLIR leaves undefined, such as a
division by zero or a shift by the width and more, is not known: None.
"""

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute

INDEX_BITS = 64
"""assumed: of an index, as on every machine that runs mlir-opt."""
KNOWN_BITS = 128
"""Integers that are wider count no iterations, and are not computed."""


def width_of(type_: Attribute) -> int | None:
    """Bits of an integer or an index; None of other types, and of integers that are not computed."""
    if isinstance(type_, IndexType):
        return INDEX_BITS
    if isinstance(type_, IntegerType) and 0 < type_.width.data <= KNOWN_BITS:
        return type_.width.data
    return None


def wrapped(number: int, width: int) -> int:
    """The signed number that so many low bits of an integer are.

    >>> wrapped(200, 8), wrapped(-1, 8), wrapped(1, 1)
    (-56, -1, -1)
    """
    half = 1 << (width - 1)
    return ((number + half) & ((1 << width) - 1)) - half


def unsigned(number: int, width: int) -> int:
    """The same bits without a sign.

    >>> unsigned(-56, 8), unsigned(-1, 1)
    (200, 1)
    """
    return number & ((1 << width) - 1)


def _toward_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_Binary = Mapping[str, Callable[[int, int], int]]
_SIGNED: _Binary = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.maxsi": max,
    "arith.minsi": min,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
}
_SIGNED_QUOTIENT: _Binary = {
    "arith.divsi": _toward_zero,
    "arith.floordivsi": lambda a, b: a // b,
    "arith.ceildivsi": lambda a, b: -(-a // b),
}
_SIGNED_REST: _Binary = {"arith.remsi": lambda a, b: a - b * _toward_zero(a, b)}
_UNSIGNED: _Binary = {"arith.maxui": max, "arith.minui": min}
_UNSIGNED_QUOTIENT: _Binary = {
    "arith.divui": lambda a, b: a // b,
    "arith.ceildivui": lambda a, b: -(-a // b),
    "arith.remui": lambda a, b: a % b,
}


def computed(name: str, left: int, right: int, width: int) -> int | None:
    """What an operation on two integers of a width gives; None where that is undefined, or not computed here.

    Args:
        name: as in ``arith.addi``.
        left: signed.
        right: signed.
        width: bits of both and of the result.
    """
    a, b = unsigned(left, width), unsigned(right, width)
    if name in _SIGNED:
        found = _SIGNED[name](left, right)
    elif name in _UNSIGNED:
        found = _UNSIGNED[name](a, b)
    elif name in _SIGNED_QUOTIENT:
        found = _SIGNED_QUOTIENT[name](left, right) if right else None
        found = None if found is None or found != wrapped(found, width) else found  # the least number by -1
    elif name in _SIGNED_REST:
        found = _SIGNED_REST[name](left, right) if right else None
    elif name in _UNSIGNED_QUOTIENT:
        found = _UNSIGNED_QUOTIENT[name](a, b) if b else None
    else:
        found = _shifted(name, left, b, width)
    return None if found is None else wrapped(found, width)


def _shifted(name: str, number: int, count: int, width: int) -> int | None:
    if count >= width:
        return None
    match name:
        case "arith.shli":
            return number << count
        case "arith.shrsi":
            return number >> count
        case "arith.shrui":
            return unsigned(number, width) >> count
        case _:
            return None


CASTS = ("arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci")
"""From one width to another."""


def cast(name: str, number: int, from_width: int, width: int) -> int:
    """What one of :data:`CASTS` gives."""
    without_sign = name in ("arith.index_castui", "arith.extui")
    return wrapped(unsigned(number, from_width) if without_sign else number, width)


_COMPARED: Sequence[Callable[[int, int], bool]] = (
    lambda a, b: a == b, lambda a, b: a != b, lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b,
    lambda a, b: a >= b,
)  # fmt: skip
_FIRST_UNSIGNED = 6
"""The predicates of ``arith.cmpi``: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge."""


def compared(predicate: int, left: int, right: int, width: int) -> int:
    """What ``arith.cmpi`` gives, an i1: -1 or 0."""
    if predicate >= _FIRST_UNSIGNED:
        left, right, predicate = unsigned(left, width), unsigned(right, width), predicate - 4
    return -int(_COMPARED[predicate](left, right))
