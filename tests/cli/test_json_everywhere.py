"""Every verb has --json, and prints one document with a schema version and what its text says."""

import inspect
import json

import pytest

from sttest.cli.verbs import VERBS
from sttest.sim.critical_path import IN_WORDS
from sttest.testing.corpus import case, cases


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_json(verb):
    assert "as_json" in inspect.signature(VERBS[verb].load()).parameters


def document(outcome):
    assert outcome.exit_code in (0, 3), outcome.stderr
    return json.loads(outcome.stdout)


def test_a_simulation_has_what_its_text_has(sttest):
    told = document(sttest("simulate", case("stage_skew").live_path, "--json"))
    text = sttest("simulate", case("stage_skew").live_path).stdout
    assert told["us"] == told["cycles"] / told["clock_mhz"]
    assert max(told["finish"].values()) == told["cycles"]
    assert sum(each["cycles"] for each in told["critical_path"]["by_kind"]) == told["cycles"]
    assert sum(told["critical_path"]["by_process"].values()) == told["cycles"]
    for each in told["critical_path"]["by_kind"]:
        assert f"{each['category'] or 'process'}: {IN_WORDS[each['kind']]}" in text
    last = max(told["finish"], key=lambda name: told["finish"][name])
    assert f"last to finish: {last} ({told['breakdown'][last]['busy_cycles']:,} cycles busy, " in text
    assert all(told["max_occupancy"].values())


def test_a_deadlock_has_no_critical_path(sttest):
    told = document(sttest("simulate", case("stage_skew").path, "--json"))
    assert (told["us"], told["critical_path"]) == (None, None)
    assert None in told["finish"].values()


def test_a_picture(sttest):
    told = document(sttest("dot", case("stage_skew").path, "--json"))
    assert told["schema"] == "sttest.dot/1"
    assert told["dot"] == sttest("dot", case("stage_skew").path).stdout
    assert told["deadlock"]["fix"] == [{"fifo": "skip", "depth": 8}]


def test_the_corpus(sttest):
    told = document(sttest("corpus", "--json"))
    assert (told["schema"], [each["name"] for each in told["designs"]]) == ("sttest.corpus/1", list(cases()))
    one = document(sttest("corpus", "stage_skew", "--json"))
    assert (one["schema"], one["fix"]) == ("sttest.corpus-design/1", {"skip": 8})
    assert one["simulation"]["verdict"] == "deadlock"


def test_passes(sttest, tmp_path):
    (tmp_path / "empty.mlir").write_text("builtin.module {}", encoding="utf-8")
    told = document(sttest("opt", tmp_path / "empty.mlir", "--json"))
    assert told["schema"] == "sttest.opt/1"
    assert told["text"] == sttest("opt", tmp_path / "empty.mlir").stdout


def test_a_reproduced_table(sttest, tmp_path):
    told = document(sttest("reproduce", "hida", "--json", "-o", tmp_path / "hida"))
    assert (told["schema"], told["exit_code"]) == ("sttest.reproduce/1", 0)
    assert len(told["rows"]["hida"]) == json.loads((tmp_path / "hida" / "manifest.json").read_text())["rows"]
