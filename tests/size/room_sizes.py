"""Prints how many lines and files each room of sttest has, beside what it may have.

    python tests/size/room_sizes.py

Lines and files are those of the Python that git tracks.  Exit code 1 where a room is larger than its budget in
``budget.csv``: raising it is a line in a diff that a reader sees.  ``aim`` is what the house is to come down to.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUDGET = Path(__file__).with_name("budget.csv")
TOP = "top"
"""Modules beside the rooms: the public API and what is built in."""


@dataclass(frozen=True)
class Room:
    """A folder of ``sttest``, or a distribution of ``extensions``: its lines and files, and at most how many."""

    name: str
    lines: int
    files: int
    most_lines: int
    most_files: int
    aim_lines: int

    @property
    def is_too_large(self) -> bool:
        """Whether it has more lines or files than it may."""
        return self.lines > self.most_lines or self.files > self.most_files


def room_of(path: str) -> str:
    """``sttest/sim/graph.py`` is of ``sim``, ``sttest/api.py`` of ``top``; a distribution is a room of its own."""
    parts = path.split("/")
    if parts[0] == "extensions":
        return "/".join(parts[:2])
    return parts[1] if len(parts) > 2 else TOP


def sizes(root: Path = ROOT) -> dict[str, tuple[int, int]]:
    """Lines and files by room; tests are no part of a distribution's size."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", "sttest/*.py", "extensions/*.py"], cwd=root, check=True, capture_output=True
    )
    lines, files = defaultdict(int), defaultdict(int)
    for path in filter(None, listed.stdout.decode().split("\0")):
        if "/tests/" in path or not (root / path).exists():
            continue
        lines[room_of(path)] += (root / path).read_bytes().count(b"\n")
        files[room_of(path)] += 1
    return {room: (lines[room], files[room]) for room in sorted(lines)}


def rooms(found: dict[str, tuple[int, int]], budget: Path = BUDGET) -> list[Room]:
    """Every room with its budget; one that has none may have nothing, one that is gone has no lines."""
    with budget.open(encoding="utf-8", newline="") as file:
        allowed = {row["room"]: row for row in csv.DictReader(file)}
    nothing = {"lines": "0", "files": "0", "aim_lines": "0"}
    rows = []
    for name in sorted({*found, *allowed}):
        row = allowed.get(name, nothing)
        rows.append(Room(name, *found.get(name, (0, 0)), int(row["lines"]), int(row["files"]), int(row["aim_lines"])))
    return rows


def main() -> int:
    """Prints the table."""
    listed = rooms(sizes())
    print(f"{'room':<20}{'lines':>9}{'at most':>9}{'aim':>9}{'files':>8}{'at most':>9}")
    for each in listed:
        mark = "  too large" if each.is_too_large else ""
        print(
            f"{each.name:<20}{each.lines:>9,}{each.most_lines:>9,}{each.aim_lines:>9,}{each.files:>8,}"
            f"{each.most_files:>9,}{mark}"
        )
    own = [each for each in listed if not each.name.startswith("extensions/")]
    print(
        f"{'sttest':<20}{sum(each.lines for each in own):>9,}{sum(each.most_lines for each in own):>9,}"
        f"{sum(each.aim_lines for each in own):>9,}{sum(each.files for each in own):>8,}"
        f"{sum(each.most_files for each in own):>9,}"
    )
    large = [each.name for each in listed if each.is_too_large]
    if large:
        print(f"larger than tests/size/budget.csv allows: {', '.join(large)}", file=sys.stderr)
    return 1 if large else 0


if __name__ == "__main__":
    sys.exit(main())
