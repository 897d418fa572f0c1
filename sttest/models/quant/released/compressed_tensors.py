"""Files of compressed-tensors, as llm-compressor writes them, with integer weights.

``pack-quantized`` has ``weight_packed`` int32 [outputs, words], consecutive inputs from the lowest bits, each raised by
half the range, and ``weight_shape``; ``int-quantized`` and ``naive-quantized`` have ``weight`` int8 [outputs, inputs].
Beside them stand ``weight_scale`` [outputs, groups], or [1] for a whole tensor, and where inputs have a constant scale
``input_scale`` [1].
"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sttest.models.quant.released.format import (
    FROM_FLOATS,
    QuantizedFormat,
    ReleasedForm,
    Tensors,
    Unpacked,
    check_sizes,
    choice,
    fields_of,
    group_of,
    refused,
    scales_of,
    words,
)
from sttest.models.quant.scheme import ActivationScales

_PACKED, _PLAIN = "pack-quantized", ("int-quantized", "naive-quantized")
_HEAD = "lm_head"
_INPUT_SCALES = (2.0**-126, 2.0**121)
"""Constant scales that FP32 has the reciprocal of, and 127 of which it holds."""
MAX_PATTERN = 200
"""Characters of a pattern of layers."""


class CompressedTensors(QuantizedFormat):
    """Integer weights with scales per group, output or tensor."""

    name = "compressed-tensors"
    leaves = ("weight", "weight_packed", "weight_scale", "weight_shape", "weight_zero_point", "weight_g_idx",
              "input_scale", "input_zero_point")  # fmt: skip

    def form(self, told: Mapping[str, Any], where: str) -> ReleasedForm:
        """See the class."""
        _refuse_more(told, where)
        layout = _layout(told, where)
        weights, inputs, targets = _one_group(told, f"{where}: config_groups")
        place = f"{where}: config_groups: weights"
        if weights.get("type", "int") != "int":
            raise refused("weights are floating point of 8 bits or less", f"{place}: type", FROM_FLOATS)
        bits = choice(weights, "num_bits", (4, 8), place)
        choice(weights, "symmetric", (True,), place, default=True)
        strategy = choice(weights, "strategy", ("group", "channel", "tensor"), place, default="tensor")
        group = group_of(weights, place) if strategy == "group" else None
        head = _names_head(targets, where) and not _names_head(told.get("ignore") or [], where)
        return ReleasedForm(self.name, bits, group, _activations(inputs, where), head, layout)

    def is_quantized(self, leaves: frozenset[str]) -> bool:
        """See the class."""
        return "weight_scale" in leaves

    def shape(self, form: ReleasedForm, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, int]:
        """See the class."""
        outputs, columns = shapes["weight_packed" if form.layout == _PACKED else "weight"]
        return outputs, columns * (32 // form.bits if form.layout == _PACKED else 1)

    def unpack(self, form: ReleasedForm, tensors: Tensors, where: str) -> Unpacked:
        """See the class."""
        _check_symmetric(tensors, where)
        values = _packed(form, tensors, where) if form.layout == _PACKED else _plain(form, tensors, where)
        scales = scales_of(tensors, "weight_scale", where)
        if scales.size == 1:
            scales = np.broadcast_to(scales.reshape(1, 1), (len(values), 1))
        scale = _input_scale(tensors, where) if form.activations == "static" else None
        return check_sizes(Unpacked(values, scales, scale), form.group, where)


def _input_scale(tensors: Tensors, where: str) -> float:
    found = scales_of(tensors, "input_scale", where)
    least, largest = _INPUT_SCALES
    if found.size != 1 or not least <= float(found.flat[0]) <= largest:
        raise refused("input_scale is not one normal positive number", where, "take another copy of the checkpoint")
    return float(found.flat[0])


def _packed(form: ReleasedForm, tensors: Tensors, where: str) -> NDArray[np.int8]:
    fields = fields_of(words(tensors, "weight_packed", where), form.bits)
    values = (fields.reshape(len(fields), -1).astype(np.int16) - (1 << form.bits - 1)).astype(np.int8)
    told = tensors.get("weight_shape")
    if told is None or tuple(told.flat) != values.shape:
        raise refused(f"weight_shape is not {list(values.shape)}, that of weight_packed", where, FROM_FLOATS)
    order = tensors.get("weight_g_idx")
    if order is not None and form.group and not np.array_equal(order, np.arange(values.shape[1]) // form.group):
        what = "inputs of a group do not lie side by side (actorder)"
        raise refused(what, f"{where}.weight_g_idx", "quantize it with actorder: static", FROM_FLOATS)
    return values


def _plain(form: ReleasedForm, tensors: Tensors, where: str) -> NDArray[np.int8]:
    values = tensors.get("weight")
    if values is None or values.dtype != np.int8 or values.ndim != 2:
        raise refused("no weight of 8-bit integers [outputs, inputs]", where, "take another copy of the checkpoint")
    bound = 1 << form.bits - 1
    if values.size and not -bound <= int(values.min()) <= int(values.max()) < bound:
        raise refused(f"weights are not of {form.bits} bits", where, "take another copy of the checkpoint")
    return values


def _check_symmetric(tensors: Tensors, where: str) -> None:
    for leaf in ("weight_zero_point", "input_zero_point"):
        if leaf in tensors and tensors[leaf].any():
            what = "zero points other than 0: the numbers are asymmetric"
            raise refused(what, f"{where}.{leaf}", "quantize it symmetrically", FROM_FLOATS)


# --- What the configuration says


def _refuse_more(told: Mapping[str, Any], where: str) -> None:
    """Refuse what is done beside integer weights and inputs."""
    wholes = {"kv_cache_scheme": "the cache has scales of its own", "transform_config": "activations are transformed"}
    for field, what in wholes.items():
        if told.get(field):
            raise refused(what, f"{where}: {field}", f"quantize it without {field}", FROM_FLOATS)
    sparsity = told.get("sparsity_config")
    if sparsity and (not isinstance(sparsity, dict) or sparsity.get("format", "dense") != "dense"):
        raise refused("weights are stored sparsely", f"{where}: sparsity_config", "save it dense", FROM_FLOATS)


def _layout(told: Mapping[str, Any], where: str) -> str:
    groups = told.get("config_groups")
    own = [each.get("format") for each in groups.values() if isinstance(each, dict)] if isinstance(groups, dict) else []
    found = told.get("format")
    if found == "mixed-precision" and len(own) == 1:
        found = own[0]
    return choice({"format": found}, "format", (_PACKED, *_PLAIN), where)


def _one_group(told: Mapping[str, Any], where: str) -> tuple[dict[str, Any], dict[str, Any] | None, list[Any]]:
    """Weights, inputs and targets of the layers, which are all alike."""
    groups = told.get("config_groups")
    found = list(groups.values()) if isinstance(groups, dict) else []
    if not found or not all(isinstance(each, dict) and isinstance(each.get("weights"), dict) for each in found):
        raise refused("no groups of layers with quantized weights", where)
    alike = [(each["weights"], each.get("input_activations")) for each in found]
    if any(each != alike[0] for each in alike):
        raise refused("groups of layers are quantized in different ways", where, "quantize all alike", FROM_FLOATS)
    if any(each.get("output_activations") for each in found):
        raise refused("outputs are quantized", f"{where}: output_activations", "quantize inputs alone", FROM_FLOATS)
    return alike[0][0], alike[0][1], [name for each in found for name in _listed(each.get("targets") or [], where)]


def _activations(inputs: dict[str, Any] | None, where: str) -> ActivationScales:
    if not inputs:
        return "none"
    place = f"{where}: config_groups: input_activations"
    if not isinstance(inputs, dict) or inputs.get("type", "int") != "int":
        raise refused("inputs are floating point of 8 bits or less", f"{place}: type", FROM_FLOATS)
    choice(inputs, "num_bits", (8,), place)
    choice(inputs, "symmetric", (True,), place, default=True)
    is_dynamic = choice(inputs, "dynamic", (True, False), place, default=False)
    choice(inputs, "strategy", ("token",) if is_dynamic else ("tensor",), place, default="tensor")
    return "dynamic" if is_dynamic else "static"


def _listed(value: Any, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise refused("names of layers are no list of texts", where, FROM_FLOATS)
    return value


def _names_head(patterns: Any, where: str) -> bool:
    """Whether names, classes, or patterns behind ``re:`` fit the LM head, a linear layer."""
    return any(_fits(each, where) for each in _listed(patterns, where))


def _fits(pattern: str, where: str) -> bool:
    if not pattern.startswith("re:"):
        return pattern in (_HEAD, "Linear")
    try:
        if len(pattern) <= MAX_PATTERN:
            return re.match(pattern.removeprefix("re:"), _HEAD) is not None
    except (re.error, OverflowError, RecursionError):
        pass
    raise refused(f"no pattern of layers: {ascii(pattern)[1:-1][:80]}", where, "write names of layers instead")


COMPRESSED_TENSORS = CompressedTensors()
