"""Designs of a batch: values of every engine to the bit, each sequence with its own cache, length and positions."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sttest as st
from sttest.core.errors import InputError
from sttest.crosscheck.case import WeightSource, lengths_of, make_case
from sttest.frontend.lowering import linalg_text
from sttest.frontend.shipped import lowered_text
from sttest.models.program import BlockShape
from sttest.models.quant.scheme import load_scheme
from sttest.models.registry import model_config
from sttest.package import ModelPackage
from sttest.reference import run
from sttest.runtime.design_memory import BlockMemory, SequenceStep

pytestmark = pytest.mark.torch

FAMILIES = ["gpt2", "qwen", "llama", "gemma"]
SHAPES = {"decode": ("--context", 27), "prefill": ("--tokens", 11)}


def assert_same(sttest, *arguments) -> dict:
    outcome = sttest("crosscheck", *arguments, "--json")
    assert outcome.exit_code == 0, outcome.stderr
    found = json.loads(outcome.stdout)
    assert {each["verdict"] for each in found["results"].values()} == {"same"}
    return found


@pytest.mark.parametrize("phase", SHAPES)
@pytest.mark.parametrize("model", FAMILIES)
def test_values_are_pytorchs_of_the_same_batch(model, phase, sttest, tmp_path):
    assert_same(
        sttest,
        f"small-{model}",
        "--phase",
        phase,
        *SHAPES[phase],
        "--batch",
        3,
        "-o",
        tmp_path / "p",
        "--engines",
        "torch,reference",
    )


@pytest.mark.parametrize(
    "options",
    [("--precision", "w8a8"), ("--precision", "w4a8-static"), ("--attention", "one-pass", "--attention-chunk", 16)],
    ids=str,
)
def test_of_other_schemes_and_in_one_pass_too(options, sttest, tmp_path):
    assert_same(
        sttest,
        "small-qwen",
        "--context",
        32,
        "--batch",
        4,
        *options,
        "-o",
        tmp_path / "p",
        "--engines",
        "torch,reference,simpy,maxplus",
    )


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_compiler", "needs_verilator")
@pytest.mark.parametrize("phase", SHAPES)
@pytest.mark.parametrize("model", FAMILIES)
def test_all_engines_agree(model, phase, sttest, tmp_path):
    found = assert_same(
        sttest,
        f"small-{model}",
        "--phase",
        phase,
        *SHAPES[phase],
        "--batch",
        3,
        "-o",
        tmp_path / "p",
        "--engines",
        "torch,reference,simpy,maxplus,csim,rtl",
    )
    cycles = {rung["cycles"] for rung in found["engines"] if rung["engine"] in ("simpy", "maxplus", "rtl")}
    assert len(cycles) == 1


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_compiler")
@pytest.mark.parametrize("model", ["gpt2", "qwen"])
def test_blocks_at_full_size(model, sttest, tmp_path):
    assert_same(sttest, model, "--batch", 4, "-o", tmp_path / "p")


def test_on_shared_units_too(tmp_path):
    design = st.compile("small-qwen", phase="decode", context=32, batch=3, share="all", gemv_lanes=32)
    package = ModelPackage.read(design.save(tmp_path / "p"))
    graph, case = package.reference_graph, make_case(package.config, package.shape, package.scheme, WeightSource())
    found = case.results(graph, run(graph, case.images(graph)).results)
    assert all(np.array_equal(found[name], case.golden[name]) for name in found)
    assert design.simulate().cycles == design.simulate(engine="simpy").cycles


def test_sequences_have_different_lengths():
    assert lengths_of(BlockShape("decode", 1, 64, 4)) == [64, 54, 43, 32]
    case = make_case(
        model_config("small-qwen"), BlockShape("decode", 1, 27, 3), load_scheme("w4a8"), WeightSource(seed=1)
    )
    assert [keys.values.shape[1] for keys, _ in case.caches] == [27, 21, 14]


def test_places_that_no_sequence_takes_change_nothing(tmp_path):
    package = ModelPackage.read(st.compile("small-gpt2", phase="decode", context=32, batch=3).save(tmp_path / "p"))
    graph = package.reference_graph
    case = make_case(package.config, BlockShape("decode", 1, 32, 3), package.scheme, WeightSource())
    memory = BlockMemory(graph, package.config, case.parameters)
    steps = [SequenceStep(x, *sides) for x, sides in zip(case.x, case.caches, strict=True)]
    whole = memory.results(run(graph, memory.decode_batch(steps)).results)
    part = memory.results(run(graph, memory.decode_batch(steps[:2])).results)
    assert np.array_equal(whole.y[:2], part.y[:2])
    assert np.array_equal(whole.k_new.values[:2], part.k_new.values[:2])
    with pytest.raises(InputError, match="no room for so many sequences"):
        memory.decode_batch([*steps, steps[0]])


def test_the_head_chooses_a_token_of_each_sequence(tmp_path):
    """The head's rows are tokens, whoever's they are: those of a batch are those of a step of as many tokens."""
    designs = {
        name: st.compile("small-gpt2", phase="decode", context=32, head=True, **shape).save(tmp_path / name)
        for name, shape in {"batch": {"batch": 2}, "alone": {}}.items()
    }
    found = {name: _tokens_and_logits(ModelPackage.read(folder)) for name, folder in designs.items()}
    for ours, alone in zip(found["batch"], found["alone"], strict=True):
        assert np.array_equal(ours, alone)


def _tokens_and_logits(package: ModelPackage) -> tuple[np.ndarray, np.ndarray]:
    """Of two sequences, in one step or in two."""
    graph = package.reference_graph
    case = make_case(package.config, BlockShape("decode", 1, 32, 2), package.scheme, WeightSource())
    source, parameters = np.random.default_rng(0), dict(case.parameters)
    for each in graph.arguments:
        if each.name.startswith("head."):
            values = source.integers(-7, 8, each.shape) if each.dtype.startswith("i") else source.random(each.shape)
            dtype = {"f32": np.float32, "f16": np.float16}.get(each.dtype, np.int8)
            parameters[each.name] = values.astype(dtype)
    memory = BlockMemory(graph, package.config, parameters)
    steps = [SequenceStep(x, *sides) for x, sides in zip(case.x, case.caches, strict=True)]
    launches = [steps] if package.batch == 2 else [[step] for step in steps]
    results = [memory.results(run(graph, memory.decode_batch(each)).results) for each in launches]
    tokens, logits = ([getattr(each, name) for each in results] for name in ("token", "logits"))
    return np.concatenate(tokens), np.concatenate(logits)


def test_a_batch_of_one_is_no_batch():
    one, plain = (st.compile("small-qwen", phase="decode", context=32, batch=batch) for batch in (1, None))
    assert one.graph == plain.graph
    assert one.simulate().cycles == plain.simulate().cycles
    config = model_config("small-qwen")
    assert linalg_text(config, "decode", 1, 32, batch=1) == lowered_text("qwen", "decode", small=True)


def test_weights_are_read_once_for_all_sequences():
    alone, four = (
        {
            each.name: each.tokens * each.token_bytes
            for each in st.compile("small-gpt2", phase="decode", context=32, batch=batch).graph.processes
            if hasattr(each, "token_bytes")
        }
        for batch in (1, 4)
    )
    weights = [name for name in alone if "weight" in name]
    assert weights
    assert all(four[name] == alone[name] for name in weights)
    caches = [name for name in alone if "cache" in name]
    assert sum(four[name] for name in four if "cache" in name) == 4 * sum(alone[name] for name in caches)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--batch", 129), "demand 129 sequences, bound 128"),
        (("--batch", 2, "--tokens", 2), "takes one token of each sequence, not 2"),
        (("--batch", 0), "must be at least 1"),
    ],
)
def test_what_no_batch_can_be(arguments, told, sttest):
    outcome = sttest("compile", "small-gpt2", "--phase", "decode", "--context", 32, *arguments)
    assert outcome.exit_code == 2
    assert told in outcome.stderr


def test_a_generation_takes_one_sequence(sttest, tmp_path):
    sttest("compile", "small-gpt2", "--phase", "decode", "--context", 32, "--batch", 2, "-o", tmp_path / "p")
    outcome = sttest("run", tmp_path / "p", "--backend", "emulator", "--prompt-by-decode")
    assert outcome.exit_code == 2
    assert "a generation is of one sequence" in outcome.stderr


def test_a_batch_of_a_file_is_refused(sttest, tmp_path):
    text = tmp_path / "block.mlir"
    text.write_text(lowered_text("gpt2", "decode", small=True), encoding="utf-8")
    outcome = sttest("compile", text, "--batch", 2)
    assert outcome.exit_code == 2
    assert "--batch given, but the text has its shape already" in outcome.stderr
