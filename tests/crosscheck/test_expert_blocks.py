"""Blocks of experts: every engine to the bit, and a design reads the experts that it has chosen, no others."""

from __future__ import annotations

import json
from math import prod

import numpy as np
import pytest

import sttest as st
from sttest.boards.load import load_board, require_hbm
from sttest.core.errors import InputError
from sttest.crosscheck.case import WeightSource, make_case
from sttest.package import ModelPackage
from sttest.reference import run
from sttest.sim.graph import MemoryPort

pytestmark = pytest.mark.torch

MODELS = ["small-qwen3-30b-a3b", "small-mixtral-8x7b"]


def same(sttest, *arguments) -> dict:
    outcome = sttest("crosscheck", *arguments, "--json")
    assert outcome.exit_code == 0, outcome.stderr
    found = json.loads(outcome.stdout)
    assert {each["verdict"] for each in found["results"].values()} == {"same"}
    return found


@pytest.mark.parametrize("precision", ["w4a8", "w8a8", "w4a8-static"])
@pytest.mark.parametrize("model", MODELS)
def test_values_are_pytorchs(model, precision, sttest, tmp_path):
    found = same(
        sttest, model, "--precision", precision, "-o", tmp_path / "p", "--engines", "torch,reference,simpy,maxplus"
    )
    cycles = {rung["cycles"] for rung in found["engines"] if rung["engine"] in ("simpy", "maxplus")}
    assert len(cycles) == 1


@pytest.mark.parametrize("precision", ["w3a8", "ternary"])
def test_weights_in_codes_are_refused(precision):
    with pytest.raises(InputError, match="weights of 2, 4 or 8 bits") as caught:
        st.compile(MODELS[0], phase="decode", context=32, precision=precision)
    assert caught.value.code == "coded-parts"


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_compiler", "needs_verilator")
@pytest.mark.parametrize("model", MODELS)
def test_all_engines_agree(model, sttest, tmp_path):
    found = same(sttest, model, "-o", tmp_path / "p", "--engines", "torch,reference,simpy,maxplus,csim,rtl")
    cycles = {rung["cycles"] for rung in found["engines"] if rung["engine"] in ("simpy", "maxplus", "rtl")}
    assert len(cycles) == 1


@pytest.mark.usefixtures("needs_compiler")
@pytest.mark.parametrize("share", ["none", "weights"])
def test_emitted_cpp_agrees(share, sttest, tmp_path):
    design = st.compile("small-qwen3-30b-a3b", phase="decode", context=32, share=share, gemv_lanes=512)
    folder = design.save(tmp_path / "p")
    outcome = sttest("emulate", folder, "--backend", "csim", "--json")
    assert outcome.exit_code == 0, outcome.stderr
    assert design.simulate().cycles == design.simulate(engine="simpy").cycles


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_verilator")
@pytest.mark.parametrize("options", [{}, {"layers": 2, "head": True}], ids=["a layer", "two layers and the head"])
def test_rtl_of_a_queue_that_waits(options, sttest, tmp_path):
    """One DMA reads the weights of attention, then, by number, those of experts."""
    design = st.compile("small-qwen3-30b-a3b", phase="decode", context=32, share="weights", gemv_lanes=512, **options)
    outcome = sttest("emulate", design.save(tmp_path / "p"), "-o", tmp_path / "rtl")
    assert outcome.exit_code == 0, outcome.stderr
    assert "values are those of the reference, in every token, to the bit" in outcome.stdout


def compiled(tmp_path, **options):
    design = st.compile("small-qwen3-30b-a3b", phase="decode", context=32, **options)
    package = ModelPackage.read(design.save(tmp_path / "p"))
    case = make_case(package.config, package.shape, package.scheme, WeightSource(seed=2))
    return package, case


def results(package, case):
    graph = package.reference_graph
    return case.results(graph, run(graph, case.images(graph)).results)


def test_other_experts_change_nothing(tmp_path):
    package, case = compiled(tmp_path)
    before = results(package, case)
    chosen = {int(number) for number in before["experts"].reshape(-1)}
    assert len(chosen) == package.config.experts_per_token
    weight = case.parameters["mlp.up_proj.weight"]
    for expert in range(package.config.experts):
        changed = weight.copy()
        changed[expert] = -changed[expert]
        case.parameters["mlp.up_proj.weight"] = changed
        assert np.array_equal(results(package, case)["y"], before["y"]) == (expert not in chosen)


@pytest.mark.parametrize("share", ["none", "weights"])
def test_ports_move_what_is_chosen_and_memory_holds_all(share, tmp_path):
    package, _ = compiled(tmp_path, share=share, gemv_lanes=512)
    config, graph = package.config, package.reference_graph
    ports = [port for port in package.timed_graph.processes if isinstance(port, MemoryPort)]
    moved = sum(port.tokens * port.token_bytes for port in ports if port.op == "read")
    held = streamed = 0
    for load in graph.loads:
        bits = {"i4": 4, "i8": 8, "f16": 16, "f32": 32}[graph.stream[load.sink].dtype]
        streamed += graph.stream[load.sink].tokens * prod(graph.stream[load.sink].element) * bits // 8
        if load.parts is not None:
            parts = config.experts // config.experts_per_token
            held += prod(load.layout.shape) * bits // 8 * parts
    assert moved == streamed
    assert held == config.experts * 3 * config.hidden * config.ffn // 2 + 2 * config.experts * (
        2 * config.ffn + 2 * config.hidden
    )  # int4 weights; a scale per column of gate and up, and per column and group of 128 rows of down


def test_a_model_has_a_layer_of_itself(sttest, tmp_path):
    outcome = sttest("compile", "small-qwen3-30b-a3b", "--layers-of", "one", "-o", tmp_path / "one", "--json")
    assert outcome.exit_code == 0, outcome.stderr
    assert json.loads(outcome.stdout)["workload"]["phase"] == "decode"
    outcome = sttest("compile", "small-gpt2", "--layers-of", "all", "-o", tmp_path / "all", "--json")
    assert outcome.exit_code == 0, outcome.stderr
    outcome = sttest("compile", "small-gpt2", "--layers-of", "all", "--layers", "2", "-o", tmp_path / "both")
    assert outcome.exit_code == 2
    assert "leave one of them out" in outcome.stderr


@pytest.mark.slow
@pytest.mark.parametrize("model", ["qwen3-30b-a3b", "mixtral-8x7b"])
def test_blocks_at_full_size_are_simulated(model, tmp_path):
    design = st.compile(model, phase="decode", context=64, share="weights", gemv_lanes=4096)
    cycles = design.simulate().cycles
    moved = sum(p.tokens * p.token_bytes for p in design.graph.processes if isinstance(p, MemoryPort))
    board = require_hbm(load_board("u55c"))
    rate = board.hbm.pseudo_channels.count * board.hbm_bytes_per_cycle_per_channel(sustained=True)
    assert moved / rate <= cycles <= 4 * moved / rate


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_verilator")
@pytest.mark.parametrize("options", [{}, {"share": "weights", "gemv_lanes": 512, "layers": 2}], ids=["apart", "queue"])
def test_axi_ports_read_what_is_chosen(options, sttest, tmp_path):
    package, _ = compiled(tmp_path, **options)
    outcome = sttest("emulate", package.folder, "--axi", "-o", tmp_path / "rtl")
    assert outcome.exit_code == 0, outcome.stderr
    assert "memory is that of the reference" in outcome.stdout
