"""Products in units side by side: what they compute, what each has, and what cannot be split."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from many_kernels import Call, run_all
from small_kernels import needs_compiler

from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.dialects import df
from sttest.compile.hls.files import emit_design
from sttest.compile.ir.module_walk import all_of, only_kernel
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.compile.sharing.functional_units import engines_of
from sttest.compile.sharing.processes import fifos_of, processes_of
from sttest.core.errors import InputError
from sttest.crosscheck.rtl_values import random_tensors
from sttest.frontend.shipped import lowered_text
from sttest.package.design_package import read_lanes
from sttest.reference import ReferenceGraph, memory_images, run
from sttest.reference.memory import read_argument
from sttest.sim import simulate
from sttest.sim.graph import MemoryPort, Pipeline
from sttest.targets.vitis.rules import check_kernel

BASE = CompileOptions(gemv_lanes=256, share="all")
BLOCKS = (("gpt2", "decode"), ("qwen", "decode"), ("gemma", "prefill"))


CODED = ("w3a8", "ternary", "ternary-3of4")


@cache
def design(
    units: int, model: str = "gpt2", phase: str = "decode", share: str = "all", precision: str = "w4a8"
) -> CompiledDesign:
    options = BASE.with_(product_units=units, share=share, precision=precision)
    return compile_text(lowered_text(model, phase, small=True), f"small-{model}", "u55c", options)  # type: ignore[arg-type]


def tasks(found: CompiledDesign) -> dict[str, df.TaskOp]:
    return {task.sym_name.data: task for task in all_of(found.module, df.TaskOp)}


def results(found: CompiledDesign) -> dict[str, np.ndarray]:
    """Every result of the reference engine, of one draw of tensors."""
    graph = value_graph(found.module, "block")
    return dict(run(graph, memory_images(graph, tensors_of(graph))).results)


def tensors_of(graph: ReferenceGraph) -> dict[str, np.ndarray]:
    """A draw of tensors; one of four elements next to each other is 0 where a code wants that."""
    drawn = random_tensors(graph, 3)
    tensors = {name: drawn[name] for name in graph.argument}
    for name in {load.argument for load in graph.loads if load.coded is not None and load.coded.code == "3:4"}:
        fours = np.where(tensors[name] < 0, -1, 1).astype(np.int8).reshape(-1, 4)
        fours[np.arange(len(fours)), np.arange(len(fours)) * 7 % 4] = 0
        tensors[name] = fours.reshape(tensors[name].shape)
    return tensors


@pytest.mark.parametrize(("model", "phase"), BLOCKS)
def test_the_values_are_those_of_one_unit(model: str, phase: str) -> None:
    whole, split = (results(design(units, model, phase)) for units in (1, 2))
    assert whole.keys() == split.keys()
    for name, image in whole.items():
        assert np.array_equal(image, split[name]), name


@pytest.mark.parametrize("precision", CODED)
@pytest.mark.parametrize(("model", "phase"), BLOCKS)
def test_units_have_codes_of_their_own_for_the_same_weights(model: str, phase: str, precision: str) -> None:
    whole, split = (design(units, model, phase, precision=precision) for units in (1, 2))
    graph = value_graph(split.module, "block")
    assert {load.coded.shares for load in graph.loads if load.coded is not None} >= {2}
    tensors = tensors_of(graph)
    images = memory_images(graph, tensors)
    for name, tensor in tensors.items():
        assert np.array_equal(read_argument(graph, name, images), tensor), name
    for name, image in results(whole).items():
        assert np.array_equal(image, results(split)[name]), name
    assert simulate(split.graph).cycles is not None


def test_a_unit_has_its_share_of_columns_lanes_and_weights() -> None:
    whole, split = tasks(design(1)), tasks(design(2))
    first, second = (split[f"mlp_fc1_unit{unit}of2"] for unit in range(2))
    product = whole["mlp_fc1"]
    assert first.lane_count == second.lane_count == product.lane_count // 2
    assert first.tile_points == product.tile_points // 2
    assert first.trip_counts == product.trip_counts
    weights = [port for port in design(2).graph.processes if isinstance(port, MemoryPort) and port.op == "read"]
    read = sum(port.tokens * port.token_bytes for port in weights)
    assert read == sum(
        port.tokens * port.token_bytes
        for port in design(1).graph.processes
        if isinstance(port, MemoryPort) and port.op == "read"
    )


def test_products_with_a_cache_stay_whole() -> None:
    assert {"attn_scores", "attn_mix"} <= set(tasks(design(2)))


def test_an_engine_becomes_as_many_engines_with_a_fifo_for_all_that_it_hands_on() -> None:
    whole, split = engines_of(design(1).module), engines_of(design(2).module)
    name = next(name for name, members in whole.items() if members[0].sym_name.data == "attn_q_proj")
    for unit in range(2):
        members = split[f"{name}_unit{unit}of2"]
        assert [m.sym_name.data for m in members] == [f"{m.sym_name.data}_unit{unit}of2" for m in whole[name]]
    assert simulate(design(2).graph).cycles is not None


def test_one_process_copies_the_rows_of_all_turns_with_a_fifo_for_each_unit() -> None:
    kernel = only_kernel(design(2).module, "test", "block")
    (name,) = (name for name in processes_of(kernel) if name.endswith("_rows"))
    turns = processes_of(kernel)[name]
    engine = name.removeprefix("fork_").removesuffix("_rows")
    assert len(turns) == len(engines_of(design(1).module)[engine]) > 1
    copied = [fifo for fifo in fifos_of(kernel) if fifo.startswith(name)]
    assert copied == [f"{name}__{engine}_unit{unit}of2" for unit in range(2)]
    (process,) = (each for each in design(2).graph.processes if each.name == name)
    assert isinstance(process, Pipeline)
    read = [event.fifo for loop in process.loops for event in loop.events if event.op == "read"]
    assert len({*read}) == len(turns)


def test_lanes_of_units_are_those_of_their_product(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    rows = "kernel,lanes\nmlp_fc1_unit0of2,128\nmlp_fc1_unit1of2,128\nunit0of2,4\nhead,2\n"
    (tmp_path / "reports" / "kernels.csv").write_text(rows)
    assert read_lanes(tmp_path) == ("mlp_fc1:256", "unit0of2:4", "head:2")


def test_what_cannot_be_split_is_refused() -> None:
    with pytest.raises(InputError, match=r"no product with a weight can be split into 7 units.*power of two"):
        design(7)


@pytest.mark.nightly
@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("precision", ["w4a8", *CODED])
def test_the_emitted_code_computes_what_the_reference_does(precision: str, tmp_path: Path) -> None:
    calls, graphs = [], []
    for model, phase in BLOCKS:
        found = design(2, model, phase, precision=precision)
        kernel, graph = emit_design(found), value_graph(found.module, "block")
        assert check_kernel(kernel.text) == []
        calls.append(Call(kernel, memory_images(graph, tensors_of(graph))))
        graphs.append(graph)
    for block, graph, call, found in zip(BLOCKS, graphs, calls, run_all(calls, tmp_path), strict=True):
        for name, image in run(graph, call.memory).results.items():
            assert np.array_equal(image, found[name]), f"{block}: reference engine and C++ differ in {name}"
