"""`sttest studies`: the list, one study, what is not done."""

import json
import shutil

import pytest

from sttest.studies.catalog import catalog_names, load_entry


def test_the_list_has_every_entry_in_a_line(sttest):
    outcome = sttest("studies")
    assert outcome.exit_code == 0
    lines = outcome.stdout.splitlines()[2:-1]
    for name, line in zip(catalog_names(), lines, strict=True):
        entry = load_entry(name)
        assert line.split()[0] == name
        assert all(told in line for told in (entry.title, entry.command, *entry.papers))
    listed = json.loads(sttest("studies", "--json").stdout)["studies"]
    assert list(listed) == catalog_names()
    assert {"title", "papers", "command", "seconds", "results"} == set(listed["intar"])


def test_one_study_has_published_ours_ratio_and_what_differs(sttest):
    outcome = sttest("studies", "intar")
    assert outcome.exit_code == 0
    assert all(word in outcome.stdout for word in ("published", "ours", "ratio", "what differs", "1.8", "7.1"))
    found = json.loads(sttest("studies", "intar", "--json").stdout)
    rows = [row for row in found["rows"] if row["ours"] is not None]
    assert rows
    for row in rows:
        assert row["ratio"] == pytest.approx(row["ours"] / row["published"]["value"])
    assert all(row["why_not"] for row in found["rows"] if row["ours"] is None)


def test_an_unknown_study_is_told_with_the_nearest(sttest):
    outcome = sttest("studies", "inntar")
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert "did you mean 'intar'?" in outcome.stderr


def test_without_results_it_says_what_makes_them(sttest, tmp_path, monkeypatch):
    shutil.copytree("results/fusion", tmp_path / "results" / "fusion")
    outcome = sttest("studies", "intar", "--results", tmp_path / "results")
    assert outcome.exit_code == 0
    assert "results/schedules is not here; 'sttest whatif schedules' makes it" in outcome.stdout
    assert sttest("studies", "intar", "--results", tmp_path / "nowhere").exit_code == 2
    # as of an installed wheel in a folder without results
    monkeypatch.chdir(tmp_path / "results")
    monkeypatch.setattr("sttest.studies.catalog.__file__", str(tmp_path / "a" / "b" / "c.py"))
    outcome = sttest("studies", "intar")
    assert outcome.exit_code == 0
    assert "is not here" in outcome.stdout
    assert "1.8" in outcome.stdout


def test_what_is_not_done_has_reasons(sttest):
    outcome = sttest("studies", "--undone")
    assert outcome.exit_code == 0
    assert max(map(len, outcome.stdout.splitlines())) <= 80
    left = json.loads(sttest("studies", "--undone", "--json").stdout)["papers"]
    assert left
    assert all(len(paper["undone"]) > 20 and paper["published"] for paper in left)
    assert sttest("studies", "intar", "--undone").exit_code == 2
