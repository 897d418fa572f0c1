"""`sttest simulate` with --check and --trace; `sttest dot` and `sttest corpus`."""

import json
from dataclasses import replace

import pytest

from sttest.sim import simulate
from sttest.testing.corpus import case, cases

SKEW = case("stage_skew")


@pytest.mark.parametrize("path", [SKEW.path, SKEW.live_path])
def test_check_says_that_all_is_well(path, sttest):
    assert "an independent checker found no fault" in sttest("simulate", path, "--check").stdout
    assert json.loads(sttest("simulate", path, "--check", "--json").stdout)["checked"] is True


def test_check_leaves_with_6_where_an_engine_is_wrong(sttest, monkeypatch):
    def wrong(*arguments, **options):
        result = simulate(*arguments, **options)
        return replace(result, cycles=result.cycles + 1)

    monkeypatch.setattr("sttest.cli.simulate.simulate", wrong)
    outcome = sttest("simulate", SKEW.live_path, "--check")
    assert (outcome.exit_code, outcome.stdout) == (6, "")
    assert "the latest finish is 53" in outcome.stderr


def test_a_trace_is_written_beside_the_result(sttest, tmp_path):
    path = tmp_path / "run.json"
    outcome = sttest("simulate", SKEW.live_path, "--trace", path, "--json")
    assert json.loads(outcome.stdout)["trace"] == str(path)
    assert json.loads(path.read_text())["traceEvents"]
    refused = sttest("simulate", SKEW.live_path, "--trace", tmp_path / "no" / "run.json")
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)


def test_dot_draws_the_cycle_for_the_depths_given(sttest):
    assert 'color="red"' in sttest("dot", SKEW.path).stdout
    live = sttest("dot", SKEW.path, "--depth", "skip=8")
    assert (live.exit_code, 'color="red"' in live.stdout) == (0, False)
    assert "8 × 32 bit" in live.stdout


def test_the_corpus_is_listed_and_explained(sttest):
    listed = sttest("corpus").stdout
    assert all(name in listed for name in cases())
    shown = sttest("corpus", "stage_skew")
    assert shown.exit_code == 0
    assert shown.stdout.rstrip().endswith("as expected")
    assert str(SKEW.live_path) in shown.stdout
    assert "did you mean 'stage_skew'" in sttest("corpus", "stage_skw").stderr


@pytest.mark.parametrize("verb", ["dot", "corpus"])
def test_help_shows_an_example(verb, sttest):
    assert f"sttest {verb}" in sttest(verb, "--help").stdout.split("Example", 1)[1]
