"""Configurations of Hugging Face: a ``config.json`` as a :class:`~sttest.models.config.DecoderConfig`.

Every field counts: those of a family that decide values are read, with the defaults of transformers' own classes; those
that are known to change no value are passed over; any other is refused by its name.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from sttest.core.errors import InputError
from sttest.core.files import MAX_OBJECT_BYTES, read_json
from sttest.core.plain_files import is_folder
from sttest.core.validation import validated
from sttest.models.config import DecoderConfig
from sttest.models.config_families import FAMILIES
from sttest.models.no_effect import IGNORED, NO_EFFECT, is_ignored
from sttest.models.quant.released import QUANTIZATION

CONFIG_FILE = "config.json"

_VISION = frozenset(
    {
        "boi_token_id",
        "boi_token_index",
        "eoi_token_id",
        "eoi_token_index",
        "image_token_id",
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
        # Whether the head is the embedding is the whole model's matter in transformers, whose default is that it is.
        tied = data.get("tie_word_embeddings", True)
        data = {**data["text_config"], "model_type": "gemma3_text", "tie_word_embeddings": tied}
        where = f"{where}: text_config"
    kind = FAMILIES.get(str(data.get("model_type")))
    if kind is None:
        what = f"no block of the family '{str(data.get('model_type'))[:80]}'"
        raise InputError("unknown-family", what, where=f"{where}: model_type", hints=[f"known: {', '.join(FAMILIES)}"])
    known = _names(kind)
    _refuse_unknown(data, known | kind.doubles.keys(), where)
    for name in (*kind.never_null, "rope_theta"):
        if name in data and data[name] is None:
            hints = ["delete it for its default"]
            raise InputError("bad-value", "transformers refuses null here", where=f"{where}: {name}", hints=hints)
    fields = validated(kind, {key: value for key, value in data.items() if key in known}, where)
    for name, meant in kind.doubles.items():
        _compare(data.get(name), name, getattr(fields, meant), meant, where)
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


def _names(kind: type[BaseModel]) -> set[str]:
    """Names of a family's fields in files."""
    return {field.alias or name for name, field in kind.model_fields.items()}


def _refuse_unknown(data: dict[str, Any], known: Any, where: str) -> None:
    if QUANTIZATION in data:
        # Formats are read with numpy, which a measurement on a GPU's machine does without.
        from sttest.models.quant.released.door import told_in

        told_in(data, where)
    for name, value in data.items():
        if name in known or name in NO_EFFECT or name == QUANTIZATION:
            continue
        ignored = is_ignored(name, set().union(*map(_names, FAMILIES.values())))
        # A number is no switch: a window of 0 positions is not the same as none.
        if value in _UNSET and (ignored or type(value) not in (int, float)):
            continue
        hints = [IGNORED if ignored else "take a model without it, or the model_type that has it"]
        shown = ascii(name)[1:-1][:80]
        raise InputError("unknown-field", "no block has this field", where=f"{where}: {shown}", hints=hints)


def _compare(value: object, name: str, other: object, meant: str, where: str) -> None:
    """Refuse a second name of a field that says something else."""
    if value in (None, other):
        return
    what = f"{value!r:.40} where {meant}, for which it is another name, is {other!r:.40}"
    raise InputError("bad-value", what, where=f"{where}: {name}", hints=["delete one of them"])
