"""The models that sttest knows by name."""

from dataclasses import replace

from sttest.core.errors import InputError, did_you_mean
from sttest.models.config import DecoderConfig, RopeScaling

_TABLE_7 = "StreamTensor (MICRO 2025) table 7"

_GPT2 = DecoderConfig(
    name="gpt2",
    public_name="GPT-2 Medium",
    layers=24,
    hidden=1024,
    ffn=4096,
    heads=16,
    kv_heads=16,
    head_dim=64,
    vocab=50257,
    max_context=1024,
    activation="gelu_tanh",
    norm="layernorm",
    eps=1e-5,
    gated=False,
    qkv_bias=True,
    o_bias=True,
    mlp_bias=True,
    source=f"{_TABLE_7}; Hugging Face openai-community/gpt2-medium config.json",
)

_QWEN = DecoderConfig(
    name="qwen",
    public_name="Qwen2.5-0.5B",
    layers=24,
    hidden=896,
    ffn=4864,
    heads=14,
    kv_heads=2,
    head_dim=64,
    vocab=151936,
    max_context=32768,
    activation="silu",
    norm="rmsnorm",
    eps=1e-6,
    qkv_bias=True,
    rope_theta=1_000_000.0,
    source=f"{_TABLE_7}; Hugging Face Qwen/Qwen2.5-0.5B config.json (use_sliding_window=false)",
)

_LLAMA = DecoderConfig(
    name="llama",
    public_name="TinyLlama-1.1B",
    layers=22,
    hidden=2048,
    ffn=5632,
    heads=32,
    kv_heads=4,
    head_dim=64,
    vocab=32000,
    max_context=2048,
    activation="silu",
    norm="rmsnorm",
    eps=1e-5,
    rope_theta=10_000.0,
    tied_embeddings=False,
    source=(
        f"{_TABLE_7}, which cites Llama-3.2-1B but has TinyLlama's shape; "
        "Hugging Face TinyLlama/TinyLlama-1.1B-Chat-v1.0 config.json"
    ),
)

_LLAMA_3_2_1B = DecoderConfig(
    name="llama-3.2-1b",
    public_name="Llama-3.2-1B",
    layers=16,
    hidden=2048,
    ffn=8192,
    heads=32,
    kv_heads=8,
    head_dim=64,
    vocab=128256,
    max_context=131072,
    activation="silu",
    norm="rmsnorm",
    eps=1e-5,
    rope_theta=500_000.0,
    rope_scaling=RopeScaling(factor=32.0, low=1.0, high=4.0, original_context=8192),
    source="Hugging Face meta-llama/Llama-3.2-1B-Instruct config.json",
)

_GEMMA = DecoderConfig(
    name="gemma",
    public_name="Gemma-3-1B",
    layers=26,
    hidden=1152,
    ffn=6912,
    heads=4,
    kv_heads=1,
    head_dim=256,
    vocab=262144,
    max_context=32768,
    activation="gelu_tanh",
    norm="rmsnorm_plus_one",
    eps=1e-6,
    qk_norm=True,
    post_norms=True,
    rope_theta=1_000_000.0,
    local_rope_theta=10_000.0,
    sliding_window=512,
    global_every=6,
    source=(
        f"{_TABLE_7}; Hugging Face transformers, convert_gemma3_weights.py (variant gemma3_1b) and Gemma3TextConfig"
    ),
)

CONFIGS: dict[str, DecoderConfig] = {config.name: config for config in (_GPT2, _QWEN, _LLAMA, _LLAMA_3_2_1B, _GEMMA)}

SMALL = "small-"
"""Stands before the name of a family at test sizes."""

# Widths at which a block keeps every feature of its family: several heads, as
# many query heads per key-value head as fit, head_dim * heads unlike hidden
# where the family has it so, and a window that 32 tokens overrun.
_SMALL_SIZES: dict[str, dict[str, int]] = {
    "gpt2": {"hidden": 64, "ffn": 128, "heads": 4, "kv_heads": 4, "head_dim": 16},
    "qwen": {"hidden": 128, "ffn": 256, "heads": 4, "kv_heads": 2, "head_dim": 32},
    "llama": {"hidden": 128, "ffn": 256, "heads": 4, "kv_heads": 2, "head_dim": 32},
    "llama-3.2-1b": {"hidden": 128, "ffn": 384, "heads": 4, "kv_heads": 2, "head_dim": 32},
    "gemma": {"hidden": 64, "ffn": 256, "heads": 4, "kv_heads": 1, "head_dim": 32, "sliding_window": 16},
}


def get_config(name: str) -> DecoderConfig:
    """The configuration called ``name``.

    Raises:
        InputError: no model has that name; the message tells the nearest one.
    """
    if name not in CONFIGS:
        raise InputError(
            "unknown-model", f"there is no model '{name}'", where="model", hints=[did_you_mean(name, CONFIGS)]
        )
    return CONFIGS[name]


def model_config(name: str) -> DecoderConfig:
    """A model of the registry, or with ``small-`` before its name the family at test sizes.

    Raises:
        InputError: no model has that name.
    """
    if name.startswith(SMALL):
        return small(get_config(name.removeprefix(SMALL)))
    return get_config(name)


def small(config: DecoderConfig) -> DecoderConfig:
    """The same family at sizes for tests: every feature kept, widths multiples of 16, called ``small-<name>``."""
    sizes = _SMALL_SIZES[get_config(config.name).name]
    return replace(
        config,
        name=f"{SMALL}{config.name}",
        layers=6,
        vocab=256,
        max_context=128,
        source=f"reduced from: {config.source}",
        **sizes,
    )
