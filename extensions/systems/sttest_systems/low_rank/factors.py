"""Linear layers in two factors, by truncated singular value decomposition of their weights.

The truncated decomposition is the best approximation of a matrix in its rank (Eckart and Young, Psychometrika 1, 1936).
Singular values are split evenly between the factors, so that neither is much larger than the other.  What comes of
``x @ u`` is quantized as any other activation.
"""

import copy
from collections.abc import Sequence
from typing import TypeVar

import torch
from torch import Tensor, nn

from sttest.models.layers import Linear

Block = TypeVar("Block", bound=nn.Module)


class LowRankLinear(nn.Module):
    """``x @ u @ v + bias``."""

    def __init__(self, inputs: int, rank: int, outputs: int, *, bias: bool) -> None:
        super().__init__()
        self.u = Linear(inputs, rank, bias=False)
        self.v = Linear(rank, outputs, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        """[n, inputs] to [n, outputs]."""
        return self.v(self.u(x))


def in_factors(block: nn.Module, ranks: Sequence[tuple[str, int]]) -> None:
    """Exchange linear layers of a block for those of their rank, in place and without weights.

    Args:
        block: block with whole linear layers.
        ranks: names of layers, and the rank of each.
    """
    for name, rank in ranks:
        layer = _linear(block, name)
        inputs, outputs = layer.weight.shape
        block.set_submodule(name, LowRankLinear(inputs, rank, outputs, bias=layer.bias is not None))


def factored(block: Block, ranks: Sequence[tuple[str, int]]) -> Block:
    """A copy of a block whose layers of a rank have the truncated decomposition of their weights; it shares the others.

    Args:
        block: block with whole linear layers.
        ranks: names of layers, and the rank of each.
    """
    twin = copy.deepcopy(block, {id(parameter): parameter for parameter in block.parameters()})
    in_factors(twin, ranks)
    with torch.no_grad():
        for name, rank in ranks:
            layer, made = _linear(block, name), twin.get_submodule(name)
            assert isinstance(made, LowRankLinear)
            made.u.weight, made.v.weight = (nn.Parameter(each) for each in truncated(layer.weight.detach(), rank))
            made.v.bias = layer.bias
    return twin


def truncated(weight: Tensor, rank: int) -> tuple[Tensor, Tensor]:
    """Factors [inputs, rank] and [rank, outputs] of a weight [inputs, outputs], computed in double precision."""
    u, values, v = torch.linalg.svd(weight.double(), full_matrices=False)
    root = values[:rank].sqrt()
    return (u[:, :rank] * root).float().contiguous(), (root.unsqueeze(1) * v[:rank]).float().contiguous()


def _linear(block: nn.Module, name: str) -> Linear:
    layer = block.get_submodule(name)
    assert isinstance(layer, Linear)
    return layer
