"""Configurations of Hugging Face: a ``config.json`` as a :class:`~sttest.models.config.DecoderConfig`.

Every field counts: those of a family that decide values are read, with the defaults of transformers' own classes; those
that are known to change no value are passed over; any other is refused by its name.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import MAX_OBJECT_BYTES, read_json
from sttest.core.plain_files import is_folder
from sttest.core.validation import validated
from sttest.models.config import DecoderConfig
from sttest.models.config_families import FAMILIES
from sttest.models.quant.released.door import QUANTIZATION, told_in

CONFIG_FILE = "config.json"

NO_EFFECT = frozenset({
    "_attn_implementation", "_attn_implementation_autoset", "_commit_hash", "_name_or_path", "_sliding_window_pattern",
    "activation_dropout",
    "architectures", "attention_dropout", "attn_implementation", "attn_pdrop", "auto_map", "bad_words_ids",
    "begin_suppress_tokens", "bos_token_id", "cache_implementation", "chunk_size_feed_forward",
    "cross_attention_hidden_size", "decoder_start_token_id", "diversity_penalty", "do_sample", "dropout", "dtype",
    "early_stopping", "embd_pdrop", "embedding_dropout", "encoder_no_repeat_ngram_size", "eos_token_id",
    "exponential_decay_length_penalty", "finetuning_task", "forced_bos_token_id", "forced_eos_token_id",
    "gradient_checkpointing", "hidden_dropout", "id2label", "init_std", "initializer_factor", "initializer_range",
    "is_decoder", "is_llama_config", "keys_to_ignore_at_inference", "label2id", "layerdrop", "length_penalty",
    "max_length", "min_length", "model_type", "n_ctx", "no_repeat_ngram_size", "num_beam_groups", "num_beams",
    "num_return_sequences", "output_attentions", "output_hidden_states", "output_past", "output_router_logits",
    "output_scores", "router_aux_loss_coef", "router_jitter_noise",
    "pad_token_id", "prefix", "pretraining_tp", "problem_type", "pruned_heads", "remove_invalid_values",
    "reorder_and_upcast_attn", "repetition_penalty", "resid_pdrop", "return_dict", "return_dict_in_generate",
    "sep_token_id", "suppress_tokens", "summary_activation", "summary_first_dropout", "summary_proj_to_labels",
    "summary_type", "summary_use_proj", "task_specific_params", "temperature", "tf_legacy_loss", "tokenizer_class",
    "top_k", "top_p", "torch_dtype", "torchscript", "transformers.js_config", "transformers_version", "typical_p",
    "unsloth_fixed", "unsloth_version", "use_bfloat16", "use_cache",
})  # fmt: skip
"""Fields that change no value of a forward pass: dropout, initialization, precision on disk, generation, labels."""
_VISION = frozenset(
    {
        "boi_token_index",
        "eoi_token_index",
        "image_token_index",
        "mm_tokens_per_image",
        "text_config",
        "vision_config",
        "tie_word_embeddings",
    }
)
_UNSET: tuple[object, ...] = (None, False, {}, [], "")


def is_config_path(name: str) -> bool:
    """Whether a model's name is the path of a configuration: a ``.json`` file, or a folder."""
    return name.endswith(".json") or is_folder(name)


def read_config(path: Path) -> DecoderConfig:
    """The model that a ``config.json`` of Hugging Face describes.

    Args:
        path: the file, or a folder that has one under this name.

    Returns:
        The configuration, named after the folder, or the file where it has another name.

    Raises:
        InputError: no such file; another family; a field that no block has, is unknown or has a value that no block
            can have, by its name.
    """
    file = path / CONFIG_FILE if path.is_dir() else path
    hints = ["give a config.json of Hugging Face, or the folder that has one"]
    data = read_json(file, most_bytes=MAX_OBJECT_BYTES, hints=hints)
    if not isinstance(data, dict):
        raise InputError("not-an-object", "no configuration of Hugging Face", where=str(file), hints=hints)
    where = str(file)
    if data.get("model_type") == "gemma3" and isinstance(data.get("text_config"), dict):
        _refuse_unknown(data, _VISION, where)
        data = {**data["text_config"], "model_type": "gemma3_text"}
        where = f"{where}: text_config"
    kind = FAMILIES.get(str(data.get("model_type")))
    if kind is None:
        what = f"no block of the family '{str(data.get('model_type'))[:80]}'"
        raise InputError("unknown-family", what, where=f"{where}: model_type", hints=[f"known: {', '.join(FAMILIES)}"])
    _refuse_unknown(data, kind.model_fields.keys(), where)
    fields = validated(kind, {key: value for key, value in data.items() if key in kind.model_fields}, where)
    resolved = file.resolve()
    name = resolved.parent.name if file.name == CONFIG_FILE else resolved.stem
    return _with_padded_ffn(fields.config(_plain(name), str(file), where))


_FFN_MULTIPLE = 64
"""The feed-forward network's width is filled up to a multiple of this, which lanes and groups of weights divide."""


def _with_padded_ffn(config: DecoderConfig) -> DecoderConfig:
    """The model with columns of zeros in its feed-forward network, which change no value."""
    padding = -config.ffn % _FFN_MULTIPLE
    return replace(config, ffn=config.ffn + padding, ffn_padding=padding)


def _plain(name: str) -> str:
    """A name of letters, digits, dots and dashes, as a package's."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")[:64] or "model"


def _refuse_unknown(data: dict[str, Any], known: Any, where: str) -> None:
    told_in(data, where)
    for name, value in data.items():
        if name in known or name in NO_EFFECT or name == QUANTIZATION or value in _UNSET:
            continue
        shown = ascii(name)[1:-1][:80]
        hints = [did_you_mean(name, known), "delete it from a copy of the file if it changes no value"]
        raise InputError("unknown-field", "no block has this field", where=f"{where}: {shown}", hints=hints)
