"""What is quantized, to which width and with whose scales."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, get_args

from sttest.core.errors import InputError, did_you_mean
from sttest.core.extensions import all_loaded
from sttest.core.files import read_yaml
from sttest.core.plain_files import is_folder
from sttest.reference.weight_types import WeightType, weight_types

__depends__ = ("sttest/built_in/schemes.py", "sttest/models/quant/schemes.py")

ActivationScales = Literal["dynamic", "static", "none"]
ValueScales = Literal["folded", "per-position"]
CacheScales = Literal["fp16", "power-of-two"]
LmHead = Literal["weights", "int8", "none"]

_LEAST_GROUP = 16
"""Rows under which a group that does not divide a weight is not cut down further."""
_INTEGER_BITS, _FLOAT_BITS = (4, 8), (16, 32)


@dataclass(frozen=True)
class QuantScheme:
    """One way to quantize a decoder; everything is symmetric, without zero points.

    Args:
        name: by which commands know it.
        weights: type of the weights of linear layers: integers under scales, or floating point.
        group: rows (along K, the inputs) that share a weight scale, see :meth:`rows_per_scale`; None is one scale
            per output channel.
        activations: integers as inputs of contractions, with a scale per vector computed on the fly
            (``dynamic``), or one constant scale per tensor (``static``); or ``none``.
        activation_bits: width of the inputs of linear layers: integers of 4 or 8 bits, or without scales FP16 or FP32;
            None is 8, and 32 without scales.  Queries and softmax weights that meet an integer cache are int8.
        kv_bits: 4 or 8 keeps keys and values as integers with a scale per position and head, 16 as FP16, 32 as they
            are.
        kv_scales: the nearest scale, or the next power of two above it: block floating point with a head as the block.
        value_scales: where those scales of the values meet the mix, which sums over positions: ``folded`` into the
            softmax weights before these are rounded, so that the mix sums integers; or ``per-position``, each
            product times its scale in floating point.  Means nothing where kv_bits is 32.
        mixed: types of the weights of some layers, by patterns of their names (``mlp.*``), of which the first that fits
            counts; integers all of them, as the ``weights`` of the others.  In a file a mapping.
        lm_head: quantized like the ``weights``, as ``int8`` under scales of the same groups, or ``none``.
    """

    name: str = "w4a8"
    weights: str = "int4"
    group: int | None = 128
    activations: ActivationScales = "dynamic"
    activation_bits: int | None = None
    kv_bits: int = 8
    kv_scales: CacheScales = "fp16"
    value_scales: ValueScales = "folded"
    lm_head: LmHead = "weights"
    mixed: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise _bad(str(self.name), f"name is {self.name!r}", "give a word")
        _check_choice(self.name, "weights", self.weights, tuple(weight_types()))
        _check_choice(self.name, "activations", self.activations, get_args(ActivationScales))
        widths = _FLOAT_BITS if self.activations == "none" else _INTEGER_BITS
        _check_choice(self.name, "activation_bits", self.activation_bits, (None, *widths))
        _check_choice(self.name, "kv_bits", self.kv_bits, (*_INTEGER_BITS, *_FLOAT_BITS))
        _check_choice(self.name, "kv_scales", self.kv_scales, get_args(CacheScales))
        _check_choice(self.name, "value_scales", self.value_scales, get_args(ValueScales))
        _check_choice(self.name, "lm_head", self.lm_head, get_args(LmHead))
        for pattern, weights in self.mixed:
            _check_choice(
                self.name, f"mixed: {pattern}", weights, [n for n, each in weight_types().items() if each.most]
            )
        if self.mixed and not self.has_integer_weights:
            raise _bad(self.name, f"mixed types, but weights are {self.weights}", "take integers for the others, too")
        if self.group is not None and (type(self.group) is not int or self.group < 1):
            raise _bad(self.name, f"group is {self.group!r}", "give a number of rows of at least 1, or null")

    @property
    def weight_type(self) -> WeightType:
        """The type of the weights of most linear layers."""
        return weight_types()[self.weights]

    @property
    def quantizes(self) -> bool:
        """Whether anything is quantized at all."""
        return self.weights != "none" or self.input_bits < _FLOAT_BITS[-1] or self.kv_bits < _FLOAT_BITS[-1]

    @property
    def input_bits(self) -> int:
        """Width of the inputs of linear layers."""
        return self.activation_bits or (_FLOAT_BITS[-1] if self.activations == "none" else _INTEGER_BITS[-1])

    @property
    def input_max(self) -> int:
        """Largest integer of the inputs of linear layers, where they are integers."""
        return (1 << self.input_bits - 1) - 1

    @property
    def has_integer_weights(self) -> bool:
        """Whether weights are integers under scales."""
        return self.weight_type.most > 0

    @property
    def has_integer_cache(self) -> bool:
        """Whether keys and values are integers under scales."""
        return self.kv_bits in _INTEGER_BITS

    @property
    def kv_max(self) -> int:
        """Largest integer of keys and values, where they are integers."""
        return (1 << self.kv_bits - 1) - 1

    @property
    def has_integer_attention(self) -> bool:
        """Whether queries and softmax weights meet the cache as integers; in floating point they meet its numbers."""
        return self.has_integer_cache and self.activations != "none"

    def rows_per_scale(self, rows: int) -> int:
        """Rows of a weight that share a scale: the group, or where it does not divide the rows, less.

        The group is halved until it divides them; where no half of at least 16 does, it is their largest divisor from
        16 to the group, or else all rows.

        >>> [QuantScheme(group=128).rows_per_scale(rows) for rows in (96, 1024, 576, 960, 1600, 250, 262)]
        [96, 128, 64, 64, 64, 125, 262]
        """
        if self.group is None or rows <= self.group:
            return rows
        least = min(_LEAST_GROUP, self.group)
        halves = (self.group >> times for times in range((self.group // least).bit_length()))
        divisors = range(self.group, least - 1, -1)
        return next((size for size in (*halves, *divisors) if rows % size == 0), rows)

    @property
    def weight_max(self) -> int:
        """Largest magnitude of a weight in integers."""
        return self.weight_type.most

    def of_layer(self, name: str) -> "QuantScheme":
        """The scheme of a linear layer of a block, by its name (``mlp.fc1``).

        >>> QuantScheme(mixed=(("mlp.*", "int2"),)).of_layer("mlp.fc1").weights
        'int2'
        """
        found = next((weights for pattern, weights in self.mixed if fnmatchcase(name, pattern)), self.weights)
        return self if found == self.weights else replace(self, weights=found)

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes by which weights of a block lie in memory, by name.

        Raises:
            InputError: weights of as many bits have several: a stream has one code.
        """
        found = [weight_types()[name] for name in sorted({self.weights, *(weights for _, weights in self.mixed)})]
        for first, second in combinations(found, 2):
            if first.bits == second.bits and first.code != second.code:
                raise InputError(
                    "two-codes",
                    f"weights of {first.name} and {second.name} are both {first.bits} bits in a stream",
                    where="precision",
                    hints=["take one of them"],
                )
        return tuple(each.code.name for each in found if each.code is not None)

    @property
    def of_router(self) -> "QuantScheme":
        """The scheme of the layer that scores experts: this one with int8 weights, for its errors change the choice."""
        return replace(self, weights="int8") if self.has_integer_weights else self

    @property
    def of_head(self) -> "QuantScheme":
        """The scheme by which the head is quantized, if it is: this one, with the head's type of weights."""
        return replace(self, weights="int8") if self.lm_head == "int8" and self.quantizes else self


def _check_choice(name: str, field: str, value: object, choices: Sequence[Any]) -> None:
    if value not in choices or isinstance(value, bool):
        raise _bad(name, f"{field} is {value!r}", f"choose one of {', '.join(map(str, choices))}")


def _bad(name: str, what: str, hint: str) -> InputError:
    return InputError("bad-scheme", what, where=f"scheme '{name}'", hints=[hint])


@cache
def schemes() -> dict[str, QuantScheme]:
    """All that are known by name, those of installed extensions last (the door ``schemes``).

    Raises:
        InputError: what an extension offers is no scheme, or has another name.
    """
    return all_loaded("schemes", QuantScheme)


def load_scheme(name_or_path: str | Path) -> QuantScheme:
    """The scheme of that name, that of a YAML file, or that of a quantized checkpoint by its folder.

    A file holds the fields of :class:`QuantScheme`; ``extends: w4a8-channel``
    starts from another one than ``w4a8``, and ``name`` is the file's by default.

    Raises:
        InputError: unknown name or key, with the nearest known one; a value or a combination that makes no scheme.
    """
    text = str(name_or_path)
    if text in schemes():
        return schemes()[text]
    if text.endswith(".json") or is_folder(text):
        from sttest.models.quant.released.door import folder_scheme  # its formats make schemes

        return folder_scheme(Path(text))
    if not text.endswith((".yaml", ".yml")):
        hints = [did_you_mean(text, schemes()), "give the path of a .yaml file"]
        raise InputError("unknown-scheme", f"unknown scheme '{text}'", where="quantization", hints=hints)
    return _from_mapping(read_yaml(Path(text)), text)


def _from_mapping(data: dict[str, Any], where: str) -> QuantScheme:
    known = {field.name for field in fields(QuantScheme)}
    for key in data.keys() - known - {"extends"}:
        hints = [did_you_mean(str(key), known)]
        raise InputError("unknown-key", f"unknown key '{key}'", where=where, hints=hints)
    base = data.get("extends", QuantScheme.name)
    if not isinstance(base, str) or base not in schemes():
        hints = [did_you_mean(str(base), schemes())]
        raise InputError("unknown-scheme", f"extends unknown scheme '{base}'", where=where, hints=hints)
    own = {key: value for key, value in data.items() if key != "extends"}
    if isinstance(own.get("mixed"), dict):
        own["mixed"] = tuple((str(pattern), weights) for pattern, weights in own["mixed"].items())
    elif own.get("mixed", ()) != ():
        raise _bad(Path(where).stem, f"mixed is {own['mixed']!r}", "give a mapping of patterns to types")
    known_fields = {each.name: getattr(schemes()[base], each.name) for each in fields(QuantScheme)}
    return QuantScheme(**{**known_fields, "name": Path(where).stem, **own})
