"""`sttest report DESIGN`: one page, and what it refuses."""

import json

import pytest

from sttest.core.files import write_json
from sttest.testing.corpus import case

LIVE = case("stage_skew").live_path


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_is_called_as_the_design(sttest, here):
    outcome = sttest("report", LIVE)
    assert outcome.exit_code == 0, outcome.stderr
    lines = outcome.stdout.splitlines()
    assert lines[0] == "stage_skew_live: 53 cycles, 3 processes, 3 FIFOs"
    assert lines[1].startswith("written: stage_skew_live.html (0.8 MB)")
    assert [path.name for path in here.iterdir()] == ["stage_skew_live.html"]
    assert sttest("report", LIVE).exit_code == 0, "an earlier page may be replaced"


def test_json_says_what_was_written(sttest, here):
    told = json.loads(sttest("report", case("stage_skew").path, "-o", "p.html", "--json").stdout)
    assert told == {
        "schema": "sttest.design-report/1",
        "name": "stage_skew",
        "verdict": "deadlock",
        "cycles": None,
        "page": "p.html",
        "page_bytes": (here / "p.html").stat().st_size,
        "processes": 3,
        "fifos": 3,
        "notes": [],
    }


def test_a_page_of_results_is_not_one_of_a_design(sttest, here):
    (here / "report.html").write_text('<meta name="generator" content="sttest report 1">', encoding="utf-8")
    outcome = sttest("report", LIVE, "-o", "report.html")
    assert outcome.exit_code == 2
    assert "is no earlier report" in outcome.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["nothing.json"], "nothing.json: no such file or folder"),
        ([LIVE, "-e", "gpt2"], "a page of a design has no results; leave --results"),
        ([LIVE, "-e", "gpt2"], "a page of a design has no results"),
        ([LIVE, "-o", "nowhere/page.html"], "nowhere: no such folder"),
        (["groups"], "a package of several groups, each a design; name one of them, as in groups/group0"),
    ],
)
def test_requests_that_cannot_be_met(sttest, here, options, told, monkeypatch):
    if options == ["groups"]:
        (here / "groups").mkdir()
        write_json(
            here / "groups/manifest.json", {"schema": "sttest.groups/1", "name": "g", "groups": [], "tensors": []}
        )
    outcome = sttest("report", *options)
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert told in outcome.stderr
    assert outcome.stderr.count("\n") == 1
    assert not list(here.glob("*.html"))
