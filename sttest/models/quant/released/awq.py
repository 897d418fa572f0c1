"""AWQ's files, as AutoAWQ writes them for its GEMM kernel (Lin et al., arXiv 2306.00978).

``qweight`` int32 [inputs, outputs / 8] has eight outputs in a word, ``qzeros`` int32 [groups, outputs / 8] too, in the
order 0, 2, 4, 6, 1, 3, 5, 7 from the lowest bits; ``scales`` is [groups, outputs].  A weight is ``(q - zero) * scale``.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sttest.models.quant.released.format import (
    QuantizedFormat,
    ReleasedForm,
    Tensors,
    Unpacked,
    check_sizes,
    check_zeros,
    choice,
    fields_of,
    group_of,
    scales_of,
    words,
)

_PLACES = (0, 4, 1, 5, 2, 6, 3, 7)
"""Field of a word in which each of its eight outputs lies."""
_MIDDLE = 8


class Awq(QuantizedFormat):
    """Weights packed along the outputs, interleaved."""

    name = "awq"
    leaves = ("qweight", "qzeros", "scales")

    def form(self, told: Mapping[str, Any], where: str) -> ReleasedForm:
        """See the class; whether weights are symmetric is seen in the tensors."""
        version = "version" if "version" in told else "format"
        choice({version: str(told.get(version, "gemm")).lower()}, version, ("gemm",), where)
        bits, group = ("w_bit" if "w_bit" in told else "bits"), "q_group_size"
        choice(told, bits, (4,), where)
        size = group_of(told, where, group if group in told else "group_size")
        doubt = "zero_point is True" if told.get("zero_point", True) else ""
        return ReleasedForm(self.name, 4, size, doubt=doubt)

    def is_quantized(self, leaves: frozenset[str]) -> bool:
        """See the class."""
        return "qweight" in leaves

    def shape(self, form: ReleasedForm, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, int]:
        """See the class."""
        inputs, packed = shapes["qweight"]
        return packed * len(_PLACES), inputs

    def unpack(self, form: ReleasedForm, tensors: Tensors, where: str) -> Unpacked:
        """See the class."""
        check_zeros(_in_order(words(tensors, "qzeros", where)), form.bits, f"{where}.qzeros")
        values = _in_order(words(tensors, "qweight", where)).astype(np.int8) - np.int8(_MIDDLE)
        scales = scales_of(tensors, "scales", where).T
        return check_sizes(Unpacked(np.ascontiguousarray(values.T), scales), form.group, where)


def _in_order(packed: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """[rows, words] to the fields [rows, outputs]."""
    return fields_of(packed, 4)[..., _PLACES].reshape(len(packed), -1)


AWQ = Awq()
