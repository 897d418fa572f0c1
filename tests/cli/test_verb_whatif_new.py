"""`sttest whatif --new`: a study that says everything that it can, and runs as it is."""

import json
from pathlib import Path

import pandas as pd
import pytest

from sttest.studies.whatif.settings import known_keys
from sttest.studies.whatif.study import Study, Value, load_study


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_new_study_runs_as_it_is(here, sttest):
    written = sttest("whatif", "--new", "mine")
    assert (written.exit_code, written.stdout.splitlines()[0]) == (0, "written: mine.yaml")
    outcome = sttest("whatif", "mine.yaml", "-j", "1")
    assert outcome.exit_code == 0, outcome.stderr
    table = pd.read_csv(here / "results" / "mine" / "table.csv")
    speeds = table[table["metric"] == "speed"]
    assert len(speeds) == 12, "three designs and the best of them, with three memories"
    assert speeds["value"].notna().all()
    fits = table[table["metric"] == "fits"]["value"]
    assert set(fits) == {0.0, 1.0}, "it shows both a design that fits and one that does not"


def test_it_names_every_setting_and_every_key_of_a_study_and_of_a_value(here, sttest):
    sttest("whatif", "--new", "mine")
    text = (here / "mine.yaml").read_text(encoding="utf-8")
    assert [key for key in known_keys() if key not in text] == []
    assert [key for key in Study.model_fields if f"\n{key}:" not in f"\n{text}"] == []
    assert [key for key in Value.model_fields if f"{key}:" not in text] == []
    assert all(len(line) <= 120 for line in text.splitlines())


def test_all_defaults_that_it_tells_are_those_of_the_program(here, sttest):
    from sttest.studies.whatif import settings

    sttest("whatif", "--new", "mine")
    lines = (here / "mine.yaml").read_text(encoding="utf-8").splitlines()
    told = {line.split()[1]: line.rpartition("[")[2].rstrip("]") for line in lines if line.startswith("#   ")}
    defaults = {**settings._PLAIN, "precision": settings.DEFAULT_SCHEME, "board": settings.DEFAULT_BOARD}
    assert {key: told[key] for key in defaults} == {key: str(value) for key, value in defaults.items()}


def test_what_is_there_is_left_alone(here, sttest):
    Path("mine.yaml").write_text("title: dear\n", encoding="utf-8")
    outcome = sttest("whatif", "--new", "mine")
    assert outcome.exit_code == 2
    assert "is there already" in outcome.stderr
    assert Path("mine.yaml").read_text(encoding="utf-8") == "title: dear\n"


@pytest.mark.parametrize("name", ["context", "modes.yaml", "../up", ".hidden", "a/b", ""])
def test_names_that_are_taken_or_none_are_refused(here, sttest, name):
    outcome = sttest("whatif", "--new", name)
    assert outcome.exit_code == 2
    assert list(here.iterdir()) == []


def test_a_study_and_a_new_one_are_two(here, sttest):
    assert sttest("whatif", "context", "--new", "mine").exit_code == 2
    assert not Path("mine.yaml").exists()


def test_json_says_where_it_is(here, sttest):
    told = json.loads(sttest("whatif", "--new", "mine.yaml", "--json").stdout)
    assert told == {"schema": "sttest.whatif-new/1", "written": "mine.yaml"}
    assert load_study(Path("mine.yaml")).best_of == "design"
