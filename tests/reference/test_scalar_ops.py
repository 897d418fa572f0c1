"""Scalar operations at their edges, and against exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.core.errors import InputError
from sttest.reference.graph import BITS, NUMPY, Payload, ScalarOp
from sttest.reference.task import compiled

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False) | st.floats(-(2.0**-60), 2.0**-60, width=32)
INTEGERS = ("i1", "i4", "i8", "i16", "i32")
NAN, INF = float("nan"), float("inf")


def computed(name: str, result: str, *operands: tuple[float, str], predicate: str = "", value: str = "") -> np.generic:
    """One operation on scalars of the given types."""
    op = ScalarOp(name, result, tuple(range(len(operands))), value, predicate)
    payload = Payload(tuple(dtype for _, dtype in operands), (op,), (len(operands),))
    arrays = [np.asarray(number, NUMPY[dtype]) for number, dtype in operands]
    with np.errstate(all="ignore"):
        (found,) = compiled(payload)(arrays)
    assert np.asarray(found).dtype == NUMPY[result]
    return np.asarray(found)[()]


def signed(value: int, bits: int) -> int:
    return (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


@given(st.sampled_from(INTEGERS), st.sampled_from(("addi", "subi", "muli", "maxsi", "minsi")), st.data())
def test_integers_wrap_in_their_width(dtype: str, name: str, data: st.DataObject) -> None:
    bits = BITS[dtype]
    left, right = (data.draw(st.integers(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)) for _ in range(2))
    exact = {"addi": left + right, "subi": left - right, "muli": left * right}
    wanted = exact[name] if name in exact else (max if name == "maxsi" else min)(left, right)
    found = computed(f"arith.{name}", dtype, (left, dtype), (right, dtype))
    assert (-int(found) if dtype == "i1" else int(found)) == signed(wanted, bits)


@given(st.sampled_from(INTEGERS), st.sampled_from(INTEGERS), st.data())
def test_integers_change_their_width(source: str, target: str, data: st.DataObject) -> None:
    if BITS[source] == BITS[target]:
        return
    bits = BITS[source]
    value = data.draw(st.integers(-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
    name = "arith.extsi" if BITS[target] > bits else "arith.trunci"
    found = computed(name, target, (value, source))
    assert (-int(found) if target == "i1" else int(found)) == signed(value, min(bits, BITS[target]))


@given(st.sampled_from(("addf", "subf", "mulf", "divf")), FLOATS, FLOATS)
def test_floats_are_rounded_once_to_binary32(name: str, left: float, right: float) -> None:
    a, b = Fraction(without_subnormal(left)), Fraction(without_subnormal(right))
    if name == "divf" and b == 0:
        return
    exact = {"addf": a + b, "subf": a - b, "mulf": a * b}.get(name, a / b if right else a)
    assert computed(f"arith.{name}", "f32", (left, "f32"), (right, "f32")) == nearest(exact)


def without_subnormal(value: float) -> float:
    return value if abs(value) >= 2.0**-126 else 0.0


def nearest(exact: Fraction) -> float:
    """The number of 24 significant bits nearest to a fraction, halves to the even one; 0 below the least normal one."""
    if exact == 0:
        return 0.0
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    while abs(exact) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    while abs(exact) < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** (exponent - 23)
    rounded = round(exact / unit) * unit
    return math.copysign(INF, exact) if abs(rounded) >= Fraction(2) ** 128 else without_subnormal(float(rounded))


@pytest.mark.parametrize(
    ("name", "left", "right", "wanted"),
    [
        ("maximumf", 1.0, NAN, NAN),
        ("minimumf", NAN, 1.0, NAN),
        ("maximumf", -INF, 2.0, 2.0),
        ("maximumf", -0.0, 0.0, 0.0),
        ("maximumf", 0.0, -0.0, 0.0),
        ("maximumf", -0.0, -0.0, -0.0),
        ("minimumf", 0.0, -0.0, -0.0),
        ("minimumf", -0.0, 0.0, -0.0),
        ("divf", 1.0, -0.0, -INF),
    ],
)
def test_maximum_minimum_and_zeros(name: str, left: float, right: float, wanted: float) -> None:
    found = float(computed(f"arith.{name}", "f32", (left, "f32"), (right, "f32")))
    assert (
        math.isnan(found)
        if math.isnan(wanted)
        else (found, math.copysign(1, found)) == (wanted, math.copysign(1, wanted))
    )


@pytest.mark.parametrize(
    ("value", "wanted"), [(0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.5, -0.0), (-1.5, -2.0), (2.4999998, 2.0)]
)
def test_halves_go_to_the_even_number(value: float, wanted: float) -> None:
    assert computed("math.roundeven", "f32", (value, "f32")) == wanted


@pytest.mark.parametrize(
    ("name", "function"), [("exp", math.exp), ("sqrt", math.sqrt), ("absf", abs), ("rsqrt", lambda x: 1 / math.sqrt(x))]
)
@given(x=st.floats(-80, 80, width=32).filter(lambda x: abs(x) > 1e-6))
def test_functions_are_those_of_double_precision(name: str, function, x: float) -> None:
    argument = abs(x) if name in ("sqrt", "rsqrt") else x
    wanted = np.float32(function(argument))
    found = computed(f"math.{name}", "f32", (argument, "f32"))
    assert abs(found - wanted) <= np.spacing(abs(wanted))


RELATIONS = {"eq": "==", "gt": ">", "ge": ">=", "lt": "<", "le": "<=", "ne": "!="}


@given(st.sampled_from("ou"), st.sampled_from(sorted(RELATIONS)), *[st.sampled_from((0.0, -0.0, 1.0, NAN, -INF))] * 2)
def test_comparisons(kind: str, relation: str, left: float, right: float) -> None:
    unordered = math.isnan(left) or math.isnan(right)
    holds = eval(f"left {RELATIONS[relation]} right")
    wanted = (holds and not unordered) if kind == "o" else (holds or unordered)
    assert computed("arith.cmpf", "i1", (left, "f32"), (right, "f32"), predicate=kind + relation) == wanted
    assert computed("arith.cmpf", "i1", (left, "f32"), (right, "f32"), predicate="uno") == unordered
    assert computed("arith.cmpf", "i1", (left, "f32"), (right, "f32"), predicate="ord") != unordered


@given(st.floats(0, width=32), st.floats(0, width=32))
def test_the_bits_of_magnitudes_are_in_the_order_of_the_magnitudes(left: float, right: float) -> None:
    bits = [int(computed("arith.bitcast", "i32", (abs(x), "f32"))) for x in (left, right)]
    assert computed("arith.bitcast", "f32", (max(bits), "i32")) == max(abs(left), abs(right))


def test_conversions() -> None:
    assert computed("arith.sitofp", "f32", (2**24 + 1, "i32")) == 2**24
    assert computed("arith.sitofp", "f32", (-7, "i4")) == -7
    assert computed("arith.fptosi", "i32", (-2.9, "f32")) == -2
    assert computed("arith.fptosi", "i4", (7.9, "f32")) == 7
    assert computed("arith.truncf", "f16", (1 + 2**-11, "f32")) == 1
    assert computed("arith.truncf", "f16", (70000.0, "f32")) == INF
    assert computed("arith.extf", "f32", (np.float16(2**-24), "f16")) == 2**-24
    assert computed("arith.select", "f32", (True, "i1"), (1.0, "f32"), (2.0, "f32")) == 1
    assert computed("arith.negf", "f32", (0.0, "f32")).tobytes() == np.float32(-0.0).tobytes()


@pytest.mark.parametrize(
    ("text", "dtype", "wanted"),
    [("0.1", "f32", np.float32(0.1)), ("-inf", "f32", -INF), ("-8", "i4", -8), ("15", "i4", -1), ("-1", "i1", True)],
)
def test_constants(text: str, dtype: str, wanted: float) -> None:
    assert computed("arith.constant", dtype, value=text) == wanted


@pytest.mark.parametrize(("text", "dtype"), [("x", "f32"), ("1.5", "i8"), ("16", "i4"), ("-9", "i4"), ("", "f32")])
def test_constants_that_are_none(text: str, dtype: str) -> None:
    with pytest.raises(InputError, match=f"is no {dtype}"):
        computed("arith.constant", dtype, value=text)


@pytest.mark.parametrize("value", [NAN, INF, 2.0**31, -129.0])
def test_integers_that_do_not_fit(value: float) -> None:
    with pytest.raises(InputError, match="does not hold"):
        computed("arith.fptosi", "i8" if value == -129 else "i32", (value, "f32"))


@pytest.mark.parametrize(
    ("name", "result", "operands", "predicate", "message"),
    [
        ("arith.remf", "f32", ("f32", "f32"), "", "arith.remf has no defined value"),
        ("math.log", "f32", ("f32",), "", "math.log has no defined value"),
        ("arith.addf", "f16", ("f16", "f16"), "", r"arith.addf of \(f16, f16\) -> f16"),
        ("arith.addi", "i8", ("i8", "i4"), "", r"of \(i8, i4\)"),
        ("arith.extsi", "i8", ("i16",), "", r"\(i16\) -> i8"),
        ("arith.cmpf", "i1", ("f32", "f32"), "slt", "arith.cmpf slt of"),
        ("arith.select", "f32", ("i8", "f32", "f32"), "", "arith.select"),
        ("arith.mulf", "f32", ("f32",), "", r"arith.mulf of \(f32\)"),
    ],
)
def test_what_has_no_defined_value(name: str, result: str, operands: tuple, predicate: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        computed(name, result, *((0, dtype) for dtype in operands), predicate=predicate)
