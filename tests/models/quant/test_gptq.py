"""Weights rounded for their inputs: the same integers wherever they are quantized again, and less error."""

import pytest

torch = pytest.importorskip("torch")

from sttest.models.quant.gptq import rounded
from sttest.models.quant.quantizers import quantize_weight

pytestmark = pytest.mark.torch
INPUTS, OUTPUTS = 80, 24


def weight_and_inputs():
    generator = torch.Generator().manual_seed(5)
    weight = 0.05 * torch.randn(INPUTS, OUTPUTS, generator=generator)
    # Inputs that depend on each other, as activations do.
    mixed = torch.randn(INPUTS, INPUTS, generator=generator)
    return weight, torch.randn(400, INPUTS, generator=generator) @ mixed


def as_quantized(weight, group, qmax):
    found = quantize_weight(weight, group, qmax)
    return found.values.float() * found.scales.float().repeat_interleave(group or INPUTS, 0)[:INPUTS]


@pytest.mark.parametrize("qmax", [7, 127])
@pytest.mark.parametrize("group", [16, 32, None])
def test_they_are_quantized_to_themselves(group, qmax):
    weight, x = weight_and_inputs()
    weight[:16, 3] = 0.0
    found = rounded(weight, (x.T @ x).double(), group, qmax)
    assert torch.equal(as_quantized(found, group, qmax), found)


@pytest.mark.parametrize("group", [16, None])
def test_outputs_err_less_than_with_the_nearest_integers(group):
    weight, x = weight_and_inputs()
    found = rounded(weight, (x.T @ x).double(), group, 7)
    nearest = as_quantized(weight, group, 7)
    assert ((x @ (found - weight)) ** 2).sum() < 0.6 * ((x @ (nearest - weight)) ** 2).sum()
