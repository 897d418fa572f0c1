"""What is quantised, to which width and with whose scales."""

from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import read_yaml

WeightType = Literal["int4", "int8", "none"]
ActivationScales = Literal["dynamic", "static", "none"]
ValueScales = Literal["folded", "per-position"]
LmHead = Literal["weights", "int8", "none"]

_LEAST_GROUP = 16
"""Rows under which a group that does not divide a weight is not cut down further."""
WEIGHT_MAX: dict[str, int] = {"int4": 7, "int8": 127}
ACTIVATION_MAX = 127


@dataclass(frozen=True)
class QuantScheme:
    """One way to quantise a decoder; everything is symmetric, without zero points.

    Args:
        name: by which commands know it.
        weights: type of the weights of linear layers.
        group: rows (along K, the inputs) that share a weight scale, see :meth:`rows_per_scale`; None is one scale
            per output channel.
        activations: int8 inputs of contractions, with a scale per vector computed on the fly
            (``dynamic``), or one constant scale per tensor (``static``); or ``none``.
        kv_bits: 8 keeps keys and values as int8 with a scale per position and head, 32 as they are.
        value_scales: where those scales of the values meet the mix, which sums over positions: ``folded`` into the
            softmax weights before these are rounded, so that the mix sums integers; or ``per-position``, each
            product times its scale in floating point.  Means nothing where kv_bits is 32.
        lm_head: quantised like the ``weights``, as ``int8`` under scales of the same groups, or ``none``.
    """

    name: str = "w4a8"
    weights: WeightType = "int4"
    group: int | None = 128
    activations: ActivationScales = "dynamic"
    kv_bits: int = 8
    value_scales: ValueScales = "folded"
    lm_head: LmHead = "weights"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise _bad(str(self.name), f"name is {self.name!r}", "give a word")
        _check_choice(self.name, "weights", self.weights, get_args(WeightType))
        _check_choice(self.name, "activations", self.activations, get_args(ActivationScales))
        _check_choice(self.name, "kv_bits", self.kv_bits, (8, 32))
        _check_choice(self.name, "value_scales", self.value_scales, get_args(ValueScales))
        _check_choice(self.name, "lm_head", self.lm_head, get_args(LmHead))
        if self.group is not None and (type(self.group) is not int or self.group < 1):
            raise _bad(self.name, f"group is {self.group!r}", "give a number of rows of at least 1, or null")
        if self.weights == "none" and self.activations != "none":
            raise _bad(self.name, "int8 activations meet weights that are not quantised", "set activations to none")
        if self.activations == "none" and self.kv_bits == 8:
            raise _bad(self.name, "an int8 cache is contracted with int8 activations only", "set kv_bits to 32")

    @property
    def quantises(self) -> bool:
        """Whether anything is quantised at all."""
        return self.weights != "none"

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
        """Largest weight in integers; the least is its negative."""
        return WEIGHT_MAX[self.weights]

    @property
    def of_router(self) -> "QuantScheme":
        """The scheme of the layer that scores experts: this one with int8 weights, for its errors change the choice."""
        return replace(self, weights="int8") if self.quantises else self

    @property
    def of_head(self) -> "QuantScheme":
        """The scheme by which the head is quantised, if it is: this one, with the head's type of weights."""
        return replace(self, weights="int8") if self.lm_head == "int8" and self.quantises else self


def _check_choice(name: str, field: str, value: object, choices: tuple[Any, ...]) -> None:
    if value not in choices or isinstance(value, bool):
        raise _bad(name, f"{field} is {value!r}", f"choose one of {', '.join(map(str, choices))}")


def _bad(name: str, what: str, hint: str) -> InputError:
    return InputError("bad-scheme", what, where=f"scheme '{name}'", hints=[hint])


# Point of departure: QServe's W4A8 g128 (Lin et al., arXiv 2405.04532); its per-channel form is the first option.
_DEFAULT = QuantScheme()
SCHEMES: dict[str, QuantScheme] = {
    scheme.name: scheme
    for scheme in (
        _DEFAULT,
        replace(_DEFAULT, name="w4a8-channel", group=None),
        replace(_DEFAULT, name="w4a8-static", activations="static"),
        replace(_DEFAULT, name="w4a8-position", value_scales="per-position"),
        # Finer groups and an int8 head: what perplexity asks for (docs/explanation/quality.md).
        replace(_DEFAULT, name="w4a8-g64", group=64, lm_head="int8"),
        replace(_DEFAULT, name="w4a8-g32", group=32, lm_head="int8"),
        replace(_DEFAULT, name="w8a8", weights="int8"),
        QuantScheme("fp32", weights="none", group=None, activations="none", kv_bits=32, lm_head="none"),
    )
}


def load_scheme(name_or_path: str | Path) -> QuantScheme:
    """The scheme of that name, or that of a YAML file.

    A file holds the fields of :class:`QuantScheme`; ``extends: w4a8-channel``
    starts from another one than ``w4a8``, and ``name`` is the file's by default.

    Raises:
        InputError: unknown name or key, with the nearest known one; a value or a combination that makes no scheme.
    """
    text = str(name_or_path)
    if text in SCHEMES:
        return SCHEMES[text]
    if not text.endswith((".yaml", ".yml")):
        hints = [did_you_mean(text, SCHEMES), "give the path of a .yaml file"]
        raise InputError("unknown-scheme", f"unknown scheme '{text}'", where="quantisation", hints=hints)
    return _from_mapping(read_yaml(Path(text)), text)


def _from_mapping(data: dict[str, Any], where: str) -> QuantScheme:
    known = {field.name for field in fields(QuantScheme)}
    for key in data.keys() - known - {"extends"}:
        hints = [did_you_mean(str(key), known)]
        raise InputError("unknown-key", f"unknown key '{key}'", where=where, hints=hints)
    base = data.get("extends", _DEFAULT.name)
    if not isinstance(base, str) or base not in SCHEMES:
        hints = [did_you_mean(str(base), SCHEMES)]
        raise InputError("unknown-scheme", f"extends unknown scheme '{base}'", where=where, hints=hints)
    own = {key: value for key, value in data.items() if key != "extends"}
    return QuantScheme(**{**asdict(SCHEMES[base]), "name": Path(where).stem, **own})
