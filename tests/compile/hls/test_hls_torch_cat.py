"""`torch.cat` from PyTorch to C++: exported, lowered, compiled, and equal in every engine of values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from many_kernels import Call, run_all
from small_kernels import needs_compiler

from sttest.compile.compiler import compile_text
from sttest.compile.hls.files import emit_design
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.reference import memory_images, read_results, run
from sttest.reference.graph import Concat

torch = pytest.importorskip("torch")
pytest.importorskip("torch_mlir")
pytestmark = [
    needs_compiler,
    pytest.mark.torch,
    pytest.mark.usefixtures("quick_build"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


class Joined(torch.nn.Module):
    """Parts that are computed, arguments and views, one of them twice; and a cache that grows by a row."""

    def __init__(self) -> None:
        super().__init__()
        self.mix = torch.nn.Linear(36, 6, bias=False)

    def forward(self, x, y, cache):
        wide = torch.cat([x * 2, y.reshape(8, 4), x, y.reshape(8, 4).exp() * 0, x, y.reshape(8, 4)], dim=-1)
        return self.mix(wide), torch.cat([cache, x[None]], dim=1)


@pytest.mark.daily
def test_engines_compute_what_torch_does(tmp_path: Path) -> None:
    from sttest.frontend.lowering import lower
    from sttest.models.program import TorchProgram

    source, module = np.random.default_rng(5), Joined().eval()
    shapes = {"mix.weight": (6, 36), "x": (8, 8), "y": (4, 8), "cache": (1, 3, 8)}
    tensors = {name: source.integers(-2, 3, shape).astype(np.float32) for name, shape in shapes.items()}
    module.load_state_dict({"mix.weight": torch.from_numpy(tensors["mix.weight"])})
    inputs = {name: torch.from_numpy(tensors[name]) for name in ("x", "y", "cache")}
    text = lower(TorchProgram(module, inputs, caches=("cache",), results=("y", "cache_new")))
    assert text.count('"tensor.concat"') == 2

    design = compile_text(text, "joined", "u55c", CompileOptions(tile_size=4, precision="fp32"))
    graph = value_graph(design.module, "joined")
    joins = [node for node in graph.nodes if isinstance(node, Concat)]
    assert [len(join.sources) for join in joins] == [6, 2]
    images = memory_images(graph, tensors)
    functional = run(graph, images).results
    (written,) = run_all([Call(emit_design(design), images)], tmp_path)
    assert {name: image.tobytes() for name, image in functional.items()} == {
        name: image.tobytes() for name, image in written.items()
    }
    with torch.no_grad():
        golden = module(**inputs)
    for found, wanted in zip(read_results(graph, written).values(), golden, strict=True):
        np.testing.assert_array_equal(found, wanted.numpy())
