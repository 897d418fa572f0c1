"""A decoder block with weights and inputs, and what PyTorch makes of them: what all engines are given and held against.

The golden is the fake-quantized block in the order of docs/reference/values.md; the reference is the block in FP32.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sttest.core.errors import ToolMissingError
from sttest.crosscheck.differences import Outputs, recorded_outputs
from sttest.models.config import DecoderConfig
from sttest.models.program import BlockShape, check_shape
from sttest.models.tables import decode_inputs, prefill_mask, rope_table
from sttest.reference import ReferenceGraph
from sttest.reference.graph import Array, Bytes
from sttest.runtime.design_memory import BlockMemory, BlockResult, CacheSide

if TYPE_CHECKING:
    from torch import Tensor, nn

    from sttest.models.quant.scheme import QuantScheme


@dataclass(frozen=True)
class WeightSource:
    """Where weights and inputs come from: random ones of a seed, or layer 0 of a checkpoint on random tokens."""

    seed: int = 0
    checkpoint: Path | None = None


@dataclass(frozen=True)
class BlockCase:
    """A block, its inputs, and its results in PyTorch.

    Attributes:
        config, shape: the block.
        parameters: by name, as a design takes them.
        x: float32 [tokens, hidden].
        caches: keys and values of a decode.
        golden: results by name (``y``, ``k_new``, …) of the fake-quantised block.
        modules: what each module of the fake-quantised block gave out.
        reference: ``y`` of the block in floating point, its cache included, float32 [tokens, hidden].
        golden_s: seconds that the golden took.
    """

    config: DecoderConfig
    shape: BlockShape
    parameters: Mapping[str, Array] = field(repr=False)
    x: Array = field(repr=False)
    caches: tuple[CacheSide, CacheSide] | None = field(repr=False)
    golden: Mapping[str, Array] = field(repr=False)
    modules: Outputs = field(repr=False)
    reference: Array = field(repr=False)
    golden_s: float = 0.0

    def images(self, graph: ReferenceGraph) -> dict[str, Bytes]:
        """Memory of a design of this block, by the names of its loads.

        Raises:
            InputError: the design is of another block, or too small.
        """
        memory = BlockMemory(graph, self.config, self.parameters)
        return memory.prefill(self.x) if self.caches is None else memory.decode(self.x, *self.caches)

    def results(self, graph: ReferenceGraph, images: Mapping[str, Bytes]) -> dict[str, Array]:
        """Results by name from what a design wrote, padding left out."""
        memory = BlockMemory(graph, self.config, self.parameters)
        return named_results(memory.results(images, self.shape.tokens))


def named_results(result: BlockResult) -> dict[str, Array]:
    """The parts of a block's result by the names that designs give them; float32 caches have no scales."""
    found = {"y": result.y}
    for name, side in (("k_new", result.k_new), ("v_new", result.v_new)):
        found[name] = side.values
        if side.scales is not None:
            found[f"{name}_scale"] = side.scales
    return found


def require_torch() -> None:
    """Makes sure that there is a golden.

    Raises:
        ToolMissingError: with the command that installs PyTorch.
    """
    if importlib.util.find_spec("torch") is None:
        raise ToolMissingError(
            "no-torch", "what a block should compute is computed by PyTorch, which is not installed", where="golden",
            hints=["pip install 'sttest[frontend]'"],
        )  # fmt: skip


def make_case(
    config: DecoderConfig, shape: BlockShape, scheme: QuantScheme, source: WeightSource, chunk: int | None = None
) -> BlockCase:
    """Builds the block and runs it in PyTorch.

    Args:
        config: the model.
        shape: of the block; a cache is filled by a prefill of the tokens before.
        scheme: quantisation; static scales are calibrated on the block's own inputs.
        source: of weights and inputs.
        chunk: positions at a time of attention in one pass; None for three passes.

    Raises:
        InputError: a shape that the model does not have, or a checkpoint of another one.
        ToolMissingError: PyTorch is not installed.
    """
    check_shape(config, shape.phase, shape.tokens, shape.context)
    require_torch()
    import torch

    from sttest.models.quant.block import observe_peaks, quantise_block
    from sttest.models.quant.contraction import DefinedOrder
    from sttest.runtime.packing import export_parameters

    block, inputs = _block_and_inputs(config, shape, source)
    peaks = observe_peaks(block, lambda: _prefill(block, config, inputs)) if scheme.activations == "static" else None
    quantised = quantise_block(block, scheme, peaks, chunk)
    with torch.no_grad():
        reference = _run(block, config, shape, inputs)
        began = time.perf_counter()
        with DefinedOrder():
            golden = _run(quantised, config, shape, inputs)
        golden_s = time.perf_counter() - began
    exported = export_parameters(_phase_block(quantised, config, shape), scheme)
    return BlockCase(
        config=config,
        shape=shape,
        parameters={name: parameter.values for name, parameter in exported.items()},
        x=inputs[shape.context :].numpy(),
        caches=golden.caches,
        golden=named_results(golden.result),
        modules=golden.modules,
        reference=reference.result.y,
        golden_s=golden_s,
    )


def _block_and_inputs(config: DecoderConfig, shape: BlockShape, source: WeightSource) -> tuple[nn.Module, Tensor]:
    """A prefill block with weights, and float32 [context + tokens, hidden] for it."""
    import torch

    from sttest.models.blocks import PrefillBlock
    from sttest.models.checkpoint import load_model
    from sttest.models.weights import randomise

    count = shape.context + shape.tokens
    generator = torch.Generator().manual_seed(source.seed + 1)
    if source.checkpoint is None:
        block = PrefillBlock(config)
        randomise(block, source.seed)
        return block, torch.randn(count, config.hidden, generator=generator)
    model = load_model(config, source.checkpoint)
    tokens = torch.randint(config.vocab, (count,), generator=generator).tolist()
    with torch.no_grad():
        return model.layers[0], model.embedding(tokens, 0)


@dataclass(frozen=True)
class _Ran:
    result: BlockResult
    modules: Outputs
    caches: tuple[CacheSide, CacheSide] | None = None


def _run(block: nn.Module, config: DecoderConfig, shape: BlockShape, inputs: Tensor) -> _Ran:
    if shape.phase == "prefill":
        with recorded_outputs(block) as modules:
            outcome = _prefill(block, config, inputs)
        return _Ran(_arrays(outcome), modules)
    import torch

    _, k_cache, v_cache = _prefill(block, config, inputs[: shape.context])
    tables = decode_inputs(config, shape.context, shape.tokens)
    given = {name: torch.from_numpy(table) for name, table in tables.items()}
    twin = _phase_block(block, config, shape)
    with recorded_outputs(twin) as modules:
        outcome = twin(x=inputs[shape.context :], k_cache=k_cache, v_cache=v_cache, **given)
    return _Ran(_arrays(outcome), modules, (cache_side(k_cache), cache_side(v_cache)))


def _phase_block(block: nn.Module, config: DecoderConfig, shape: BlockShape) -> nn.Module:
    from sttest.models.quant.block import decode_twin

    return block if shape.phase == "prefill" else decode_twin(config, block)


def _prefill(block: nn.Module, config: DecoderConfig, inputs: Tensor) -> Any:
    import torch

    mask = torch.from_numpy(prefill_mask(config, len(inputs)))
    return block(x=inputs, mask=mask, **_rope(config, range(len(inputs))))


def _rope(config: DecoderConfig, positions: Any) -> dict[str, Tensor]:
    import torch

    if config.rope_theta is None:
        return {}
    return {"rope": torch.from_numpy(rope_table(config, np.asarray(positions)))}


def _arrays(outcome: tuple[Any, Any, Any]) -> BlockResult:
    y, k_new, v_new = outcome
    return BlockResult(y.numpy(), cache_side(k_new), cache_side(v_new))


def cache_side(side: Any) -> CacheSide:
    """Keys or values of PyTorch, a tensor or integers with scales, as arrays."""
    if isinstance(side, tuple):
        values, scales = side
        return CacheSide(values.numpy(), scales.numpy())
    return CacheSide(side.numpy())
