"""Every model that came by its configuration, at test sizes and from a path, through the value engines."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sttest.frontend.shipped import SHIPPED_MODELS
from sttest.models.registry import CONFIGS, model_config
from sttest.package import ModelPackage

pytestmark = pytest.mark.torch

SHAPES = {"prefill": ("--tokens", 27), "decode": ("--context", 27)}


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_compiler")
@pytest.mark.parametrize("phase", SHAPES)
@pytest.mark.parametrize("model", [name for name in CONFIGS if name not in SHIPPED_MODELS and not CONFIGS[name].state])
def test_values_are_the_same_in_all_engines(model, phase, sttest, tmp_path):
    assert_same(sttest, f"small-{model}", "--phase", phase, *SHAPES[phase], "-o", tmp_path / "package")


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_compiler")
@pytest.mark.parametrize("options", [("--tokens", 4), ("--attention", "one-pass", "--attention-chunk", 16)], ids=str)
@pytest.mark.parametrize("model", ["gemma-2-2b", "gpt2-xl", "qwen3-0.6b"])
def test_several_tokens_and_one_pass_too(model, options, sttest, tmp_path):
    assert_same(sttest, f"small-{model}", "--phase", "decode", *options, "-o", tmp_path / "package")


GEMMA_2 = {
    "model_type": "gemma2",
    "hidden_size": 48,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 32,
    "vocab_size": 64,
    "max_position_embeddings": 64,
    "query_pre_attn_scalar": 20,
    "sliding_window": 8,
    "attn_logit_softcapping": 2.0,
}


@pytest.mark.daily
def test_a_path_is_a_model(sttest, tmp_path):
    folder = tmp_path / "Own Gemma"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(GEMMA_2), encoding="utf-8")
    package = tmp_path / "package"
    outcome = sttest(
        "crosscheck",
        folder / "config.json",
        "--phase",
        "decode",
        "--context",
        5,
        "-o",
        package,
        "--engines",
        "torch,reference",
        "--json",
    )
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert json.loads(outcome.stdout)["results"]["reference"]["verdict"] == "same"
    # The package says all of its model: the file may go.
    told = model_config(str(folder))
    (folder / "config.json").unlink()
    found = ModelPackage.read(package).config
    assert (found.name, found.attention_cap, found.query_scalar) == ("own-gemma", 2.0, 20)
    assert replace(found, source=told.source) == told


def assert_same(sttest, *options):
    outcome = sttest("crosscheck", *options, "--engines", "torch,reference,csim", "--json")
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    told = json.loads(outcome.stdout)
    assert told["streams"]["verdict"] == "same"
    assert {name: found["verdict"] for name, found in told["results"].items()} == {"reference": "same", "csim": "same"}
