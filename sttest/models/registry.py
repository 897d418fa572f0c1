"""The door of models: those that are known by name.

    Offer("models", "my-model", "my_package.models:MY_MODEL")

is a :class:`DecoderConfig` so called.
"""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from sttest.core.errors import InputError, did_you_mean, note
from sttest.core.extensions import HOW_TO_INSTALL, has_systems, loaded
from sttest.core.plain_files import is_folder, is_there
from sttest.models.config import DecoderConfig, LayerKind, LinearScaling, Llama3Scaling
from sttest.models.config_file import CONFIG_FILE, is_config_path, read_config
from sttest.models.families import family_of

_TABLE_7 = "StreamTensor (MICRO 2025) table 7"


def _card(repository: str, part: str = "") -> str:
    return f"Hugging Face {repository} config.json{f' ({part})' if part else ''}"


_GPT2 = DecoderConfig(
    name="gpt2",
    public_name="GPT-2 Medium",
    family="gpt2",
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
    family="qwen2",
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
    family="llama",
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
    family="llama",
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
    rope_scaling=Llama3Scaling(factor=32.0, low=1.0, high=4.0, original_context=8192),
    source="Hugging Face meta-llama/Llama-3.2-1B-Instruct config.json",
)

_GEMMA = DecoderConfig(
    name="gemma",
    public_name="Gemma-3-1B",
    family="gemma3_text",
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

_GPT2_SMALL = replace(
    _GPT2,
    name="gpt2-small",
    public_name="GPT-2",
    layers=12,
    hidden=768,
    ffn=3072,
    heads=12,
    kv_heads=12,
    source=_card("openai-community/gpt2"),
)
_GPT2_LARGE = replace(
    _GPT2,
    name="gpt2-large",
    public_name="GPT-2 Large",
    layers=36,
    hidden=1280,
    ffn=5120,
    heads=20,
    kv_heads=20,
    source=_card("openai-community/gpt2-large"),
)
_GPT2_XL = replace(
    _GPT2,
    name="gpt2-xl",
    public_name="GPT-2 XL",
    layers=48,
    hidden=1600,
    ffn=6400,
    heads=25,
    kv_heads=25,
    source=_card("openai-community/gpt2-xl"),
)
_OPT_125M = replace(
    _GPT2_SMALL,
    name="opt-125m",
    public_name="OPT-125M",
    family="opt",
    activation="relu",
    vocab=50272,
    max_context=2048,
    source=_card("facebook/opt-125m"),
)
_OPT_1_3B = replace(
    _OPT_125M,
    name="opt-1.3b",
    public_name="OPT-1.3B",
    layers=24,
    hidden=2048,
    ffn=8192,
    heads=32,
    kv_heads=32,
    source=_card("facebook/opt-1.3b"),
)
_LLAMA_2_7B = replace(
    _LLAMA,
    name="llama-2-7b",
    public_name="Llama-2-7B",
    layers=32,
    hidden=4096,
    ffn=11008,
    heads=32,
    kv_heads=32,
    head_dim=128,
    max_context=4096,
    source=_card("meta-llama/Llama-2-7b-hf"),
)
_LLAMA_3_1_8B = replace(
    _LLAMA_3_2_1B,
    name="llama-3.1-8b",
    public_name="Llama-3.1-8B",
    layers=32,
    hidden=4096,
    ffn=14336,
    heads=32,
    head_dim=128,
    tied_embeddings=False,
    rope_scaling=Llama3Scaling(factor=8.0, low=1.0, high=4.0, original_context=8192),
    source=_card("meta-llama/Llama-3.1-8B"),
)
_LLAMA_3_2_3B = replace(
    _LLAMA_3_2_1B,
    name="llama-3.2-3b",
    public_name="Llama-3.2-3B",
    layers=28,
    hidden=3072,
    heads=24,
    head_dim=128,
    source=_card("meta-llama/Llama-3.2-3B"),
)
_SMOLLM2_135M = replace(
    _LLAMA,
    name="smollm2-135m",
    public_name="SmolLM2-135M",
    layers=30,
    hidden=576,
    ffn=1536,
    heads=9,
    kv_heads=3,
    vocab=49152,
    max_context=8192,
    rope_theta=100_000.0,
    tied_embeddings=True,
    source=_card("HuggingFaceTB/SmolLM2-135M"),
)
_SMOLLM2_360M = replace(
    _SMOLLM2_135M,
    name="smollm2-360m",
    public_name="SmolLM2-360M",
    layers=32,
    hidden=960,
    ffn=2560,
    heads=15,
    kv_heads=5,
    source=_card("HuggingFaceTB/SmolLM2-360M"),
)
_QWEN3_0_6B = replace(
    _QWEN,
    name="qwen3-0.6b",
    public_name="Qwen3-0.6B",
    family="qwen3",
    layers=28,
    hidden=1024,
    ffn=3072,
    heads=16,
    kv_heads=8,
    head_dim=128,
    max_context=40960,
    qkv_bias=False,
    qk_norm=True,
    source=_card("Qwen/Qwen3-0.6B"),
)
_QWEN3_8B = replace(
    _QWEN3_0_6B,
    name="qwen3-8b",
    public_name="Qwen3-8B",
    layers=36,
    hidden=4096,
    ffn=12288,
    heads=32,
    tied_embeddings=False,
    source=_card("Qwen/Qwen3-8B"),
)
_MISTRAL_7B = replace(
    _LLAMA,
    name="mistral-7b",
    public_name="Mistral-7B",
    family="mistral",
    layers=32,
    hidden=4096,
    ffn=14336,
    heads=32,
    kv_heads=8,
    head_dim=128,
    max_context=32768,
    sliding_window=4096,
    global_every=0,
    source=_card("mistralai/Mistral-7B-v0.1"),
)
_PHI_3_MINI = replace(
    _LLAMA,
    name="phi-3-mini",
    public_name="Phi-3-mini-4k",
    family="phi3",
    layers=32,
    hidden=3072,
    ffn=8192,
    heads=32,
    kv_heads=32,
    head_dim=96,
    vocab=32064,
    max_context=4096,
    sliding_window=2047,
    global_every=0,
    source=_card("microsoft/Phi-3-mini-4k-instruct"),
)
_GEMMA_2_2B = replace(
    _GEMMA,
    name="gemma-2-2b",
    public_name="Gemma-2-2B",
    family="gemma2",
    layers=26,
    hidden=2304,
    ffn=9216,
    heads=8,
    kv_heads=4,
    vocab=256000,
    max_context=8192,
    qk_norm=False,
    rope_theta=10_000.0,
    local_rope_theta=None,
    sliding_window=4096,
    global_every=2,
    attention_cap=50.0,
    logit_cap=30.0,
    source=_card("google/gemma-2-2b"),
)
_GEMMA_3_4B = replace(
    _GEMMA,
    name="gemma-3-4b",
    public_name="Gemma-3-4B",
    layers=34,
    hidden=2560,
    ffn=10240,
    heads=8,
    kv_heads=4,
    vocab=262208,
    max_context=131072,
    sliding_window=1024,
    rope_scaling=LinearScaling(factor=8.0),
    source=_card("google/gemma-3-4b-pt", "text_config"),
)

_QWEN3_30B_A3B = replace(
    _QWEN3_0_6B,
    name="qwen3-30b-a3b",
    public_name="Qwen3-30B-A3B",
    family="qwen3_moe",
    layers=48,
    hidden=2048,
    ffn=768,
    heads=32,
    kv_heads=4,
    tied_embeddings=False,
    experts=128,
    experts_per_token=8,
    source=_card("Qwen/Qwen3-30B-A3B"),
)
_MIXTRAL_8X7B = replace(
    _MISTRAL_7B,
    name="mixtral-8x7b",
    public_name="Mixtral-8x7B",
    family="mixtral",
    rope_theta=1_000_000.0,
    sliding_window=None,
    global_every=1,
    experts=8,
    experts_per_token=2,
    source=_card("mistralai/Mixtral-8x7B-v0.1"),
)

CONFIGS: dict[str, DecoderConfig] = {
    config.name: config
    for config in (
        _GPT2, _QWEN, _LLAMA, _LLAMA_3_2_1B, _GEMMA, _GPT2_SMALL, _GPT2_LARGE, _GPT2_XL, _OPT_125M, _OPT_1_3B,
        _LLAMA_2_7B, _LLAMA_3_1_8B, _LLAMA_3_2_3B, _SMOLLM2_135M, _SMOLLM2_360M, _QWEN3_0_6B, _QWEN3_8B, _MISTRAL_7B,
        _PHI_3_MINI, _GEMMA_2_2B, _GEMMA_3_4B, _QWEN3_30B_A3B, _MIXTRAL_8X7B,
    )
}  # fmt: skip

_SMALL_LAYERS = 6
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


_DESCRIPTION = TypeAdapter(DecoderConfig)


@cache
def known_models() -> dict[str, DecoderConfig]:
    """All models by name, those of installed extensions last."""
    return CONFIGS | {name: each for name, each in loaded("models", DecoderConfig).items() if _is_free(name)}


def _is_free(name: str) -> bool:
    if name in CONFIGS:
        note(f"the model '{name}' of an extension is left out: sttest has one so called")
    return name not in CONFIGS


def is_known(name: str) -> bool:
    """Whether a model is known by this name; those of extensions are looked up where sttest has none so called."""
    return name in CONFIGS or name in known_models()


def get_config(name: str) -> DecoderConfig:
    """The configuration called ``name``.

    Raises:
        InputError: no model has that name; the message tells the nearest one.
    """
    if not is_known(name):
        own = name.rpartition("/")[2].lower() if is_repository(name) else name
        hints = [did_you_mean(own, known_models()), "give the path of a config.json, or of the folder that has one"]
        hints += [] if has_systems() else [f"more models are in {HOW_TO_INSTALL}"]
        raise InputError("unknown-model", f"there is no model '{name}'", where="model", hints=hints)
    return CONFIGS[name] if name in CONFIGS else known_models()[name]


def is_repository(name: str) -> bool:
    """Whether a name is made as those of Hugging Face, ``organization/model``, and no such path is here."""
    return re.fullmatch(r"[\w.-]*\w/\w[\w.-]*", name) is not None and not is_there(name)


def model_config(name: str) -> DecoderConfig:
    """A model of the registry, that of a configuration file, or with ``small-`` before its name one at test sizes.

    Args:
        name: name, or path of a ``config.json`` or of the folder that has one.

    Raises:
        InputError: no model has that name; a file that is refused.
    """
    full = name.removeprefix(SMALL)
    if full != name and (not is_there(name) or is_known(full)):
        return small(model_config(full))
    if is_config_path(name) and not is_known(name):
        return read_config(Path(name))
    return get_config(name)


def told_precision(name: str, asked: str | None) -> str | None:
    """The precision of a model: as asked, else its ``config.json`` where that tells of quantized weights.

    Args:
        name: name, or path of a ``config.json`` or of the folder that has one.
        asked: a scheme; None where nobody asked.

    Raises:
        InputError: the scheme would make other integers than the checkpoint has.
    """
    # They need numpy, which a measurement on a GPU's machine does without.
    from sttest.models.quant.released.door import told_of
    from sttest.models.quant.scheme import load_scheme

    told = told_of(Path(name)) if is_config_path(name) and not is_known(name) else None
    if told is None:
        return asked
    if asked is None:
        note(f"--precision is not given: {told.form.scheme.name}, by {told.where}")
        if told.form.doubt:
            note(f"{told.where}: {told.form.doubt}: whether the weights can be read is seen when they are")
        return str(Path(name) / CONFIG_FILE) if is_folder(name) else name
    told.form.check(load_scheme(asked), told.where)
    return asked


def described_config(name: str, described: str | None) -> DecoderConfig:
    """The model of a package: what its manifest describes, else the one of that name.

    Raises:
        InputError: no model has that name, or the description is none.
    """
    if described is None:
        return model_config(name)
    try:
        return _DESCRIPTION.validate_json(described)
    except ValidationError as error:
        raise InputError("bad-manifest", "the model's description is damaged", where=ascii(name)) from error


def description(config: DecoderConfig) -> str | None:
    """What a package says of a model that the registry does not have; None of one that it has."""
    known = known_models().get(config.name.removeprefix(SMALL))
    if known is not None and config in (known, small(known)):
        return None
    return _DESCRIPTION.dump_json(config).decode()


def small(config: DecoderConfig) -> DecoderConfig:
    """The same family at sizes for tests: every feature kept, widths multiples of 16, called ``small-<name>``."""
    known = CONFIGS.get(config.name) == config
    sizes = (_SMALL_SIZES.get(config.name) if known else None) or _small_sizes(config)
    return replace(
        config,
        name=f"{SMALL}{config.name}",
        layers=_SMALL_LAYERS,
        vocab=256,
        max_context=128,
        ffn_padding=0,
        layer_kinds=_small_kinds(config),
        source=f"reduced from: {config.source}",
        **sizes,
    )


def _small_kinds(config: DecoderConfig) -> tuple[LayerKind, ...]:
    """Kinds of the first layers, and of the last one a kind that the others lack."""
    if not config.layer_kinds:
        return ()
    kinds: list[LayerKind] = [config.layer_kinds[number % config.layers] for number in range(_SMALL_LAYERS)]
    kinds[-1:] = set(config.layer_kinds) - set(kinds) or kinds[-1:]
    return tuple(kinds)


def _small_sizes(config: DecoderConfig) -> dict[str, int]:
    """Widths of 128 or, where groups of 128 rows do not divide the model's, of 192, which they do not divide either."""
    ragged = config.hidden % 128 != 0
    heads, head_dim = (3, 64) if ragged else (4, 32)
    shared = 1 if ragged or config.kv_heads == 1 else 2
    hidden = heads * head_dim
    if config.heads * config.head_dim != config.hidden:
        hidden //= 2
    sizes = {
        "hidden": hidden,
        "ffn": 2 * heads * head_dim,
        "heads": heads,
        "head_dim": head_dim,
        "kv_heads": heads if config.group == 1 else shared,
    }
    if config.sliding_window is not None:
        sizes["sliding_window"] = 16
    return family_of(config).small_sizes(config, sizes)
