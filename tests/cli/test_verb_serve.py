"""`sttest serve`: one command from a package to waits, the same bytes however often it was stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import sttest as st
from sttest.boards.load import load_board, require_hbm
from sttest.package import read_lanes

pytestmark = pytest.mark.torch

TRACE = "arrival_s,prompt_tokens,output_tokens\n0.0,9,4\n0.001,30,2\n0.002,5,6\n0.5,12,1\n"


@pytest.fixture(scope="module")
def decode(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("serve") / "decode"
    return st.compile("small-gpt2", phase="decode", context=64, batch=2, design="default").save(folder)


@pytest.fixture(scope="module")
def prefill(tmp_path_factory) -> Path:
    return st.compile("small-gpt2", phase="prefill", tokens=32).save(tmp_path_factory.mktemp("serve") / "prefill")


def test_the_design_that_fits_serves_other_shapes_than_its_own(sttest, tmp_path):
    folder = st.compile("small-gpt2", phase="decode", context=64, batch=2).save(tmp_path / "best")
    found = figures(sttest("serve", folder, "--trace", "trace.csv", "-o", "out", "--json", "-j", 1))
    assert found["requests"] == 4


@pytest.fixture(autouse=True)
def elsewhere(request, tmp_path, tmp_path_factory, monkeypatch) -> None:
    """Finished simulations lie in the working folder; tests share them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trace.csv").write_text(TRACE)
    shared = tmp_path_factory.getbasetemp() / "serve-build"
    if "stopped" not in request.node.name:
        shared.mkdir(exist_ok=True)
        (tmp_path / "build").symlink_to(shared)


def figures(outcome) -> dict[str, float]:
    assert outcome.exit_code == 0, outcome.stderr
    return {each["metric"]: each["value"] for each in json.loads(outcome.stdout)["figures"]}


def test_a_trace_on_one_design(decode, sttest, tmp_path):
    outcome = sttest(
        "serve", "--trace", "trace.csv", "--design", decode, "-o", "out", "--slo-ttft-ms", 50, "--json", "-j", 1
    )
    found = figures(outcome)
    assert (found["requests"], found["preemptions"], found["within the objective"]) == (4, 0, 1)
    table = pd.read_csv(tmp_path / "out" / "requests.csv")
    assert list(table["output_tokens"]) == [4, 2, 6, 1]
    assert (table["first_token_s"] > table["arrival_s"]).all()
    # A step of the small model takes less than a millisecond with its host: 9 tokens of a prompt are 9 steps.
    step_ms = 1e3 * (table["first_token_s"] - table["arrival_s"])[0] / 9
    assert 0.2 < step_ms < 1


def test_a_run_that_was_stopped_gives_the_same_bytes(decode, sttest, tmp_path):
    arguments = ("serve", decode, "--rate", 300, "--requests", 40, "--prompt-tokens", 20, "--output-tokens", 9, "-j", 1)
    sttest(*arguments, "-o", "before/out")
    stored = sorted((tmp_path / "build" / "points" / "serve").iterdir())
    assert len(stored) == 2
    stored[0].unlink()
    sttest(*arguments, "-o", "after/out")
    for name in ("table.csv", "requests.csv", "figure.svg"):
        before, after = ((tmp_path / folder / "out" / name).read_bytes() for folder in ("before", "after"))
        assert before == after


@pytest.mark.nightly
def test_a_design_for_prompts_and_one_for_tokens(decode, prefill, sttest):
    arguments = ("serve", decode, prefill, "--trace", "trace.csv", "-o", "out", "--json", "-j", 1)
    without = sttest(*arguments)
    assert without.exit_code == 2
    assert "--reconfigure-ms" in without.stderr
    quick, slow = (figures(sttest(*arguments, "--reconfigure-ms", pause)) for pause in (0, 100))
    assert quick["reconfigurations"] == 0
    assert slow["reconfigurations"] > 0
    assert slow["time to last token, mean"] > quick["time to last token, mean"] + 100


def test_steps_take_what_the_designs_do(decode, sttest, tmp_path):
    """A lone request of one token: as many steps as its prompt has tokens, each of six layers and the host."""
    (tmp_path / "one.csv").write_text("arrival_s,prompt_tokens,output_tokens\n0,6,1\n")
    found = figures(sttest("serve", decode, "--trace", "one.csv", "-o", "out", "--json", "-j", 1))
    launch = require_hbm(load_board("u55c")).launch
    block_us = st.compile("small-gpt2", phase="decode", context=64, lanes=read_lanes(decode)).simulate().cycles / 250
    step_us = 6 * (block_us + launch.queued_us.value) + launch.token_gap_us.value
    assert found["time to first token, mean"] == pytest.approx(6 * step_us / 1e3)


def test_a_trace_of_steps(decode, sttest, tmp_path):
    sttest("serve", decode, "--trace", "trace.csv", "-o", "out", "--perfetto", "steps.json", "-j", 1)
    events = json.loads((tmp_path / "steps.json").read_text())["traceEvents"]
    assert sum(event["ph"] == "X" for event in events) > 4


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "no design is named"),
        (("{decode}",), "nothing says when requests arrive"),
        (("{decode}", "--rate", 1, "--batch", 3), "compile it with --batch 3"),
        (("{decode}", "--rate", 1, "--prompt-tokens", 120), "longer than the context"),
        (("{decode}", "--rate", 1, "--kv-gib", 0.000001), "no memory is left"),
        (("{decode}", "--rate", 1, "--kv-gib", 1e30), "--kv-gib: more memory than the card has"),
        (("{decode}", "--rate", 1, "--kv-gib", -1), "no memory is left"),
        (("{decode}", "--rate", 1, "--kv-gib", "nan"), "'nan' is no finite number"),
        (("{decode}", "--rate", 1e-320), "--rate: 9.99989e-321 requests per second, not 1e-08 to 1e+09"),
        (("{decode}", "--rate", 1e-8), "--rate: arrives more than three years after the start"),
        (("{decode}", "--rate", 1, "--page-tokens", 10**17), "'--page-tokens'"),
        (("{decode}", "--rate", 1, "--output-tokens", 10**17), "longer than the context"),
        (("{decode}", "--rate", 1, "--requests", 10**17), "--requests: more requests than"),
        (("{prefill}", "--rate", 1), "a decode's package serves"),
    ],
)
def test_what_cannot_serve_is_named(arguments, told, decode, prefill, sttest):
    filled = (str(each).format(decode=decode, prefill=prefill) for each in arguments)
    outcome = sttest("serve", *filled, "-o", "out", "-j", 1)
    assert outcome.exit_code == 2
    assert told in outcome.stderr
