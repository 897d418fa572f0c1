"""A state-space block with weights, its state after some tokens, and its next step in PyTorch, for every engine."""

import time
from typing import TYPE_CHECKING

from sttest.core.errors import InputError
from sttest.crosscheck.case import ArgumentCase, WeightSource, require_torch
from sttest.crosscheck.differences import recorded_outputs
from sttest.models.config import DecoderConfig, Maximum
from sttest.models.families import of_whole, whole_of
from sttest.models.program import BlockShape, check_shape
from sttest.runtime.design_memory import export_parameters

if TYPE_CHECKING:
    from sttest.models.quant.scheme import QuantScheme


def make_state_case(
    config: DecoderConfig,
    shape: BlockShape,
    scheme: "QuantScheme",
    source: WeightSource,
    chunk: int | None = None,
    maximum: Maximum = "chunk",
) -> ArgumentCase:
    """Build a block, run it over the tokens of the context, and then over one more, which the engines repeat.

    Args:
        config: model configuration.
        shape: shape of the block; its context is how many tokens the state has seen.
        scheme: quantization scheme; static scales are calibrated on the block's own inputs.
        source: seed of random weights and inputs.
        chunk, maximum: those of attention, of which there is none.

    Raises:
        InputError: a shape that the model does not have, or a checkpoint.
        ToolMissingError: PyTorch is not installed.
    """
    check_shape(config, shape.phase, shape.tokens, shape.context, shape.batch)
    require_torch()
    import torch

    from sttest.models.quant.block import observe_peaks, quantize_block
    from sttest.models.quant.contraction import DefinedOrder
    from sttest.models.weights import randomize
    from sttest_systems.state_space.block import RESULTS, Mamba2Block, run_steps

    if source.checkpoint is not None:
        raise InputError(
            "no-checkpoint",
            "checkpoints of state-space models are not read",
            where=str(source.checkpoint),
            hints=["leave out --checkpoint"],
        )
    block = Mamba2Block(whole_of(config))
    randomize(block, source.seed)
    block = of_whole(block, config)
    generator = torch.Generator().manual_seed(source.seed + 1)
    inputs = torch.randn(shape.context + 1, config.hidden, generator=generator)
    with torch.no_grad():
        peaks = (
            observe_peaks(block, lambda: run_steps(block, config, inputs)) if scheme.activations == "static" else None
        )
        quantized = quantize_block(block, scheme, peaks)
        before, last = inputs[:-1], inputs[-1:]
        # The reference has a state of its own, as its cache: what quantization does to the state counts.
        reference = block(x=last, **run_steps(block, config, before)[1])[0]
        state = run_steps(quantized, config, before)[1]
        began = time.perf_counter()
        with DefinedOrder(), recorded_outputs(quantized) as modules:
            golden = quantized(x=last, **state)
        golden_s = time.perf_counter() - began
    caches = {name: tensor.numpy() for name, tensor in state.items()}
    return ArgumentCase(
        arguments={**export_parameters(quantized), **caches, "x": last.numpy()},
        golden={name: tensor.detach().numpy() for name, tensor in zip(RESULTS, golden, strict=True)},
        reference=reference.numpy(),
        modules=modules,
        golden_name="torch",
        golden_s=golden_s,
    )
