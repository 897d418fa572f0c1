"""Modules of stock layers come through: the values of torch, and the cycles of both engines."""

import pytest

pytest.importorskip("torch_mlir")

import torch
from compared import sqnr_db
from stock_modules import MODULES

from sttest.api import compile as compile_module
from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.core.errors import InputError
from sttest.frontend.module_source import ModuleSource
from sttest.reference import memory_images, read_results, run
from sttest.sim.api import simulate

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize("name", MODULES)
def test_values_are_those_of_torch_and_engines_agree(name):
    torch.manual_seed(0)
    source = ModuleSource.of(*MODULES[name]())
    design = compile_text(source.text(), name, "u55c", CompileOptions(precision="fp32"))
    graph = value_graph(design.module, name)
    tensors = source.parameters() | source.inputs()
    images = memory_images(graph, {key: value for key, value in tensors.items() if key in graph.argument})
    found = read_results(graph, run(graph, images).results)
    expected = source.run(source.inputs())
    assert found.keys() == expected.keys()
    for key, true in expected.items():
        assert sqnr_db(true, found[key]) >= 100
    assert simulate(design.graph, engine="simpy").cycles == simulate(design.graph).cycles


REFUSED = {
    "top-k": ("return Own(lambda x: x.topk(2, -1)[0]), torch.randn(4, 8)", "topk is not streamed", "host"),
    "sort": ("return Own(lambda x: x.sort(-1)[0]), torch.randn(4, 8)", "sort is not streamed", "host"),
    "index": ("return Own(lambda x: x.argmax(-1)), torch.randn(4, 8)", "aten.argmax.default at", "host"),
    "arc": ("return Own(torch.atan), torch.rand(4, 8)", "aten.atan.default at", "host"),
    "power": ("return Own(lambda x: x ** x), torch.rand(4, 8)", "math.powf of an exponent", "a number"),
    "truth": ("return Own(torch.isnan), torch.rand(4, 8)", "a result is bool", "y.float()"),
    "truths": ("return Own(lambda m: torch.where(m, 1.0, 2.0)), torch.rand(4, 8) > 0.5", "is bool", "as float32"),
    "gathered": (
        "return Own(lambda x: x.gather(-1, torch.zeros(4, 1).long())), torch.rand(4, 8)",
        "aten.gather",
        "torch.arange",
    ),
    "scattered": (
        "return Own(lambda x: torch.zeros(4, 8).scatter(1, torch.zeros(4, 8).long(), x)), torch.rand(4, 8)",
        "aten.scatter",
        "zeros and ones",
    ),
    "counted": ("return Own(lambda x: (x > 0).sum(-1) * 1.0), torch.rand(4, 8)", "aten.sum.dim_IntList at", "float()"),
    "bits": ("return Own(lambda x: x & 3), torch.ones(4, 8).int()", "aten.bitwise_and.Scalar at", "host"),
    "shares": ("return Own(lambda x: x // 3), torch.ones(4, 8).int()", "aten.div.Tensor_mode at", "float()"),
    "bfloat": ("return Own(lambda x: x.bfloat16() * 1.1), torch.rand(4, 8)", "aten._to_copy.default at", "float()"),
    "positions": (
        "return Own(lambda x: (x[:, None] == torch.arange(8)).float()), torch.ones(4).int()",
        "aten.eq.Tensor",
        "float()",
    ),
    "always": ("return Own(lambda x: (x * 2, torch.ones(3))), torch.rand(4, 8)", "depends on no input", "leave it out"),
    "complex": (
        "return Own(lambda x: torch.view_as_real(torch.view_as_complex(x).exp())), torch.rand(4, 2)",
        "aten.exp.default at",
        "real and imaginary",
    ),
    "complex-result": (
        "return Own(torch.view_as_complex), torch.rand(4, 2)",
        "a result is complex",
        "real and imaginary",
    ),
    "random": ("return nn.Sequential(nn.Linear(8, 8), Own(torch.rand_like)), torch.rand(4, 8)", "rand_like", "host"),
    "shape": ("return Own(torch.nonzero), torch.rand(4, 8)", "nonzero is not", "torch.where"),
    "branch": ("return Own(lambda x: x * 2 if x.sum() > 0 else x), torch.rand(4, 8)", "Own at", "branches"),
    "shapes": ("return Own(lambda x: x @ torch.ones(3, 3)), torch.rand(4, 8)", "own.py:11", "inputs"),
    "checked": ("return Own(torch.inverse), torch.rand(4, 4)", "checks values", "host"),
    "windows": ("return Own(lambda x: x.unfold(-1, 3, 1) * 1.0), torch.rand(4, 8)", "unfold is not", "slices"),
    "idle": ("return Own(lambda x: x.repeat(2, 3)), torch.rand(4, 8)", "own.py:7: nothing is computed", "layers"),
    "one": ("return Own(lambda x: x * 1), torch.rand(4, 8)", "own.py:7: result 0 is an argument", "results"),
    "half": ("return nn.Linear(8, 8).half(), torch.randn(4, 8).half()", "float16", "float()"),
    "lookup": ("return nn.Embedding(9, 8), torch.arange(4)", "aten.embedding", "host"),
    "identity": ("return nn.Identity(), torch.randn(4, 8)", "linear.py:", "return"),
    "no-module": ("return 1, 2", "no torch.nn.Module", "forward"),
    "failure": ("return 1 / 0, 2", "line 11", "python"),
}


HEAD = """\
import torch
from torch import nn
class Own(nn.Module):
    def __init__(self, compute):
        super().__init__()
        self.compute = compute
    def forward(self, x):
        return self.compute(x)
"""


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_stream_is_refused_by_its_name(name, tmp_path, sttest):
    body, what, instead = REFUSED[name]
    (tmp_path / "own.py").write_text(f"{HEAD}\ndef make():\n    {body}\n")
    outcome = sttest("compile", f"{tmp_path}/own.py:make", "-o", f"{tmp_path}/package", "--precision", "fp32")
    assert outcome.exit_code == 2, outcome.stderr
    assert what in outcome.stderr
    assert instead in outcome.stderr
    assert len(outcome.stderr.strip().splitlines()) == 1


def test_the_line_is_that_of_the_users_file():
    class Arcs(torch.nn.Module):
        def forward(self, x):
            return torch.atan(x)

    with pytest.raises(InputError, match=r"aten.atan.default at .*test_stock_modules.py:\d+"):
        compile_module(Arcs(), example_inputs=torch.randn(4, 8))


def test_a_buffer_that_changes_is_named_with_its_line():
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", torch.zeros(8))

        def forward(self, x):
            self.seen += x.sum(0)
            return x * self.seen

    with pytest.raises(InputError, match=r"aten.add.Tensor at .*test_stock_modules.py:\d+: .* writes to 'seen'"):
        compile_module(Counting(), example_inputs=torch.randn(4, 8))
