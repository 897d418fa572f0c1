"""The constants that are fitted to published rows or chosen among them; `experiments.fit_gpt2` fits them anew."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import yaml

from sttest.errors import InputError

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
    """A constant that was chosen among published figures, not fitted: the field of the board's ``launch`` and why."""

    field: str
    why: str


def launch_choice(path: Path = CALIBRATION_FILE) -> Choice:
    """Which published launch figure the generations pay per block."""
    return Choice(**yaml.safe_load(path.read_text(encoding="utf-8"))["chosen"]["launch"])


def constants(path: Path = CALIBRATION_FILE) -> dict[str, Constant]:
    """All fitted constants by name.

    Raises:
        InputError: the file has other keys than a constant has.
    """
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    try:
        return {name: Constant(name=name, **fields) for name, fields in data["fitted"].items()}
    except (TypeError, KeyError, AttributeError) as error:
        raise InputError(
            "bad-calibration", f"not a calibration file: {error}", where=str(path), levers=["fit it anew"]
        ) from error


def write_constants(found: list[Constant], path: Path = CALIBRATION_FILE) -> None:
    """Writes the file that :func:`constants` reads."""
    fitted = {item.name: {key: value for key, value in asdict(item).items() if key != "name"} for item in found}
    chosen = {"launch": asdict(launch_choice(path))}
    header = "# Every constant that is fitted to a published row or chosen among published figures.\n"
    text = yaml.safe_dump({"fitted": fitted, "chosen": chosen}, sort_keys=False, width=110)
    path.write_text(header + text, encoding="utf-8")
