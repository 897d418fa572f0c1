"""Blocks at their published sizes through the value engines: the same to the bit, in every stream."""

from __future__ import annotations

import json

import pytest

pytestmark = [pytest.mark.torch, pytest.mark.nightly, pytest.mark.usefixtures("needs_compiler")]

# 27 tokens and 75 cached ones are no whole tiles.
BLOCKS = [
    ("gpt2", "prefill", 27),
    ("gpt2", "decode", 75),
    ("qwen", "decode", 64),
    ("llama", "decode", 64),
    ("llama-3.2-1b", "decode", 64),
    ("gemma", "decode", 64),
]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("model", "phase", "length"), BLOCKS)
def test_values_are_the_same_in_all_engines(model, phase, length, sttest, tmp_path):
    shape = ("--tokens" if phase == "prefill" else "--context", length)
    assert_same_in_all_engines(sttest, model, "--phase", phase, *shape, "-o", tmp_path / "package")


@pytest.mark.timeout(900)
@pytest.mark.parametrize("model", ["gpt2", "small-gpt2", "small-qwen", "small-llama", "small-gemma"])
def test_several_tokens_of_a_decode_step_too(model, sttest, tmp_path):
    assert_same_in_all_engines(sttest, model, "--phase", "decode", "--tokens", 4, "-o", tmp_path / "package")


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("model", "phase", "length"), BLOCKS)
def test_attention_in_one_pass_too(model, phase, length, sttest, tmp_path):
    shape = ("--tokens" if phase == "prefill" else "--context", length)
    one_pass = ("--attention", "one-pass", "--attention-chunk", 16)
    assert_same_in_all_engines(sttest, model, "--phase", phase, *shape, *one_pass, "-o", tmp_path / "package")


def assert_same_in_all_engines(sttest, *options):
    outcome = sttest("crosscheck", *options, "--engines", "torch,reference,maxplus,csim", "--json")
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    told = json.loads(outcome.stdout)
    assert told["streams"]["verdict"] == "same"
    assert {name: found["verdict"] for name, found in told["results"].items()} == {"reference": "same", "csim": "same"}
