"""What a ``config.json`` says of quantized weights, by the formats at the door ``quantized_formats``."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from sttest.core.errors import InputError
from sttest.core.extensions import all_loaded
from sttest.core.files import MAX_OBJECT_BYTES, read_json
from sttest.models.quant.released import QUANTIZATION
from sttest.models.quant.released.format import QuantizedFormat, ReleasedForm, refused
from sttest.models.quant.released.unread import UNREAD
from sttest.models.quant.scheme import QuantScheme

__depends__ = (
    "sttest/built_in/quantized_formats.py",
    "sttest/models/quant/released/gptq.py",
    "sttest/models/quant/released/awq.py",
    "sttest/models/quant/released/compressed_tensors.py",
)

_CONFIG, _TEXT = "config.json", "text_config"


class StatedScheme(NamedTuple):
    """What a checkpoint says of its weights, and who unpacks them."""

    form: ReleasedForm
    format: QuantizedFormat
    where: str  # file and field


@cache
def quantized_formats() -> dict[str, QuantizedFormat]:
    """All that are known by name, those of installed extensions last.

    Raises:
        InputError: what an extension offers is no format, or has another name.
    """
    return all_loaded("quantized_formats", QuantizedFormat)


def told_in(config: Mapping[str, Any], where: str) -> StatedScheme | None:
    """What a configuration says; None of weights in floating point.

    Raises:
        InputError: a method or a variant of one that is not read, by its name.
    """
    told = config.get(QUANTIZATION)
    if not told and isinstance(config.get(_TEXT), dict):
        config, where = config[_TEXT], f"{where}: {_TEXT}"
        told = config.get(QUANTIZATION)
    if not told:
        return None
    where = f"{where}: {QUANTIZATION}"
    if not isinstance(told, dict):
        raise refused("no object", where)
    for each in quantized_formats().values():
        if each.takes(told):
            return StatedScheme(each.form(told, where), each, where)
    method = str(told.get("quant_method"))
    why, hints = UNREAD.get(method.lower(), ("no format is called so", ()))
    known = f"read are {', '.join(quantized_formats())}"
    raise refused(f"quant_method {ascii(method)[:80]} is not read: {why}", f"{where}: quant_method", *hints, known)


def told_of(path: Path) -> StatedScheme | None:
    """What a checkpoint's folder, or its ``config.json``, says; None of weights in floating point, or of no such file.

    Raises:
        InputError: see :func:`told_in`.
    """
    file = path / _CONFIG if path.is_dir() else path
    if file.suffix != ".json" or not file.is_file():
        return None
    data = read_json(file, most_bytes=MAX_OBJECT_BYTES)
    return told_in(data, str(file)) if isinstance(data, dict) else None


def folder_scheme(path: Path) -> QuantScheme:
    """The scheme that computes what a quantized checkpoint says.

    Raises:
        InputError: its weights are in floating point, or see :func:`told_in`.
    """
    told = told_of(path)
    if told is None:
        hints = ["name a scheme", "give the folder of a quantized checkpoint"]
        raise InputError("no-scheme", "no config.json with quantized weights", where=str(path), hints=hints)
    return told.form.scheme
