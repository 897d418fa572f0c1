"""Fake-quantized blocks: the blocks in floating point with the modules that contract exchanged."""

import copy
from collections.abc import Callable, Mapping
from typing import TypeVar

import torch
from torch import Tensor, nn

from sttest.models.attention import DecodeAttention, Projections
from sttest.models.blocks import DecodeBlock
from sttest.models.config import DecoderConfig, Maximum
from sttest.models.experts import ROUTER, ExpertLinear
from sttest.models.layers import Linear, TiedHead
from sttest.models.quant.contraction import denominator
from sttest.models.quant.layers import (
    Fp16CacheLayout,
    QuantCacheLayout,
    QuantExpertLinear,
    QuantJointSoftmax,
    QuantLinear,
    QuantMix,
    QuantOwnScore,
    QuantScores,
    QuantSoftmax,
    SeenMix,
    SeenNormalize,
    SeenOwnScore,
    SeenScores,
    activation_quantizer,
    query_quantizer,
)
from sttest.models.quant.scheme import QuantScheme
from sttest.models.softmax import RunningMix, RunningSoftmax, Scores

Block = TypeVar("Block", bound=nn.Module)
Peaks = Mapping[str, float]


def quantize_block(
    block: Block, scheme: QuantScheme, peaks: Peaks | None = None, chunk: int | None = None, maximum: Maximum = "chunk"
) -> Block:
    """A fake-quantized twin of a prefill or decode block, called as the block is; it shares what is not quantized.

    With a cache of integers, keys and values go in and come out as
    :class:`~sttest.models.quant.quantizers.QuantizedTensor` instead of tensors.

    Args:
        block: with its weights.
        scheme: what to quantize; ``fp32`` gives a plain copy.
        peaks: per layer, from :func:`observe_peaks`; static activations need them.
        chunk: positions that attention goes over at a time, in one pass; None for a softmax over all of them.
        maximum: what the weights of such a chunk are under.

    Raises:
        InputError: static activations without peaks; weights that are not finite.
    """
    # What stays in floating point is shared: a memo that knows the parameters keeps them from being copied.
    quantized = copy.deepcopy(block, {id(parameter): parameter for parameter in block.parameters()})
    if scheme.quantizes:
        _exchange_linears(quantized, scheme, peaks or {})
    if scheme.kv_bits < 32:
        for name, module in list(quantized.named_modules()):
            if isinstance(module, Projections):
                _exchange_attention(module, scheme, peaks or {}, name)
    if chunk is not None:
        for module in quantized.modules():
            if isinstance(module, Projections):
                total = denominator if scheme.has_integer_attention else _sum
                module.softmax = RunningSoftmax(chunk, total, maximum)
                module.mix = RunningMix(chunk, module.get_submodule("mix"))
    return quantized


def _sum(weights: Tensor) -> Tensor:
    return weights.sum(-1)


def _exchange_linears(block: nn.Module, scheme: QuantScheme, peaks: Peaks) -> None:
    for name, module in list(block.named_modules()):
        if not isinstance(module, Linear | ExpertLinear):
            continue
        quantize = activation_quantizer(scheme, peaks.get(name), name, module)
        if isinstance(module, ExpertLinear):
            block.set_submodule(name, QuantExpertLinear(module, scheme.of_layer(name), quantize))
        else:
            own = scheme.of_router if name.endswith(ROUTER) else scheme.of_layer(name)
            block.set_submodule(name, QuantLinear(module, own, quantize))


def _exchange_attention(attention: Projections, scheme: QuantScheme, peaks: Peaks, name: str) -> None:
    scores = attention.get_submodule("scores")
    assert isinstance(scores, Scores)
    decodes = isinstance(attention, DecodeAttention)
    exchanged: dict[str, nn.Module] = {"normalize": SeenNormalize(scheme)}
    for entry in ("k_new", "v_new"):
        exchanged[entry] = QuantCacheLayout(scheme) if scheme.has_integer_cache else Fp16CacheLayout()
    if scheme.has_integer_attention:
        place = f"{name}.scores"
        quantize = query_quantizer(scheme, peaks.get(place), place)
        exchanged |= {
            "scores": QuantScores(scores, quantize),
            "softmax": QuantJointSoftmax() if decodes else QuantSoftmax(),
            "mix": QuantMix(scheme.value_scales),
        }
    else:
        exchanged |= {"scores": SeenScores(scores), "mix": SeenMix()}
    if decodes:
        exchanged |= _decode_scores(exchanged["scores"], scheme)
    for child, module in exchanged.items():
        setattr(attention, child, module)


def _decode_scores(scores: nn.Module, scheme: QuantScheme) -> dict[str, nn.Module]:
    """What a decode has beside the scores of cached positions."""
    if isinstance(scores, QuantScores):
        own = QuantOwnScore(scores, scores.quantize, scheme)
        return {"own_score": own, "earlier_scores": QuantScores(scores, scores.quantize)}
    assert isinstance(scores, SeenScores)
    return {"own_score": SeenOwnScore(scores, scheme), "earlier_scores": SeenScores(scores)}


def decode_twin(config: DecoderConfig, prefill: nn.Module) -> DecodeBlock:
    """The decode block that shares every weight of a prefill block, quantized or not."""
    with torch.device("meta"):
        twin = DecodeBlock(config)
    for name, module in prefill.named_children():
        if name != "attn":
            setattr(twin, name, module)
    attention = prefill.get_submodule("attn")
    for name, module in attention.named_children():
        if name != "softmax":
            setattr(twin.attn, name, module)
    scores, softmax = attention.get_submodule("scores"), attention.get_submodule("softmax")
    if isinstance(softmax, RunningSoftmax):
        twin.attn.softmax = softmax
    elif isinstance(scores, QuantScores):
        twin.attn.softmax = QuantJointSoftmax()
    normalize = attention.get_submodule("normalize")
    if isinstance(normalize, SeenNormalize):
        for name, module in _decode_scores(scores, normalize.scheme).items():
            setattr(twin.attn, name, module)
    return twin


def observe_peaks(module: nn.Module, run: Callable[[], object]) -> dict[str, float]:
    """Calibration of static scales: the largest magnitude of each contraction's activations during ``run``.

    Args:
        module: a block in floating point, or whatever holds some.
        run: calls it on inputs that are typical.

    Returns:
        By the module's name: inputs of linear layers (``attn.q_proj``, ``head``) and queries (``attn.scores``).
    """
    peaks: dict[str, float] = {}
    observed = [
        (name, found)
        for name, found in module.named_modules()
        if isinstance(found, Linear | ExpertLinear | Scores | TiedHead)
    ]
    hooks = [found.register_forward_pre_hook(_recorder(peaks, name)) for name, found in observed]
    try:
        with torch.no_grad():
            run()
    finally:
        for hook in hooks:
            hook.remove()
    return peaks


def _recorder(peaks: dict[str, float], name: str) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
    def record(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        peaks[name] = max(peaks.get(name, 0.0), float(inputs[0].abs().max()))

    return record
