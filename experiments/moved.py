"""``python -m experiments.moved COMMIT FILE``: how far times and speeds in results have moved since a commit.

For every result that both have, the rows in ms, cycles, tokens/s or tokens/J, but for the items that a latency is made
of: how many there are, how many moved by more than 1 %, how far in the middle and at the most, and which most.  Points
of a search have numbers, under which the next search finds other designs: they are not compared.
"""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from io import StringIO
from pathlib import Path
from statistics import median

from sttest.core.files import csv_text, read_csv, write_text
from sttest.core.tables import markdown_table

ROOT = Path(__file__).parents[1]
AFTER_LAW = ROOT / "experiments" / "data" / "moved_by_the_memory_law.csv"
"""Since the results of 2026-11-29, which commit 4540a920f has: whole cycles per burst, and one latency."""
UNITS = ("ms", "cycles", "tokens/s", "tokens/J")
MOVED = 0.01
_NAMES = ("model", "board", "phase", "engine", "metric", "point", "unit")
_NUMBERED = re.compile(r"point \d+")
_SAME = ("board", "engine")
"""What is the same for nearly all rows, and not told."""


@dataclass(frozen=True)
class Moved:
    """One result's rows, before and now."""

    result: str
    rows: int  # rows that both have
    moved: int  # rows that moved by more than 1 %
    middle: float  # median of the changes, 0.01 is 1 % more
    least: float  # the change furthest down,
    most: float  # and furthest up
    furthest: str  # the row with the largest change, empty where none moved


COLUMNS = (*(field.name for field in fields(Moved)), "source")


def compared(result: str, before: Sequence[Mapping[str, str]], now: Sequence[Mapping[str, str]]) -> Moved | None:
    """The rows of one result; None where no time or speed stands in both."""
    old, changes = dict(_values(before)), dict[tuple[str, ...], float]()
    for name, value in _values(now):
        if old.get(name):
            changes[name] = value / old[name] - 1
    if not changes:
        return None
    far = {name: change for name, change in changes.items() if abs(change) > MOVED}
    furthest = max(far, key=lambda name: abs(far[name]), default=())
    shown = ", ".join(value for name, value in zip(_NAMES, furthest, strict=False) if value and name not in _SAME)
    values = changes.values()
    return Moved(result, len(changes), len(far), median(values), min(values), max(values), shown)


def _values(rows: Sequence[Mapping[str, str]]) -> Iterator[tuple[tuple[str, ...], float]]:
    for row in rows:
        is_numbered = _NUMBERED.fullmatch(row.get("point", "")) is not None
        if row.get("unit") in UNITS and row.get("value") and "item" not in row["metric"] and not is_numbered:
            yield tuple(row.get(name, "") for name in _NAMES), float(row["value"])


def since(commit: str) -> Iterator[Moved]:
    """Every result of the checkout beside that of a commit."""
    for table in sorted((ROOT / "results").glob("*/table.csv")):
        name = table.parent.name
        asked = ["git", "-C", str(ROOT), "show", f"{commit}:results/{name}/table.csv"]
        found = subprocess.run(asked, capture_output=True, text=True, check=False)
        if found.returncode:
            continue
        rows = csv.DictReader(StringIO(table.read_text(encoding="utf-8")))
        each = compared(name, list(csv.DictReader(StringIO(found.stdout))), list(rows))
        if each is not None:
            yield each


def moved_results(least: int = 1) -> str:
    """The table of a page: results of which so many rows moved by more than 1 %."""
    rows = [row for row in read_csv(AFTER_LAW, COLUMNS) if int(row["moved"]) >= least]
    shown = ("result", "times and speeds", "moved by more than 1 %", "median", "range", "furthest")
    lines = [
        (
            row["result"],
            f"{int(row['rows']):,}",
            row["moved"],
            f"{float(row['middle']):+.1%}",
            f"{float(row['least']):+.1%} to {float(row['most']):+.1%}",
            row["furthest"],
        )
        for row in rows
    ]
    return markdown_table(shown, lines, is_right=lambda column: 0 < column < 5)


def unmoved_results() -> str:
    """The results none of whose rows moved by more than 1 %, as a list in a sentence."""
    return ", ".join(f"`{row['result']}`" for row in read_csv(AFTER_LAW, COLUMNS) if row["moved"] == "0")


def main() -> None:
    """Writes the table since a commit."""
    commit, path = sys.argv[1:]
    source = f"results/RESULT/table.csv beside that of commit {commit}"
    write_text(Path(path), csv_text(COLUMNS, ((*map(_cell, astuple(each)), source) for each in since(commit))))


def _cell(value: object) -> object:
    return f"{value:.5f}" if isinstance(value, float) else value


if __name__ == "__main__":
    main()
