"""Where a layer of transformers has what a block of ours computes: its modules by the names of our streams.

A table per family, by ``model_type``, in the order in which a layer computes: every stream stands behind those that it
is made of, so that the first one that differs is where the difference begins.
"""

from dataclasses import dataclass
from typing import Literal

Source = Literal["output", "input", "weights", "keys", "mask", "rope"]
Part = Literal["", "q", "k", "v", "gate", "up"]

RESULT = "mlp_residual"
"""The stream that a layer gives to the next."""
ROPE = "rope"
"""Cosines and sines of the rotary embedding, which both sides compute outside of the layer."""


@dataclass(frozen=True)
class Tap:
    """One stream of ours, and where transformers has it."""

    stream: str  # module of our block, with an underscore for each dot
    module: str  # module of their layer; the layer itself if empty
    # what of the module: its first output or input; of attention its weights, its keys in the cache, or an argument
    source: Source = "output"
    part: Part = ""  # which one, where a product is several of ours side by side
    heads_first: bool = False  # whether [heads, tokens, head_dim] instead of [tokens, heads, head_dim]


def _projections(attention: str, *, fused: str = "") -> tuple[Tap, ...]:
    module = fused or "{}_proj"
    parts: tuple[Part, ...] = ("q", "k", "v")
    return tuple(
        Tap(f"attn_{part}_proj", f"{attention}.{module.format(part)}", part=part if fused else "") for part in parts
    )


def _normed(*, heads_first: bool) -> tuple[Tap, ...]:
    return tuple(Tap(f"attn_{part}_norm", f"self_attn.{part}_norm", heads_first=heads_first) for part in "qk")


def _attended(attention: str, output: str, *, rotary: bool = True) -> tuple[Tap, ...]:
    turned = (Tap(ROPE, attention, "rope"), Tap("attn_k_rope", attention, "keys", heads_first=True))
    return (
        *(turned if rotary else ()),
        Tap("mask", attention, "mask"),
        Tap("attn_softmax", attention, "weights", heads_first=True),
        Tap("attn_normalize", f"{attention}.{output}", "input"),
        Tap("attn_o_proj", f"{attention}.{output}"),
    )


def _network(norm: str, *layers: Tap) -> tuple[Tap, ...]:
    return Tap("attn_residual", norm, "input"), Tap("mlp_norm", norm), *layers


_GATED = (
    Tap("mlp_gate_proj", "mlp.gate_proj"),
    Tap("mlp_up_proj", "mlp.up_proj"),
    Tap("mlp_act", "mlp.down_proj", "input"),
    Tap("mlp_down_proj", "mlp.down_proj"),
)
_FUSED_GATED = (
    Tap("mlp_gate_proj", "mlp.gate_up_proj", part="gate"),
    Tap("mlp_up_proj", "mlp.gate_up_proj", part="up"),
    *_GATED[2:],
)
_EXPERTS = (Tap("mlp_router_proj", "mlp.gate"), Tap("mlp", "mlp"))
_RESULT = Tap(RESULT, "")


def _llama(
    *network: Tap,
    projections: tuple[Tap, ...] = _projections("self_attn"),
    normed: tuple[Tap, ...] = (),
    norm: str = "post_attention_layernorm",
    attended: tuple[Tap, ...] = (),
) -> tuple[Tap, ...]:
    return (
        Tap("attn_norm", "input_layernorm"),
        *projections,
        *normed,
        *_attended("self_attn", "o_proj"),
        *attended,
        *_network(norm, *network),
        _RESULT,
    )


def _gemma(*normed: Tap) -> tuple[Tap, ...]:
    """Gemma 2 and 3, which norm what attention and network give, too."""
    return _llama(
        *_GATED,
        Tap("mlp_post_norm", "post_feedforward_layernorm"),
        normed=normed,
        norm="pre_feedforward_layernorm",
        attended=(Tap("attn_post_norm", "post_attention_layernorm"),),
    )


_TOKEN_FIRST, _HEADS_FIRST = _normed(heads_first=False), _normed(heads_first=True)
_FAMILIES: dict[str, tuple[Tap, ...]] = {
    "gpt2": (
        Tap("attn_norm", "ln_1"),
        *_projections("attn", fused="c_attn"),
        *_attended("attn", "c_proj", rotary=False),
        *_network(
            "ln_2", Tap("mlp_fc1", "mlp.c_fc"), Tap("mlp_act", "mlp.c_proj", "input"), Tap("mlp_fc2", "mlp.c_proj")
        ),
        _RESULT,
    ),
    "opt": (
        Tap("attn_norm", "self_attn_layer_norm"),
        *_projections("self_attn"),
        *_attended("self_attn", "out_proj", rotary=False),
        *_network("final_layer_norm", Tap("mlp_fc1", "fc1"), Tap("mlp_act", "fc2", "input"), Tap("mlp_fc2", "fc2")),
        _RESULT,
    ),
    "phi3": _llama(*_FUSED_GATED, projections=_projections("self_attn", fused="qkv_proj")),
    **dict.fromkeys(("llama", "mistral", "qwen2", "gemma"), _llama(*_GATED)),
    "qwen3": _llama(*_GATED, normed=_TOKEN_FIRST),
    "gemma2": _gemma(),
    "gemma3_text": _gemma(*_HEADS_FIRST),
    "qwen3_moe": _llama(*_EXPERTS, normed=_TOKEN_FIRST),
    "mixtral": _llama(*_EXPERTS),
}
FINAL_NORMS = ("norm", "ln_f", "final_layer_norm")
"""Names of the norm behind the last layer."""
POSITIONS = ("wpe", "embed_positions")
"""Names of learned positions."""


def taps_of(model_type: str) -> tuple[Tap, ...]:
    """The streams that a layer of a family has, in order; of a family that is not known its result alone."""
    return _FAMILIES.get(model_type, (_RESULT,))
