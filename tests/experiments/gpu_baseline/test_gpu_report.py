"""Committed runs as rows and as the tables of a page."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.gpu_baseline.campaign import SCHEMA
from experiments.gpu_baseline.measure import Subject, energy_rows, time_rows
from experiments.gpu_baseline.points import full_plan
from experiments.gpu_baseline.report import load_runs, measured_rows, tables
from experiments.gpu_baseline.table import RowFile
from experiments.gpu_baseline.windows import Window
from experiments.published import published_table
from sttest.core.errors import InputError

ROOT = Path(__file__).parents[3]
ENERGY = "qwen/eager-bf16/decode-512/energy"


@pytest.fixture
def folder(tmp_path):
    """A run with one energy point, one failure and one dropped point."""
    from experiments.gpu_baseline.measure import dropped, failed

    run = tmp_path / "runs" / "first"
    subject = Subject(ENERGY, "qwen", "eager-bf16", "decode", 512, 512)
    windows = [Window(1000, 10.0, 3000.0), Window(1000, 12.5, 3600.0), Window(1000, 11.0, 3300.0)]
    rows = RowFile(run / "rows.csv", resume=False)
    rows.add([*time_rows(subject, windows), *energy_rows(subject, windows, 80.0)])
    rows.add([failed(full_plan()[0], RuntimeError("no kernel")), dropped(full_plan()[1])])
    environment = {"schema": SCHEMA, "protocol": True, "gpu": {"name": "Fake H1", "power_limit_w": 700.0}}
    environment["versions"] = {"torch": "2", "transformers": "5"}
    (run / "environment.json").write_text(json.dumps(environment))
    return run.parent


def test_rows_are_measured_and_say_by_what(folder):
    rows = {row.metric: row for row in measured_rows(load_runs(folder))}
    assert set(rows) == {"time c=512", "speed c=512", "energy_gross c=512", "energy_net c=512", "power c=512"}
    gross = rows["energy_gross c=512"]
    assert (gross.value, gross.unit, gross.kind, gross.board, gross.engine) == (
        3.3,
        "J/token",
        "measured",
        "Fake H1",
        "eager-bf16",
    )
    assert gross.note == "3.0 to 3.6 in 3 repeats, windows of 10.0 s or more"
    assert rows["energy_net c=512"].value == pytest.approx(2.42)
    assert gross.source == "experiments/data/gpu_baseline/first"


def test_tables_show_figures_failures_and_what_was_dropped(folder):
    shown = tables(load_runs(folder))
    assert "| qwen | eager-bf16 | 90.9 | 80.0 | 100.0 | 3.3 | 2.42 | 300 | - | 3 x 10.0 s |" in shown
    assert "Dropped for want of time: 1; failed: 1:" in shown
    assert "- `gpt2/eager-bf16/prefill-32/time`: RuntimeError: no kernel" in shown


def test_a_trial_run_is_refused(folder):
    path = folder / "first" / "environment.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"protocol": False}))
    with pytest.raises(InputError, match="is a trial run, not a measurement; measure without --smoke"):
        load_runs(folder)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("environment.json", "{", "not valid JSON"),
        ("environment.json", "[]", "expected an object"),
        ("rows.csv", "a,b\n1,2\n", "its columns are not"),
    ],
)
def test_foreign_files_are_refused(folder, name, text, says):
    (folder / "first" / name).write_text(text)
    with pytest.raises(InputError, match=says):
        load_runs(folder)


def test_no_folder_is_no_runs(tmp_path):
    shutil.rmtree(tmp_path)
    assert load_runs(tmp_path) == []


def test_published_gpu_rows_have_unit_and_kind():
    table = published_table("gpu_published")
    assert set(table["kind"]) == {"measured", "claimed", "datasheet"}
    assert table["unit"].str.len().min() >= 1
    qwen = table[(table["model"] == "Qwen2.5-0.5B") & (table["precision"] == "BF16") & (table["unit"] == "tokens/s")]
    assert sorted(qwen["value"].astype(float)) == [47.4, 311.55]


def test_measuring_needs_what_the_page_says():
    show = (
        "import sys, experiments.gpu_baseline.__main__;"
        "print(*{name.partition('.')[0] for name, module in sys.modules.items()"
        " if 'site-packages' in (getattr(module, '__file__', None) or '')})"
    )
    told = subprocess.run([sys.executable, "-c", show], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    page = (ROOT / "docs" / "paper" / "gpu-baselines.md").read_text(encoding="utf-8")
    (needs,) = re.findall(r"Measuring needs (.*); sttest need not be installed", page)
    packages = {"yaml": "PyYAML", "pydantic": "pydantic", "defusedxml": "defusedxml"}
    of_pydantic = {"pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"}
    own = {name for name in told.split() if name.startswith(("_", "sttest"))}  # how an editable install is found
    assert {packages[name] for name in {*told.split()} - of_pydantic - own} == {*packages.values()}
    assert all(name in needs for name in packages.values())


def test_each_gpu_has_tables_of_its_own(folder):
    path = folder / "first" / "environment.json"
    other = json.loads(path.read_text())
    other["gpu"]["name"] = "Another GPU"
    shutil.copytree(folder / "first", folder / "other")
    (folder / "other" / "environment.json").write_text(json.dumps(other))
    shown = tables(load_runs(folder))
    assert shown.count("### ") == 2
    assert shown.count("| qwen | eager-bf16 | 90.9 |") == 2
