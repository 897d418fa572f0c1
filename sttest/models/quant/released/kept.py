"""Integers of a checkpoint kept beside a layer's weight, so that nobody rounds them anew.

The weight itself is what they stand for, integer times scale in float32, which is exact.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from sttest.core.errors import InputError
from sttest.models.experts import ExpertLinear
from sttest.models.layers import Linear
from sttest.models.quant.quantizers import QuantizedTensor, quantize_weight
from sttest.models.quant.released.format import FROM_FLOATS, ReleasedForm, refused
from sttest.models.quant.scheme import QuantScheme

_KEPT = "kept_integers"
_SHARE_INPUT = (("attn.q_proj", "attn.k_proj", "attn.v_proj"), ("mlp.gate_proj", "mlp.up_proj"))
"""Layers of a block that read one input, which a design quantizes once."""


@dataclass(frozen=True)
class KeptIntegers:
    """Integers and scales of a linear layer, or of those of all experts."""

    form: ReleasedForm
    where: str  # folder and layer
    # values, scales: int8 [(experts,) K, N] and FP16 [(experts,) groups, N]
    values: Tensor = field(repr=False)
    scales: Tensor = field(repr=False)
    input_scale: Tensor | None = None  # FP32 [], constant scale of the inputs

    @property
    def rows(self) -> int:
        """Rows that share a scale."""
        return self.values.shape[-2] // self.scales.shape[-2]

    def weight(self) -> Tensor:
        """What the integers stand for, float32."""
        return self.values.float() * self.scales.float().repeat_interleave(self.rows, -2)

    def __deepcopy__(self, memo: Mapping[int, Any]) -> "KeptIntegers":
        """Itself: nobody changes it."""
        return self


def kept_of(layer: nn.Module) -> KeptIntegers | None:
    """The integers of a layer; None of one in floating point."""
    return getattr(layer, _KEPT, None)


def keep(model: nn.Module, kept: Mapping[str, KeptIntegers]) -> None:
    """Put integers beside the weights of a model's layers, by their names.

    Raises:
        InputError: layers that read one input give it different constant scales.
    """
    for name, integers in kept.items():
        setattr(model.get_submodule(name), _KEPT, integers)
    for block in {name.partition(".attn.")[0].partition(".mlp.")[0] for name in kept}:
        for names in _SHARE_INPUT:
            found = [kept[f"{block}.{name}"] for name in names if f"{block}.{name}" in kept]
            scales = {None if each.input_scale is None else float(each.input_scale) for each in found}
            if len(scales) > 1:
                what = "layers that read one input have different input_scale"
                raise refused(what, found[0].where, "calibrate them together", FROM_FLOATS)


def refuse_kept(model: nn.Module, doing: str) -> None:
    """Refuse what would round the integers of a checkpoint anew.

    Args:
        model: model, or block, with weights.
        doing: what would, as "layers of a rank".

    Raises:
        InputError: a layer has integers of a checkpoint.
    """
    found = next((each for layer in model.modules() if (each := kept_of(layer))), None)
    if found is not None:
        raise refused(f"{doing} would round the integers of the checkpoint anew", found.where, FROM_FLOATS)


def plain_weight(layer: Linear | ExpertLinear, scheme: QuantScheme) -> Tensor:
    """The weight in float32 of a layer that a scheme may take.

    Raises:
        InputError: the checkpoint has other integers than the scheme.
    """
    kept = kept_of(layer)
    if kept is not None:
        kept.form.check(scheme, kept.where)
    return layer.weight.detach()


def rounded_weight(layer: Linear | ExpertLinear, scheme: QuantScheme, group: int) -> QuantizedTensor:
    """Integers and scales of a layer's weight: those of its checkpoint, or else the scheme's rounding.

    Args:
        layer: layer with weights [(experts,) K, N].
        scheme: scheme with integer weights.
        group: rows that share a scale.

    Returns:
        int8 [(experts,) K, N] and FP16 [(experts,) groups, N].

    Raises:
        InputError: the checkpoint has other integers than the scheme; the weight was changed since.
    """
    weight, kept = plain_weight(layer, scheme), kept_of(layer)
    if kept is None:
        parts = [quantize_weight(each, group, scheme.weights) for each in (weight if weight.dim() == 3 else [weight])]
        values, scales = (torch.stack([part[which] for part in parts]) for which in (0, 1))
        return QuantizedTensor(values, scales) if weight.dim() == 3 else parts[0]
    if kept.rows != group:
        what = f"groups of {kept.rows} inputs, the scheme has {group}"
        raise InputError("other-scheme", what, where=kept.where, hints=["leave --precision out"])
    if not torch.equal(kept.weight(), weight):
        raise refused("the weight has been changed, and would be rounded anew", kept.where, FROM_FLOATS)
    return QuantizedTensor(kept.values, kept.scales)
