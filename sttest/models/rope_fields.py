"""The fields of a configuration of Hugging Face that say how positions turn queries and keys."""

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from sttest.core.errors import InputError
from sttest.models.config import LinearScaling, Llama3Scaling, YarnScaling
from sttest.models.layer_types import FULL, SLIDING, TYPES
from sttest.models.no_effect import IGNORED

_KEYS: dict[str, tuple[str, ...]] = {
    "default": (),
    "linear": ("factor",),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"),
    "yarn": ("factor", "original_max_position_embeddings"),
}
"""Kinds of scaling, and what each needs."""
_OPTIONAL = {"yarn": ("attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "truncate")}
_COMMON = ("rope_type", "type", "rope_theta", "partial_rotary_factor")


@dataclass(frozen=True)
class Rope:
    """Base, scaling, and the base of layers with a sliding window where it is another one."""

    theta: float
    scaling: Llama3Scaling | LinearScaling | YarnScaling | None = None
    local_theta: float | None = None


class RopeFields(BaseModel):
    """Fields on rotary positions, as transformers 4 and 5 write them."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    default_theta: ClassVar[float] = 10_000.0
    rope_kinds: ClassVar[tuple[str, ...]] = tuple(_KEYS)
    """Kinds of scaling that transformers takes of the family."""

    max_position_embeddings: Annotated[int, Field(ge=2, le=2**31)] = 2048
    rope_theta: Annotated[float, Field(gt=1)] | None = None
    rope_local_base_freq: Annotated[float, Field(gt=1)] | None = None
    rope_scaling: dict[str, Any] | None = None
    rope_parameters: dict[str, Any] | None = None
    partial_rotary_factor: float | None = None

    def rope(self, where: str) -> Rope:
        """Rotary positions of all layers.

        Raises:
            InputError: a kind of scaling, or a field of it, that is not known.
        """
        self._refuse_partial(self.partial_rotary_factor, where)
        if self.rope_local_base_freq is not None:
            raise _refused("no block of the family has a base for some layers", f"{where}: rope_local_base_freq")
        data = self.rope_scaling or self.rope_parameters or {}
        for key in TYPES:
            if key in data:
                hint = "delete it from a copy of the file"
                raise _refused("all layers of the family have one base", f"{where}: rope_parameters: {key}", hint)
        place = f"{where}: {'rope_scaling' if self.rope_scaling else 'rope_parameters'}"
        return self._rope(data, self.rope_theta or self.default_theta, place)

    def rope_by_kind(self, where: str, global_theta: float, local_theta: float) -> Rope:
        """Rotary positions of global layers, and the base of those with a sliding window, by their defaults."""
        self._refuse_partial(self.partial_rotary_factor, where)
        given = self.rope_parameters
        if given is None:
            given = {FULL: {"rope_type": "default"}}
        for key, value in given.items():
            if key not in TYPES or not isinstance(value, dict | None):
                hint = "give its fields" if key in TYPES else IGNORED
                raise _refused("no kind of layer", f"{where}: rope_parameters: {key!r:.40}", hint)
        given = {key: given.get(key) or {} for key in TYPES}
        if self.rope_scaling:
            if self.rope_parameters is not None and not self.rope_parameters.get(FULL):
                hint = f"write it under {FULL} of rope_parameters"
                raise _refused("transformers refuses both", f"{where}: rope_scaling", hint)
            given[FULL] = {**given[FULL], **self.rope_scaling}
        place = f"{where}: {'rope_scaling' if self.rope_scaling else f'rope_parameters: {FULL}'}"
        found = self._rope(given[FULL], self.rope_theta or global_theta, place)
        place_of_local = f"{where}: rope_parameters: {SLIDING}"
        local = self._rope(given[SLIDING], self.rope_local_base_freq or local_theta, place_of_local)
        if local.scaling is not None:
            raise _refused("no block scales positions of local layers", place_of_local)
        if isinstance(found.scaling, YarnScaling) and not found.scaling.truncate:
            raise _refused("no block of the family has it", f"{place}: truncate", IGNORED)
        return Rope(found.theta, found.scaling, local.theta)

    def _rope(self, data: dict[str, Any], theta: float, place: str) -> Rope:
        kind = data.get("rope_type", data.get("type", "default"))
        if not isinstance(kind, str) or kind not in self.rope_kinds:
            what = f"rotary positions of the kind {kind!r:.40} are not supported"
            if isinstance(kind, str) and kind in _KEYS:
                what = f"transformers refuses rotary positions of the kind {kind!r} in this family"
            raise InputError("unknown-rope", what, where=place, hints=[f"known: {', '.join(self.rope_kinds)}"])
        if "rope_theta" in data and data["rope_theta"] is None:
            raise _refused("None is no positive number", f"{place}: rope_theta", "delete it")
        data = {key: value for key, value in data.items() if value is not None}
        known = (*_COMMON, *_KEYS[kind], *_OPTIONAL.get(kind, ()))
        for key in data:
            # transformers keeps the length before scaling with any kind.
            if key not in (*known, "original_max_position_embeddings"):
                raise _refused("no block has this field", f"{place}: {key!r:.40}", IGNORED)
        self._refuse_partial(data.get("partial_rotary_factor"), place)
        missing = next((key for key in _KEYS[kind] if key not in data), None)
        if missing is not None:
            raise _refused(f"the kind '{kind}' needs it", f"{place}: {missing}", "add it")
        numbers = {key: _number(data[key], f"{place}: {key}") for key in data if key in known and _is_number(key)}
        truncate = data.get("truncate", True)
        if not isinstance(truncate, bool):
            raise _refused(f"{truncate!r:.40} is neither true nor false", f"{place}: truncate")
        if kind == "llama3" and numbers["high_freq_factor"] <= numbers["low_freq_factor"]:
            raise _refused("not above low_freq_factor", f"{place}: high_freq_factor", "correct one of them")
        return Rope(numbers.get("rope_theta", theta), _scaling(kind, numbers, truncate=truncate))

    @staticmethod
    def _refuse_partial(factor: object, where: str) -> None:
        if factor not in (None, 1, 1.0):
            raise _refused("no block turns a part of each head only", f"{where}: partial_rotary_factor")


def _is_number(key: str) -> bool:
    return key not in ("rope_type", "type", "truncate")


def _number(value: object, where: str) -> float:
    if value is None or isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 2**60:
        raise _refused(f"{value!r:.40} is no positive number", where)
    return value


def _scaling(kind: str, of: dict[str, float], *, truncate: bool) -> Llama3Scaling | LinearScaling | YarnScaling | None:
    length = int(of.get("original_max_position_embeddings", 0))
    match kind:
        case "linear":
            return LinearScaling(of["factor"])
        case "llama3":
            return Llama3Scaling(of["factor"], of["low_freq_factor"], of["high_freq_factor"], length)
        case "yarn":
            fast, slow = of.get("beta_fast", 32.0), of.get("beta_slow", 1.0)
            return YarnScaling(of["factor"], length, _attention_factor(of), fast, slow, truncate)
        case _:
            return None


def _attention_factor(of: dict[str, float]) -> float:
    """YaRN's scale of rotations (transformers, ``_compute_yarn_parameters``)."""

    def scale(weight: float) -> float:
        return 1.0 if of["factor"] <= 1 else 0.1 * weight * math.log(of["factor"]) + 1.0

    if "attention_factor" in of:
        return of["attention_factor"]
    if "mscale" in of and "mscale_all_dim" in of:
        return scale(of["mscale"]) / scale(of["mscale_all_dim"])
    return scale(1.0)


def _refused(what: str, where: str, hint: str = "take a model without it") -> InputError:
    return InputError("bad-value", what, where=where, hints=[hint])
