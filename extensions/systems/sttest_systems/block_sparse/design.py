"""Block-sparse attention of a decode step (MoBA) as a design: text, case with PyTorch's golden, and bytes."""

from dataclasses import asdict

import numpy as np
import torch

from sttest.compile.compiler import CompiledDesign
from sttest.crosscheck.case import ArgumentCase
from sttest.frontend.lowering import lower_isolated
from sttest.models.config import Maximum
from sttest.models.quant.contraction import DefinedOrder
from sttest.models.quant.quantizers import QuantizedTensor, quantize_kv
from sttest.models.quant.scheme import QuantScheme
from sttest.reference.graph import Array
from sttest.sim.graph import MemoryPort
from sttest_systems.block_sparse.attention import BLOCKS, SparseShape, quantized_step, sparse_program, sparse_tables


def sparse_text(shape: SparseShape) -> str:
    """Linalg text of the step.

    Raises:
        ToolMissingError: PyTorch or torch-mlir is not installed.
    """
    return lower_isolated(sparse_program, {"shape": asdict(shape)})


def sparse_case(
    shape: SparseShape, scheme: QuantScheme, seed: int, *, filled: int | None = None, maximum: Maximum | None = None
) -> ArgumentCase:
    """Arguments of a design with values from a seed, and PyTorch's results with all blocks there.

    Args:
        shape: sizes.
        scheme: with an int8 cache.
        seed: of queries, keys and values.
        filled: blocks that have positions; all if not given.  At least as many as are chosen.
        maximum: of attention in one pass over a block at a time; None in three.
    """
    generator = torch.Generator().manual_seed(seed)
    heads, dim, parts = shape.heads, shape.head_dim, shape.heads * shape.blocks
    q, k, v = (
        torch.randn(*size, generator=generator)
        for size in ((1, heads, dim), (heads, shape.context, dim), (heads, shape.context, dim))
    )
    means = quantize_kv(k.view(heads, shape.blocks, shape.block, dim).mean(2))
    keys, values = quantize_kv(k), quantize_kv(v)
    tables = {name: torch.from_numpy(table) for name, table in sparse_tables(shape, filled).items()}
    with torch.no_grad(), DefinedOrder():
        y, chosen = quantized_step(shape, q, means, keys, values, tables, scheme, maximum)
    arguments: dict[str, Array] = {"q": q.numpy(), "k_mean": means.values.numpy(), "k_mean_scale": means.scales.numpy()}
    arguments |= {name: table.numpy() for name, table in tables.items()}
    for name, cache in (("k_cache", keys), ("v_cache", values)):
        arguments |= _in_blocks(name, cache, parts, shape)
    numbers = (chosen + tables["first_block"].unsqueeze(-1)).view(1, -1)
    return ArgumentCase(arguments, {"y": y.numpy(), BLOCKS: numbers.numpy()}, golden_name="torch")


def _in_blocks(name: str, cache: QuantizedTensor, parts: int, shape: SparseShape) -> dict[str, Array]:
    return {
        name: cache.values.view(parts, shape.block, shape.head_dim).numpy(),
        f"{name}_scale": cache.scales.view(parts, shape.block).numpy(),
    }


def chosen_blocks(case: ArgumentCase, shape: SparseShape) -> Array:
    """Numbers of the blocks that each head chose, [heads, chosen], counted within a head."""
    numbers = case.golden[BLOCKS].reshape(shape.heads, shape.chosen)
    return (numbers - shape.blocks * np.arange(shape.heads)[:, None]).astype(np.int64)


def cache_bytes(design: CompiledDesign) -> int:
    """Bytes of keys, values, their scales and their means that a run reads."""
    ports = (port for port in design.graph.processes if isinstance(port, MemoryPort) and port.op == "read")
    return sum(port.tokens * port.token_bytes for port in ports if port.name.startswith(("load_k_", "load_v_")))
