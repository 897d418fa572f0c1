"""`sttest compile` with nothing but a model and a phase: a design that fits the board, SLR by SLR."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sttest.core.errors import note
from sttest.explore.found import FOUND, known_design

MODELS = ("small-gpt2", "gpt2", "qwen", "llama", "gemma", "llama-3.2-1b")
QUICK = (("small-gpt2", "decode"), ("small-gpt2", "prefill"), ("gpt2", "decode"), ("llama-3.2-1b", "decode"))
ALL = [(model, phase) for model in MODELS for phase in ("decode", "prefill")]


@pytest.fixture(autouse=True)
def workplace(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)


def assert_fits(outcome) -> None:
    told = json.loads(outcome.stdout)
    assert outcome.exit_code == 0
    fit = told["fit"]
    assert (fit["fits"], fit["budget"]) == (True, "tight")
    assert len(fit["slrs"]) == 3
    assert max(slr[kind] for slr in fit["slrs"] for kind in ("lut", "dsp", "bram18", "uram")) <= 1


@pytest.mark.parametrize(("model", "phase"), QUICK, ids=str)
def test_the_design_that_is_compiled_by_default_fits(model, phase, sttest):
    assert_fits(sttest("compile", model, "--phase", phase, "-o", "here", "--json"))


@pytest.mark.nightly
@pytest.mark.torch
@pytest.mark.parametrize(("model", "phase"), [case for case in ALL if case not in QUICK], ids=str)
def test_so_it_is_for_the_other_models(model, phase, sttest):
    assert_fits(sttest("compile", model, "--phase", phase, "-o", "here", "--json"))


def test_the_first_line_says_whether_it_fits_and_the_second_what_it_is(sttest):
    shape = ("--phase", "decode", "--context", 64)
    best = sttest("compile", "gpt2", *shape, "-o", "best").stdout.splitlines()
    assert best[0].endswith(", fits the tight budget")
    assert best[1].startswith("design         best by rule, ")
    best = sttest("compile", "gpt2", *shape, "--precision", "w4a8", "-o", "here").stdout.splitlines()
    assert best[0].endswith(", fits the tight budget; w4a8 loses 81% perplexity")
    assert best[1] == "design         best, as found for gpt2-decode-tight; as SystemVerilog"
    default = sttest(
        "compile",
        "gpt2",
        "--phase",
        "decode",
        "--context",
        64,
        "--design",
        "default",
        "-o",
        "there",
        "--precision",
        "w4a8",
    )
    assert default.exit_code == 0
    assert default.stdout.startswith("does not fit: gpt2-decode-c64-u55c: ")
    assert "LUT 147 %" in default.stdout.splitlines()[0]


def test_a_length_that_is_not_given_is_said(sttest):
    note.cache_clear()  # it tells each thing once
    outcome = sttest("compile", "small-gpt2", "--phase", "decode", "-o", "here")
    assert outcome.stderr == "note: --context is not given: 32 tokens in the cache\n"


@pytest.mark.parametrize(("model", "phase"), ALL[2:], ids=str)
def test_a_named_model_has_a_design_that_was_found(model, phase):
    found = known_design(model, phase, "tight")
    assert found is not None
    assert found.file.layers >= 1
    assert Path(FOUND, f"{found.name}.yaml").is_file()


def test_channels_together_say_what_crossing_costs(sttest, tmp_path) -> None:
    """Nothing: every DMA is linked to the AXI port of its own channel."""
    shape = ("--phase", "decode", "--context", "32", "--design", "default")
    told = sttest("compile", "small-gpt2", *shape, "--channels", "together", "-o", tmp_path / "together").stdout
    assert "crossing       none: every port is linked to the AXI port of its own channel" in told
