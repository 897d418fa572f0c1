"""PyTorch in the order of docs/reference/values.md."""

import operator

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from float_points import pairs, points, same_bits

from sttest.models.quant.contraction import DefinedOrder
from sttest.reference.scalar_ops import FLOAT_OPS


def test_sums_are_pairwise_along_any_axis():
    x = torch.from_numpy(np.random.default_rng(0).standard_normal((3, 5, 7)).astype(np.float32))
    with DefinedOrder():
        found = x.sum(1)
    a, b, c, d, e = x.numpy().swapaxes(0, 1)
    np.testing.assert_array_equal(found.numpy(), a + ((b + c) + (d + e)))


@pytest.mark.parametrize("name", ["exp", "tanh", "rsqrt"])
def test_functions_are_those_of_the_reference(name):
    x = points(50_000)
    with DefinedOrder(), np.errstate(all="ignore"):
        found = getattr(torch, name)(torch.from_numpy(x)).numpy()
        assert same_bits(found, FLOAT_OPS[f"math.{name}"](x)).all()


def test_arithmetic_has_no_subnormal_numbers():
    left, right = pairs(20_000)
    operations = {"addf": operator.add, "subf": operator.sub, "mulf": operator.mul, "divf": operator.truediv}
    for name, operation in operations.items():
        with DefinedOrder(), np.errstate(all="ignore"):
            found = operation(torch.from_numpy(left), torch.from_numpy(right)).numpy()
            assert same_bits(found, FLOAT_OPS[f"arith.{name}"](left, right)).all(), name
    with DefinedOrder():
        assert float(1.0 / torch.tensor(2.0**127)) == 0.0


def test_a_sigmoid_is_its_three_operations():
    x = torch.linspace(-8, 8, 1001)
    with DefinedOrder():
        found = torch.sigmoid(x)
    exponential = FLOAT_OPS["math.exp"](-x.numpy())
    np.testing.assert_array_equal(found.numpy(), np.float32(1) / (np.float32(1) + exponential))


def test_everything_else_is_pytorchs():
    integers, doubles = torch.arange(6, dtype=torch.int8), torch.rand(4, dtype=torch.float64)
    with DefinedOrder():
        assert integers.sum(-1, dtype=torch.int32) == 15
        assert torch.equal(torch.exp(doubles), doubles.exp())
