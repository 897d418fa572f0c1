"""The file of raw rows: whole lines, flushed after every point, taken up again by a later run."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from dataclasses import astuple, fields
from pathlib import Path

from experiments.gpu_baseline.measure import Measurement
from sttest.core.files import csv_text, write_text

COLUMNS = tuple(field.name for field in fields(Measurement))
_NOT_A_RESULT = frozenset({"error", "dropped"})


class RowFile:
    """A CSV of measurements that only ever grows by whole points.

    Args:
        path: the file; its folder is made.
        resume: keep the points that have results, and take them as finished; otherwise start anew.
    """

    def __init__(self, path: Path, *, resume: bool) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = _with_results(read_rows(path)) if resume and path.exists() else []
        self.finished = frozenset(row["point"] for row in kept)
        self._idle = [row for row in kept if row["metric"] == "idle_power"]
        write_text(path, csv_text(COLUMNS, ([row[column] for column in COLUMNS] for row in kept)))

    def idle_w(self, name: str) -> float | None:
        """The idle power that an earlier run of this file measured under this name."""
        return next((float(row["value"]) for row in self._idle if row["point"] == name), None)

    def add(self, rows: Iterable[Measurement]) -> None:
        """Appends the rows of a point and puts them on the disk."""
        with self.path.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(astuple(row) for row in rows)
            file.flush()
            os.fsync(file.fileno())


def read_rows(path: Path) -> list[dict[str, str]]:
    """The lines of a file of raw rows as they are; a last line that was cut short is left out."""
    with path.open(newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if None not in row.values()]


def _with_results(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """All rows of points that did not fail and were not dropped; models are set up anew."""
    without = {row["point"] for row in rows if row["metric"] in _NOT_A_RESULT}
    return [row for row in rows if row["point"] not in without and row["phase"] != "set-up"]
