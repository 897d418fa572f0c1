"""Every committed number says what it is: all folders of results, all rows."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path
from typing import get_args

import pytest

from sttest.core.results import COLUMNS, RESULTS_SCHEMA, Kind, table_rows
from sttest.studies.tables import programs

RESULTS = Path(__file__).parents[2] / "results"
FOLDERS = sorted(path for path in RESULTS.iterdir() if path.is_dir() and not path.name.startswith("."))


def rows(folder: Path) -> list[dict[str, str]]:
    return table_rows(folder / "table.csv")


def test_every_experiment_has_committed_results() -> None:
    assert programs().keys() <= {folder.name for folder in FOLDERS}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_row_has_experiment_metric_unit_and_kind(folder: Path) -> None:
    found = rows(folder)
    assert found
    assert [name for name in found[0] if name in COLUMNS] == list(COLUMNS)
    axes = tuple(found[0])[tuple(found[0]).index("point") + 1 : tuple(found[0]).index("metric")]
    assert (*COLUMNS[: COLUMNS.index("point") + 1], *axes, *COLUMNS[COLUMNS.index("point") + 1 :]) == tuple(found[0])
    for row in found:
        assert row["experiment"] == folder.name, row
        assert row["metric"], row
        assert row["unit"], row
        assert row["kind"] in get_args(Kind), row


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_numbers_are_numbers_and_errors_follow_from_them(folder: Path) -> None:
    for row in rows(folder):
        if not row["value"]:
            assert row["note"], row
            continue
        value = float(row["value"])
        assert math.isfinite(value), row
        if row["reference"] and float(row["reference"]):
            assert row["source"], row
            assert float(row["error"]) == pytest.approx(value / float(row["reference"]) - 1, abs=1e-9), row


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_folders_are_whole(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["schema"] == RESULTS_SCHEMA
    assert manifest["experiment"] == folder.name
    assert manifest["rows"] == len(rows(folder))
    assert len((folder / "table.md").read_text(encoding="utf-8").splitlines()) == len(rows(folder)) + 2
    assert {path.stem for path in folder.glob("*.png")} == {path.stem for path in folder.glob("*.svg")}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_manifests_name_a_commit_of_this_history_without_changes(folder: Path) -> None:
    made_by = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["git"]
    assert not made_by["changed"]
    if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        pytest.skip("the history is not here")
    assert not git("merge-base", "--is-ancestor", made_by["commit"], "HEAD").returncode, made_by["commit"]


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(("git", "-C", str(RESULTS), *arguments), capture_output=True, text=True, check=False)
