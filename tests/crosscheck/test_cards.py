"""Designs over several cards: values of every engine to the bit, times of every engine to the cycle, and links."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sttest as st
from sttest.boards.load import load_board, require_hbm
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, only_kernel
from sttest.compile.reference_launch import value_launch
from sttest.compile.reports import card_table
from sttest.compile.resources.design import design_resources
from sttest.compile.timing.links import CATEGORY, Links
from sttest.core.errors import InputError
from sttest.crosscheck.case import WeightSource, make_case
from sttest.frontend.lowering import linalg_text
from sttest.models.program import BlockShape
from sttest.models.registry import model_config
from sttest.package import ModelPackage
from sttest.reference import run
from sttest.reference.launch import run_launch
from sttest.runtime.design_memory import BlockMemory, SequenceStep
from sttest.sim import simulate

pytestmark = pytest.mark.torch

HIDDEN_BYTES = 4 * 64
"""Partial sums of a small GPT-2, float32."""


def design(cards: int, **options):
    return st.compile("small-gpt2", phase="decode", context=32, cards=cards, **options)


def links(made) -> Links:
    return Links(only_kernel(made.compiled.module, "test", "test"), made.compiled.board)


def assert_same(sttest, *arguments) -> dict:
    outcome = sttest("crosscheck", *arguments, "--json")
    assert outcome.exit_code == 0, outcome.stderr
    found = json.loads(outcome.stdout)
    assert {each["verdict"] for each in found["results"].values()} == {"same"}
    return found


@pytest.mark.parametrize(
    "arguments",
    [
        ("gpt2", "--context", 27, "--cards", 2),
        ("gpt2", "--context", 32, "--cards", 4),
        ("qwen", "--phase", "prefill", "--tokens", 11, "--cards", 2),
        ("llama", "--context", 32, "--batch", 3, "--cards", 2),
        ("gpt2", "--context", 32, "--cards", 2, "--precision", "w4a8-static", "--links", "whole"),
    ],
    ids=str,
)
def test_values_are_pytorchs_and_times_agree(arguments, sttest, tmp_path):
    model, *others = arguments
    found = assert_same(
        sttest, f"small-{model}", *others, "-o", tmp_path / "p", "--engines", "torch,reference,simpy,maxplus"
    )
    assert len({rung["cycles"] for rung in found["engines"] if rung["engine"] in ("simpy", "maxplus")}) == 1


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_compiler", "needs_verilator")
def test_all_engines_agree(sttest, tmp_path):
    engines = "torch,reference,simpy,maxplus,csim,rtl"
    found = assert_same(sttest, "small-gpt2", "--cards", 2, "-o", tmp_path / "p", "--engines", engines)
    assert len({rung["cycles"] for rung in found["engines"] if rung["cycles"] is not None}) == 1


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.usefixtures("needs_compiler")
def test_values_of_the_emitted_kernel(sttest, tmp_path):
    assert_same(sttest, "small-gpt2", "--cards", 2, "-o", tmp_path / "p", "--engines", "torch,reference,csim")


def test_all_cards_write_the_same_result(tmp_path):
    package = ModelPackage.read(design(2).save(tmp_path / "p"))
    graph = package.reference_graph
    case = make_case(package.config, package.shape, package.scheme, WeightSource())
    found = case.results(graph, run(graph, case.images(graph)).results)
    assert np.array_equal(found["y"], found["y_card1"])
    assert {"k_new", "k_new_card1", "k_new_card1_scale"} <= set(found)


@pytest.mark.nightly
def test_layers_go_round_on_every_card(tmp_path):
    """Two layers in a launch give what two launches give."""
    package = ModelPackage.read(design(2).save(tmp_path / "one"))
    graph = package.reference_graph
    case = make_case(package.config, BlockShape("decode", 1, 32, cards=2), package.scheme, WeightSource())
    memory = BlockMemory(graph, package.config, case.parameters)
    (x,), (caches,) = case.x, case.caches
    first = memory.results(run(graph, memory.decode_batch([SequenceStep(x, *caches)])).results)
    second = memory.results(run(graph, memory.decode_batch([SequenceStep(first.y, *caches)])).results)
    kernel = only_kernel(design(2, layers=2).compiled.module, "test", "test")
    launch = value_launch(kernel, graph)
    images = memory.decode_batch([SequenceStep(x, *caches)])
    rows = {name: [image] * launch.parts(name) for name, image in images.items()}
    stacked = {name: np.stack(parts) for name, parts in rows.items()}
    results = run_launch(launch, stacked).results[0]
    assert len(launch.enters) == len(launch.leaves) == 2
    assert np.array_equal(memory.results({**results[0], **results[-1]}).y, second.y)


def test_one_card_is_the_design_of_today():
    one, plain = design(1), st.compile("small-gpt2", phase="decode", context=32)
    assert one.graph == plain.graph
    assert not [each for each in one.graph.processes if each.category == CATEGORY]
    assert linalg_text(model_config("small-gpt2"), "decode", 1, 32, cards=1) == linalg_text(
        model_config("small-gpt2"), "decode", 1, 32
    )


@pytest.mark.parametrize("cards", [2, 4])
def test_a_card_sends_its_partial_sums_to_all_others(cards):
    """Twice a layer everybody has everybody's: each vector goes over as many links as there are other cards."""
    made = design(cards)
    sent = sum(links(made).bytes_from(card) for card in range(cards))
    assert sent == 2 * cards * (cards - 1) * HIDDEN_BYTES
    counted = sum(
        loop.iterations
        * sum(event.op == "write" for event in loop.events)
        * made.graph.fifos[made.graph.fifo_index[loop.events[-1].fifo]].bits
        // 8
        for process in made.graph.processes
        if process.category == CATEGORY and process.name.count("_") == 2
        for loop in process.loops
    )
    assert counted == sent


@pytest.mark.parametrize("cards", [2, 4])
def test_streams_between_cards_are_between_neighbors(cards):
    kernel = only_kernel(design(cards).compiled.module, "test", "test")
    assert {node.card_number for node in all_of(kernel, df.NodeOp)} == set(range(cards))
    crossing = {
        (stream.writer.card_number, stream.reader.card_number)
        for stream in all_of(kernel, df.StreamOp)
        if stream.writer.card_number != stream.reader.card_number
    }
    assert crossing == {(card, (card + way) % cards) for card in range(cards) for way in (1, -1)}


@pytest.mark.parametrize("cards", [2, 4])
def test_every_card_has_the_channels_of_a_board(cards):
    kernel = only_kernel(design(cards).compiled.module, "test", "test")
    for dma in all_of(kernel, df.DmaOp):
        assert dma.channel is not None
        assert dma.channel.value.data // 32 == dma.card_number


def test_tasks_of_several_cards_share_no_unit():
    kernel = only_kernel(design(2, share="all", gemv_lanes=32).compiled.module, "test", "test")
    cards: dict[str, set[int]] = {}
    for task in all_of(kernel, df.TaskOp):
        if task.engine is not None:
            cards.setdefault(task.engine.data, set()).add(task.card_number)
    assert len(cards) > 1
    assert all(len(each) == 1 for each in cards.values())


@pytest.mark.parametrize("engine", ["simpy", "maxplus"])
@pytest.mark.parametrize("cards", [2, 4])
def test_too_few_credits_are_a_deadlock_that_names_the_link(cards, engine):
    found = simulate(design(cards, link_credits=1).graph, engine)
    assert found.deadlock is not None
    assert found.deadlock.is_closed
    waits = [wait for wait in found.deadlock.cycle if wait.process.startswith("link_0_1")]
    assert waits
    assert any("__credits__" in wait.fifo for wait in waits)


@pytest.mark.nightly
def test_cards_that_wait_for_each_other_round_the_ring_are_told():
    """Every card sends its own vector first, and holds back its neighbor's, which so finds no credits."""
    made = st.compile(
        "gpt2", phase="decode", context=32, cards=4, link_credits=32, gemv_lanes=512, vector_bits=256
    ).graph
    found = simulate(made).deadlock
    assert found is not None
    assert found.is_closed
    senders = {wait.process for wait in found.cycle if "__credits__" in wait.fifo}
    assert senders == {f"link_{card}_{(card + 1) % 4}" for card in range(4)}
    assert found.fix
    assert simulate(made.with_depths(found.fix)).deadlock is None


def test_the_verdict_of_a_package_says_so(sttest, tmp_path):
    sttest(
        "compile",
        "small-gpt2",
        "--phase",
        "decode",
        "--context",
        32,
        "--cards",
        2,
        "--link-credits",
        1,
        "-o",
        tmp_path / "p",
    )
    outcome = sttest("simulate", tmp_path / "p")
    assert outcome.exit_code == 3
    assert "link_0_1__credits__" in outcome.stdout


@pytest.mark.nightly
def test_more_credits_are_never_slower():
    """From a frame on, of 16 tokens of 16 partial sums, a design ends; a vector is four frames."""
    made = [
        st.compile("gpt2", phase="decode", context=32, cards=2, link_credits=credit) for credit in (15, 16, 24, 48, 64)
    ]
    first, *cycles = [each.simulate().cycles for each in made]
    assert first is None
    assert all(cycles)
    assert cycles == sorted(cycles, reverse=True)
    assert cycles[0] > cycles[-1]


@pytest.mark.parametrize("cards", [2, 4])
def test_whole_vectors_take_longer_than_streamed_ones(cards):
    assert design(cards, links="whole").simulate().cycles > design(cards).simulate().cycles


def test_resources_are_card_by_card():
    made = design(2).compiled
    taken = design_resources(made)
    parts = taken.cards()
    assert len(parts) == 2
    assert sum(part.total.dsp for part in parts) == taken.total.dsp
    assert all(len(part.hbm_channels) <= 32 for part in parts)
    frame = card_table(taken, made).frame()
    assert list(frame["sent_bytes"]) == [2 * HIDDEN_BYTES] * 2


def test_a_text_says_how_many_cards_it_is_for(sttest, tmp_path):
    text = tmp_path / "block.mlir"
    text.write_text(linalg_text(model_config("small-gpt2"), "decode", 1, 32, cards=2), encoding="utf-8")
    outcome = sttest("compile", text)
    assert outcome.exit_code == 2
    assert "compile it with --cards 2" in outcome.stderr


def test_a_board_may_have_no_links():
    alone = require_hbm(load_board("u55c")).model_copy(update={"network": None, "name": "alone"})
    with pytest.raises(InputError, match="has no links to other cards"):
        _ = alone.links


@pytest.mark.parametrize("verb", [("run", "--backend", "emulator"), ("build", "--target", "hw", "--dry-run")])
def test_several_cards_are_not_built_or_run(verb, sttest, tmp_path):
    package = design(2).save(tmp_path / "p")
    outcome = sttest(verb[0], package, *verb[1:])
    assert outcome.exit_code == 2
    assert "several cards is simulated and emulated" in outcome.stderr
