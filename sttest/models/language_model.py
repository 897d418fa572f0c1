"""A whole decoder: embedding, every layer in both phases, final norm and language-model head."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from sttest.core.errors import InputError
from sttest.models.blocks import DecodeBlock, PrefillBlock, run_decode, run_prefill
from sttest.models.config import DecoderConfig, Maximum
from sttest.models.layers import Embedding, Linear, SoftCap, TiedHead, greedy, norm
from sttest.models.quant.block import Peaks, decode_twin, quantize_block
from sttest.models.quant.layers import QuantLinear, activation_quantizer
from sttest.models.quant.quantizers import QuantizedTensor
from sttest.models.quant.scheme import QuantScheme

# Keys or values of a layer, [kv_heads, positions, head_dim]: a tensor, or integers and scales.
CacheSide = Tensor | QuantizedTensor


@dataclass(frozen=True)
class KvCache:
    """Keys and values of every layer."""

    layers: tuple[tuple[CacheSide, CacheSide], ...]  # keys and values per layer
    positions: int  # cached positions, padding excluded
    padding: int = 0  # entries before the first position, which masks hide


class LanguageModel(nn.Module):
    """One model; its two phases share their weights.

    A tied head has no weight of its own in ``state_dict``: it is the embedding.
    """

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = Embedding(config)
        self.layers = nn.ModuleList(PrefillBlock(config) for _ in range(config.layers))
        self.norm = norm(config, config.hidden)
        tied = config.tied_embeddings
        self.head: nn.Module = TiedHead() if tied else Linear(config.hidden, config.vocab, bias=False)
        self.cap = SoftCap(config.logit_cap)
        self._decoders: list[DecodeBlock] = []

    @torch.no_grad()
    def prefill(self, tokens: Sequence[int]) -> tuple[Tensor, KvCache]:
        """Logits [vocab] after the last of ``tokens``, which start at position 0, and their cache."""
        x, layers = self.embedding(tokens, 0), []
        for number, block in enumerate(self.layers):
            x, k, v, *_ = run_prefill(block, self.config, x, self.config.layer_kind(number))
            layers.append((k, v))
        return self.logits(x[-1:])[0], KvCache(tuple(layers), len(tokens))

    def prefill_by_decode(self, tokens: Sequence[int]) -> tuple[Tensor, KvCache]:
        """Like :meth:`prefill`, but with one decode step per token, as on a design of the decode phase alone.

        Results of quantized blocks differ from a prefill's by a rounding: a decode step does not round the softmax
        weight of the token on itself.
        """
        # Attention needs at least one cached entry, so there is one, which is hidden.
        _, hidden = self.prefill(tokens[:1])
        logits, cache = self.decode(tokens[0], KvCache(hidden.layers, 0, padding=1))
        for token in tokens[1:]:
            logits, cache = self.decode(token, cache)
        return logits, cache

    @torch.no_grad()
    def decode(self, token: int, cache: KvCache) -> tuple[Tensor, KvCache]:
        """Logits [vocab] after the token that follows the cached ones, and the extended cache."""
        here = cache.positions
        x, layers = self.embedding([token], here), []
        for number, (block, (k, v)) in enumerate(zip(self._decode_blocks(), cache.layers, strict=True)):
            kind, padding = self.config.layer_kind(number), cache.padding
            x, k_new, v_new, *_ = run_decode(block, self.config, x, (k, v), here + padding, kind, padding=padding)
            layers.append((_appended(k, k_new), _appended(v, v_new)))
        return self.logits(x)[0], KvCache(tuple(layers), here + 1, cache.padding)

    def logits(self, x: Tensor) -> Tensor:
        """[n, hidden] after the last layer to [n, vocab]."""
        normed = self.norm(x)
        tied = (self.embedding.tokens,) if isinstance(self.head, TiedHead) else ()
        return self.cap(self.head(normed, *tied))

    def _decode_blocks(self) -> list[DecodeBlock]:
        # A plain list, made on first use: the blocks hold no weights but the prefill blocks'.
        if not self._decoders:
            self._decoders = [decode_twin(self.config, block) for block in self.layers]
        return self._decoders


def _appended(cache: CacheSide, new: CacheSide) -> CacheSide:
    if isinstance(cache, QuantizedTensor) and isinstance(new, QuantizedTensor):
        return QuantizedTensor(*(torch.cat(pair, 1) for pair in zip(cache, new, strict=True)))
    assert isinstance(cache, Tensor)
    assert isinstance(new, Tensor)
    return torch.cat([cache, new], 1)


def quantize_model(
    model: LanguageModel,
    scheme: QuantScheme,
    peaks: Peaks | None = None,
    chunk: int | None = None,
    maximum: Maximum = "chunk",
) -> LanguageModel:
    """A fake-quantized copy of a model; embedding and norms are shared, the head follows ``scheme.lm_head``.

    Args:
        model: model with weights.
        scheme: quantization scheme.
        peaks: result of ``observe_peaks(model, run)``, which static activations need.
        chunk: positions per chunk of online softmax; see :func:`quantize_block`.
        maximum: what the weights of such a chunk are under.

    Raises:
        InputError: static activations without peaks; weights that are not finite.
    """
    known = peaks or {}
    with torch.device("meta"):
        twin = LanguageModel(model.config)
    twin.embedding, twin.norm, twin.head = model.embedding, model.norm, model.head
    twin.layers = nn.ModuleList(
        quantize_block(block, scheme, _within(known, f"layers.{number}."), chunk, maximum)
        for number, block in enumerate(model.layers)
    )
    if scheme.quantizes and scheme.lm_head != "none":
        twin.head = _quantized_head(model, scheme.of_head, known.get("head"))
    return twin


def _within(peaks: Peaks, prefix: str) -> dict[str, float]:
    return {name.removeprefix(prefix): peak for name, peak in peaks.items() if name.startswith(prefix)}


def _quantized_head(model: LanguageModel, scheme: QuantScheme, peak: float | None) -> QuantLinear:
    head = model.head
    if isinstance(head, TiedHead):
        with torch.device("meta"):
            head = Linear(model.config.hidden, model.config.vocab, bias=False)
        head.weight = nn.Parameter(model.embedding.tokens.detach().T)
    assert isinstance(head, Linear)
    return QuantLinear(head, scheme, activation_quantizer(scheme, peak, "head", head))


# --- Greedy generation: the prompt in one prefill or in decode steps, then one decode step per further token


@dataclass(frozen=True)
class GeneratedTokens:
    """A generated continuation."""

    tokens: tuple[int, ...]  # generated token ids, without the prompt
    logits: Tensor  # [len(tokens), vocab], from which each token was chosen


def generate(
    model: LanguageModel, prompt: Sequence[int], new_tokens: int, *, by_decode: bool = False
) -> GeneratedTokens:
    """Continue a prompt by its most likely tokens: the first comes from the prefill, each further one from a decode.

    Args:
        model: model, quantized or not.
        prompt: token ids.
        new_tokens: tokens to generate, at least 1.
        by_decode: process the prompt in decode steps, token by token, instead of a prefill.

    Raises:
        InputError: an empty prompt, a token that is not in the vocabulary, or more positions than the model has.
    """
    check_request(model.config, prompt, new_tokens)
    logits, cache = model.prefill_by_decode(prompt) if by_decode else model.prefill(prompt)
    chosen, seen = [greedy(logits)], [logits]
    while len(chosen) < new_tokens:
        logits, cache = model.decode(chosen[-1], cache)
        chosen.append(greedy(logits))
        seen.append(logits)
    return GeneratedTokens(tuple(chosen), torch.stack(seen))


def check_request(config: DecoderConfig, prompt: Sequence[int], new_tokens: int) -> None:
    """Refuse a request that no engine can serve.

    Raises:
        InputError: see :func:`generate`.
    """
    if not prompt:
        raise InputError("bad-prompt", "the prompt is empty", where="prompt", hints=["give at least one token"])
    if new_tokens < 1:
        raise InputError(
            "bad-tokens", f"{new_tokens} tokens asked for", where="new_tokens", hints=["ask for at least 1"]
        )
    strange = next((token for token in prompt if not 0 <= token < config.vocab), None)
    if strange is not None:
        hints = [f"use tokens from 0 to {config.vocab - 1}"]
        raise InputError("bad-prompt", f"there is no token {strange}", where=config.name, hints=hints)
    # The last token is chosen but never fed back.
    positions = len(prompt) + new_tokens - 1
    if positions > config.max_context:
        raise InputError(
            "context-too-long",
            f"context past the limit of {config.public_name}",
            where=config.name,
            demand=positions,
            bound=config.max_context,
            unit="tokens",
            hints=["shorten the prompt or the answer"],
        )
