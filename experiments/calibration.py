"""What is fitted to published rows, and what was chosen beside it; `experiments.fit_gpt2` fits it anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from sttest.core.errors import InputError
from sttest.core.files import read_yaml, write_text

__depends__ = ("experiments/calibration.yaml",)

CALIBRATION_FILE = Path(__file__).parent / "calibration.yaml"


@dataclass(frozen=True)
class Constant:
    """One fitted constant: its value, and the one published row that it was fitted on."""

    name: str
    value: float
    unit: str
    row: str
    meaning: str


@dataclass(frozen=True)
class Choice:
    """What was chosen by name, not fitted, and why."""

    name: str
    why: str


def launch_choice(path: Path = CALIBRATION_FILE) -> Choice:
    """Which published launch figure, a field of the board's ``launch``, the generations pay per block."""
    return Choice(**_read(path)["chosen"]["launch"])


def precision_choice(path: Path = CALIBRATION_FILE) -> Choice:
    """Which scheme the designs that stand beside published ones are compiled with."""
    return Choice(**_read(path)["chosen"]["precision"])


def fitted_precisions(path: Path = CALIBRATION_FILE) -> list[str]:
    """The schemes for which constants were fitted: the chosen one, then what it is compared with."""
    chosen = precision_choice(path).name
    return [chosen, *(name for name in _read(path)["fitted"] if name != chosen)]


def constants(precision: str | None = None, path: Path = CALIBRATION_FILE) -> dict[str, Constant]:
    """The constants by name that were fitted with a scheme; by default with the chosen one.

    Raises:
        InputError: the file has other keys than a constant has, or nothing for the scheme.
    """
    try:
        fitted = _read(path)["fitted"][precision or precision_choice(path).name]
        return {name: Constant(name=name, **fields) for name, fields in fitted.items()}
    except (TypeError, KeyError, AttributeError) as error:
        raise InputError(
            "bad-calibration", f"not a calibration file: {error}", where=str(path), hints=["fit it anew"]
        ) from error


def write_constants(found: Mapping[str, Sequence[Constant]], path: Path = CALIBRATION_FILE) -> None:
    """Writes the file that :func:`constants` reads: the constants of every scheme."""
    fitted = {precision: {item.name: _fields(item) for item in items} for precision, items in found.items()}
    header = (
        "# Every constant that is fitted to a published row, by scheme, and every choice among figures or models.\n"
    )
    text = yaml.safe_dump({"fitted": fitted, "chosen": _read(path)["chosen"]}, sort_keys=False, width=110)
    write_text(path, header + text)


def _fields(constant: Constant) -> dict[str, Any]:
    return {key: value for key, value in asdict(constant).items() if key != "name"}


def _read(path: Path) -> dict[str, Any]:
    return read_yaml(path)
