"""Scans: results that reductions index get what the running value makes of every element, in tiles of any size."""

from __future__ import annotations

import numpy as np
import pytest
from functional_runs import graph_of, results_of

from sttest.compile.compiler import compile_text
from sttest.compile.opt import run_opt
from sttest.compile.options import CompileOptions
from sttest.core.errors import InputError
from sttest.sim import simulate

SCAN = """
#every = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<8x24xf32>) -> (tensor<8xf32>, tensor<8x24xf32>)
    attributes {sttest.arg_names = ["x"], sttest.arg_kinds = ["input"], sttest.result_names = ["last", "steps"]} {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<8xf32>
  %wide = tensor.empty() : tensor<8x24xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %last, %steps = "linalg.generic"(%x, %start, %wide) <{indexing_maps = [#every, #row, #every],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>],
      operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%i: f32, %running: f32, %o: f32):
    %next = arith.addf %running, %i : f32
    %step = arith.mulf %next, %i : f32
    linalg.yield %next, %step : f32, f32
  }) : (tensor<8x24xf32>, tensor<8xf32>, tensor<8x24xf32>) -> (tensor<8xf32>, tensor<8x24xf32>)
  func.return %last, %steps : tensor<8xf32>, tensor<8x24xf32>
}
"""


ALONE = """
#every = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<8x24xf32>) -> tensor<8x24xf32> {
  %wide = tensor.empty() : tensor<8x24xf32>
  %y = linalg.generic {indexing_maps = [#every, #every], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x24xf32>) outs(%wide : tensor<8x24xf32>) {
  ^bb0(%i: f32, %o: f32):
    %next = arith.addf %o, %i : f32
    linalg.yield %next : f32
  } -> tensor<8x24xf32>
  func.return %y : tensor<8x24xf32>
}
"""


@pytest.mark.parametrize(("tile", "order"), [(1, ""), (4, ""), (16, ""), (4, "*:1,0")])
def test_a_scan_gives_every_step(tile: int, order: str) -> None:
    options = CompileOptions(tile_size=tile, orders=(order,) if order else (), precision="fp32")
    x = np.random.default_rng(tile).standard_normal((8, 24), np.float32)
    found = results_of(graph_of(SCAN, options), {"x": x})
    sums = np.add.accumulate(x, axis=1)
    np.testing.assert_array_equal(found["last"], sums[:, -1])
    np.testing.assert_array_equal(found["steps"], sums * x)


def test_it_is_timed_like_any_task() -> None:
    graph = compile_text(SCAN, "scan", "u55c", CompileOptions(tile_size=4, precision="fp32")).graph
    cycles = {simulate(graph, engine=engine).cycles for engine in ("maxplus", "simpy")}
    assert len(cycles) == 1
    assert None not in cycles


def test_a_scan_needs_a_running_value_first() -> None:
    with pytest.raises(InputError) as caught:
        run_opt(ALONE, "text", "linalg-to-kernels")
    assert caught.value.code == "reduced-result"
