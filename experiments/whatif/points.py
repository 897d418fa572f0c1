"""From a study to its points: every combination of the axes, each with its full configuration or its refusal."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import sttest
from experiments.whatif.board_settings import BOARD
from experiments.whatif.settings import Configuration, LaunchCost, check_keys, configuration, launch_cost, model_of
from experiments.whatif.study import Study, Value
from sttest.errors import InputError
from sttest.models.registry import model_config

MAX_POINTS = 100_000
_ROOMS = ("boards", "sim", "models", "compile")
_SIMULATING = ("block.py", "bounds.py", "chain.py", "resources.py")
_PACKAGES = ("numpy", "scipy", "numba", "xdsl")
# What the HBM of a held design may be varied in without another design.
_HELD = tuple(
    f"{BOARD}{path}"
    for path in (
        "hbm.bandwidth", "memory.hbm.sustained_gb_per_s_per_channel", "memory.hbm.kernel_read_ns",
    )
)  # fmt: skip
# A combination that no model or scheme has is a row that says so; anything else wrong is an error of the study.
_ROW_REFUSALS = ("context-too-long", "no-such-precision")


@dataclass(frozen=True)
class Point:
    """One combination of a study.

    Attributes:
        axes: the values that it differs from other points in, by axis.
        settings: base and axes together.
        block: what is simulated, or None where there is no such block.
        refusal: then why.
        launch: what starting it costs; None with ``block``.
    """

    axes: Mapping[str, Value]
    settings: Mapping[str, Value]
    block: Configuration | None
    launch: LaunchCost | None
    refusal: str = ""

    @property
    def label(self) -> str:
        """As in ``gpt2, context=64``: what tells it from the other points."""
        return ", ".join(shown(axis, value) for axis, value in self.axes.items())

    @property
    def model(self) -> str:
        """Name of its model."""
        return model_of(self.settings)

    @property
    def layers(self) -> int:
        """Blocks per token."""
        return model_config(self.model).layers


def shown(axis: str, value: Value) -> str:
    """A value as labels show it; a bare number says of what it is."""
    bare = not value.label and not isinstance(value.value, str)
    return f"{axis.rpartition('.')[2]}={value}" if bare else str(value)


def points_of(study: Study, folder: Path) -> list[Point]:
    """All points, the last axis fastest.

    Args:
        study: what is asked.
        folder: of its file, which paths in it start from.

    Raises:
        InputError: a setting or value that there is not, or too many points.
    """
    axes = {key: Value(value=values[0].value) for key, values in study.axes.items()}
    check_keys({**study.base, **axes, **study.compiled_for}, "study")
    for key in study.compiled_for:
        if key not in _HELD:
            what = f"'{key}' cannot be held while a design runs with another"
            levers = [f"choose among {', '.join(_HELD)}"]
            raise InputError("not-held", what, where="study: compiled_for", levers=levers)
    count = prod(len(values) for values in study.axes.values())
    if count > MAX_POINTS:
        raise InputError("too-many-points", "too many points", where="study", demand=count, bound=MAX_POINTS)
    combinations = product(*study.axes.values())
    return [_point(study, dict(zip(study.axes, values, strict=True)), folder) for values in combinations]


def _point(study: Study, axes: dict[str, Value], folder: Path) -> Point:
    settings = {**study.base, **axes}
    try:
        block = configuration(settings, study.compiled_for, folder)
    except InputError as error:
        if error.code not in _ROW_REFUSALS:
            raise
        return Point(axes, settings, None, None, str(error))
    return Point(axes, settings, block, launch_cost(settings, block.board))


def key_of(block: Configuration, engine: str) -> dict[str, Any]:
    """What a stored result is found by: the full configuration, the program's own text, and what it builds on."""
    return {**block.to_dict(), "engine": engine, "source": program_hash(), "versions": versions()}


@cache
def program_hash() -> str:
    """Hash of the files that a result depends on: the rooms below the verbs, and here what simulates.

    A stored point is only as good as the program that made it.
    """
    digest = hashlib.sha256()
    rooms = [Path(sttest.__file__).parent / room for room in _ROOMS]
    below = [path for room in rooms for path in room.rglob("*") if path.suffix in (".py", ".yaml", ".mlir")]
    for path in (*sorted(below), *(Path(__file__).with_name(name) for name in _SIMULATING)):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def versions() -> dict[str, str]:
    """Of the packages that a result depends on."""
    return {package: version(package) for package in _PACKAGES}
