"""Result folders appear whole or not at all; points are computed once."""

import csv
import dataclasses
import json
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType as Proxy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from sttest.core.closure import program_hash
from sttest.core.errors import InputError
from sttest.core.results import COLUMNS, PointStore, ResultFolder, Row, config_hash, git_revision, table_rows
from sttest.core.whole_run import whole_run

LATENCY = Row(
    experiment="gpt2",
    model="gpt2",
    board="u55c",
    phase="decode",
    engine="maxplus",
    metric="latency",
    value=200.0,
    unit="ms",
    kind="simulated",
    reference=194.99,
    source="StreamTensor Table 4",
)


def read_table(folder: Path) -> list[dict[str, str]]:
    with (folder / "table.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_row_knows_its_error():
    assert LATENCY.error == pytest.approx(200 / 194.99 - 1)
    assert Row("e", "m", 1.0, "ms", "measured").error is None
    assert Row("e", "m", 1.0, "ms", "measured", reference=0.0).error is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"unit": ""}, "has no unit; give 'ratio' or 'count'"),
        ({"kind": ""}, "kind is ''; choose one of"),
        ({"kind": "simulted"}, "kind is 'simulted'; did you mean 'simulated'?"),
        ({"value": None}, "has no value; say in the note why"),
        ({"value": float("nan")}, "value is nan"),
        ({"reference": float("inf")}, "reference is inf"),
        ({"metric": ""}, "experiment and metric must not be empty"),
    ],
)
def test_rows_without_provenance_are_refused(change, says):
    fields = {"experiment": "e", "metric": "m", "value": 1.0, "unit": "ms", "kind": "simulated"} | change
    with pytest.raises(InputError) as caught:
        Row(**fields)
    assert says in str(caught.value)


def test_a_missing_engine_is_a_row_with_a_note(tmp_path):
    with ResultFolder(tmp_path / "ladder", made_by="sttest.core.results", config={}) as results:
        results.add(Row("ladder", "latency", None, "ms", "simulated", engine="hw_emu", note="v++ is not installed"))
    (row,) = read_table(tmp_path / "ladder")
    assert (row["value"], row["note"]) == ("", "v++ is not installed")


def test_a_finished_folder(tmp_path):
    with ResultFolder(tmp_path / "gpt2", made_by="sttest.core.results", config={"tile": 16}, seed=7) as results:
        results.add(LATENCY)
        results.file("figure.svg").write_text("<svg/>")
    folder = tmp_path / "gpt2"
    assert names_in(folder) == ["figure.svg", "manifest.json", "table.csv", "table.md"]
    assert names_in(tmp_path) == ["gpt2"]
    (row,) = read_table(folder)
    assert tuple(row) == COLUMNS
    assert (row["value"], row["unit"], row["kind"], row["reference"]) == ("200.0", "ms", "simulated", "194.99")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["schema"] == "sttest.results/1"
    assert manifest["config_hash"] == config_hash({"tile": 16})
    assert (manifest["config"], manifest["seed"], manifest["rows"]) == ({"tile": 16}, 7, 1)
    assert manifest["wall_s"] >= 0
    assert set(manifest["versions"]) >= {"sttest", "numpy"}


def test_the_table_for_people(tmp_path):
    with ResultFolder(tmp_path / "gpt2", made_by="sttest.core.results", config={}) as results:
        results.add(LATENCY, Row("gpt2", "a|b", 1 / 3, "ratio", "assumed"))
    assert (tmp_path / "gpt2" / "table.md").read_text() == (
        "| experiment | model | board | phase | engine | metric | value | unit | kind | reference | error | source |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        "| gpt2 | gpt2 | u55c | decode | maxplus | latency | 200 | ms | simulated | 194.99 | +2.6% "
        "| StreamTensor Table 4 |\n"
        "| gpt2 |  |  |  |  | a\\|b | 0.333333 | ratio | assumed |  |  |  |\n"
    )


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_a_failed_run_leaves_the_previous_results_and_nothing_else(tmp_path, failure):
    with ResultFolder(tmp_path / "gpt2", made_by="sttest.core.results", config={}) as results:
        results.add(LATENCY)
    before = {path.name: path.read_bytes() for path in (tmp_path / "gpt2").iterdir()}

    def fail_half_way() -> None:
        with ResultFolder(tmp_path / "gpt2", made_by="sttest.core.results", config={"new": 1}) as results:
            results.file("half.svg").write_text("<svg")
            raise failure

    with pytest.raises(failure):
        fail_half_way()
    assert names_in(tmp_path) == ["gpt2"]
    assert {path.name: path.read_bytes() for path in (tmp_path / "gpt2").iterdir()} == before


def test_a_failure_while_writing_leaves_the_previous_results(tmp_path, monkeypatch):
    with ResultFolder(tmp_path / "gpt2", made_by="sttest.core.results", config={}) as results:
        results.add(LATENCY)
    monkeypatch.setattr("sttest.core.results._markdown", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError), ResultFolder(tmp_path / "gpt2", made_by="sttest.core.results", config={}):
        pass
    assert names_in(tmp_path) == ["gpt2"]
    assert len(read_table(tmp_path / "gpt2")) == 1


def test_a_run_replaces_the_one_before(tmp_path):
    for _ in range(2):
        with ResultFolder(tmp_path / "gpt2", made_by="sttest.core.results", config={}) as results:
            results.file("figure.svg").write_text("<svg/>")
    with ResultFolder(tmp_path / "gpt2", made_by="sttest.core.results", config={}):
        pass
    assert names_in(tmp_path / "gpt2") == ["manifest.json", "table.csv", "table.md"]


def test_results_moved_away_by_a_killed_run_come_back(tmp_path):
    with ResultFolder(tmp_path / "gpt2", made_by="sttest.core.results", config={}) as results:
        results.add(LATENCY)
    (tmp_path / "gpt2").rename(tmp_path / ".gpt2.old")  # what a kill between the two renames leaves
    with pytest.raises(RuntimeError), ResultFolder(tmp_path / "gpt2", made_by="sttest.core.results", config={}):
        raise RuntimeError
    assert names_in(tmp_path) == ["gpt2"]
    assert len(read_table(tmp_path / "gpt2")) == 1


@dataclass(frozen=True)
class Shape:
    rows: int


class Model(BaseModel):
    rows: int


def test_hash_of_a_configuration():
    assert config_hash({"a": 1, "b": [1, 2]}) == config_hash({"b": (1, 2), "a": 1})
    assert config_hash(Shape(3)) == config_hash(Model(rows=3)) == config_hash(Proxy({"rows": 3}))
    assert config_hash(Shape(3)) == config_hash({"rows": 3})
    assert config_hash({"board": Path("mine.yaml")}) == config_hash({"board": "mine.yaml"})
    assert len(config_hash({})) == 16


@pytest.mark.parametrize("data", [{"a": object()}, {"a": float("nan")}, {"a": {1, 2}}, Shape, {"a": b"1"}])
def test_what_is_not_plain_data_has_no_hash(data):
    with pytest.raises(InputError, match="cannot be hashed"):
        config_hash(data)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(), PLAIN, min_size=2, max_size=4))
def test_the_order_of_keys_does_not_matter(data):
    assert config_hash(data) == config_hash(dict(reversed(data.items())))


@given(st.dictionaries(st.text(), PLAIN, max_size=3), st.dictionaries(st.text(), PLAIN, max_size=3))
def test_points_come_back_as_they_went(tmp_path_factory, key, result):
    store = PointStore(tmp_path_factory.mktemp("points"))
    store.save(key, result)
    assert store.load(key) == result


def test_points_are_computed_once(tmp_path):
    store, calls = PointStore(tmp_path / "points"), []

    def compute() -> dict[str, int]:
        calls.append(1)
        return {"cycles": 42}

    assert store.load({"tile": 16}) is None
    assert store.point({"tile": 16}, compute) == store.point({"tile": 16}, compute) == {"cycles": 42}
    assert len(calls) == 1
    store.point({"tile": 32}, compute)
    assert len(calls) == 2
    assert len(names_in(tmp_path / "points")) == 2


BROKEN = {
    "empty": lambda _: "",
    "cut": lambda text: text[:-1],
    "a list": lambda _: "[]",
    "another object": lambda _: "{}",
    "bytes": lambda _: "\x00",
    "another result": lambda text: text.replace('"cycles":1', '"cycles":3'),
    "no result": lambda text: text.replace('{"cycles":1}', "{}"),
    "a text": lambda text: text.replace("1}", '"1"}'),
    "no digest": lambda text: text.replace("digest", "other"),
    "of another point": lambda text: text.replace('"digest":"', '"digest":"0'),
}


@pytest.mark.parametrize("damage", BROKEN)
def test_a_broken_point_is_computed_again_which_is_said(tmp_path, damage, capsys):
    store = PointStore(tmp_path)
    store.save({"tile": 16}, {"cycles": 1})
    path = next(tmp_path.iterdir())
    whole = path.read_text()
    path.write_text(BROKEN[damage](whole))
    assert path.read_text() != whole
    assert store.load({"tile": 16}) is None
    assert capsys.readouterr().err.startswith(f"note: {path}: ")
    assert store.point({"tile": 16}, lambda: {"cycles": 2}) == {"cycles": 2}
    assert store.load({"tile": 16}) == {"cycles": 2}


def test_a_point_that_fails_leaves_nothing(tmp_path):
    store = PointStore(tmp_path)
    with pytest.raises(InputError):
        store.save({"tile": 16}, {"cycles": object()})
    with pytest.raises(ZeroDivisionError):
        store.point({"tile": 16}, lambda: {"cycles": 1 // 0})
    assert names_in(tmp_path) == []


def test_a_point_that_cannot_be_read_back_is_an_error_and_not_an_endless_loop(tmp_path, monkeypatch):
    monkeypatch.setattr("sttest.core.results.MAX_FILE_BYTES", 200)
    with pytest.raises(InputError) as caught:
        PointStore(tmp_path).point({"tile": 16}, lambda: {"cycles": "1" * 200})
    assert caught.value.code == "unstorable-point"
    assert [caught.value.where] == [str(path) for path in tmp_path.iterdir()]


def test_a_table_without_one_of_its_columns_is_none(tmp_path):
    with ResultFolder(tmp_path / "gpt2", made_by="sttest.core.results", config={}) as folder:
        folder.add(dataclasses.replace(LATENCY, metric="latency [32:32]", axes={"tile": 16}))
    path = tmp_path / "gpt2" / "table.csv"
    (row,) = table_rows(path)
    assert (row["metric"], row["tile"], float(row["value"])) == ("latency [32:32]", "16", 200.0)
    path.write_text(path.read_text().replace(",unit,kind", ",units,kinds"))
    with pytest.raises(InputError) as caught:
        table_rows(path)
    assert caught.value.code == "bad-table"
    assert "has no column unit, kind; run its experiment again or name another folder" in str(caught.value)
    path.write_text(path.read_text().splitlines()[0])
    assert table_rows(path) == []


def test_a_package_that_is_not_there_is_said_in_the_manifest(tmp_path, monkeypatch):
    monkeypatch.setattr("sttest.core.results.PACKAGES", ("numpy", "no-such-package-anywhere"))
    with ResultFolder(tmp_path / "mine", made_by="sttest.core.results", config={}):
        pass
    assert manifest_of(tmp_path / "mine")["versions"] == {
        "numpy": np.__version__,
        "no-such-package-anywhere": "not installed",
    }


def test_no_revision_outside_a_checkout(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert git_revision(tmp_path, []) is None
    monkeypatch.setenv("PATH", "")
    assert git_revision(tmp_path, []) is None


FILES = ("sttest/program.py", "sttest/data.csv", "results/fifo/table.csv")


@pytest.fixture
def checkout(tmp_path):
    """A repository with a committed program and a committed result."""
    root = tmp_path / "checkout"
    for name in (*FILES, "sttest/another.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    for command in ("init -q", "add .", "-c user.name=x -c user.email=x@y commit -q -m first"):
        subprocess.run(["git", *command.split()], cwd=root, check=True)
    return root


@pytest.mark.parametrize(
    ("changed", "is_changed"),
    [
        ("sttest/program.py", True),
        ("sttest/data.csv", True),
        ("sttest/another.py", False),
        ("results/fifo/table.csv", False),
        ("README.md", False),
    ],
)
def test_changes_of_what_a_result_depends_on_count_and_no_others(checkout, changed, is_changed):
    assert git_revision(checkout, FILES)["changed"] is False
    (checkout / changed).write_text("new")
    assert git_revision(checkout, FILES)["changed"] is is_changed


def test_a_file_that_the_commit_does_not_have_is_a_change(checkout):
    (checkout / "sttest" / "new.py").write_text("")
    assert git_revision(checkout, (*FILES, "sttest/new.py"))["changed"] is True


def test_a_program_that_is_installed_below_somebody_elses_repository_has_no_revision(checkout):
    installed = checkout / "venv" / "site-packages"
    (installed / "sttest").mkdir(parents=True)
    (installed / "sttest" / "program.py").write_text("")
    (checkout / ".gitignore").write_text("venv\n")
    assert git_revision(installed, ["sttest/program.py"]) is None


# --- What a manifest says of the program and of the time


def manifest_of(folder):
    return json.loads((folder / "manifest.json").read_text())


def test_a_manifest_names_what_made_it(tmp_path):
    makers = ("sttest.sim.sizing_cost", "sttest/studies/data/clock.yaml")
    with ResultFolder(tmp_path / "mine", made_by=makers, config={}):
        pass
    found = manifest_of(tmp_path / "mine")
    assert (found["program_of"], found["program"]) == ([*makers], program_hash(*makers))


def test_a_maker_that_is_not_there_is_refused_before_anything_is_made(tmp_path):
    with pytest.raises(InputError, match="__main__"):
        ResultFolder(tmp_path / "mine", made_by="__main__", config={})


def test_seconds_count_from_when_the_result_was_asked_for(tmp_path):
    with whole_run():
        time.sleep(0.05)
        with ResultFolder(tmp_path / "whole", made_by="sttest.core.results", config={}):
            pass
    with ResultFolder(tmp_path / "alone", made_by="sttest.core.results", config={}):
        pass
    assert manifest_of(tmp_path / "whole")["wall_s"] >= 0.05 > manifest_of(tmp_path / "alone")["wall_s"]
    assert manifest_of(tmp_path / "whole")["cpus"] == os.cpu_count()


def test_points_that_were_there_are_counted_those_computed_just_now_are_not(tmp_path):
    store = PointStore(tmp_path / "store")
    for expected in (0, 1):
        with whole_run(), ResultFolder(tmp_path / "mine", made_by="sttest.core.results", config={}):
            store.point({"tile": 16}, lambda: {"cycles": 1})
            assert store.load({"tile": 8}) is None
        assert manifest_of(tmp_path / "mine")["taken_over"] == expected
