"""Tensors of a checkpoint's folder: those of quantized layers unpacked, under the names that weights have elsewhere."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from sttest.core.errors import InputError, note
from sttest.models.config import DecoderConfig
from sttest.models.language_model import LanguageModel
from sttest.models.quant.released.door import StatedScheme, told_of
from sttest.models.quant.released.format import Unpacked, refused
from sttest.models.quant.released.kept import KeptIntegers
from sttest.models.weights import model_state, shown

_INTEGER_TYPES = ("I8", "U8", "I16", "I32", "I64")
"""Types of safetensors that packed weights have."""
_WEIGHT, _HEAD = ".weight", "lm_head"
_LAYER = re.compile(r".*?\.(?:layers|h)\.\d+\.")
"""What names of one layer's tensors begin with."""


@dataclass
class FolderWeights:
    """How the tensors of one folder become weights of a model.

    Args:
        config: model that the checkpoint is of.
        folder: its folder.
        told: what it says of quantized weights; None where all are in floating point.
    """

    config: DecoderConfig
    folder: Path
    told: StatedScheme | None
    # integers of quantized layers by our names; :meth:`dense` finds them
    kept: dict[str, KeptIntegers] = field(default_factory=dict)
    # names of biases that the model does not have; :meth:`outlines` finds them
    zeros: frozenset[str] = frozenset()

    @classmethod
    def of(cls, config: DecoderConfig, folder: Path) -> "FolderWeights":
        """Those of a folder.

        Raises:
            InputError: its ``config.json`` says that weights are quantized in a way that is not read.
        """
        return cls(config, folder, told_of(folder))

    @property
    def more_types(self) -> tuple[str, ...]:
        """Types that tensors may have besides floating point."""
        return () if self.told is None else _INTEGER_TYPES

    def outlines(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Shapes of all weights, on the meta device, by those of the folder's tensors.

        Raises:
            InputError: a quantized layer's tensors have no such shapes.
        """
        if self.told is None:
            return dict(tensors)
        self.zeros = self._surplus_biases(tensors)
        found = {name: each for name, each in tensors.items() if name not in self.zeros}
        for module, leaves in self._quantized(tensors):
            shapes = {leaf: tuple(found.pop(f"{module}.{leaf}").shape) for leaf in leaves}
            try:
                shape = self.told.format.shape(self.told.form, shapes)
            except (KeyError, ValueError) as error:
                what = f"tensors of a quantized layer are missing or have other dimensions: {shown(error)}"
                raise refused(what, self._where(module), "take another copy of the checkpoint") from error
            found[module + _WEIGHT] = self._turned(torch.empty(shape, device="meta"))
        return found

    def dense(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """All weights in float32; integers of the quantized layers are in :attr:`kept` from now on.

        Raises:
            InputError: see :meth:`~sttest.models.quant.released.format.QuantizedFormat.unpack`; a scale that FP16 does
                not hold.
        """
        if self.told is None:
            return dict(tensors)
        found, integers = dict(tensors), dict[str, Unpacked]()
        for module, leaves in self._quantized(tensors):
            arrays = {leaf: found.pop(f"{module}.{leaf}").numpy() for leaf in leaves}
            integers[module] = self.told.format.unpack(self.told.form, arrays, self._where(module))
        self._check_floats(found)
        self._drop_zeros(found)
        self._tell(found, integers)
        self.kept = self._kept(integers)
        return found | {
            module + _WEIGHT: self._turned(torch.from_numpy(each.values).float() * _per_weight(each))
            for module, each in integers.items()
        }

    def _quantized(self, tensors: Mapping[str, Tensor]) -> Iterator[tuple[str, list[str]]]:
        """Quantized layers by name, each with the last parts of the names of the tensors that stand for its weight."""
        assert self.told is not None
        layers: dict[str, list[str]] = {}
        for name in tensors:
            module, _, leaf = name.rpartition(".")
            layers.setdefault(module, []).append(leaf)
        for module, leaves in layers.items():
            if self.told.format.is_quantized(frozenset(leaves)):
                yield module, [leaf for leaf in leaves if leaf in self.told.format.leaves]

    def _surplus_biases(self, tensors: Mapping[str, Tensor]) -> frozenset[str]:
        """Biases of quantized layers that the model does not have: AutoGPTQ wrote zeros for each layer once."""
        with torch.device("meta"):
            expected = LanguageModel(self.config).state_dict().keys()
        names = (f"{module}.bias" for module, _ in self._quantized(tensors))
        given = [name for name in names if name in tensors]
        return frozenset(
            name for name in given if not model_state(self.config, {name: tensors[name]}).keys() & expected
        )

    def _drop_zeros(self, tensors: dict[str, Tensor]) -> None:
        for name in self.zeros:
            if tensors.pop(name).any():
                what = f"a bias other than 0, which {self.config.public_name} does not have"
                raise refused(what, self._where(name), "give the folder of that model")

    def _check_floats(self, tensors: Mapping[str, Tensor]) -> None:
        strange = next((name for name, each in tensors.items() if not each.is_floating_point()), None)
        if strange is not None:
            what = "integers that no quantized layer takes"
            raise InputError("bad-checkpoint", what, where=self._where(strange), hints=["convert it to BF16 or F32"])

    def _tell(self, floats: Mapping[str, Tensor], integers: Mapping[str, Unpacked]) -> None:
        """Say which matrices of layers the checkpoint has in floating point."""
        if not integers:
            raise refused("no layer has quantized weights", str(self.folder), "take another copy of the checkpoint")
        plain = [name for name, each in floats.items() if each.dim() == 2 and _LAYER.match(name)]
        if plain:
            whose = f"{len(plain)} matrices of layers are not quantized, {shown(plain[0])} among them"
            note(f"{self.folder}: {whose}: a scheme of integers rounds them")
        if self.told is not None and self.told.form.head and not any(name.endswith(_HEAD) for name in integers):
            note(f"{self.folder}: the LM head is not quantized: a scheme of integers rounds it")

    def _kept(self, integers: Mapping[str, Unpacked]) -> dict[str, KeptIntegers]:
        """Integers under our names, layer by layer: a scale for each weight takes twice the memory of the integers."""
        layers: dict[str, dict[str, Unpacked]] = {}
        for name, each in integers.items():
            found = _LAYER.match(name)
            layers.setdefault(found[0] if found else name, {})[name] = each
        return {name: each for layer in layers.values() for name, each in self._kept_of_layer(layer)}

    def _kept_of_layer(self, integers: Mapping[str, Unpacked]) -> Iterator[tuple[str, KeptIntegers]]:
        """By the way that weights take, turned, cut, padded, of experts side by side, and so each one's scale."""
        assert self.told is not None
        form = self.told.form
        values = self._ours({name: torch.from_numpy(each.values) for name, each in integers.items()})
        scales = self._ours({name: self._in_fp16(name, each) for name, each in integers.items()})
        given = {name: each for name, each in integers.items() if each.input_scale is not None}
        inputs = self._ours({n: torch.tensor(each.input_scale).expand(each.values.shape) for n, each in given.items()})
        for name, each in values.items():
            where, rows = f"{self.folder}: {name}", min(form.group or each.shape[-2], each.shape[-2])
            if each.shape[-2] % rows:
                raise refused(f"groups of {rows} do not divide {each.shape[-2]} inputs", where)
            scale = inputs[name].flatten()[0].clone() if name in inputs else None
            yield name, KeptIntegers(form, where, each.contiguous(), scales[name][..., ::rows, :].contiguous(), scale)

    def _ours(self, matrices: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Matrices [outputs, inputs] by names of layers as ours, [(experts,) inputs, outputs]."""
        found = model_state(self.config, {f"{name}{_WEIGHT}": self._turned(each) for name, each in matrices.items()})
        return {name.removesuffix(_WEIGHT): each for name, each in found.items()}

    def _in_fp16(self, module: str, layer: Unpacked) -> Tensor:
        """Scales of a layer [outputs, inputs], each an FP16 number, as memory has them."""
        spread = _per_weight(layer)
        if not torch.equal(spread.half().float(), spread):
            what = "a scale is no FP16 number, as which memory has it"
            raise refused(what, self._where(module), "round the scales to FP16 when quantizing")
        return spread.half()

    def _turned(self, weight: Tensor) -> Tensor:
        """A weight [outputs, inputs] as the checkpoint of a model in floating point has it."""
        return weight.T if self.config.family == "gpt2" else weight

    def _where(self, module: str) -> str:
        return f"{self.folder}: {shown(module)}"


def _per_weight(layer: Unpacked) -> Tensor:
    """The scale of each weight, float32 [outputs, inputs]."""
    scales = torch.from_numpy(np.ascontiguousarray(layer.scales))
    return scales.repeat_interleave(layer.values.shape[1] // scales.shape[1], 1)
