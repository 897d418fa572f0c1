"""A study as people write it: YAML with a base, axes, and where each value is from."""

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from sttest.core.errors import InputError, did_you_mean, note_renamed
from sttest.core.files import read_yaml
from sttest.core.results import Kind
from sttest.core.validation import validated

__depends__ = ("sttest/studies/data/boards/*",)  # they are named by studies, which results name themselves

STUDIES = Path(__file__).parents[1] / "data"
Scalar = str | int | float


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Value(_Part):
    """One value of a setting; a bare scalar in YAML is a value without label and source."""

    value: Scalar  # a number, a name, or the path of a board or scheme beside the study's file
    label: str = ""  # name in tables and figures
    # source, kind: provenance of a hardware number, as in a board's file
    source: str = ""
    kind: Kind = "assumed"
    settings: dict[str, "Value"] = Field(default_factory=dict)  # settings of a design, which the value names

    @field_validator("settings", mode="before")
    @classmethod
    def _settings(cls, given: Any) -> Any:
        return {todays_key(key): _as_value(value) for key, value in given.items()} if isinstance(given, dict) else given

    @field_validator("value", mode="before")
    @classmethod
    def _plain(cls, given: Any) -> Any:
        if isinstance(given, bool) or (isinstance(given, float) and not isfinite(given)):
            raise ValueError("neither a word nor a finite number")
        return given

    def __str__(self) -> str:
        if self.label or isinstance(self.value, float):
            return self.label or f"{self.value:g}"
        name = str(self.value)
        return Path(name).stem if name.endswith((".yaml", ".yml")) else name


class Study(_Part):
    """Points: every combination of the axes' values, over the base."""

    title: str = Field(min_length=1)  # title of tables and figures
    note: str = ""  # caveats that a reader must know before using the numbers
    # settings (``sttest.studies.whatif.settings``) that all points have.
    base: dict[str, Value] = Field(default_factory=dict)
    # settings of the HBM that the design is compiled for, if it is not that of each point: one design, then, runs
    # with every memory, and the points differ in nothing else
    compiled_for: dict[str, Value] = Field(default_factory=dict)
    axes: dict[str, tuple[Value, ...]] = Field(min_length=1)  # settings by what they take, the slowest first
    x: str = ""  # the axis of the figure, by default the last
    # an axis of designs, each a name with its ``settings``: the fastest of them is a point, too, for all other values
    best_of: str = ""

    @field_validator("base", "compiled_for", mode="before")
    @classmethod
    def _settings(cls, given: Any) -> Any:
        return {todays_key(key): _as_value(value) for key, value in given.items()} if isinstance(given, dict) else given

    @field_validator("axes", mode="before")
    @classmethod
    def _axes(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        for key, values in given.items():
            if not isinstance(values, list) or not values:
                raise ValueError(f"axis '{key}' is not a list of values")
        return {todays_key(key): [_as_value(value) for value in values] for key, values in given.items()}

    @field_validator("x", "best_of", mode="before")
    @classmethod
    def _axis(cls, given: Any) -> Any:
        return todays_key(given) if isinstance(given, str) else given

    @property
    def setting_axes(self) -> dict[str, tuple[Value, ...]]:
        """The axes that are settings themselves."""
        return {axis: values for axis, values in self.axes.items() if axis != self.best_of}

    @property
    def designs(self) -> tuple[Value, ...]:
        """The designs that the study chooses among."""
        return self.axes.get(self.best_of, ())

    @property
    def x_axis(self) -> str:
        """The axis of the figure."""
        return self.x or list(self.axes)[-1]


OPTIONS = "options."
"""What the options of the compiler begin with among the settings."""
_FORMERLY = {"knobs_from": "design"}
"""Settings of earlier versions, which still work, and what they are today, as do options that begin with ``knobs.``."""


def todays_key(key: str) -> str:
    """A setting of an earlier version by its name of today, which is told; any other as it is."""
    if key.startswith("knobs."):
        note_renamed("knobs.NAME", f"{OPTIONS}NAME")
        return f"{OPTIONS}{key.removeprefix('knobs.')}"
    today = _FORMERLY.get(key, key)
    if today != key:
        note_renamed(key, today)
    return today


def _as_value(given: Any) -> Any:
    return given if isinstance(given, dict) else {"value": given}


def study_names() -> list[str]:
    """Names of the studies that come with sttest, sorted."""
    return sorted(path.stem for path in STUDIES.glob("*.yaml"))


def study_path(name_or_path: str, others: Mapping[str, Path] = MappingProxyType({})) -> Path:
    """The file of a shipped study, or the path itself.

    Args:
        name_or_path: a name, or the path of a YAML file.
        others: files that have names too.

    Raises:
        InputError: unknown name, with the nearest known one.
    """
    named = {**{name: STUDIES / f"{name}.yaml" for name in study_names()}, **others}
    if name_or_path in named:
        return named[name_or_path]
    if name_or_path.endswith((".yaml", ".yml")):
        return Path(name_or_path)
    hints = [did_you_mean(name_or_path, named), "give the path of a .yaml file"]
    raise InputError("unknown-study", f"unknown study '{name_or_path}'", where="whatif", hints=hints)


def load_study(path: Path) -> Study:
    """The study of a file.

    Raises:
        InputError: unreadable, or not a study; the message names file, key and the nearest known key.
    """
    study = validated(Study, read_yaml(path), str(path))
    for key in study.axes.keys() & study.base.keys():
        raise InputError("key-twice", f"'{key}' is in the base and an axis", where=str(path), hints=["leave one out"])
    if study.x_axis not in study.axes:
        raise InputError(
            "unknown-axis",
            f"x is '{study.x}', which is no axis",
            where=str(path),
            hints=[did_you_mean(study.x, study.axes)],
        )
    if study.best_of and study.best_of not in study.axes:
        raise InputError(
            "unknown-axis",
            f"best_of is '{study.best_of}', which is no axis",
            where=str(path),
            hints=[did_you_mean(study.best_of, study.axes)],
        )
    for axis, values in study.setting_axes.items():
        if any(value.settings for value in values):
            raise InputError(
                "settings-of-no-design",
                f"values of '{axis}' have settings",
                where=str(path),
                hints=[f"say 'best_of: {axis}' if they are designs"],
            )
    return study
