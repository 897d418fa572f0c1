"""`sttest crosscheck`: one table of all engines."""

from __future__ import annotations

import json

import pytest

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("needs_compiler")]


@pytest.fixture
def climb(design_of, sttest):
    """Climbs with the decode of small-gpt2 next to the other packages, so that its C++ is built once."""

    def run(*options: object):
        work = design_of("small-gpt2", "decode").work
        return sttest(
            "crosscheck", "small-gpt2", "--phase", "decode", "--context", 27, "-o", work.parent / "climbed", *options
        )

    return run


@pytest.mark.daily
def test_all_engines_in_one_table(climb):
    outcome = climb("--json")
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    told = json.loads(outcome.stdout)
    rows = {row["engine"]: row for row in told["engines"]}
    assert list(rows) == ["torch", "reference", "simpy", "maxplus", "csim", "rtl", "hw_emu", "device"]
    assert [rows[name]["verdict"] for name in ("torch", "reference", "simpy", "maxplus", "csim", "rtl")] == [
        "done",
        "done",
        "done",
        "done",
        "done",
        "not asked",
    ]
    assert rows["simpy"]["cycles"] == rows["maxplus"]["cycles"] > 0
    assert rows["simpy"]["latency_us"] == rows["simpy"]["cycles"] / 250
    assert [rows[name]["error"] for name in ("reference", "csim")] == [0.0, 0.0]
    assert (told["streams"]["verdict"], told["disagreements"]) == ("same", [])
    assert 10 < told["sqnr_db"] < 40


@pytest.mark.parametrize("shape", [("prefill", "--tokens"), ("decode", "--context")], ids=lambda shape: shape[0])
def test_a_scale_per_position_is_the_same_in_all_engines(shape, sttest, tmp_path):
    phase, length = shape
    options = ("--precision", "w4a8-position", "--engines", "torch,reference,simpy,maxplus,csim", "--json")
    outcome = sttest("crosscheck", "small-gpt2", "--phase", phase, length, 27, "-o", tmp_path / "package", *options)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    told = json.loads(outcome.stdout)
    assert (told["streams"]["verdict"], told["disagreements"]) == ("same", [])
    assert {name: found["verdict"] for name, found in told["results"].items()} == {"reference": "same", "csim": "same"}


@pytest.mark.parametrize("tokens", [1, 4])
def test_a_cache_of_one_position(tokens, sttest, tmp_path):
    """A sum over one position is a product like any other, whose factors become integers."""
    shape = ("--phase", "decode", "--context", 1, "--tokens", tokens)
    options = ("-o", tmp_path / "package", "--engines", "torch,reference", "--json")
    outcome = sttest("crosscheck", "small-gpt2", *shape, *options)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    told = json.loads(outcome.stdout)
    assert {name: found["verdict"] for name, found in told["results"].items()} == {"reference": "same"}


def test_an_engine_without_its_tool_is_a_row_that_says_which(climb, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    outcome = climb("--engines", "torch,reference,csim,rtl,hw_emu,device", "--json")
    told = {row["engine"]: row for row in json.loads(outcome.stdout)["engines"]}
    assert outcome.exit_code == 0
    missing = {name: row["note"] for name, row in told.items() if row["verdict"] == "missing"}
    assert set(missing) == {"csim", "rtl", "hw_emu", "device"}
    assert "g++ not found" in missing["csim"]
    assert "verilator" in missing["rtl"]
    assert "v++" in missing["hw_emu"]
    assert "FPGA card" in missing["device"]


def test_other_engines_times_are_a_disagreement(climb, monkeypatch):
    from sttest.crosscheck import rungs as room

    monkeypatch.setattr(
        room,
        "simulated",
        lambda engine, graph: room.EngineResult(engine, "done", cycles=1000 + len(engine), seconds=0.0),
    )
    outcome = climb("--engines", "simpy,maxplus")
    assert outcome.exit_code == 6
    assert "disagree: cycles differ: simpy 1,005, maxplus 1,007" in outcome.stdout


def test_without_pytorch_there_is_no_golden(sttest, tmp_path, monkeypatch):
    monkeypatch.setattr("sttest.crosscheck.case.importlib.util.find_spec", lambda name: None)
    outcome = sttest("crosscheck", "small-gpt2", "--phase", "decode", "-o", tmp_path / "p")
    assert (outcome.exit_code, "pip install 'sttest[frontend]'" in outcome.stderr) == (5, True)
    assert not (tmp_path / "p").exists()


def test_unknown_engines_are_refused_before_work(sttest, tmp_path):
    outcome = sttest(
        "crosscheck", "small-gpt2", "--phase", "decode", "-o", tmp_path / "p", "--engines", "torch,referenz"
    )
    assert (outcome.exit_code, "did you mean 'reference'?" in outcome.stderr) == (2, True)
    assert not (tmp_path / "p").exists()


def test_the_old_name_of_the_reference_engine_still_works(sttest, tmp_path):
    options = ("--phase", "decode", "-o", tmp_path / "p", "--engines", "functional,card")
    outcome = sttest("crosscheck", "small-gpt2", *options)
    assert ("'functional' is called 'reference' now" in outcome.stderr, "no engine 'card'" in outcome.stderr) == (
        True,
        True,
    )
