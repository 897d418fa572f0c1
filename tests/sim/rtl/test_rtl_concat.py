"""A process that reads FIFOs in turn, as hardware: a compiled design in which sources pause while others are read."""

import pytest
from rtl_graphs import check, needs

TEXT = """
#rows = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x4xf32>) -> (tensor<8x20xf32>, tensor<16x8xf32>) {
  %empty = "tensor.empty"() : () -> tensor<8x8xf32>
  %e = "linalg.generic"(%a, %empty) <{indexing_maps = [#rows, #rows],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>],
      operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%i: f32, %o: f32):
    %s = math.exp %i : f32
    linalg.yield %s : f32
  }) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %wide = tensor.concat dim(1) %e, %b, %e : (tensor<8x8xf32>, tensor<8x4xf32>, tensor<8x8xf32>) -> tensor<8x20xf32>
  %tall = tensor.concat dim(0) %e, %a : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  func.return %wide, %tall : tensor<8x20xf32>, tensor<16x8xf32>
}
"""


@pytest.mark.usefixtures("quick_build")
@pytest.mark.parametrize("simulator", [pytest.param(each, marks=needs(each)) for each in ("verilator", "icarus")])
def test_every_access_is_the_engines(simulator, tmp_path):
    from sttest.compile.compiler import compile_text
    from sttest.compile.options import CompileOptions
    from sttest.sim import simulate

    graphs = [
        compile_text(TEXT, "concat", "u55c", CompileOptions(tile_size=tile, precision="fp32", strategy=strategy)).graph
        for tile, strategy in ((4, "normal"), (2, "conservative"))
    ]
    for graph, run in zip(graphs, check(graphs, simulator, tmp_path), strict=True):
        assert run.verdict == "done"
        assert {process.category for process in graph.processes} == {"dma", "compute", "fork", "concat"}
        assert simulate(graph, "maxplus").cycles == simulate(graph, "simpy").cycles
