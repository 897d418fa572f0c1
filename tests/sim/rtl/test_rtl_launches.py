"""Launches with a head and of several tokens in clocked hardware: the chosen token and new entries are read again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from rtl_graphs import needs

from sttest.boards.load import load_board, require_hbm
from sttest.boards.operators import operators
from sttest.compile.compiler import compile_text
from sttest.compile.ir.module_walk import only_kernel
from sttest.compile.options import CompileOptions, Sharing
from sttest.compile.reference_graph import value_graph
from sttest.compile.reference_launch import value_launch
from sttest.crosscheck.rtl_values import random_rows, valued_launch
from sttest.frontend.shipped import lowered_text
from sttest.models.registry import model_config
from sttest.reference.launch import Launch, run_launch
from sttest.reference.memory import read_result
from sttest.sim import simulate
from sttest.sim.graph import Pipeline, fifo_ends
from sttest.targets.rtl.compare import Comparison, compare
from sttest.targets.rtl.design import EXPECTED, ValuedDesign, build_designs, emulate_designs
from sttest.targets.rtl.drive import BuiltFolder
from sttest.targets.rtl.held import HELD

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

LIBRARY = operators(require_hbm(load_board("u55c")))
LAYERS, STEPS = 2, 3
# Few lanes: the C++ of a simulation takes as long to compile as there are operators.
FEW_LANES = CompileOptions(tile_size=4, vector_bits=128)
SEED = 3
"""Of random tensors with which the chosen tokens are not all the same."""


def launched(model: str, share: Sharing = "all", steps: int = STEPS) -> tuple[ValuedDesign, Launch]:
    """The decode step of a small model with two layers and the head, and what it does in a launch."""
    learned = model_config(f"small-{model}").rope_theta is None
    options = FEW_LANES.with_(
        layers=LAYERS,
        generate=steps,
        positions=steps > 1 and learned,
        share=share,
        overall_unroll=256 if (model, share) == ("gpt2", "all") else 512,
    )
    design = compile_text(lowered_text(model, "decode", head=True, small=True), model, "u55c", options)
    kernel = only_kernel(design.module, "test", model)
    launch = value_launch(kernel, value_graph(design.module, model))
    return valued_launch(kernel, design.graph, LIBRARY, launch, random_rows(launch, SEED)), launch


def at_night(*models: str) -> list[object]:
    return [pytest.param(model, marks=pytest.mark.nightly) for model in models]


@pytest.mark.daily
@pytest.mark.parametrize("model", ["gpt2", *at_night("qwen", "llama", "gemma")])
@pytest.mark.parametrize("steps", [1, STEPS])
def test_there_is_a_value_for_every_token_of_every_fifo(model, steps):
    design, launch = launched(model, steps=steps)
    written = simulate(design.graph, "maxplus", record=True).write_times
    assert written is not None
    assert {name: len(rows) for name, rows in design.tokens.items()} == {
        name: written[name].size for name in design.tokens
    }
    waits = [each for each in design.graph.processes if each.name.endswith("_hold")]
    assert len(design.held) == len(waits)
    assert bool(waits) == (steps > 1)
    assert launch.layers == LAYERS


# --- The hardware of one launch, built once, with what it reads


@dataclass(frozen=True)
class Built:
    """A launch as hardware."""

    design: ValuedDesign
    launch: Launch
    folder: BuiltFolder

    def run(self) -> Comparison:
        (ran,) = self.folder.run(1_000_000)
        assert ran.verdict == "done"
        return compare(self.design.graph, ran)

    def file(self, folder: str, fifo: str, suffix: str = "") -> Path:
        return self.folder.folder / folder / f"{self.design.graph.fifo_index[fifo]}{suffix}.bin"

    def passed_on(self, dma: str) -> str:
        """The FIFO behind a DMA that waits."""
        hold = next(each for each in self.design.graph.processes if each.name == f"{dma}_hold")
        assert isinstance(hold, Pipeline)
        return hold.loops[0].events[1].fifo


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Built:
    design, launch = launched("gpt2")
    return Built(design, launch, build_designs([design], tmp_path_factory.mktemp("launch"), many_small=True))


@needs("verilator")
def test_every_token_is_that_of_the_reference_in_the_cycle_of_the_engine(built):
    found = built.run()
    assert found.first is None, str(found.first)
    chosen = run_launch(built.launch, random_rows(built.launch, SEED)).results
    tokens = [float(read_result(built.launch.graph, "token", layers[-1])[0]) for layers in chosen]
    assert len({*tokens}) > 1


def one_row_further(content: bytes, launch: Launch) -> bytes:
    rows = 1 + launch.graph.argument["token_ids"].shape[0]
    return np.roll(np.frombuffer(content, np.uint8).reshape(rows, -1), 1, axis=0).tobytes()


def one_place_further(content: bytes, _launch: Launch) -> bytes:
    places = np.frombuffer(content, ">i4")
    return np.where(places >= 0, np.roll(places, -1), places).tobytes()


@needs("verilator")
@pytest.mark.parametrize(
    ("dma", "suffix", "fault"),
    [("load_x", "_content", one_row_further), ("load_k_cache", "_writes", one_place_further)],
)
def test_a_wrong_address_is_found_and_named(built, dma, suffix, fault):
    path = built.file(HELD, f"{dma}_ahead", suffix)
    whole = path.read_bytes()
    path.write_bytes(fault(whole, built.launch))
    try:
        first = built.run().first
    finally:
        path.write_bytes(whole)
    assert first is not None
    assert (first.kind, first.fifo) == ("value", built.passed_on(dma))


@needs("verilator")
def test_another_choice_of_token_is_found_and_named(built):
    """Each column says that it is the token of the one beside it: so do all logits, but not what is chosen."""
    name = next(load.sink for load in built.launch.graph.loads if load.argument == "token_ids")
    path = built.file(EXPECTED, name)
    whole = path.read_bytes()
    path.write_bytes(np.roll(np.frombuffer(whole, ">f4")[::-1], 1)[::-1].tobytes())
    try:
        first = built.run().first
    finally:
        path.write_bytes(whole)
    assert first is not None
    assert first.kind == "value"
    writer = built.design.graph.processes[
        fifo_ends(built.design.graph)[built.design.graph.fifo_index[first.fifo]].writer
    ]
    assert "head_choice" in writer.name


# --- At night: other families, and a fault in the text of the hardware itself


@needs("verilator")
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("model", "share", "steps"),
    [
        ("gpt2", "none", STEPS),
        ("gpt2", "all", 1),
        ("qwen", "all", STEPS),
        ("llama", "all", STEPS),
        ("gemma", "all", STEPS),
    ],
)
def test_small_models(model, share, steps, tmp_path):
    design, _ = launched(model, share, steps)
    (ran,) = emulate_designs([design], tmp_path, many_small=True)
    found = compare(design.graph, ran)
    assert ran.verdict == "done"
    assert found.first is None, str(found.first)


@needs("verilator")
@pytest.mark.nightly
def test_a_wrong_index_in_the_choice_is_found_and_named(built, tmp_path):
    """The last bit of the token that the last task of the choice gives."""
    design, modules = built.design, list(built.design.modules)
    store = next(each.store for each in built.launch.graph.results if each.name == "token")
    source = next(each.source for each in built.launch.graph.stores if each.name == store)
    writers = {fifo: number for number, module in enumerate(modules) for fifo in _written(module)}
    while modules[writers[source]].kind != "task":
        source = modules[writers[source]].sides[0].fifo
    number = writers[source]
    body = modules[number].body.replace("return {", "return 32'd1 ^ {")
    assert body != modules[number].body
    modules[number] = replace(modules[number], body=body)
    (ran,) = emulate_designs([replace(design, modules=modules)], tmp_path, many_small=True)
    first = compare(design.graph, ran).first
    assert first is not None
    assert (first.kind, first.fifo) == ("value", source)


def _written(module) -> list[str]:
    return [side.fifo for side in module.sides if side.writes]
