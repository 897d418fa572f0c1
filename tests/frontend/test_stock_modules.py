"""Modules of stock layers come through: the values of torch, and the cycles of both engines."""

import numpy as np
import pytest

pytest.importorskip("torch_mlir")

import torch
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


def sqnr_db(true, found):
    noise = np.sum((true - found).astype(np.float64) ** 2)
    return np.inf if noise == 0 else 10 * np.log10(np.sum(true.astype(np.float64) ** 2) / noise)


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
    "gelu": ("return nn.GELU(), torch.randn(4, 8)", "aten.erf", "tanh"),
    "convolution": ("return nn.Conv2d(3, 8, 3), torch.randn(1, 3, 8, 8)", "aten.convolution", "nn.Linear"),
    "recurrence": ("return nn.GRU(8, 8), torch.randn(4, 8)", "aten.", "host"),
    "half": ("return nn.Linear(8, 8).half(), torch.randn(4, 8).half()", "float16", "float()"),
    "lookup": ("return nn.Embedding(9, 8), torch.arange(4)", "aten.embedding", "host"),
    "identity": ("return nn.Identity(), torch.randn(4, 8)", "a result is an input", "return"),
    "no-module": ("return 1, 2", "no torch.nn.Module", "forward"),
    "failure": ("return 1 / 0, 2", "line 5", "python"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_stream_is_refused_by_its_name(name, tmp_path, sttest):
    body, what, instead = REFUSED[name]
    (tmp_path / "own.py").write_text(f"import torch\nfrom torch import nn\n\ndef make():\n    {body}\n")
    outcome = sttest("compile", f"{tmp_path}/own.py:make", "-o", f"{tmp_path}/package", "--precision", "fp32")
    assert outcome.exit_code == 2, outcome.stderr
    assert what in outcome.stderr
    assert instead in outcome.stderr
    assert len(outcome.stderr.strip().splitlines()) == 1


def test_the_line_is_that_of_the_users_file():
    class Scan(torch.nn.Module):
        def forward(self, x):
            return torch.cumsum(x, -1)

    with pytest.raises(InputError, match=r"aten.cumsum.default at .*test_stock_modules.py:\d+"):
        compile_module(Scan(), example_inputs=torch.randn(4, 8))
