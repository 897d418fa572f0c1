"""What `make coverage` measures: workers, children and compiled functions count, and too little fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent)]

import rooms

ROOT = Path(__file__).parents[2]
PLUGIN = "from sttest.core import two\n"
"""Stands in for sttest's own plugin of pytest, and imports what is measured before any test does."""
CORE = "def f(a):\n    if a:\n        return 1\n    return 2\n"
IN_A_CHILD = """
import subprocess, sys


def test_one_side():
    from sttest.core import two
    assert two.f(1) == 1


def test_the_other_in_a_child(tmp_path):
    code = "from sttest.core import two; print(two.f(0))"
    assert subprocess.check_output([sys.executable, "-P", "-c", code], cwd=tmp_path) == b"2\\n"
"""


def summary(lines, missed, branches, branches_missed):
    keys = ("num_statements", "missing_lines", "num_branches", "missing_branches")
    return {"summary": dict(zip(keys, (lines, missed, branches, branches_missed), strict=True))}


def test_rooms_are_sums_of_their_files():
    files = {
        "sttest/sim/a.py": summary(10, 1, 4, 1),
        "sttest/sim/maxplus/b.py": summary(20, 2, 6, 1),
        "sttest/simple/c.py": summary(9, 9, 8, 8),
    }
    assert rooms.rooms_of(files, ["sim", "core"]) == [rooms.Room("sim", 2, 30, 3, 10, 2), rooms.Room("core")]
    assert [room.share for room in rooms.rooms_of(files, ["sim", "core"])] == [80.0, 0.0]


@pytest.fixture
def project(tmp_path):
    """A project with one room, whose two branches a test reaches in its worker and in a child of it."""
    project = tmp_path / "project"
    for name, text in (
        ("sttest/__init__.py", ""),
        ("sttest/core/__init__.py", ""),
        ("sttest/core/two.py", CORE),
        ("sttest/testing/__init__.py", ""),
        ("sttest/testing/plugin.py", PLUGIN),
        ("tests/test_two.py", IN_A_CHILD),
    ):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["coverage"]
    values = {**told["run"], "source_dirs": ["sttest/core"]}
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    (project / "pyproject.toml").write_text("\n".join(["[tool.coverage.run]", *lines, ""]))
    return project


def measured(project, *tests):
    """The table and what was said of it, after a run of some tests on two workers."""
    environment = {**os.environ, "PYTHONPATH": str(project)}
    environment = {name: value for name, value in environment.items() if not name.startswith(("COVERAGE_", "PYTEST_"))}
    pytest_run = ["run", "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *tests]
    for arguments in (pytest_run, ["combine"]):
        subprocess.run([sys.executable, "-m", "coverage", *arguments], cwd=project, env=environment, check=True)
    command = [sys.executable, rooms.__file__, "--least", "95", "core"]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_imports_by_plugins_and_workers_and_children_count(project):
    done = measured(project, "tests")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].split() == ["core", "2", "4", "0", "2", "0", "100.0"]


@pytest.mark.slow
def test_too_little_fails(project):
    done = measured(project, "tests", "-k", "one_side")
    assert (done.returncode, done.stderr) == (1, "core: 50.0 % of branches, less than 95 %\n")
