"""Convolutions of every rank, stride, padding, dilation and grouping, plain and transposed, as sums under masks."""

import random

import pytest

torch = pytest.importorskip("torch")

from sttest.frontend.selections import convolution

pytestmark = pytest.mark.torch


def drawn(rng: random.Random):
    """Arguments of ``aten.convolution``, of one to three dims."""
    dims, groups = rng.choice([1, 2, 3]), rng.choice([1, 1, 2, 3])
    ins, outs = groups * rng.choice([1, 2]), groups * rng.choice([1, 2, 3])

    def each(low, high):
        return [rng.randint(low, high) for _ in range(dims)]

    kernel, stride, padding, dilation = each(1, 4), each(1, 3), each(0, 2), each(1, 2)
    transposed = rng.random() < 0.7
    beyond = [rng.randint(0, max(pair) - 1) * transposed for pair in zip(stride, dilation, strict=True)]
    shape = (ins, outs // groups) if transposed else (outs, ins // groups)
    generator = torch.Generator().manual_seed(rng.randrange(1 << 30))

    def numbers(*sizes):
        return torch.randn(*sizes, generator=generator, dtype=torch.float64)

    bias = numbers(outs) if rng.random() < 0.5 else None
    tensors = numbers(2, ins, *each(3, 5)), numbers(*shape, *kernel), bias
    return *tensors, stride, padding, dilation, transposed, beyond, groups


@pytest.mark.parametrize("seed", range(80))
def test_a_convolution_has_the_values_of_pytorch(seed):
    arguments = drawn(random.Random(seed))
    try:
        wanted = torch.ops.aten.convolution(*arguments)
    except RuntimeError:  # a kernel larger than what it slides over
        return
    torch.testing.assert_close(convolution(*arguments), wanted)
