"""Attention in one pass through the engines: values to the bit, buffers that do not grow with the context."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sttest.compile.compiler import compile_text, on_chip
from sttest.compile.opt import run_opt
from sttest.compile.options import CompileOptions
from sttest.core.errors import InputError
from sttest.frontend.lowering import linalg_text
from sttest.models.registry import get_config, small
from sttest.sim import TimedGraph, simulate
from sttest.studies.workload import WorkloadShape, model_text
from tests.explore.tiny_searches import two_products

pytestmark = pytest.mark.torch

RUNNING = ("--attention-maximum", "running")
ONE_PASS = ("--attention", "one-pass", "--attention-chunk")
# 27 tokens and cached ones are no whole chunks: the first has hidden positions.
BLOCKS = [
    ("small-gpt2", "prefill", 27, 16),
    ("small-qwen", "decode", 27, 8),
    pytest.param("small-llama", "prefill", 27, 8, marks=pytest.mark.nightly),
    pytest.param("small-gemma", "prefill", 27, 16, marks=pytest.mark.nightly),
]


@pytest.mark.parametrize(("model", "phase", "length", "chunk"), BLOCKS)
def test_values_are_the_golden_s(model, phase, length, chunk, sttest, tmp_path):
    assert_same(sttest, tmp_path, "torch,reference,simpy,maxplus", model, phase, length, chunk)


@pytest.mark.usefixtures("needs_compiler")
def test_emitted_code_computes_them_too(sttest, tmp_path):
    assert_same(sttest, tmp_path, "torch,reference,maxplus,csim", "small-gpt2", "decode", 27, 8)


@pytest.mark.parametrize(("model", "phase"), [("small-gpt2", "prefill"), ("small-qwen", "decode")])
def test_values_under_the_running_maximum_are_the_golden_s(model, phase, sttest, tmp_path):
    assert_same(sttest, tmp_path, "torch,reference,simpy,maxplus", model, phase, 27, 8, *RUNNING)


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_compiler", "needs_verilator")
@pytest.mark.parametrize("phase", ["prefill", "decode"])
@pytest.mark.parametrize("model", ["small-gpt2", "small-qwen", "small-llama", "small-gemma"])
def test_code_and_hardware_under_the_running_maximum(model, phase, sttest, tmp_path):
    engines = "torch,reference,simpy,maxplus,csim,rtl"
    assert_same(sttest, tmp_path, engines, model, phase, 27, 8, *RUNNING)


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_compiler")
@pytest.mark.parametrize("precision", ["w4a8", "w4a8-position", "w4a8-static", "w8a8"])
def test_several_tokens_under_the_running_maximum(precision, sttest, tmp_path):
    outcome = sttest(
        "crosscheck",
        "small-qwen",
        "--context",
        27,
        "--tokens",
        4,
        *ONE_PASS,
        8,
        *RUNNING,
        "--precision",
        precision,
        "--engines",
        "torch,reference,simpy,maxplus,csim",
        "--json",
        "-o",
        tmp_path / "package",
    )
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert {found["verdict"] for found in json.loads(outcome.stdout)["results"].values()} == {"same"}


def assert_same(sttest, tmp_path, engines, model, phase, length, chunk, *more):
    shape = ("--tokens" if phase == "prefill" else "--context", length)
    outcome = sttest(
        "crosscheck",
        model,
        "--phase",
        phase,
        *shape,
        *ONE_PASS,
        chunk,
        *more,
        "--engines",
        engines,
        "--json",
        "-o",
        tmp_path / "package",
    )
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    told = json.loads(outcome.stdout)
    assert {found["verdict"] for found in told["results"].values()} == {"same"}
    cycles = {rung["cycles"] for rung in told["engines"] if rung["cycles"] is not None}
    assert len(cycles) == 1


def decoding(context: int, attention: str, maximum: str) -> TimedGraph:
    """GPT-2's step over so many positions, FIFOs sized."""
    config = replace(get_config("gpt2"), max_context=8192)
    options = CompileOptions(attention=attention, attention_chunk=64, attention_maximum=maximum)  # pyright: ignore
    return compile_text(linalg_text(config, "decode", 1, context), "block", "u55c", options).graph


@pytest.mark.parametrize(
    ("attention", "maximum", "goes_on"),
    [
        ("one-pass", "chunk", True),
        ("three-pass", "chunk", False),
        pytest.param("one-pass", "running", True, marks=pytest.mark.nightly),
    ],
)
def test_the_depths_of_a_short_context_serve_a_long_one(attention, maximum, goes_on):
    """Three passes hold a row of scores until its last one is known; with less room they deadlock."""
    short, long = decoding(512, attention, maximum), decoding(4096, attention, maximum)
    depth = {fifo.name: fifo.depth for fifo in short.fifos}
    # Slices of a longer cache have FIFOs of their own.
    shallow = tuple(replace(fifo, depth=min(fifo.depth, depth.get(fifo.name, fifo.depth))) for fifo in long.fifos)
    wanted = simulate(long).cycles if goes_on else None
    assert simulate(replace(long, fifos=shallow)).cycles == wanted


@pytest.mark.parametrize(
    ("model", "tokens", "precision"),
    [("qwen", 4, "w4a8"), ("gpt2", 3, "w8a8"), pytest.param("gemma", 40, "w4a8", marks=pytest.mark.nightly)],
)
def test_several_tokens_go_over_the_cache_once(model, tokens, precision, sttest, tmp_path):
    """The tokens of the step itself are few: theirs are three passes, joined with the one over the cache."""
    outcome = sttest(
        "crosscheck",
        f"small-{model}",
        "--context",
        27,
        "--tokens",
        tokens,
        *ONE_PASS,
        8,
        "--precision",
        precision,
        "--engines",
        "torch,reference,simpy,maxplus",
        "--json",
        "-o",
        tmp_path / "package",
    )
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert {found["verdict"] for found in json.loads(outcome.stdout)["results"].values()} == {"same"}


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_compiler", "needs_verilator")
def test_several_tokens_in_emitted_code_and_hardware(sttest, tmp_path):
    outcome = sttest(
        "crosscheck",
        "small-qwen",
        "--context",
        32,
        "--tokens",
        4,
        *ONE_PASS,
        8,
        "--json",
        "--engines",
        "torch,reference,simpy,maxplus,csim,rtl",
        "-o",
        tmp_path / "package",
    )
    assert (outcome.exit_code, outcome.stderr) == (0, "")


def held_bytes(context: int, attention: str) -> int:
    """Bytes in FIFOs, converters and DMA tiles of a step of 16 tokens of Qwen over so many positions."""
    config = replace(get_config("qwen"), max_context=65536)
    options = CompileOptions(attention=attention, attention_chunk=64)  # pyright: ignore[reportArgumentType]
    return on_chip(
        compile_text(linalg_text(config, "decode", 16, context), "block", "u55c", options).module
    ).total_bytes


@pytest.mark.nightly
def test_a_block_of_a_prompt_needs_no_more_memory_behind_a_longer_one():
    short, long = (held_bytes(context, "one-pass") for context in (1024, 16384))
    assert long < 1.05 * short
    short, long = (held_bytes(context, "three-pass") for context in (1024, 16384))
    assert long > 4 * short


def test_a_function_without_attention_is_refused():
    with pytest.raises(InputError, match="0 softmaxes over positions, one pass is for one") as caught:
        compile_text(two_products(), "block", "u55c", CompileOptions(attention="one-pass", attention_chunk=16))
    assert caught.value.code == "attention-form"


def test_another_maximum_is_refused():
    text = model_text(small(get_config("gpt2")), WorkloadShape("decode", 1, 32))
    with pytest.raises(InputError, match="no maximum 'runing' of a chunk") as caught:
        run_opt(text, "text", "online-softmax{chunk=16 maximum=runing}")
    assert caught.value.hints == ("did you mean 'running'?",)


def test_chunks_with_a_rest_are_refused():
    text = model_text(small(get_config("gpt2")), WorkloadShape("decode", 1, 32))
    with pytest.raises(InputError, match="take chunks of 16") as caught:
        compile_text(text, "block", "u55c", CompileOptions(attention="one-pass", attention_chunk=20))
    assert (caught.value.code, caught.value.demand, caught.value.bound) == ("ragged-chunks", 20, 32)
