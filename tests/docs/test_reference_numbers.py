"""What the reference says of limits and of exit codes is what the code has, and says all of it."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from sttest.cli import diff
from sttest.core import errors
from sttest.core.errors import SttestError
from sttest.core.interrupts import INTERRUPTED

command_line = import_module("sttest.cli.app")
ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "reference"
LIMITS = (PAGES / "limits.md").read_text(encoding="utf-8")
_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_NUMBER = re.compile(r"(\d[\d,]*)(?:\^(\d+))?(?: ([KMG]iB))?")
_CONSTANT = re.compile(r"`([\w.]+)`")
READERS = (
    "core/files.py",
    "core/errors.py",
    "sim/graph.py",
    "sim/graph_json.py",
    "sim/sdf3.py",
    "sim/throughput.py",
    "importers",
    "models/checkpoint.py",
    "models/text.py",
    "models/config_file.py",
    "reference/graph.py",
    "compile/own_kernels.py",
    "studies/experts/routing.py",
    "studies/report/read.py",
    "studies/report/svg.py",
    "studies/whatif/points.py",
)
"""Modules and folders that read files."""
_DEFINED = re.compile(r"^(_?(?:DEFAULT_)?(?:MAX|MOST)_[A-Z_]+) *=", re.M)
NO_LIMITS_OF_FILES = {
    "sim.graph.MAX_ACCESSES_VARIABLE",  # a name
    "core.errors._MAX_NAMES_SEARCHED",
    "core.errors._MAX_NAMES_LISTED",
    "core.errors._MAX_NAME_CHARS",  # of hints
    "core.errors._MOST_BEGUN",
}


def rows(text):
    """Cells of the lines of all tables of a page that name a constant or a code in their last or first cell."""
    lines = (line for line in text.splitlines() if line.startswith("| ") and not line.startswith("|---"))
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def numbers(cell):
    """
    >>> numbers("64 MiB, 2^27, 4,096 characters")
    [67108864, 134217728, 4096]
    """
    found = _NUMBER.finditer(cell)
    return [int(each[1].replace(",", "")) ** int(each[2] or 1) * _UNITS.get(each[3], 1) for each in found]


LIMIT_ROWS = [cells for cells in rows(LIMITS) if len(cells) == 3 and _CONSTANT.search(cells[2])]


def test_numbers_are_read_as_people_write_them():
    assert numbers("64 MiB, 2^27, 4,096 characters, 10^8, 32 deep") == [1 << 26, 1 << 27, 4096, 10**8, 32]


@pytest.mark.parametrize(("what", "limit", "constants"), LIMIT_ROWS, ids=[cells[0][:40] for cells in LIMIT_ROWS])
def test_a_limit_is_the_constant_that_it_names(what, limit, constants):
    named = [name.rpartition(".") for name in _CONSTANT.findall(constants)]
    if "checkpoint" in constants:
        pytest.importorskip("torch")
    assert numbers(limit) == [getattr(import_module(f"sttest.{module}"), name) for module, _, name in named]


def test_every_limit_of_a_reader_is_on_the_page():
    told = {name for cells in LIMIT_ROWS for name in _CONSTANT.findall(cells[2])}
    missing = []
    for room in READERS:
        place = ROOT / "sttest" / room
        for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
            module = ".".join(path.relative_to(ROOT / "sttest").with_suffix("").parts)
            found = {f"{module}.{name}" for name in _DEFINED.findall(path.read_text(encoding="utf-8"))}
            missing += sorted(found - told - NO_LIMITS_OF_FILES)
    assert missing == []


# --- Exit codes


def subclasses(kind):
    return {kind} | {each for below in kind.__subclasses__() for each in subclasses(below)}


CODES = {
    int(code): meaning for code, meaning, *_ in rows((PAGES / "cli.md").read_text(encoding="utf-8")) if code.isdecimal()
}


def test_the_table_has_every_exit_code_and_no_other():
    known = {each.exit_code for each in subclasses(SttestError) if each.__module__.startswith("sttest")}
    assert CODES.keys() == known | {0, diff.DIFFERENT, INTERRUPTED}


@pytest.mark.parametrize("code", range(7))
def test_codes_mean_the_same_everywhere(code):
    begins = CODES[code].partition(",")[0].partition(" (")[0].partition(":")[0]
    assert re.search(rf"^{code} +{begins}", errors.__doc__, re.M)
    assert f"{code} {begins}" in " ".join(command_line.common.__doc__.split())
