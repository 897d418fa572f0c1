"""A configuration at sizes for tests: few heads of few elements, and all else in proportion.

What a layer computes stays as it is: how many query heads share a key, whether heads are as wide as the hidden state,
which part of a head is rotated, which experts are chosen among how many.
"""

from collections.abc import Mapping
from typing import Any

HEAD_DIM = 16
_MOST_HEADS = 4
_MOST_EXPERTS = 4
_VOCABULARY = 96
_POSITIONS = 64

_HIDDEN = ("hidden_size", "n_embd", "d_model", "dim", "embed_dim")
_HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads")
_KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv")
_HEAD_DIMS = (
    "head_dim",
    "kv_channels",
    "d_kv",
    "global_head_dim",
    "v_head_dim",
    "qk_nope_head_dim",
    "attention_head_dim",
)
_IN_PROPORTION = (
    "intermediate_size", "ffn_dim", "encoder_ffn_dim", "decoder_ffn_dim", "d_ff", "n_inner", "ffn_hidden_size",
    "hidden_dim", "moe_intermediate_size", "shared_expert_intermediate_size", "shared_intermediate_size",
    "mlp_hidden_size", "word_embed_proj_dim", "embedding_size", "q_lora_rank", "kv_lora_rank",
    "hidden_size_per_layer_input", "attention_hidden_size", "dense_intermediate_size", "expert_ffn_hidden_size",
    "ffn_embed_dim", "intermediate_size_mlp",
)  # fmt: skip
_BY_HEAD = ("rotary_dim", "qk_rope_head_dim", "index_head_dim")
_STATES = ("state_size", "mamba_d_state")
_EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
_CHOSEN = ("num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_k", "top_k_experts", "moe_topk")
_POSITION_COUNTS = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "max_source_positions")


def shrunk(data: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration, all fields of which are given, at sizes for tests.

    Args:
        data: its fields; configurations of parts of a model, which are dicts in it, are shrunk themselves.
    """
    found = {key: shrunk(each) if _is_part(each) else each for key, each in data.items()}
    hidden, heads = _first(data, _HIDDEN), _first(data, _HEADS)
    if hidden is None or heads is None:
        return found
    wide = _first(data, ("head_dim", "kv_channels", "d_kv")) or max(1, hidden // heads)
    kept_heads = min(heads, _MOST_HEADS)
    kept_hidden = _multiple(hidden * kept_heads * HEAD_DIM / (heads * wide), at_least=2 * HEAD_DIM)
    if hidden % heads == 0 and hidden // heads == wide:
        kept_hidden = kept_heads * HEAD_DIM
    for name in data:
        found[name] = _field(name, found[name], kept_hidden, kept_heads, hidden, heads, wide)
    _shrink_states(found, data, hidden, kept_hidden)
    _shrink_rotation(found, wide)
    _shrink_sequence(found)
    return found


def _field(name: str, value: Any, kept_hidden: int, kept_heads: int, hidden: int, heads: int, wide: int) -> Any:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        return value
    if name in _HIDDEN:
        return kept_hidden
    if name in _HEADS or name.endswith("_attention_heads"):
        return kept_heads
    if name in _KV_HEADS:
        return value if value == 1 else kept_heads if value == heads else max(1, kept_heads // min(2, heads // value))
    if name in _HEAD_DIMS:
        return HEAD_DIM
    if name in _BY_HEAD:
        return max(4, value * HEAD_DIM // wide // 4 * 4)
    if name == "qk_head_dim":
        return None
    if name in _IN_PROPORTION:
        return _multiple(min(value * kept_hidden / hidden, 4 * kept_hidden), at_least=HEAD_DIM)
    if name == "n_groups":
        return min(value, max(1, kept_heads // 2))
    if name in _STATES:
        return min(value, HEAD_DIM)
    if name in _EXPERTS:
        return min(value, _MOST_EXPERTS)
    if name in _CHOSEN:
        return min(value, 2)
    return value


def _shrink_states(found: dict[str, Any], data: Mapping[str, Any], hidden: int, kept_hidden: int) -> None:
    """Heads of a state space that together are as wide as the expanded hidden state stay so."""
    count, size, expand = (_first(data, (name,)) for name in ("mamba_n_heads", "mamba_d_head", "mamba_expand"))
    if count and size and expand and count * size == expand * hidden:
        found["mamba_d_head"], found["mamba_n_heads"] = HEAD_DIM, expand * kept_hidden // HEAD_DIM


def _shrink_rotation(found: dict[str, Any], wide: int) -> None:
    """Sections of a head that are rotated by positions of their own keep their proportions."""
    for rope in (found.get("rope_parameters"), found.get("rope_scaling")):
        sections = rope.get("mrope_section") if isinstance(rope, dict) else None
        if isinstance(rope, dict) and isinstance(sections, list) and sections:
            share = HEAD_DIM / wide
            kept = [max(1, int(each * share)) for each in sections]
            rope["mrope_section"] = [HEAD_DIM // 2 - sum(kept[1:]), *kept[1:]]


def _shrink_sequence(found: dict[str, Any]) -> None:
    """Few words, few positions, few patches; what groups experts lets all of them be chosen."""
    for name, value in list(found.items()):
        if name in ("vocab_size", "vocab_size_per_layer_input"):
            found[name] = _VOCABULARY
        elif name in _POSITION_COUNTS and isinstance(value, int):
            found[name] = min(value, _POSITIONS)
        elif name.endswith("_token_id") and isinstance(value, int | list):
            found[name] = value % _VOCABULARY if isinstance(value, int) else [each % _VOCABULARY for each in value]
        elif name in ("n_group", "topk_group") and isinstance(value, int):
            found[name] = min(value, 2 if name == "n_group" else 1)
    patch = found.get("patch_size")
    if isinstance(found.get("image_size"), int) and isinstance(patch, int):
        found["image_size"] = 4 * patch


def _is_part(value: Any) -> bool:
    return isinstance(value, dict) and (_first(value, _HIDDEN) is not None or "model_type" in value)


def _first(data: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    values = (data.get(name) for name in names)
    return next((each for each in values if isinstance(each, int) and each > 0), None)


def _multiple(value: float, at_least: int) -> int:
    """A multiple of 16 near a number."""
    return max(at_least, round(value / HEAD_DIM) * HEAD_DIM)
