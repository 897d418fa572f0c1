"""Toggles of DSP operands under Verilator, against the bits of the reference engine's streams counted in numpy."""

import numpy as np
import pytest
from rtl_graphs import needs

from benchmarks.rtl_toggles import kernel_with_dsps, operand_toggles
from benchmarks.toggles import mean, measure
from sttest.boards.load import load_board, require_hbm
from sttest.boards.operators import operators
from sttest.compile.compiler import compile_text
from sttest.compile.ir.module_walk import only_kernel
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.crosscheck.rtl_values import random_tensors
from sttest.reference.engine import run
from sttest.reference.memory import memory_images
from sttest.targets.rtl.kernel_run import LAUNCHES

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800), needs("verilator")]

TEXT = """
func.func @main(%x: tensor<1x64xi8>, %w: tensor<64x32xi4>) -> tensor<1x32xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<1x32xi32>
  %start = linalg.fill ins(%zero : i32) outs(%empty : tensor<1x32xi32>) -> tensor<1x32xi32>
  %y = linalg.generic {
      indexing_maps = [
        affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : tensor<1x64xi8>, tensor<64x32xi4>) outs(%start : tensor<1x32xi32>) {
    ^bb0(%a : i8, %b : i4, %c : i32):
      %wide_a = arith.extsi %a : i8 to i32
      %wide_b = arith.extsi %b : i4 to i32
      %product = arith.muli %wide_a, %wide_b : i32
      %sum = arith.addi %c, %product : i32
      linalg.yield %sum : i32
  } -> tensor<1x32xi32>
  return %y : tensor<1x32xi32>
}
"""
TILE, RESULTS_PER_DSP = 8, 2


def toggled(tokens: np.ndarray, bits: int) -> int:
    """Bits that change from one token to the next when they come again in every launch, after zeros at the start."""
    rows = np.concatenate([np.zeros((1, tokens[0].size), np.int64), *[tokens.reshape(len(tokens), -1)] * LAUNCHES])
    return int(np.bitwise_count((rows[1:] ^ rows[:-1]) & ((1 << bits) - 1)).sum())


@pytest.mark.nightly
@pytest.mark.torch
def test_a_decode_block_toggles_as_the_boards_file_says(tmp_path):
    """49 % of the bits in a cycle at work: the costs of a DSP are in proportion to it."""
    pytest.importorskip("xls", reason="needs xls-python, pip install 'sttest[rtl]'")
    assert mean(measure(tmp_path / "kernel")) == pytest.approx(0.49, abs=0.005)


def test_operands_toggle_as_often_as_the_streams_say(tmp_path):
    pytest.importorskip("xls", reason="needs xls-python, pip install 'sttest[rtl]'")
    options = CompileOptions(precision="fp32", tile_size=TILE, overall_unroll=TILE * TILE, vector_bits=256)
    design = compile_text(TEXT, "toggles", "u55c", options)
    values = value_graph(design.module, "toggles")
    images = memory_images(values, random_tensors(values, 1))
    ran = run(values, images, keep={stream.name: stream.dtype for stream in values.streams})
    library = operators(require_hbm(load_board("u55c")))
    kernel = kernel_with_dsps(only_kernel(design.module, "test", "toggles"), design.graph, library, values)
    written = {name: np.zeros_like(image) for name, image in ran.results.items()}
    (found,), memory = operand_toggles(kernel, images | written, tmp_path / "kernel")
    assert all(np.array_equal(memory[name], image) for name, image in ran.results.items())
    assert found.dsps == TILE * TILE // RESULTS_PER_DSP
    assert found.operand_bits == found.dsps * (8 + RESULTS_PER_DSP * 4)
    # A step takes a token of each; the eight activations of one are at the DSPs of all four pairs of results.
    activations, weights = ran.streams["load_x__op"], ran.streams["load_w__op"]
    assert activations[0].size * TILE == weights[0].size == TILE * TILE
    shared = TILE // RESULTS_PER_DSP * toggled(activations.astype(np.int64), 8)
    assert found.toggled_bits == shared + toggled(weights.astype(np.int64), 4)
    assert 0 < found.per_bit_and_step < 0.6
