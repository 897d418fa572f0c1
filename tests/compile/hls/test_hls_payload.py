"""What each payload operation becomes in C++, and what is refused."""

from __future__ import annotations

import pytest
from xdsl.dialects.func import FuncOp

from sttest.compile.dialects import df
from sttest.compile.hls.helpers import Helpers
from sttest.compile.hls.payload import PayloadCode, float_literal
from sttest.compile.hls.tree import lines_of
from sttest.compile.opt import new_context, parse
from sttest.core.errors import InputError


def statements(body: str, arguments: str) -> PayloadCode:
    """The payload of a function whose body ends in ``func.return %y : type``."""
    text = f"builtin.module {{ func.func @f({arguments}) -> () {{ {body} func.return }} }}"
    module = parse(text, "test", new_context())
    (function,) = (op for op in module.body.ops if isinstance(op, FuncOp))
    block = function.body.block
    last = block.last_op
    assert last is not None
    result = last.prev_op
    assert result is not None
    block.erase_op(last)
    block.add_op(df.YieldOp(result.results))
    names = [f"x{number}" for number in range(len(block.args))]
    return PayloadCode(block, names, Helpers(), "test")


@pytest.mark.parametrize(
    ("op", "types", "wanted"),
    [
        ("arith.addf %a, %b : f32", ("f32", "f32"), "const float sum = x0 + x1;"),
        ("arith.subf %a, %b : f32", ("f32", "f32"), "const float difference = x0 - x1;"),
        ("arith.divf %a, %b : f32", ("f32", "f32"), "const float quotient = x0 / x1;"),
        ("arith.negf %a : f32", ("f32",), "const float negated = -x0;"),
        ("arith.maximumf %a, %b : f32", ("f32", "f32"), "const float maximum = larger(x0, x1);"),
        ("arith.minimumf %a, %b : f32", ("f32", "f32"), "const float minimum = smaller(x0, x1);"),
        ("arith.cmpf ogt, %a, %b : f32", ("f32", "f32"), "const bool holds = x0 > x1;"),
        ("arith.cmpf ule, %a, %b : f32", ("f32", "f32"), "const bool holds = !(x0 > x1);"),
        ("arith.cmpf one, %a, %b : f32", ("f32", "f32"), "const bool holds = x0 < x1 || x0 > x1;"),
        ("arith.select %a, %b, %c : f32", ("i1", "f32", "f32"), "const float chosen = x0 ? x1 : x2;"),
        ("math.absf %a : f32", ("f32",), "const float magnitude = hls::fabs(x0);"),
        ("math.roundeven %a : f32", ("f32",), "const float nearest = hls::rint(x0);"),
        ("math.rsqrt %a : f32", ("f32",), "const float inverse_root = rsqrt_f32(x0);"),
        ("math.exp %a : f32", ("f32",), "const float exponential = exp_f32(x0);"),
        ("math.tanh %a : f32", ("f32",), "const float tangent = tanh_f32(x0);"),
        ("math.sqrt %a : f32", ("f32",), "const float root = hls::sqrt(x0);"),
        ("arith.addi %a, %b : i32", ("i32", "i32"), "const ap_int<32> sum = x0 + x1;"),
        ("arith.muli %a, %b : i8", ("i8", "i8"), "const ap_int<8> product = dsp_product(x0, x1);"),
        ("arith.maxsi %a, %b : i8", ("i8", "i8"), "const ap_int<8> maximum = x0 < x1 ? x1 : x0;"),
        ("arith.extsi %a : i4 to i32", ("i4",), "const ap_int<32> wide = x0;"),
        ("arith.extsi %a : i1 to i8", ("i1",), "const ap_int<8> wide = ap_int<8>(x0 ? -1 : 0);"),
        ("arith.trunci %a : i32 to i8", ("i32",), "const ap_int<8> low = ap_int<8>(x0);"),
        ("arith.sitofp %a : i32 to f32", ("i32",), "const float number = static_cast<float>(x0.to_int());"),
        ("arith.fptosi %a : f32 to i8", ("f32",), "const ap_int<8> integer = ap_int<8>(static_cast<int>(x0));"),
        ("arith.extf %a : f16 to f32", ("f16",), "const float wide = static_cast<float>(x0);"),
        ("arith.truncf %a : f32 to f16", ("f32",), "const half narrow = half(x0);"),
        (
            "arith.bitcast %a : f32 to i32",
            ("f32",),
            "const ap_int<32> bits = ap_int<32>(static_cast<int>(bits_of_float(x0)));",
        ),
        ("arith.bitcast %a : i32 to f32", ("i32",), "const float number = float_of_bits(x0.to_uint());"),
    ],
)
def test_one_statement_per_operation(op: str, types: tuple[str, ...], wanted: str) -> None:
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in zip("abc", types, strict=False))
    assert lines_of(tuple(statements(f"%y = {op}", arguments).temporaries)) == [wanted]


def test_temporaries_keep_their_names_apart() -> None:
    payload = statements("%p = arith.mulf %a, %b : f32 %q = arith.mulf %p, %p : f32", "%a: f32, %b: f32")
    written = lines_of(tuple(payload.temporaries))
    assert written == ["const float product = x0 * x1;", "const float product_2 = product * product;"]
    assert payload.results == ["product_2"]


@pytest.mark.parametrize(
    ("op", "types"),
    [
        ("math.atan %a : f32", ("f32",)),
        ("math.erf %a : f32", ("f32",)),
        ("math.powf %a, %b : f32", ("f32", "f32")),
        ("arith.addf %a, %b : f16", ("f16", "f16")),
        ("arith.addf %a, %b : f64", ("f64", "f64")),
        ("arith.addi %a, %b : i7", ("i7", "i7")),
        ("arith.extsi %a : i8 to i64", ("i8",)),
    ],
)
def test_what_has_no_meaning_is_refused(op: str, types: tuple[str, ...]) -> None:
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in zip("abc", types, strict=False))
    with pytest.raises(InputError, match=r"docs/reference/values\.md|no C"):
        statements(f"%y = {op}", arguments)


@pytest.mark.parametrize(
    ("number", "literal"),
    [
        (0.5, "0.5f"),
        (1e-5, "1e-05f"),
        (0.797884583, "0.7978846f"),
        (-3.4028235e38, "-3.4028235e+38f"),
        (float("-inf"), "-INFINITY"),
        (float("nan"), "NAN"),
        (16777216.0, "1.6777216e+07f"),
        (0.0, "0.0f"),
        (-0.0, "-0.0f"),
    ],
)
def test_literals_read_back(number: float, literal: str) -> None:
    assert float_literal(number) == literal


def test_negative_constants_are_bracketed() -> None:
    payload = statements("%k = arith.constant -1.0 : f32 %y = arith.subf %a, %k : f32", "%a: f32")
    assert lines_of(tuple(payload.temporaries)) == ["const float difference = x0 - (-1.0f);"]
