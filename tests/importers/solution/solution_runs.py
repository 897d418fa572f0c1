"""Solutions that are run in this process: the start of a child takes most of a small test's time.

A test module makes :func:`runs_here` an autouse fixture.  What is run so is written by hand, and it ends.
"""

import importlib
import re
from pathlib import Path

import sttest.importers.solution as importer
from sttest.importers.solution.folder import Solution
from sttest.importers.solution.program import FirstTransaction, read_run

MOST_ENTRIES = 10_000


def runs_here(monkeypatch, folder: Path) -> None:
    """Has :func:`read_solution` run bitcode in this process, without limits, and tell of it in a folder."""
    child = importlib.import_module("sttest.importers.solution.execute")

    def execute(solution: Solution) -> FirstTransaction:
        request = {"root": str(solution.root), "top": solution.top, "bitcode": str(solution.bitcode)}
        child.main(request, folder, 1, MOST_ENTRIES)
        return read_run(folder)

    def leave(code: int, text: str) -> None:
        raise AssertionError(f"the run would have ended with {code}: {text}")

    monkeypatch.setattr(importer, "execute", execute)
    monkeypatch.setattr(child, "lower_limit", lambda kind, most: None)
    monkeypatch.setattr(child, "_leave", leave)


def schedule_of(folder: Path, function: str = "top") -> Path:
    """The file with the schedule of a function."""
    return folder / ".autopilot" / "db" / f"{function}.sched.adb"


def edit(folder: Path, pattern: str, new: str, function: str = "top") -> Path:
    """Replaces what a pattern finds in the schedule of a function, which has it, and returns the folder."""
    path = schedule_of(folder, function)
    text, count = re.subn(pattern, new, path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert count
    path.write_text(text, encoding="utf-8")
    return folder


def make_array(folder: Path, channel: int, instruction: int, function: str = "top") -> None:
    """Makes a channel of a function's region, by its place, an array that an instruction allocates."""
    edit(folder, f"(<item><ssdmobj_id>){70000 + channel}<", rf"\g<1>{instruction}<", function)
