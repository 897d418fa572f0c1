"""Prints what a measurement of coverage found, room by room; fails where a room has too few of its branches.

    python -m coverage run -m pytest tests/sim
    python -m coverage combine
    python tests/covered/rooms.py --least 95 sim

The share is that of branches alone, which is less than coverage's own, of lines and branches together.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coverage import Coverage
from tabulate import tabulate

ROOMS = ("sim", "package", "importers", "core")


@dataclass(frozen=True)
class Room:
    """How many files, lines and branches a room of sttest has, and how many of these no test reached."""

    name: str
    files: int = 0
    lines: int = 0
    lines_missed: int = 0
    branches: int = 0
    branches_missed: int = 0

    @property
    def share(self) -> float:
        """Percent of the branches; a room that nobody measured has none."""
        return 100 * (1 - self.branches_missed / self.branches) if self.branches else 0.0


def rooms_of(files: Mapping[str, Any], names: Iterable[str]) -> list[Room]:
    """The rooms of these names; ``files``: those of coverage's JSON report, by path from the root of the project."""
    found = []
    for name in names:
        own = [file["summary"] for path, file in files.items() if Path(path).parts[:2] == ("sttest", name)]
        counts = (
            sum(summary[key] for summary in own)
            for key in ("num_statements", "missing_lines", "num_branches", "missing_branches")
        )
        found.append(Room(name, len(own), *counts))
    return found


def table(rooms: Sequence[Room]) -> str:
    """A line per room."""
    rows = [
        [room.name, room.files, room.lines, room.lines_missed, room.branches, room.branches_missed, f"{room.share:.1f}"]
        for room in rooms
    ]
    return tabulate(
        rows, ["room", "files", "lines", "missed", "branches", "missed", "branches %"], disable_numparse=True
    )


def measured_files() -> dict[str, Any]:
    """The files of coverage's JSON report."""
    coverage = Coverage()
    coverage.load()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.json")
        coverage.json_report(outfile=str(path))
        return json.loads(path.read_text(encoding="utf-8"))["files"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs it; exit code 1 where a room has less than asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rooms", nargs="*", default=ROOMS, help=f"[{' '.join(ROOMS)}]")
    parser.add_argument("--least", type=float, default=0.0, help="percent of branches of each room")
    asked = parser.parse_args(arguments)
    rooms = rooms_of(measured_files(), asked.rooms)
    print(table(rooms))
    short = [room for room in rooms if room.share < asked.least]
    for room in short:
        print(f"{room.name}: {room.share:.1f} % of branches, less than {asked.least:g} %", file=sys.stderr)
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
