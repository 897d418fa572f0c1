"""`sttest report`: what it prints, what it leaves behind, and what it refuses."""

import json
import shutil
from pathlib import Path

import pytest

from sttest.core.results import ResultFolder, Row

RESULTS = Path(__file__).parents[2] / "results"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with one small experiment, as a user would have it."""
    monkeypatch.chdir(tmp_path)
    with ResultFolder(tmp_path / "results" / "mine", made_by="sttest.core.results", config={"a": 1}) as folder:
        folder.add(Row("mine", "time [1]", 2.5, "ms", "measured", reference=2.0, source="a paper"))
        folder.add(Row("mine", "time [2]", None, "ms", "measured", note="not measured"))
    return tmp_path


def test_it_writes_one_page_and_says_so(here, sttest):
    outcome = sttest("report")
    assert outcome.exit_code == 0, outcome.stderr
    assert outcome.stdout.startswith("2 numbers of 1 experiments, 1 of them with a reference")
    assert "written: report.html" in outcome.stdout
    assert {path.name for path in here.iterdir()} == {"results", "report.html"}
    assert "+25.0" in (here / "report.html").read_text(encoding="utf-8")


def test_it_says_the_same_as_json(here, sttest):
    outcome = sttest("report", "-o", "page.html", "--json")
    assert outcome.exit_code == 0, outcome.stderr
    summary = json.loads(outcome.stdout)
    assert summary["schema"] == "sttest.report/2"
    assert summary["experiments"] == {"mine": 2}
    assert summary["compared"] == 1
    assert summary["page_bytes"] == (here / "page.html").stat().st_size
    assert sttest("report", "-o", "page.html").exit_code == 0, "an earlier page may be replaced"


def test_only_the_named_experiments(here, sttest):
    shutil.copytree(RESULTS / "clock", here / "results" / "clock")
    outcome = sttest("report", "-e", "clock", "--json")
    rows = len((RESULTS / "clock" / "table.csv").read_text(encoding="utf-8").splitlines()) - 1
    assert json.loads(outcome.stdout)["experiments"] == {"clock": rows}


def _without_table(folder):
    (folder / "table.csv").unlink()


def _text(name, text):
    return lambda folder: (folder / name).write_text(text, encoding="utf-8")


def _bytes(name, data):
    return lambda folder: (folder / name).write_bytes(data)


HEAD = "experiment,model,board,phase,engine,point,metric,value,unit,kind,reference,error,source,note\n"


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_without_table, "holds no table.csv"),
        (lambda folder: (folder / "manifest.json").unlink(), "holds no manifest.json"),
        (_text("manifest.json", "{"), "not valid JSON"),
        (_text("manifest.json", "[" * 100_000), "nested more than"),
        (_text("manifest.json", '{"schema": "other"}'), "schema is 'other'"),
        (_text("table.csv", "a,b\n"), "has no column experiment, model"),
        (_text("table.csv", HEAD + "x,,,,,,m,1,ms\n"), "line 2: not as many fields"),
        (_text("table.csv", HEAD + "x,,,,,,m,fast,ms,measured,,,,\n"), "'fast' is no finite number"),
        (_text("table.csv", HEAD + "x,,,,,,m,nan,ms,measured,,,,\n"), "'nan' is no finite number"),
        (_text("table.csv", HEAD + "x,,,,,,m,1,,measured,,,,\n"), "line 2: has no unit"),
        (_text("table.csv", HEAD + "x,,,,,,m,1,ms,guessed,,,,\n"), "kind is 'guessed'"),
        (_text("table.csv", HEAD + 'x,,,,,,m,1,ms,measured,,,,"\n'), "table.csv line"),
        (_bytes("table.csv", b"\xff\xfe"), "not UTF-8"),
        (_bytes("figure.svg", b"<svg"), "not well-formed XML"),
        (_bytes("figure.png", b"GIF89a"), "is no PNG"),
    ],
)
def test_results_that_are_none_are_one_line_and_leave_nothing(here, sttest, spoil, told):
    spoil(here / "results" / "mine")
    outcome = sttest("report")
    assert outcome.exit_code == 2
    assert outcome.stdout == ""
    assert told in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    assert {path.name for path in here.iterdir()} == {"results"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--results", "nowhere"], "nowhere: No such file or directory; name the folder of results with --results"),
        (["--results", "results/mine"], "holds no folders of results"),
        (["-e", "mien"], "no experiment 'mien'; did you mean 'mine'?"),
        (["-o", "results"], "is a folder"),
        (["-o", "nowhere/page.html"], "nowhere: no such folder"),
        (["-o", "results/mine/table.csv"], "is no earlier report"),
    ],
)
def test_requests_that_cannot_be_met(here, sttest, options, told):
    before = (here / "results" / "mine" / "table.csv").read_bytes()
    outcome = sttest("report", *options)
    assert outcome.exit_code == 2
    assert told in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    assert (here / "results" / "mine" / "table.csv").read_bytes() == before


def test_a_page_that_fails_half_way_leaves_the_old_one(here, sttest, monkeypatch):
    assert sttest("report").exit_code == 0
    before = (here / "report.html").read_bytes()

    def full(*_, **__):
        raise OSError(28, "No space left on device", "report.html")

    monkeypatch.setattr(Path, "write_text", full)
    outcome = sttest("report")
    assert outcome.exit_code == 2
    assert "No space left on device" in outcome.stderr
    assert (here / "report.html").read_bytes() == before
    assert {path.name for path in here.iterdir()} == {"results", "report.html"}
