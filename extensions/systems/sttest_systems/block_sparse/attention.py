"""Block-sparse attention of a decode step: each head attends to the blocks of its cache whose mean key fits best.

MoBA (Lu et al., arXiv 2502.13189): the cache is cut into blocks of positions, a router scores each by the product of
the query and the mean of the block's keys, and attention is over the k best alone.  The block that the token is in is
always chosen: the host gives it a bias that no score reaches, and hides blocks that are not filled by the opposite.
A block's place among the k is the number of blocks that score higher, of equals those before it, as experts have it.

The chosen blocks of all heads lie one below the other, as the DMAs of a design read them: numbers count the blocks of
the first head, then those of the second.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sttest.models.config import Maximum
from sttest.models.experts import TopExperts
from sttest.models.program import TorchProgram
from sttest.models.quant import contraction
from sttest.models.quant.layers import QuantMix, QuantSoftmax
from sttest.models.quant.quantizers import QuantizedTensor, quantize_vectors
from sttest.models.quant.scheme import QuantScheme
from sttest.models.softmax import Normalize, RunningMix, RunningSoftmax
from sttest_systems.attention_cascades.attention_alone import OverCache, PlainScores

BLOCKS = "blocks"
"""The result that has the numbers of the chosen blocks."""


@dataclass(frozen=True)
class SparseShape:
    """Heads with a cache each, positions of a block, blocks in a cache, and those that a head attends to."""

    heads: int
    head_dim: int
    block: int
    blocks: int
    chosen: int

    def __str__(self) -> str:
        return f"moba-h{self.heads}-d{self.head_dim}-b{self.block}x{self.blocks}-k{self.chosen}"

    @property
    def context(self) -> int:
        """Positions of a cache."""
        return self.block * self.blocks

    @property
    def attended(self) -> int:
        """Positions that a head attends to."""
        return self.block * self.chosen


class BlockRouter(nn.Module):
    """The blocks of each head whose mean key fits its query best."""

    def __init__(self, head_dim: int) -> None:
        super().__init__()
        self.scores, self.top = PlainScores(head_dim), TopExperts()

    def forward(self, q: Tensor, k_mean: Tensor, bias: Tensor, ids: Tensor, places: Tensor) -> Tensor:
        """q [1, h, d], means [h, blocks, d], bias and ids [blocks], places [k] to numbers [h, k], best first."""
        return self.top(self.scores(q, k_mean).squeeze(0) + bias, ids, places)[0]


class BlockSparseAttention(nn.Module):
    """What hardware has of it: keys and values of the chosen blocks are arguments, whichever they are."""

    def __init__(self, shape: SparseShape) -> None:
        super().__init__()
        self.shape, self.router, self.attn = shape, BlockRouter(shape.head_dim), OverCache(shape.head_dim)

    def forward(
        self,
        q: Tensor,
        k_mean: Tensor,
        bias: Tensor,
        block_ids: Tensor,
        places: Tensor,
        first_block: Tensor,
        k_cache: Tensor,
        v_cache: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """One token's queries [1, h, d] to what attention gives [1, h, d] and numbers of blocks [1, h * k].

        k_cache and v_cache [h * k * block, d] are the chosen blocks, first_block [h] the number of a head's first.
        """
        shape = self.shape
        chosen = self.router(q, k_mean, bias, block_ids, places) + first_block.unsqueeze(-1)
        k, v = (each.view(shape.heads, shape.attended, shape.head_dim) for each in (k_cache, v_cache))
        return self.attn(q, k, v), chosen.view(1, -1)


def sparse_tables(shape: SparseShape, filled: int | None = None) -> dict[str, NDArray[np.float32]]:
    """What a step's host gives beside query and cache: ids, places, first blocks and the bias of the scores.

    Args:
        shape: sizes.
        filled: blocks that have positions, the last of which is the token's own; all if not given.
    """
    last = (shape.blocks if filled is None else filled) - 1
    bias = np.where(np.arange(shape.blocks) > last, -1e30, 0.0)
    bias[last] = 1e30
    tables = {
        "bias": bias,
        "block_ids": np.arange(shape.blocks),
        "places": np.arange(shape.chosen),
        "first_block": np.arange(shape.heads) * shape.blocks,
    }
    return {name: table.astype(np.float32) for name, table in tables.items()}


def sparse_program(shape: Mapping[str, int]) -> TorchProgram:
    """The step on the meta device.

    Args:
        shape: fields of a :class:`SparseShape`.
    """
    sizes = SparseShape(**shape)
    rows = sizes.heads * sizes.attended
    with torch.device("meta"):
        inputs = {"q": torch.empty(1, sizes.heads, sizes.head_dim)}
        inputs["k_mean"] = torch.empty(sizes.heads, sizes.blocks, sizes.head_dim)
        inputs |= {name: torch.empty(len(table)) for name, table in sparse_tables(sizes).items()}
        inputs |= {name: torch.empty(rows, sizes.head_dim) for name in ("k_cache", "v_cache")}
        module = BlockSparseAttention(sizes)
    attributes: dict[str, str | int | tuple[str, ...]] = {
        "indexed": ("k_cache:0", "v_cache:0"),
        "index": BLOCKS,
        "index_range": sizes.heads * sizes.blocks,
    }
    return TorchProgram(module.eval(), inputs, ("k_mean", "k_cache", "v_cache"), ("y", BLOCKS), attributes)


# --- The same in PyTorch, with all blocks there


def quantized_step(
    shape: SparseShape,
    q: Tensor,
    k_mean: QuantizedTensor,
    k: QuantizedTensor,
    v: QuantizedTensor,
    tables: Mapping[str, Tensor],
    scheme: QuantScheme,
    maximum: Maximum | None = None,
) -> tuple[Tensor, Tensor]:
    """The step over int8 caches [h, context, d] with scales [h, context] and means [h, blocks, d], to the bit.

    With a ``maximum`` attention goes over a block at a time, in one pass.

    Returns:
        What attention gives [1, h, d] and numbers of the chosen blocks [h, k], counted within a head.
    """
    scale, queries = PlainScores(shape.head_dim).scale, quantize_vectors(q)
    gate = contraction.scores(queries, k_mean).squeeze(0) * scale + tables["bias"]
    chosen = TopExperts()(gate, tables["block_ids"], tables["places"])[0]
    kept_k, kept_v = (_of_blocks(shape, each, chosen) for each in (k, v))
    scores, mix, shown = (
        contraction.scores(queries, kept_k) * scale,
        QuantMix(scheme.value_scales),
        torch.zeros(shape.attended),
    )
    if maximum is None:
        weights, denominator = QuantSoftmax()(scores)
        return Normalize()(mix(weights, kept_v, shown), denominator), chosen
    running = RunningSoftmax(shape.block, contraction.denominator, maximum)(scores)
    return Normalize()(RunningMix(shape.block, mix)(running, kept_v, shown), running.denominator), chosen


def _of_blocks(shape: SparseShape, cache: QuantizedTensor, chosen: Tensor) -> QuantizedTensor:
    within = torch.arange(shape.block)
    at = (chosen.to(torch.int64).unsqueeze(-1) * shape.block + within).flatten(1)
    heads = torch.arange(shape.heads).unsqueeze(-1)
    return QuantizedTensor(cache.values[heads, at], cache.scales[heads, at])
