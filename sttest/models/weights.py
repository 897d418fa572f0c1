"""Weights of a block: from a Hugging Face layer, or random ones for tests."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from sttest.errors import InputError
from sttest.models.config import DecoderConfig
from sttest.models.layers import LayerNorm, RMSNorm

# Their name of a module -> ours, per family.
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
_GEMMA3 = {
    **_LLAMA,
    "self_attn.q_norm": "attn.q_norm",
    "self_attn.k_norm": "attn.k_norm",
    "post_attention_layernorm": "attn_post_norm",
    "pre_feedforward_layernorm": "mlp_norm",
    "post_feedforward_layernorm": "mlp_post_norm",
}
# Buffers that some checkpoints carry and no block needs.
_IGNORED = ("attn.bias", "attn.masked_bias", "self_attn.rotary_emb.inv_freq")


def load_layer(block: nn.Module, config: DecoderConfig, state: Mapping[str, Tensor]) -> None:
    """Copy the weights of one Hugging Face decoder layer into ``block``.

    Args:
        block: a prefill or decode block of ``config``, not on the meta device.
        config: its configuration.
        state: the layer's tensors by their names within the layer, such as ``self_attn.q_proj.weight``.

    Raises:
        InputError: a tensor is missing, unknown or of another shape.
    """
    ours = layer_state(config, state)
    expected = block.state_dict()
    missing, unknown = sorted(expected.keys() - ours.keys()), sorted(ours.keys() - expected.keys())
    if missing or unknown:
        raise InputError(
            "bad-weights",
            f"weights do not fit the block: missing {missing or 'none'}, without a place {unknown or 'none'}",
            where=config.name,
            levers=["load a layer of the same family"],
        )
    for name, tensor in ours.items():
        if tensor.shape != expected[name].shape:
            raise InputError(
                "bad-weights",
                f"shape {list(tensor.shape)} where the block has {list(expected[name].shape)}",
                where=name,
                levers=["load a layer of the same size"],
            )
    block.load_state_dict(ours)


def layer_state(config: DecoderConfig, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of one Hugging Face decoder layer under our names, matrices stored [inputs, outputs].

    Raises:
        InputError: a tensor has no counterpart.
    """
    if config.norm == "layernorm":
        return _from_gpt2(state)
    names = _GEMMA3 if config.post_norms else _LLAMA
    # nn.Linear stores [outputs, inputs].
    return {_renamed(name, names): tensor.T if tensor.dim() == 2 else tensor for name, tensor in _needed(state)}


def _from_gpt2(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    ours: dict[str, Tensor] = {}
    for name, tensor in _needed(state):
        module, _, leaf = name.rpartition(".")
        if module != "attn.c_attn":
            ours[_renamed(name, _GPT2)] = tensor
            continue
        # One matrix [inputs, 3 * outputs] holds queries, keys and values side by side.
        for ours_name, part in zip("qkv", tensor.chunk(3, dim=-1), strict=True):
            ours[f"attn.{ours_name}_proj.{leaf}"] = part
    return ours


def _needed(state: Mapping[str, Tensor]) -> list[tuple[str, Tensor]]:
    return [(name, tensor) for name, tensor in state.items() if name not in _IGNORED]


def _renamed(name: str, names: Mapping[str, str]) -> str:
    module, _, leaf = name.rpartition(".")
    if module not in names:
        raise InputError(
            "bad-weights", "no part of the block takes this tensor", where=name, levers=["load a layer of the family"]
        )
    return f"{names[module]}.{leaf}"


def randomise(block: nn.Module, seed: int = 0) -> None:
    """Fill ``block`` with weights that keep activations near unit size: for tests and for timing without weights."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in block.parameters():
            spread = parameter.shape[0] ** -0.5 if parameter.dim() == 2 else 0.1
            parameter.copy_(spread * torch.randn(parameter.shape, generator=generator))
        for module in block.modules():
            if isinstance(module, LayerNorm) or (isinstance(module, RMSNorm) and not module.plus_one):
                module.weight.add_(1.0)
