"""A launch over layers as C++: what one block after the other computes, with or without shared engines and a head."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from many_kernels import Call, run_all
from small_kernels import needs_compiler
from test_hls_blocks import tame_tensors

from sttest.compile.compiler import CompiledDesign, choose_lanes, compile_text
from sttest.compile.hls.files import emit_design
from sttest.compile.ir.module_walk import set_target
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.passes.loop_layers import LoopLayers
from sttest.compile.pipeline import all_passes
from sttest.compile.reference_graph import value_graph
from sttest.frontend.shipped import lowered_text
from sttest.reference import ReferenceGraph, memory_images, read_results, run
from sttest.sim import simulate
from sttest.targets.vitis.rules import check_kernel

LAYERS = 3
OWN_INPUTS = {"gemma": {"mask", "rope"}}
"""Inputs of which each layer has its own, by family."""


ROWS = CompileOptions(
    tiles=(
        "attn_norm:1x32",
        "attn_norm_2:1x32",
        "attn_norm_3:1",
        "attn_norm_4:1x32",
        "mlp_norm:1x32",
        "*_proj:1x32x64",
        "mlp_fc1:1x32x64",
        "mlp_fc2:1x32x128",
        "attn_scores:1x1x32x16",
        "attn_mix:1x1x16x32",
    ),
    orders=("attn_scores:0,1,2,3", "attn_mix:0,1,2,3"),
    vector_bits=64,
    buffer_rereads_kib=64,
    flatten_bottleneck_loops=True,
    layers=LAYERS,
)
"""Row by row through all tasks, with the parameters of a layer on chip."""


def eight_rows_of(model: str) -> CompileOptions:
    """Tiles of eight rows of a gated model, with the lanes of the best designs' kind."""
    groups = "" if model == "gemma" else "1x"
    tiles = (
        "attn_norm:8x32",
        "attn_norm_2:8",
        "attn_norm_3:8x32",
        "mlp_norm:8x32",
        "*_proj:8x32x32",
        "mlp_down_proj:8x32x1x32",
        f"attn_scores:8x1x{groups}16x16",
        f"attn_mix:8x1x{groups}16x16",
    )
    loops = "0,1,2,3" if model == "gemma" else "0,1,2,3,4"
    orders = (f"attn_scores:{loops}", f"attn_mix:{loops}")
    return ROWS.with_(tiles=tiles, orders=orders, buffer_rereads_kib=1, fabric=("attn_scores", "attn_mix"))


def row_by_row(text: str) -> CompileOptions:
    """One row takes all products equally long."""
    lanes = {"mlp_fc1": 16, "mlp_fc2": 16, "attn_scores": 4, "attn_mix": 4} | {f"attn_{p}_proj": 8 for p in "qkvo"}
    tasks = [entry.rsplit(":", 1)[0] for entry in choose_lanes(text, ROWS.with_(layers=1))]
    return ROWS.with_(lanes=tuple(f"{task}:{lanes.get(task, 1)}" for task in tasks))


def chosen(share: str, layers: int = LAYERS) -> CompileOptions:
    return CompileOptions(layers=layers, share=share)  # type: ignore[arg-type]


def compiled(layers: int, share: str, *, head: bool = False, model: str = "gpt2") -> CompiledDesign:
    text = lowered_text(model, "decode", small=True, head=head)
    return compile_text(text, "layers", "u55c", chosen(share, layers))


def unlooped(share: str, *, head: bool, model: str = "gpt2") -> ReferenceGraph:
    """What one layer of a launch computes, and the head behind it: the design before its layers are joined."""
    return before_layers(lowered_text(model, "decode", small=True, head=head), chosen(share))


def before_layers(text: str, options: CompileOptions) -> ReferenceGraph:
    context = new_context()
    module = parse(text, "layers", context)
    set_target(module, "u55c")
    for each in all_passes(options):
        if not isinstance(each, LoopLayers):
            each.apply(context, module)
    return value_graph(module, "block")


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "share", "head"),
    [
        *(
            pytest.param("gpt2", share, head, marks=pytest.mark.nightly)
            for share, head in (("all", False), ("none", True))
        ),
        ("gpt2", "all", True),
        ("gemma", "all", False),
    ],
)
def test_layers_in_one_launch_are_blocks_one_after_the_other(
    model: str, share: str, head: bool, tmp_path: Path
) -> None:
    looped, values = compiled(LAYERS, share, head=head, model=model), unlooped(share, head=head, model=model)
    images, wanted = sequence(values, OWN_INPUTS.get(model, set()))
    (found,) = run_all([Call(emit_design(looped), images)], tmp_path)
    assert set(found) == set(wanted)
    for name, image in wanted.items():
        np.testing.assert_array_equal(found[name], image, err_msg=name)


@needs_compiler
@pytest.mark.slow
@pytest.mark.nightly
def test_rows_stream_through_all_layers_with_the_values_of_blocks(tmp_path: Path) -> None:
    text = lowered_text("gpt2", "prefill", small=True)
    options = row_by_row(text)
    looped, values = compile_text(text, "rows", "u55c", options), before_layers(text, options)
    assert check_kernel(emit_design(looped).text) == []
    images, wanted = sequence(values, set())
    (found,) = run_all([Call(emit_design(looped), images)], tmp_path)
    for name, image in wanted.items():
        np.testing.assert_array_equal(found[name], image, err_msg=name)
    assert simulate(looped.graph).cycles == simulate(looped.graph, "simpy").cycles


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("model", [pytest.param("llama", marks=pytest.mark.nightly), "gemma"])
def test_eight_rows_at_a_time_stream_through_all_layers_with_the_values_of_blocks(model: str, tmp_path: Path) -> None:
    text, options = lowered_text(model, "prefill", small=True), eight_rows_of(model)
    looped, values = compile_text(text, "rows", "u55c", options), before_layers(text, options)
    images, wanted = sequence(values, OWN_INPUTS.get(model, set()))
    (found,) = run_all([Call(emit_design(looped), images)], tmp_path)
    for name, image in wanted.items():
        np.testing.assert_array_equal(found[name], image, err_msg=name)


def test_the_slowest_tasks_lose_no_time_to_drains() -> None:
    text = lowered_text("gpt2", "prefill", small=True)
    kept, drained = (row_by_row(text).with_(flatten_bottleneck_loops=keeps) for keeps in (True, False))
    assert period(text, kept) < period(text, drained)


def period(text: str, options: CompileOptions) -> int:
    """Cycles that a layer more takes."""
    graphs = (compile_text(text, "rows", "u55c", options.with_(layers=layers)).graph for layers in (2, 3))
    two, three = (simulate(graph).cycles for graph in graphs)
    assert two is not None
    assert three is not None
    return three - two


def sequence(values: ReferenceGraph, own: set[str]) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Memory of a launch and what it should write: parameters and results of the layers one after the other.

    So are the inputs that each layer has as its ``own``.
    """
    once = {each.name for each in values.arguments if each.kind == "input" or each.name.startswith("head.")} - own
    first = tame_tensors(values)
    same = {name: first[name] for name in once}
    given, written = [], []
    for layer in range(LAYERS):
        given.append(memory_images(values, tame_tensors(values, seed=layer) | same))
        written.append(run(values, given[-1]).results)
        same["x"] = read_results(values, written[-1])["y"].reshape(first["x"].shape)
    shared = {load.name for load in values.loads if load.argument in once}
    last = {result.store for result in values.results if result.name in ("y", "logits", "token")}
    memory = {name: image if name in shared else joined(given, name) for name, image in given[0].items()}
    return memory, {name: image if name in last else joined(written, name) for name, image in written[-1].items()}


def joined(images: list[dict[str, np.ndarray]], name: str) -> np.ndarray:
    """The images of all layers, each in whole words."""
    return np.concatenate([np.pad(each[name], (0, -len(each[name]) % 64)) for each in images])


@pytest.mark.parametrize(("share", "head"), [("weights", False), ("none", True), ("weights", True), ("all", True)])
def test_layers_keep_the_rules_and_engines_agree_on_their_times(share: str, head: bool) -> None:
    block, looped = compiled(1, share, head=head), compiled(LAYERS, share, head=head)
    assert check_kernel(emit_design(looped).text) == []
    run, oracle = simulate(looped.graph), simulate(looped.graph, "simpy")
    one = simulate(block.graph).cycles
    assert (run.verdict, run.cycles) == (oracle.verdict, oracle.cycles)
    assert run.verdict == "done"
    assert one is not None
    assert run.cycles is not None
    # DMAs read ahead: a layer more costs no more than a launch of one.
    assert run.cycles <= LAYERS * one + 4 * LAYERS


@pytest.mark.daily
@pytest.mark.parametrize("head", [False, True])
def test_values_of_a_launch_over_layers_are_those_of_its_block(head: bool) -> None:
    looped = compiled(LAYERS, "none", head=head)
    one, many = unlooped("none", head=head), value_graph(looped.module, "block")
    assert {node.name for node in one.nodes} == {node.name for node in many.nodes}
    assert {(stream.name, stream.tokens) for stream in one.streams} == {(s.name, s.tokens) for s in many.streams}
    assert (one.arguments, one.results) == (many.arguments, many.results)
