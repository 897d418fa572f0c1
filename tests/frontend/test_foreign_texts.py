"""What torch-mlir itself prints of a module is read as it stands."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch_mlir")

import torch
from compared import Function, sqnr_db
from torch_mlir import fx

from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.reference import memory_images, read_results, run

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]
COMPUTED = {
    "softmax": lambda y: y.softmax(-1),
    "softmax-middle": lambda y: y.softmax(1),
    "log-softmax": lambda y: y.log_softmax(-1),
    "maximum": lambda y: y.max(-1).values * 2,
    "minimum": lambda y: y.min(1)[0] * 2,
}


@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("name", COMPUTED)
def test_dead_positions_are_left_out(name, generic):
    torch.manual_seed(0)
    y = torch.randn(2, 4, 8)
    module = fx.export_and_import(Function(COMPUTED[name]), y, output_type="linalg-on-tensors")
    text = module.operation.get_asm(print_generic_op_form=generic)
    assert "linalg.index" in text
    graph = value_graph(compile_text(text, "own", "u55c", CompileOptions(precision="fp32")).module, "own")
    (argument,) = graph.argument
    (found,) = read_results(graph, run(graph, memory_images(graph, {argument: y.numpy()})).results).values()
    true = COMPUTED[name](y).numpy()
    assert sqnr_db(true, np.reshape(found, true.shape)) >= 100
