"""Random programs of two products with numbers of few bits: shapes, types, scales, tiles, lanes and channels vary."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WEIGHTS = ("int8", "int4", "int3", "int2", "ternary", "ternary-3:4", "fp16", "none")
INPUTS: tuple[tuple[str, int], ...] = (("dynamic", 4), ("dynamic", 8), ("none", 16), ("none", 32))


@dataclass(frozen=True)
class Program:
    """A text, its scheme and the options of the compiler."""

    text: str
    scheme: dict[str, Any]
    options: dict[str, Any]

    def write(self, folder: Path) -> tuple[Path, Path]:
        """The text and the scheme as files."""
        text, scheme = folder / "program.mlir", folder / "scheme.yaml"
        text.write_text(self.text)
        scheme.write_text(
            "".join(f"{key}: {'null' if value is None else value}\n" for key, value in self.scheme.items())
        )
        return text, scheme


def program(seed: int) -> Program:
    """The program of a seed."""
    draw = random.Random(seed)
    weights, (activations, bits) = draw.choice(WEIGHTS), draw.choice(INPUTS)
    sizes = (8, 16, 24, 32, 40, 64) if weights == "ternary-3:4" else (8, 12, 16, 20, 32, 48, 60)
    tokens, first, middle, last = draw.choice((1, 2, 4, 6)), *(draw.choice(sizes) for _ in range(3))
    scheme = {
        "weights": weights,
        "activations": activations,
        "activation_bits": bits,
        "kv_bits": 32,
        "group": draw.choice((None, 8, 16)),
    }
    options = {
        "tile_size": draw.choice((4, 8, 16)),
        "vector_bits": draw.choice((128, 512, 1024)),
        "overall_unroll": draw.choice((512, 1024)),
        "gemv_lanes": draw.choice((0, 0, 64)),
        "share": draw.choice(("none", "none", "weights")),
    }
    return Program(_text(tokens, first, middle, last), scheme, options)


def _text(tokens: int, first: int, middle: int, last: int) -> str:
    x, h, y = (f"tensor<{tokens}x{size}xf32>" for size in (first, middle, last))
    one, two = f"tensor<{first}x{middle}xf32>", f"tensor<{middle}x{last}xf32>"
    product = 'indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]'
    body = """{
  ^bb0(%i: f32, %j: f32, %acc: f32):
    %p = arith.mulf %i, %j : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  }"""
    return f"""#m = affine_map<(d0, d1) -> (d0, d1)>
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @program(%x: {x}, %w: {one}, %v: {two}) -> {y} attributes {{
    sttest.arg_kinds = ["input", "parameter", "parameter"], sttest.arg_names = ["x", "w", "v"],
    sttest.result_names = ["y"]}} {{
  %zero = arith.constant 0.000000e+00 : f32
  %e = tensor.empty() : {h}
  %f = linalg.fill ins(%zero : f32) outs(%e : {h}) -> {h}
  %h = linalg.generic {{{product}}} ins(%x, %w : {x}, {one}) outs(%f : {h}) {body} -> {h}
  %act = linalg.generic {{indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]}} ins(%h : {h})
      outs(%e : {h}) {{
  ^bb0(%i: f32, %o: f32):
    %r = arith.maximumf %i, %zero : f32
    linalg.yield %r : f32
  }} -> {h}
  %g = tensor.empty() : {y}
  %k = linalg.fill ins(%zero : f32) outs(%g : {y}) -> {y}
  %y = linalg.generic {{{product}}} ins(%act, %v : {h}, {two}) outs(%k : {y}) {body} -> {y}
  func.return %y : {y}
}}
"""
