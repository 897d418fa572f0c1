"""Whole small blocks as C++ against the reference engine, to the bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_kernels import Made, needs_compiler
from value_checks import assert_same_values

from sttest.compile.compiler import compile_text
from sttest.compile.dialects import df
from sttest.compile.hls.files import emit_design
from sttest.compile.hls.top import PortTiming
from sttest.compile.ir.module_walk import all_of
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.frontend.shipped import lowered_text
from sttest.reference import ReferenceGraph

pytestmark = [needs_compiler, pytest.mark.nightly, pytest.mark.usefixtures("quick_build")]


@pytest.mark.parametrize(("model", "phase", "precision"), [("gpt2", "decode", "w4a8"), ("llama", "prefill", "w4a8")])
def test_small_block(model: str, phase: str, precision: str, tmp_path: Path) -> None:
    design = compile_text(lowered_text(model, phase, small=True), "block", "u55c", CompileOptions(precision=precision))
    (kernel,) = all_of(design.module, df.KernelOp)
    timing = PortTiming.of(kernel, design.graph, design.board)
    made = Made(emit_design(design), timing, value_graph(design.module, "block"))
    assert_same_values(made, tmp_path, tame_tensors(made.values))


def tame_tensors(values: ReferenceGraph, seed: int = 0) -> dict[str, np.ndarray]:
    """What a model might hold: small floats, positive scales, a mask, integers of the whole range."""
    source = np.random.default_rng(seed)
    found = {}
    for argument in values.arguments:
        if argument.dtype.startswith("f"):
            tensor = source.standard_normal(argument.shape) * 0.2
            tensor = np.abs(tensor) / 50 + 1e-3 if "scale" in argument.name else tensor
            tensor = np.where(source.random(argument.shape) < 0.3, -1e9, 0) if argument.name == "mask" else tensor
            found[argument.name] = tensor.astype(np.float16 if argument.dtype == "f16" else np.float32)
        else:
            half = 1 << (int(argument.dtype[1:]) - 1)
            found[argument.name] = source.integers(-half, half, argument.shape).astype(np.int8)
    return found
