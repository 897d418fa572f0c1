"""PyTorch in the order of docs/reference/values.md."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from sttest.models.quant.contraction import DefinedOrder


def test_sums_are_pairwise_along_any_axis():
    x = torch.from_numpy(np.random.default_rng(0).standard_normal((3, 5, 7)).astype(np.float32))
    with DefinedOrder():
        found = x.sum(1)
    a, b, c, d, e = x.numpy().swapaxes(0, 1)
    np.testing.assert_array_equal(found.numpy(), a + ((b + c) + (d + e)))


def test_functions_are_rounded_once_from_binary64():
    x = torch.linspace(-4, 4, 4001)
    wide = x.numpy().astype(np.float64)
    with DefinedOrder():
        found = torch.exp(x), torch.tanh(x), torch.rsqrt(x.abs() + 1.0)
    wanted = np.exp(wide), np.tanh(wide), 1 / np.sqrt((x.abs() + 1.0).numpy().astype(np.float64))
    for ours, exact in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(ours.numpy(), exact.astype(np.float32))


def test_a_sigmoid_is_its_three_operations():
    x = torch.linspace(-8, 8, 1001)
    with DefinedOrder():
        found = torch.sigmoid(x)
    exponential = np.exp(-x.numpy().astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(found.numpy(), np.float32(1) / (np.float32(1) + exponential))


def test_everything_else_is_pytorchs():
    integers, doubles = torch.arange(6, dtype=torch.int8), torch.rand(4, dtype=torch.float64)
    with DefinedOrder():
        assert integers.sum(-1, dtype=torch.int32) == 15
        assert torch.equal(torch.exp(doubles), doubles.exp())
