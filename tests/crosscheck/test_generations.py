"""Whole generations on compiled blocks: the tokens and the logits of the fake-quantized model, to the bit."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

pytest.importorskip("torch")

import torch

from sttest.core.errors import InputError
from sttest.crosscheck.generation import RunnableDesign, generate_on_designs, on_csim, on_reference, on_rtl
from sttest.crosscheck.rtl_values import built_design
from sttest.models.checkpoint import load_model
from sttest.models.language_model import GeneratedTokens, LanguageModel, generate, quantize_model
from sttest.models.quant.contraction import DefinedOrder
from sttest.models.quant.scheme import load_scheme
from sttest.models.registry import model_config

pytestmark = pytest.mark.torch

SCHEME = load_scheme("w4a8")
PROMPT = [7, 42, 128, 3, 99, 250, 61, 18, 5, 200, 77]
STEPS = 16
FAMILIES = ("small-gpt2", "small-qwen", "small-llama", "small-llama-3.2-1b", "small-gemma")


def _in_suite(*names: str) -> list[object]:
    """All families, those that aren't named at night."""
    return [pytest.param(name, marks=[] if name in names else [pytest.mark.nightly]) for name in FAMILIES]


def _model(name: str) -> LanguageModel:
    """Two layers, so that there are several caches; of gemma a local and a global one."""
    config = replace(model_config(name), layers=2, global_every=2 if name == "small-gemma" else 1)
    return quantize_model(load_model(config, seed=11), SCHEME)


def _assert_same(found: GeneratedTokens, model: LanguageModel, steps: int = STEPS) -> None:
    with DefinedOrder():
        wanted = generate(model, PROMPT, 1 + steps)
    assert found.tokens == wanted.tokens
    assert torch.equal(found.logits, wanted.logits)
    assert len(set(found.tokens)) > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", _in_suite("small-gpt2"))
def test_on_the_reference_engine(name, design_of):
    """A prompt of 11 tokens in a prefill of 32, then 16 steps of one decode whose cache holds 32."""
    model = _model(name)
    prefill, decode = (on_reference(design_of(name, phase).package.reference_graph) for phase in ("prefill", "decode"))
    _assert_same(generate_on_designs(model, prefill, decode, PROMPT, 1 + STEPS), model)


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_compiler")
@pytest.mark.parametrize("name", _in_suite("small-gpt2"))
def test_on_the_emitted_cpp(name, design_of):
    def on_cpp(phase: str) -> RunnableDesign:
        design = design_of(name, phase)
        return on_csim(design.package.reference_graph, design.kernel(), design.files)

    model = _model(name)
    _assert_same(generate_on_designs(model, on_cpp("prefill"), on_cpp("decode"), PROMPT, 1 + STEPS), model)


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.skipif(
    shutil.which("verilator") is None, reason="verilator not found; install with apt-get install verilator"
)
def test_on_clocked_hardware(design_of, tmp_path):
    """The prompt in a prefill, then 8 steps: what a launch wrote to memory is what the next one reads."""

    def on_hardware(phase: str) -> RunnableDesign:
        package = design_of("small-gpt2", phase).package
        return on_rtl(package.reference_graph, built_design(package, tmp_path / phase))

    model = _model("small-gpt2")
    found = generate_on_designs(model, on_hardware("prefill"), on_hardware("decode"), PROMPT, 9)
    _assert_same(found, model, 8)


def test_a_context_that_the_design_has_no_room_for_is_refused(design_of):
    model = _model("small-gpt2")
    prefill, decode = (
        on_reference(design_of("small-gpt2", phase).package.reference_graph) for phase in ("prefill", "decode")
    )
    with pytest.raises(InputError, match="no room for so many tokens"):
        generate_on_designs(model, prefill, decode, PROMPT * 3, 2)
    with pytest.raises(InputError, match="no room for so many cached tokens"):
        generate_on_designs(model, prefill, decode, (PROMPT * 3)[:32], 3)
