"""Modules of stock layers come through: the values of torch, and the cycles of both engines."""

import numpy as np
import pytest

pytest.importorskip("torch_mlir")

import torch
from stock_modules import MODULES

from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
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
