"""The catalog of studies: every entry resolves in the committed results, and no reference is our own."""

from pathlib import Path

import pytest
import yaml

from sttest.cli.verbs import VERBS
from sttest.core.errors import InputError
from sttest.core.results import ResultFolder, Row
from sttest.studies import catalog
from sttest.studies.catalog import (
    MOST_SECONDS,
    Published,
    catalog_names,
    compared,
    entry_file,
    load_entry,
    papers,
    read_entry,
)

ROOT = Path(__file__).parents[2]
ENTRY = {
    "title": "A study",
    "papers": ["Somebody, Something, 2025"],
    "command": "sttest reproduce hida",
    "results": "made",
    "rows": [
        {
            "what": "speed",
            "published": {"value": 2.0, "unit": "ratio", "source": "abstract"},
            "ours": {"metric": "speed", "model": "gpt2"},
            "differs": "everything",
        }
    ],
}


@pytest.fixture
def made(tmp_path):
    """A folder of results with four rows."""
    with ResultFolder(tmp_path / "results" / "made", made_by="sttest.core.results", config={}) as folder:
        folder.add(
            Row("made", "speed", 3.0, "ratio", "simulated", model="gpt2"),
            Row("made", "speed", 1.5, "ratio", "simulated", model="qwen"),
            Row("made", "speed", 2.0, "ratio", "published", model="theirs"),
            Row("made", "nothing", None, "ratio", "simulated", note="it deadlocks"),
        )
    return tmp_path / "results"


def entry(tmp_path, **changed):
    """An entry whose row, or whose own fields, are changed."""
    data = {**ENTRY, "rows": [dict(ENTRY["rows"][0])]}
    for key, value in changed.items():
        target = data if key in data else data["rows"][0]
        target[key] = value
    path = tmp_path / "entry.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return read_entry(path)


@pytest.mark.parametrize("name", catalog_names())
def test_every_entry_finds_its_figures_in_the_committed_results(name):
    found = load_entry(name)
    rows = compared(found, ROOT / "results", name)
    assert len(rows) == len(found.rows)
    assert all(row.ours is not None or row.why_not for row in rows)
    assert any(row.ours is not None for row in rows), "an entry has a figure of ours"
    assert found.seconds <= MOST_SECONDS
    assert found.command.split()[1] in VERBS
    command_folder = found.command.split()[2]
    assert found.results == command_folder, "results go to results/NAME, unless a command says otherwise"


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"published": {"value": 2.0, "unit": "ratio"}}, "source"),
        ({"published": {"value": 2.0, "unit": "ratio", "source": "results/hida of sttest"}}, "our own"),
        ({"published": {"unit": "ratio"}}, "no note"),
        ({"published": {"value": 2.0, "low": 1.0, "unit": "ratio", "source": "abstract"}}, "a value and a range"),
        ({"published": {"low": 3.0, "high": 1.0, "unit": "ratio", "source": "abstract"}}, "low end"),
        ({"ours": None}, "no note"),
        ({"ours": {"model": "gpt2"}}, "without a metric"),
        ({"ours": {"metric": "speed", "modle": "gpt2"}}, "rows[0].ours"),
        ({"seconds": 301}, "unknown key"),
        ({"command": "sttest reproduce hidda"}, "did you mean 'hida'?"),
        ({"command": "rm -rf /"}, "not 'sttest reproduce NAME'"),
        ({"differs": ""}, "rows[0].differs"),
        ({"what's": 1}, "unknown key"),
    ],
)
def test_what_is_wrong_with_an_entry_is_told_with_file_and_key(tmp_path, changed, told):
    with pytest.raises(InputError) as raised:
        entry(tmp_path, **changed)
    assert told in str(raised.value)
    assert "entry.yaml" in str(raised.value)


def test_a_command_whose_seconds_nobody_measured_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(catalog, "command_seconds", lambda: {"sttest reproduce gpt2": 9.0})
    with pytest.raises(InputError, match=r"python -m experiments\.seconds"):
        entry(tmp_path)
    assert entry(tmp_path, command="sttest reproduce gpt2").seconds == 9.0


def test_ours_is_read_from_the_table(tmp_path, made):
    (row,) = compared(entry(tmp_path), made, "entry.yaml")
    assert (row.ours, row.ratio) == (3.0, 1.5)
    (row,) = compared(entry(tmp_path, over={"metric": "speed", "model": "qwen"}), made, "entry.yaml")
    assert (row.ours, row.ratio) == (2.0, 1.0)
    (row,) = compared(entry(tmp_path, ours={"metric": "nothing"}), made, "entry.yaml")
    assert (row.ours, row.why_not, row.ratio) == (None, "it deadlocks", None)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"ours": {"metric": "speed"}}, "3 rows of the table match"),
        ({"ours": {"metric": "sped"}}, "did you mean 'speed'?"),
        ({"ours": {"metric": "speed", "model": "theirs"}}, "published, not ours"),
        ({"published": {"value": 2.0, "unit": "ms", "source": "abstract"}}, "the table has ratio"),
        ({"over": {"metric": "speed", "model": "theirs"}}, "rows[0].over"),
    ],
)
def test_filters_select_one_row_of_ours(tmp_path, made, changed, told):
    with pytest.raises(InputError) as raised:
        compared(entry(tmp_path, **changed), made, "entry.yaml")
    assert told in str(raised.value)
    assert "rows[0]" in str(raised.value)


def test_without_results_every_row_says_so(tmp_path):
    (row,) = compared(entry(tmp_path), tmp_path, "entry.yaml")
    assert (row.ours, row.why_not) == (None, "results/made is not here")
    (row,) = compared(entry(tmp_path), None, "entry.yaml")
    assert row.ours is None


@pytest.mark.parametrize(
    ("figure", "ours", "ratio"),
    [
        ({"value": 2.0}, 3.0, 1.5),
        ({"low": 2.0, "high": 4.0}, 3.0, None),
        ({"low": 2.0, "high": 4.0}, 1.0, 0.5),
        ({"low": 2.0, "high": 4.0}, 6.0, 1.5),
        ({"low": 2.0}, 3.0, 1.5),
        ({"high": 2.0}, 1.0, 0.5),
    ],
)
def test_a_ratio_is_over_the_value_or_over_the_nearer_end(figure, ours, ratio):
    assert Published(**figure, unit="ratio", source="abstract").ratio_of(ours) == ratio


def test_every_paper_has_a_study_or_a_reason_and_every_entry_is_of_a_paper():
    assert len(papers()) >= 23  # of the list that it was copied from
    assert all(paper.studies or paper.undone for paper in papers())
    assert all(entry_file(name).is_file() for paper in papers() for name in paper.studies)
    named = {name for paper in papers() for name in paper.studies}
    assert named == {*catalog_names()}, "sttest/studies/data/papers.csv says of which system each entry is"
