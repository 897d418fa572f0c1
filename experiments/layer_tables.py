"""Tables of what became of layers of transformers, for pages; ``tests/frontend/conformance.py`` measures them."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from sttest.core.tables import markdown_table

_FOLDER = Path(__file__).parents[1] / "tests" / "frontend"
TABLE, PROGRAMS = _FOLDER / "conformance.csv", _FOLDER / "kernelbench.csv"


def _rows(table: Path = TABLE) -> list[dict[str, str]]:
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def layers_count(outcome: str = "") -> int:
    """Calls of layers that were tried, or of those with one outcome."""
    return sum(outcome in ("", row["outcome"]) for row in _rows())


def programs_count(outcome: str = "") -> int:
    """Programs of KernelBench that were tried (``tests/frontend/kernelbench.py``), or those with one outcome."""
    return sum(outcome in ("", row["outcome"]) for row in _rows(PROGRAMS))


def layers_worst_db() -> int:
    """The lowest signal-to-noise ratio of a layer that is right."""
    return min(int(row["decibels"]) for row in _rows() if row["outcome"] == "right" and row["decibels"] != "inf")


def layers_conform() -> str:
    """A line per family: the decibels of each phase, or the number of the cause for which it is refused."""
    numbers = {cause: number for number, cause in enumerate(_causes(), start=1)}
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for row in _rows():
        cell = f"{row['decibels']} dB" if row["outcome"] == "right" else f"{row['outcome']} ({numbers[_cause(row)]})"
        lines.setdefault((row["family"], row["model"]), {})[row["phase"]] = cell
    cells = [
        (f, f"`{model}`", found.get("prefill", ""), found.get("decode", "")) for (f, model), found in lines.items()
    ]
    return markdown_table(("family", "class", "prefill", "decode"), cells)


def layer_causes() -> str:
    """The causes of refusals, by their numbers, with the first place of each."""
    lines = [(str(number), what, f"`{place}`") for number, (what, place) in enumerate(_causes().items(), start=1)]
    return markdown_table(("", "cause", "for example at"), lines)


def _causes() -> dict[str, str]:
    """Causes in the order of the table, and where each was first met."""
    found: dict[str, str] = {}
    for row in _rows():
        if row["cause"]:
            found.setdefault(_cause(row), row["cause"].rpartition("; ")[2])
    return found


def _cause(row: dict[str, str]) -> str:
    """What a refusal says, without its code, place and numbers of this layer alone."""
    what = row["cause"].rpartition("; ")[0].partition(": ")[2]
    return re.sub(r"\b\d+ kernels", "the kernels", what).replace("|", "\\|")
