"""The door of formats of quantized checkpoints: what ``quantization_config`` says, and how tensors are unpacked.

    Offer("quantized_formats", "quinary-pack", "my_package.quinary:QUINARY_PACK")

is a :class:`QuantizedFormat`.  PyTorch is not needed: tensors are arrays of NumPy.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sttest.core.errors import InputError
from sttest.models.quant.scheme import ActivationScales, QuantScheme

FROM_FLOATS = "take the checkpoint in BF16 or F32"
KINDS = {4: "int4", 8: "int8"}
"""Types of weights by their bits."""


@dataclass(frozen=True)
class ReleasedForm:
    """What a checkpoint says of its quantized weights.

    Args:
        format: name of the format.
        bits: width of the weights.
        group: inputs that share a scale; None is one scale per output.
        activations: scales of the inputs of quantized layers: ``none`` where they stay in floating point.
        head: whether the LM head is quantized, too.
        layout: variant of the format, by which its tensors are unpacked.
        doubt: what the tensors alone can tell, where the checkpoint may be one that is not read.
    """

    format: str
    bits: int
    group: int | None
    activations: ActivationScales = "none"
    head: bool = False
    layout: str = ""
    doubt: str = ""

    @property
    def kind(self) -> str:
        """The type of weights."""
        return KINDS[self.bits]

    @property
    def scheme(self) -> QuantScheme:
        """The scheme that computes what the checkpoint says; the cache, of which it says nothing, stays in FP16."""
        width = 16 if self.activations == "none" else 8
        static = "-static" if self.activations == "static" else ""
        groups = "channel" if self.group is None else f"g{self.group}"
        return QuantScheme(
            name=f"{self.format}-w{self.bits}a{width}-{groups}{static}",
            weights=self.kind,
            group=self.group,
            activations=self.activations,
            activation_bits=width,
            kv_bits=16,
            lm_head="weights" if self.head else "none",
        )

    def check(self, scheme: QuantScheme, where: str) -> None:
        """Refuse a scheme that would make other integers of the weights, or of inputs of which the checkpoint tells.

        Raises:
            InputError: the first that differs; a scheme with weights in float32 takes what the integers stand for.
        """
        if scheme.weights == "none":
            return
        inputs = (self.activations, 8)
        for what, ours, theirs in (
            ("weights", self.kind, next((each for _, each in scheme.mixed if each != self.kind), scheme.weights)),
            ("group", self.group, scheme.group),
            ("inputs", inputs, inputs if self.activations == "none" else (scheme.activations, scheme.input_bits)),
        ):
            if ours != theirs:
                raise InputError(
                    "other-scheme",
                    f"{what} of the checkpoint: {_words(ours)}, of the scheme '{scheme.name}': {_words(theirs)}",
                    where=where,
                    hints=["leave --precision out", "name the folder as the precision", "take fp32"],
                )


def _words(value: object) -> str:
    """A width, a group or a kind of inputs in a message."""
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return "one scale per output" if value is None else str(value)


class Unpacked(NamedTuple):
    """Weights of a linear layer as a file has them."""

    values: NDArray[np.int8]  # integers [outputs, inputs], zero points taken off
    scales: NDArray[np.float32]  # [outputs, groups], groups of inputs from the first on
    input_scale: float | None = None  # constant scale of the layer's inputs


Tensors = Mapping[str, NDArray[Any]]
"""Tensors of one layer by the last part of their names; those in floating point are float32."""


class QuantizedFormat(ABC):
    """One format of quantized checkpoints.

    Args:
        name: what ``quant_method`` says.
        leaves: last parts of the names of the tensors that stand for a layer's weight.
    """

    name: str
    leaves: tuple[str, ...]

    def takes(self, told: Mapping[str, Any]) -> bool:
        """Whether a ``quantization_config`` is of this format."""
        return told.get("quant_method") == self.name

    @abstractmethod
    def form(self, told: Mapping[str, Any], where: str) -> ReleasedForm:
        """What a ``quantization_config`` says.

        Raises:
            InputError: a variant that is not read, by the name of its field.
        """

    @abstractmethod
    def is_quantized(self, leaves: frozenset[str]) -> bool:
        """Whether a layer with tensors of these last parts of names is quantized."""

    @abstractmethod
    def shape(self, form: ReleasedForm, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, int]:
        """Outputs and inputs of a layer by the shapes of its tensors."""

    @abstractmethod
    def unpack(self, form: ReleasedForm, tensors: Tensors, where: str) -> Unpacked:
        """Integers and scales of a layer.

        Args:
            form: what the checkpoint says.
            tensors: the layer's tensors.
            where: file and layer, for the error.

        Raises:
            InputError: tensors that do not fit each other, or of weights that are not symmetric.
        """


# --- What all formats ask


def refused(what: str, where: str, *hints: str) -> InputError:
    """The error of quantized weights that are not read."""
    return InputError("quantized-checkpoint", what, where=where, hints=list(hints or (FROM_FLOATS,)))


def choice(told: Mapping[str, Any], field: str, known: tuple[Any, ...], where: str, default: Any = None) -> Any:
    """The value of a field that decides how tensors are read.

    Raises:
        InputError: none of the known values.
    """
    value = told.get(field, default)
    if value in known and type(value) in {type(each) for each in known}:
        return value
    shown = ascii(value)[:80]
    read = ", ".join(str(each) for each in known)
    raise refused(f"{field} is {shown}, read are {read}", f"{where}: {field}")


def group_of(told: Mapping[str, Any], where: str, field: str = "group_size") -> int | None:
    """Inputs that share a scale; -1 is all of a layer's.

    Raises:
        InputError: no number of inputs.
    """
    value = told.get(field, -1)
    if type(value) is not int or (value < 1 and value != -1):
        raise refused(f"{field} is {ascii(value)[:80]}, no number of inputs", f"{where}: {field}", "give -1, 32 or 128")
    return None if value == -1 else value


def words(tensors: Tensors, leaf: str, where: str) -> NDArray[np.uint32]:
    """A tensor of packed 32-bit words [rows, columns].

    Raises:
        InputError: it is missing, or is none.
    """
    found = tensors.get(leaf)
    if found is None or found.dtype != np.int32 or found.ndim != 2:
        raise refused(f"no {leaf} of 32-bit words [rows, columns]", where, "take another copy of the checkpoint")
    return np.ascontiguousarray(found).view(np.uint32)


def scales_of(tensors: Tensors, leaf: str, where: str) -> NDArray[np.float32]:
    """A tensor of scales.

    Raises:
        InputError: it is missing, or is none.
    """
    found = tensors.get(leaf)
    if found is None or found.dtype != np.float32 or found.ndim not in (1, 2):
        raise refused(f"no {leaf} in floating point", where, "take another copy of the checkpoint")
    return found


def fields_of(packed: NDArray[np.uint32], bits: int) -> NDArray[np.uint8]:
    """The fields of each word, the lowest bits first: [..., words] to [..., words, fields]."""
    shifts = np.arange(0, 32, bits, dtype=np.uint32)
    return ((packed[..., None] >> shifts) & np.uint32((1 << bits) - 1)).astype(np.uint8)


def check_zeros(zeros: NDArray[Any], bits: int, where: str) -> None:
    """Refuse zero points other than the middle of the range: this hardware's weights are symmetric.

    Raises:
        InputError: asymmetric weights.
    """
    middle = 1 << bits - 1
    if (zeros != middle).any():
        other = int(zeros[zeros != middle].flat[0])
        what = f"zero points are not all {middle}, {other} is among them: the weights are asymmetric"
        raise refused(what, where, "quantize it symmetrically", FROM_FLOATS)


def check_sizes(found: Unpacked, group: int | None, where: str) -> Unpacked:
    """The weights, if their scales are as many as the groups of their inputs.

    Raises:
        InputError: they are not, or the last group is cut off.
    """
    outputs, inputs = found.values.shape
    size = min(group or inputs, inputs)
    if inputs % size:
        raise refused(f"groups of {size} do not divide {inputs} inputs", where, "take a smaller group_size")
    if found.scales.shape != (outputs, inputs // size):
        what = f"scales are {list(found.scales.shape)} where groups of {size} make {[outputs, inputs // size]}"
        raise refused(what, where, "take another copy of the checkpoint")
    return found
