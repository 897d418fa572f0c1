"""Weights under the names of Hugging Face, renamed to ours; random weights for tests."""

import re
from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional

from sttest.core.errors import InputError
from sttest.models.config import DecoderConfig, Family
from sttest.models.families import family_of
from sttest.models.layers import LayerNorm, RMSNorm
from sttest.models.other_parts import other_part


def shown(name: object) -> str:
    """A name from a file, escaped and shortened for a one-line message."""
    text = str(name).encode("unicode_escape").decode("ascii")
    return text if len(text) <= 120 else text[:117] + "..."


# Module name of Hugging Face -> ours, per family.
_GPT2 = {
    "ln_1": "attn_norm",
    "attn.c_proj": "attn.o_proj",
    "ln_2": "mlp_norm",
    "mlp.c_fc": "mlp.fc1",
    "mlp.c_proj": "mlp.fc2",
}
_LLAMA = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn.q_proj",
    "self_attn.k_proj": "attn.k_proj",
    "self_attn.v_proj": "attn.v_proj",
    "self_attn.o_proj": "attn.o_proj",
    "post_attention_layernorm": "mlp_norm",
    "mlp.gate_proj": "mlp.gate_proj",
    "mlp.up_proj": "mlp.up_proj",
    "mlp.down_proj": "mlp.down_proj",
}
_QWEN3 = {**_LLAMA, "self_attn.q_norm": "attn.q_norm", "self_attn.k_norm": "attn.k_norm"}
_GEMMA2 = {
    **_QWEN3,
    "post_attention_layernorm": "attn_post_norm",
    "pre_feedforward_layernorm": "mlp_norm",
    "post_feedforward_layernorm": "mlp_post_norm",
}
_NO_NETWORK = {theirs: ours for theirs, ours in _QWEN3.items() if not theirs.startswith("mlp.")}
_OPT = {
    "self_attn.q_proj": "attn.q_proj",
    "self_attn.k_proj": "attn.k_proj",
    "self_attn.v_proj": "attn.v_proj",
    "self_attn.out_proj": "attn.o_proj",
    "self_attn_layer_norm": "attn_norm",
    "fc1": "mlp.fc1",
    "fc2": "mlp.fc2",
    "final_layer_norm": "mlp_norm",
}
_NAMES: dict[Family, dict[str, str]] = {
    "gpt2": _GPT2,
    "opt": _OPT,
    "llama": _LLAMA,
    "mistral": _LLAMA,
    "qwen2": _LLAMA,
    "qwen3": _QWEN3,
    "gemma": _LLAMA,
    "gemma2": _GEMMA2,
    "gemma3_text": _GEMMA2,
    "phi3": _LLAMA,
    "qwen3_moe": _NO_NETWORK,
    "mixtral": _NO_NETWORK,
}
_OPT_POSITIONS = 2
"""Rows of OPT's learned positions before that of position 0 (Hugging Face, OPTLearnedPositionalEmbedding)."""
# Tensor name of Hugging Face outside the layers -> ours.
_HOST = {
    "wte.weight": "embedding.tokens",
    "wpe.weight": "embedding.positions",
    "ln_f.weight": "norm.weight",
    "ln_f.bias": "norm.bias",
    "embed_tokens.weight": "embedding.tokens",
    "norm.weight": "norm.weight",
    "lm_head.weight": "head.weight",
    "embed_positions.weight": "embedding.positions",
    "final_layer_norm.weight": "norm.weight",
    "final_layer_norm.bias": "norm.bias",
}
# Published GPT-2 checkpoints omit the prefix; OPT's layers are a decoder's; Gemma 3 with vision has a language model.
_PREFIX = re.compile(r"^(transformer\.|language_model\.model\.|(model\.)?(decoder|language_model)\.|model\.)")
_LAYER = re.compile(r"(?:h|layers)\.(0|[1-9][0-9]{0,5})\.(.+)")
# Buffers in some checkpoints that no block needs.
_IGNORED = ("attn.bias", "attn.masked_bias", "self_attn.rotary_emb.inv_freq")


def layer_state(config: DecoderConfig, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of one Hugging Face decoder layer under our names, matrices stored [inputs, outputs].

    Raises:
        InputError: a tensor has no counterpart.
    """
    ours = _from_gpt2(state) if config.family == "gpt2" else _from_linears(config, state)
    return {name: _with_padded_ffn(config, name, tensor) for name, tensor in ours.items()}


def _from_linears(config: DecoderConfig, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    names = _NAMES[config.family]
    parts = _split_phi3(config, state) if config.family == "phi3" else state
    own, rest = family_of(config).take_tensors(config, parts)
    # nn.Linear stores [outputs, inputs].
    ours = {_renamed(name, names): tensor.T if tensor.dim() == 2 else tensor for name, tensor in _needed(rest)}
    return ours | own


def _split_phi3(config: DecoderConfig, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Queries, keys and values, which lie in one matrix [outputs, inputs], and gate and up in another, apart."""
    query, key = config.heads * config.head_dim, config.kv_heads * config.head_dim
    fused = {
        "self_attn.qkv_proj.weight": dict(zip("qkv", (query, key, key), strict=True)),
        "mlp.gate_up_proj.weight": dict.fromkeys(("gate", "up"), config.ffn - config.ffn_padding),
    }
    found: dict[str, Tensor] = {}
    for name, tensor in state.items():
        if name not in fused:
            found[name] = tensor
            continue
        rows = fused[name]
        if tensor.dim() != 2 or len(tensor) != sum(rows.values()):
            what = f"shape {list(tensor.shape)} where {config.public_name} has {sum(rows.values())} rows"
            raise InputError("bad-weights", what, where=name, hints=["give a checkpoint of that size"])
        for part, piece in zip(rows, tensor.split(list(rows.values())), strict=True):
            found[f"{name.partition('.')[0]}.{part}_proj.weight"] = piece
    return found


def model_state(config: DecoderConfig, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of a whole Hugging Face model under the names of ``LanguageModel``, matrices [inputs, outputs].

    If a tied model stores its head nevertheless, that is included as ``head.weight``.

    Raises:
        InputError: a tensor has no counterpart, or shares it with another one.
    """
    ours: dict[str, Tensor] = {}
    layers: dict[str, dict[str, Tensor]] = {}
    for name, tensor in state.items():
        local = _PREFIX.sub("", name)
        found = _LAYER.fullmatch(local)
        place, leaf = (layers.setdefault(found[1], {}), found[2]) if found else (ours, _HOST.get(local, ""))
        if not leaf:
            raise InputError(
                "bad-weights",
                "no part of the model takes this tensor",
                where=shown(name),
                hints=["load a checkpoint of the family"],
            )
        if leaf in place:
            hints = ["keep one of them"]
            raise InputError("bad-weights", "given twice, with and without a prefix", where=shown(name), hints=hints)
        place[leaf] = tensor.T if leaf == "head.weight" else tensor
    if config.family == "opt" and "embedding.positions" in ours:
        ours["embedding.positions"] = ours["embedding.positions"][_OPT_POSITIONS:]
    for number, layer in layers.items():
        ours |= {f"layers.{number}.{name}": tensor for name, tensor in layer_state(config, layer).items()}
    return ours


_WIDENING, _NARROWING = ("mlp.fc1", "mlp.gate_proj", "mlp.up_proj"), ("mlp.fc2", "mlp.down_proj")


def _with_padded_ffn(config: DecoderConfig, name: str, tensor: Tensor) -> Tensor:
    """Zeros in the columns by which a configuration widens the feed-forward network: what they give, nobody weighs."""
    module, _, leaf = name.rpartition(".")
    if module in _WIDENING:
        return functional.pad(tensor, (0, config.ffn_padding))
    if module in _NARROWING and leaf == "weight":
        return functional.pad(tensor, (0, 0, 0, config.ffn_padding))
    return tensor


def _from_gpt2(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    ours: dict[str, Tensor] = {}
    for name, tensor in _needed(state):
        module, _, leaf = name.rpartition(".")
        if module != "attn.c_attn":
            ours[_renamed(name, _GPT2)] = tensor
            continue
        if tensor.dim() == 0 or tensor.shape[-1] % 3:
            what = f"shape {list(tensor.shape)} does not hold queries, keys and values"
            raise InputError("bad-weights", what, where=name, hints=["load a layer of GPT-2"])
        # One matrix [inputs, 3 * outputs] holds queries, keys and values side by side.
        for ours_name, part in zip("qkv", tensor.chunk(3, dim=-1), strict=True):
            ours[f"attn.{ours_name}_proj.{leaf}"] = part
    return ours


def is_ignored(name: str) -> bool:
    """Whether a tensor of a checkpoint is a buffer that no block needs, or of another part than the text model."""
    if other_part(name) is not None:
        return True
    found = _LAYER.fullmatch(_PREFIX.sub("", name))
    return found is not None and found[2] in _IGNORED


def _needed(state: Mapping[str, Tensor]) -> list[tuple[str, Tensor]]:
    return [(name, tensor) for name, tensor in state.items() if name not in _IGNORED]


def _renamed(name: str, names: Mapping[str, str]) -> str:
    module, _, leaf = name.rpartition(".")
    if module not in names:
        raise InputError(
            "bad-weights",
            "no part of the block takes this tensor",
            where=shown(name),
            hints=["load a layer of the family"],
        )
    return f"{names[module]}.{leaf}"


def randomize(block: nn.Module, seed: int = 0) -> None:
    """Fill ``block`` with random weights that keep activations near unit size."""
    fill(block, torch.Generator().manual_seed(seed))


def fill(module: nn.Module, generator: torch.Generator) -> None:
    """Fill ``module`` with random weights of a generator; see :func:`randomize`.

    A module whose weights begin otherwise has a method ``settle``, which is given the generator.
    """
    with torch.no_grad():
        for parameter in module.parameters():
            spread = parameter.shape[-2] ** -0.5 if parameter.dim() >= 2 else 0.1
            parameter.copy_(spread * torch.randn(parameter.shape, generator=generator))
        for child in module.modules():
            settle = getattr(child, "settle", None)
            if settle is not None:
                settle(generator)
            if isinstance(child, LayerNorm) or (isinstance(child, RMSNorm) and not child.plus_one):
                child.weight.add_(1.0)
