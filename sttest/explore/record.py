"""Designs as rows of a file, each of which is enough to make its design again.

A row names the block (whose text is lowered again and compared by hash), holds the compiler's knobs with the lanes of
every task, and the figures that they gave.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

from sttest.compile.pipeline import Knobs
from sttest.errors import EnginesDisagreeError, InputError
from sttest.explore.evaluate import Evaluator, knobs_from
from sttest.explore.objectives import METRICS, Figures
from sttest.explore.target import Target
from sttest.models.program import Phase

PLACED = "placed_cycles"
_TARGET = ("model", "phase", "tokens", "context", "board", "precision", "layers", "launch_us")
_WHOLE = ("tokens", "context", "layers")
COLUMNS = ("point", *_TARGET, "text_sha256", "program", "knobs", *METRICS, PLACED)
"""Of the file of points: what a design is made from, then what came of it."""


@dataclass(frozen=True)
class Record:
    """A design with its figures.

    Attributes:
        point: its number in the search.
        target: the fields of a :class:`Target` but its text.
        text_sha256: of the text.
        program: identifies the version of the program.
        knobs: of the compiler, lanes spelled out.
        figures: metrics, and cycles with registers on crossings where it was placed.
    """

    point: int
    target: Mapping[str, Any]
    text_sha256: str
    program: str
    knobs: Knobs
    figures: Figures

    @classmethod
    def of(cls, point: int, target: Target, program: str, knobs: Knobs, figures: Figures) -> Record:
        """A design of a search."""
        fields = {name: getattr(target, name) for name in _TARGET}
        return cls(point, fields, text_hash(target.text), program, knobs, figures)

    def cells(self) -> list[str]:
        """As a row; numbers to their last digit."""
        figures = [repr(self.figures[name]) if name in self.figures else "" for name in (*METRICS, PLACED)]
        target = [str(self.target[name]) for name in _TARGET]
        return [str(self.point), *target, self.text_sha256, self.program, json.dumps(asdict(self.knobs)), *figures]


def text_hash(text: str) -> str:
    """Names a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def write_records(path: Path, records: Sequence[Record]) -> None:
    """Writes a CSV file with one row per design."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(record.cells() for record in records)


def read_record(path: Path, point: int) -> Record:
    """One row of a file of points.

    Raises:
        InputError: no such file or point, or a row that does not say what is needed.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = {row.get("point"): row for row in csv.DictReader(file)}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        levers = ["name the pareto.csv of a search"]
        raise InputError("no-points", f"can't be read ({error})", where=str(path), levers=levers) from error
    row = rows.get(str(point))
    if row is None:
        known = ", ".join(str(name) for name in rows if name) or "none"
        raise InputError("no-such-point", f"no point {point}", where=str(path), levers=[f"take one of {known}"])
    try:
        return _record(row)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            "bad-point", f"point {point} does not say how it is made ({error})", where=str(path),
            levers=["take a file that 'sttest explore' wrote"],
        ) from error  # fmt: skip


def _record(row: Mapping[str, str]) -> Record:
    target: dict[str, Any] = {name: row[name] for name in _TARGET}
    target |= {name: int(row[name]) for name in _WHOLE} | {"launch_us": float(row["launch_us"])}
    if target["phase"] not in get_args(Phase):
        raise ValueError(f"no phase {target['phase']!r}")
    figures = {name: float(row[name]) for name in (*METRICS, PLACED) if row[name]}
    knobs = knobs_from(json.loads(row["knobs"]))
    return Record(int(row["point"]), target, row["text_sha256"], row["program"], knobs, figures)


def rebuild(record: Record, evaluator: Evaluator) -> Figures:
    """Makes a design again from its row.

    Raises:
        EnginesDisagreeError: it gives other numbers.
        SttestError: it can no longer be made.
    """
    found = dict(evaluator.figures(record.knobs))
    if PLACED in record.figures:
        placed = evaluator.placed_cycles(record.knobs)
        found |= {} if placed is None else {PLACED: placed}
    different = [name for name in record.figures if found.get(name) != record.figures[name]]
    if different:
        name = different[0]
        raise EnginesDisagreeError(
            "rebuild-differs", f"{', '.join(different)} differ from the row", where=f"point {record.point}",
            demand=record.figures[name], bound=found.get(name), unit=name,
            levers=["take the version of sttest that made the row"],
        )  # fmt: skip
    return found
