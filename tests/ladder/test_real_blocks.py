"""Blocks at their published sizes through the value engines: the same to the bit, in every stream."""

from __future__ import annotations

import json

import pytest

pytestmark = [pytest.mark.torch, pytest.mark.slow, pytest.mark.usefixtures("needs_compiler")]

MODELS = ("gpt2", "qwen", "llama", "llama-3.2-1b", "gemma")
SHAPES = {"prefill": ("--tokens", 27), "decode": ("--context", 64)}


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("phase", SHAPES)
@pytest.mark.parametrize("model", MODELS)
def test_values_are_the_same_in_all_engines(model, phase, sttest, tmp_path):
    engines = ("--engines", "torch,functional,maxplus,csim")
    outcome = sttest("ladder", model, "--phase", phase, *SHAPES[phase], "-o", tmp_path / "package", *engines, "--json")
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    told = json.loads(outcome.stdout)
    assert told["streams"]["verdict"] == "same"
    assert {name: found["verdict"] for name, found in told["results"].items()} == {"functional": "same", "csim": "same"}


@pytest.mark.timeout(1200)
def test_a_context_of_no_whole_tiles(sttest, tmp_path):
    options = ("--context", 75, "-o", tmp_path / "package", "--engines", "torch,functional,csim", "--json")
    told = json.loads(sttest("ladder", "gpt2", "--phase", "decode", *options).stdout)
    assert (told["streams"]["verdict"], told["disagreements"]) == ("same", [])
