"""Functions made of the library's operations, held to numpy's in double precision, at their edges too."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.core.errors import InputError
from sttest.reference import memory_images, read_results, run

TEXT = """
#all = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<{n}xf32>) -> tensor<{n}xf32> attributes {{sttest.arg_names = ["x"]}} {{
  %e = tensor.empty() : tensor<{n}xf32>
  %y = linalg.generic {{indexing_maps = [#all, #all], iterator_types = ["parallel"]}}
      ins(%x : tensor<{n}xf32>) outs(%e : tensor<{n}xf32>) {{
  ^bb0(%a: f32, %o: f32):
    {body}
    linalg.yield %b : f32
  }} -> tensor<{n}xf32>
  func.return %y : tensor<{n}xf32>
}}
"""


def values(body: str, x: np.ndarray) -> np.ndarray:
    design = compile_text(TEXT.format(body=body, n=len(x)), "f", "u55c", CompileOptions(precision="fp32"))
    graph = value_graph(design.module, "f")
    (y,) = read_results(graph, run(graph, memory_images(graph, {"x": x})).results).values()
    return y.astype(np.float64)


POSITIVE = np.concatenate([np.geomspace(1e-30, 1e30, 255), [1.0]]).astype(np.float32)
NEAR_ONE = (1 + np.linspace(-0.3, 0.4, 256)).astype(np.float32)
SMALL = np.linspace(-2, 2, 256).astype(np.float32)
WIDE = np.linspace(-30, 30, 256).astype(np.float32)
TURNS = np.linspace(-1000, 1000, 256).astype(np.float32)
CASES = {
    "log": (np.log, [POSITIVE, NEAR_ONE], 3e-7),
    "log2": (np.log2, [POSITIVE, NEAR_ONE], 5e-7),
    "log10": (np.log10, [POSITIVE, NEAR_ONE], 5e-7),
    "log1p": (np.log1p, [POSITIVE, NEAR_ONE - 1], 8e-7),
    "exp2": (np.exp2, [SMALL, WIDE], 3e-6),
    "expm1": (np.expm1, [SMALL, WIDE, SMALL * 1e-4], 2e-6),
    "sinh": (np.sinh, [SMALL, WIDE], 2e-6),
    "cosh": (np.cosh, [SMALL, WIDE], 2e-6),
    "floor": (np.floor, [SMALL, WIDE], 0),
    "ceil": (np.ceil, [SMALL, WIDE], 0),
    "trunc": (np.trunc, [SMALL, WIDE], 0),
}


@pytest.mark.parametrize("name", CASES)
def test_relative_errors(name):
    function, ranges, most = CASES[name]
    x = np.concatenate(ranges)
    true = function(x.astype(np.float64))
    found = values(f"%b = math.{name} %a : f32", x)
    assert np.all(np.abs(found - true) <= most * np.abs(true))


@pytest.mark.parametrize(
    ("name", "function", "most"), [("sin", np.sin, 3e-7), ("cos", np.cos, 3e-7), ("erf", np.vectorize(math.erf), 5e-7)]
)
def test_absolute_errors(name, function, most):
    x = np.concatenate([SMALL, TURNS])
    found = values(f"%b = math.{name} %a : f32", x)
    assert np.max(np.abs(found - function(x.astype(np.float64)))) <= most


def test_the_edges_of_logarithms():
    x = np.array([0.0, -0.0, -1.0, np.inf, -np.inf, np.nan, 1.0, 2.0**-126], dtype=np.float32)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(values("%b = math.log %a : f32", x), np.log(x.astype(np.float64)), rtol=1e-6)
        shifted = values("%b = math.log1p %a : f32", x)
        np.testing.assert_allclose(shifted, np.log1p(x.astype(np.float64)), rtol=1e-6)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7, -1, -4, 0.5, -0.5, 2.5, 0.7, -1.3])
def test_powers(exponent):
    x = np.linspace(0.1, 4, 64).astype(np.float32)
    found = values(f"%p = arith.constant {float(exponent)} : f32\n %b = math.powf %a, %p : f32", x)
    np.testing.assert_allclose(found, x.astype(np.float64) ** exponent, rtol=2e-6)


def test_a_power_of_two_values_is_refused():
    with pytest.raises(InputError, match=r"math\.powf of an exponent that is no constant; make the exponent a number"):
        values("%b = math.powf %a, %a : f32", SMALL)
