"""No room outgrows its budget, and the check would see one that does."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def test_no_room_is_larger_than_its_budget():
    ran = subprocess.run([sys.executable, HERE / "room_sizes.py"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("column", ["lines", "files"])
def test_one_more_than_the_budget_is_too_large(column, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    import room_sizes

    found = room_sizes.sizes()
    place = 0 if column == "lines" else 1
    with (tmp_path / "budget.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["room", "lines", "files", "aim_lines"])
        for name, counts in found.items():
            short = [count - (name == "sim" and at == place) for at, count in enumerate(counts)]
            rows.writerow([name, *short, 0])
    assert [each.name for each in room_sizes.rooms(found, tmp_path / "budget.csv") if each.is_too_large] == ["sim"]


def test_a_room_without_a_budget_may_have_nothing(monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    import room_sizes

    (new,) = [each for each in room_sizes.rooms({"attic": (1, 1)}) if each.name == "attic"]
    assert new.is_too_large
