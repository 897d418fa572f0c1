"""The parameters of a block, quantised or not, as arrays to be packed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sttest.errors import InputError, did_you_mean
from sttest.models.parameter_folder import Parameter
from sttest.models.quant.scheme import QuantScheme
from sttest.models.stream_layout import ElementType, StreamLayout, row_major

if TYPE_CHECKING:
    from torch import Tensor, nn


def export_parameters(
    block: nn.Module, scheme: QuantScheme, layouts: Mapping[str, StreamLayout] | None = None
) -> dict[str, Parameter]:
    """Every parameter of a block by the name that its linalg text gives it (``attn.q_proj.weight``).

    Scales of integer weights, [groups, outputs] in FP16, are called ``attn.q_proj.weight_scale``;
    constant scales of inputs, [1] in FP32, ``attn.q_proj.input_scale``.  Layers that read one tensor
    have equal ones, of which the compiled design takes the first.

    Args:
        block: from ``quantise_block``, or in floating point.
        scheme: what it was quantised with.
        layouts: of the streams that a design has; what is not among them is kept row-major.

    Raises:
        InputError: a layout for a parameter that there is not.
    """
    chosen = layouts or {}
    arrays = {name: _array(tensor) for name, tensor in block.state_dict().items()}
    for name in chosen.keys() - arrays.keys():
        levers = [did_you_mean(name, arrays)]
        raise InputError("unknown-parameter", f"there is no parameter '{name}'", where="layouts", levers=levers)
    return {
        name: Parameter(array, chosen.get(name) or row_major(array.shape, _element_type(array.dtype.name, scheme)))
        for name, array in arrays.items()
    }


def _array(tensor: Tensor) -> Any:
    return tensor.detach().contiguous().numpy()


def _element_type(dtype: str, scheme: QuantScheme) -> ElementType:
    if dtype == "int8":
        return "i4" if scheme.weights == "int4" else "i8"
    return "f16" if dtype == "float16" else "f32"
