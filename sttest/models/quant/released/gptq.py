"""GPTQ's files, as AutoGPTQ and GPTQModel write them (Frantar et al., arXiv 2210.17323).

``qweight`` int32 [inputs / fields, outputs] has consecutive inputs in a word, ``qzeros`` int32 [groups, outputs /
fields] consecutive outputs, ``scales`` is [groups, outputs] and ``g_idx`` [inputs] tells each input's group.  A weight
is ``(q - zero) * scale``; the first version stores ``zero - 1``, ``gptq_v2`` the zero itself.
"""

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
    check_zeros,
    choice,
    fields_of,
    group_of,
    refused,
    scales_of,
    words,
)

_ONE_LESS = "gptq"
"""The layout of the first version, whose zero points are stored one less."""


class Gptq(QuantizedFormat):
    """Weights packed along the inputs."""

    name = "gptq"
    leaves = ("qweight", "qzeros", "scales", "g_idx")

    def form(self, told: Mapping[str, Any], where: str) -> ReleasedForm:
        """See the class; ``sym`` and ``desc_act`` are seen in the tensors."""
        if told.get("dynamic"):
            what = "layers have bits and groups of their own"
            raise refused(what, f"{where}: dynamic", "quantize all layers alike", FROM_FLOATS)
        if told.get("is_marlin_format"):
            raise refused("tensors are in Marlin's order", f"{where}: is_marlin_format", "save it as gptq", FROM_FLOATS)
        choice(told, "pack_dtype", ("int32",), where, "int32")
        field = "checkpoint_format" if "checkpoint_format" in told else "format"
        layout = choice(told, field, (_ONE_LESS, "gptq_v2"), where, _ONE_LESS)
        bits = choice(told, "bits", (4, 8), where)
        doubts = {"sym": told.get("sym") is False, "desc_act": told.get("desc_act") is True}
        doubt = next((f"{field} is {told[field]}" for field, is_doubtful in doubts.items() if is_doubtful), "")
        head = told.get("lm_head") is True
        return ReleasedForm(self.name, bits, group_of(told, where), head=head, layout=layout, doubt=doubt)

    def is_quantized(self, leaves: frozenset[str]) -> bool:
        """See the class."""
        return "qweight" in leaves

    def shape(self, form: ReleasedForm, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, int]:
        """See the class."""
        packed, outputs = shapes["qweight"]
        return outputs, packed * (32 // form.bits)

    def unpack(self, form: ReleasedForm, tensors: Tensors, where: str) -> Unpacked:
        """See the class."""
        packed = fields_of(words(tensors, "qweight", where).T, form.bits)  # [outputs, words, fields]
        fields = packed.reshape(len(packed), -1)
        zeros = fields_of(words(tensors, "qzeros", where), form.bits).astype(np.int32)
        if form.layout == _ONE_LESS:
            zeros = zeros + 1 & (1 << form.bits) - 1
        check_zeros(zeros, form.bits, f"{where}.qzeros")
        _check_order(tensors.get("g_idx"), fields.shape[1], form.group, f"{where}.g_idx")
        values = (fields.astype(np.int16) - (1 << form.bits - 1)).astype(np.int8)
        return check_sizes(Unpacked(values, scales_of(tensors, "scales", where).T), form.group, where)


def _check_order(group_of_input: NDArray[Any] | None, inputs: int, group: int | None, where: str) -> None:
    """Refuse groups whose inputs do not lie side by side: a weight stream has a scale for consecutive inputs."""
    if group_of_input is None or group is None:
        return
    if not np.array_equal(group_of_input, np.arange(inputs) // group):
        what = "inputs of a group do not lie side by side (desc_act): a stream has a scale for consecutive inputs"
        raise refused(what, where, "quantize it without desc_act, or with static groups", FROM_FLOATS)


GPTQ = Gptq()
