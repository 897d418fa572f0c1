"""The parameters of a quantized block, by the names and in the types that a design reads them in."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from block_runs import blocks

from sttest.models.quant.block import quantize_block
from sttest.models.quant.scheme import schemes
from sttest.runtime.design_memory import export_parameters

pytestmark = pytest.mark.torch


def test_names_and_types():
    _, first, _ = blocks("gpt2")
    found = export_parameters(quantize_block(first, schemes()["w4a8"]))
    assert found["mlp.fc1.weight"].dtype == np.int8
    assert abs(found["mlp.fc1.weight"]).max() == 7
    assert found["mlp.fc1.weight_scale"].dtype == np.float16
    assert found["mlp.fc1.bias"].dtype == np.float32
    assert set(first.state_dict()) <= found.keys()
