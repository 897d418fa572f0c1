"""A launch that generates several tokens as C++: what one step after the other computes, the caches written between."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from many_kernels import Call, run_all
from sliced_caches import slice_caches
from small_kernels import needs_compiler
from test_hls_blocks import tame_tensors
from test_hls_layers import LAYERS, joined

from sttest.boards.load import load_board, require_hbm
from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.hls.files import emit_design
from sttest.compile.ir.module_walk import set_target
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.passes.loop_layers import LoopLayers
from sttest.compile.passes.loop_tokens import LoopTokens
from sttest.compile.pipeline import all_passes
from sttest.compile.reference_graph import value_graph
from sttest.frontend.shipped import lowered_text
from sttest.reference import ReferenceGraph, memory_images, read_results, run
from sttest.sim import Simulation, TimedGraph, simulate
from sttest.sim.graph import Pipeline
from sttest.targets.vitis.rules import check_kernel

TOKENS = 3
_WORD = 64


def options(model: str, share: str, tokens: int = TOKENS) -> CompileOptions:
    return CompileOptions(layers=LAYERS, share=share, generate=tokens, positions=model == "gpt2")  # type: ignore[arg-type]


def compiled(model: str, share: str, tokens: int = TOKENS) -> CompiledDesign:
    text = lowered_text(model, "decode", small=True, head=True)
    return compile_text(text, "tokens", "u55c", options(model, share, tokens))


def unlooped(model: str, share: str) -> ReferenceGraph:
    """What a layer computes, what stands before the first and the head: the design before anything is looped."""
    context = new_context()
    module = parse(lowered_text(model, "decode", small=True, head=True), "tokens", context)
    set_target(module, "u55c")
    for each in all_passes(options(model, share)):
        if not isinstance(each, LoopLayers | LoopTokens):
            each.apply(context, module)
    return value_graph(module, "block")


class Sequence:
    """A launch with seeded tensors, token by token and layer by layer in the reference engine."""

    def __init__(self, values: ReferenceGraph) -> None:
        self.values = values
        self.layers = [tame_tensors(values, seed=layer) for layer in range(LAYERS)]
        self.places = self.layers[0]["k_cache"].shape[1]
        columns, hidden = self.layers[0]["token_ids"].size, self.layers[0]["x"].size
        self.layers[0]["token_ids"] = np.arange(columns, dtype=np.float32)
        self.rows = np.random.default_rng(7).standard_normal((1 + columns, hidden)).astype(np.float32)
        self.steps = [tame_tensors(values, seed=100 + step) for step in range(TOKENS)]
        once = {each.name for each in values.arguments if each.name.startswith("head.")} | {"token_ids"}
        self.same = {name: self.layers[0][name] for name in once}
        self.changing = {each.name for each in values.arguments} & {"mask", "rope", "position"}
        for layer in self.layers:
            layer |= self.same
        self.given = [memory_images(values, layer) for layer in self.layers]
        self.written = self._run()

    def _run(self) -> list[list[dict[str, np.ndarray]]]:
        """Per token and layer what is stored; the caches grow on the way."""
        row, written = 0, []
        for step in range(TOKENS):
            x, per_layer, found = self.rows[row], [], {}
            for layer in range(LAYERS):
                tensors = dict(self.layers[layer])
                tensors |= {name: self.steps[step][name] for name in self.changing}
                # Behind the first layer nothing is added to what enters.
                if layer and "position" in tensors:
                    tensors["position"] = np.full_like(tensors["position"], -0.0)
                tensors["x"] = x.reshape(tensors["x"].shape)
                stored = run(self.values, memory_images(self.values, tensors)).results
                found = read_results(self.values, stored)
                x = found["y"]
                for side in ("k", "v"):
                    for scale in ("", "_scale"):
                        place = self.places - TOKENS + step
                        self.layers[layer][f"{side}_cache{scale}"][:, place] = found[f"{side}_new{scale}"][:, 0]
                per_layer.append(stored)
            row = 1 + int(found["token"][0])
            written.append(per_layer)
        return written

    def memory(self) -> dict[str, np.ndarray]:
        """What the host lays down before the launch."""
        kinds = {each.name: each.kind for each in self.values.arguments}
        steps = [memory_images(self.values, self.layers[0] | each) for each in self.steps]
        table = np.concatenate([self._row(row) for row in self.rows])
        found: dict[str, np.ndarray] = {}
        for load in self.values.loads:
            if load.argument == "x":
                found[load.name] = table
            elif load.argument in self.changing:
                found[load.name] = joined(steps, load.name)
            elif load.argument in self.same or kinds[load.argument] == "input":
                found[load.name] = self.given[0][load.name]
            else:
                found[load.name] = joined(self.given, load.name)
        return found

    def results(self) -> dict[str, np.ndarray]:
        """What the launch should have written."""
        last = {result.store for result in self.values.results if result.name in ("y", "logits", "token")}
        found: dict[str, np.ndarray] = {}
        for store in self.written[0][0]:
            each = [layers[-1] if store in last else layer for layers in self.written for layer in layers]
            found[store] = joined([layers[-1] for layers in self.written] if store in last else each, store)
        return found

    def _row(self, row: np.ndarray) -> np.ndarray:
        image = memory_images(self.values, self.layers[0] | {"x": row.reshape(self.layers[0]["x"].shape)})
        name = next(load.name for load in self.values.loads if load.argument == "x")
        return np.pad(image[name], (0, -image[name].size % _WORD))


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "share", "slices"),
    [("gpt2", "all", 2), *(pytest.param(model, "none", 1, marks=pytest.mark.nightly) for model in ("gpt2", "llama"))],
)
def test_tokens_in_one_launch_are_steps_one_after_the_other(
    model: str, share: str, slices: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if slices > 1:
        slice_caches(monkeypatch, slices)
    sequence = Sequence(unlooped(model, share))
    (found,) = run_all([Call(emit_design(compiled(model, share)), sequence.memory())], tmp_path)
    wanted = sequence.results()
    assert set(found) == set(wanted)
    for name, image in wanted.items():
        np.testing.assert_array_equal(found[name], image, err_msg=name)


@pytest.mark.daily
@pytest.mark.parametrize(("model", "share"), [("gpt2", "all"), ("llama", "none")])
def test_tokens_keep_the_rules_and_engines_agree_on_their_times(model: str, share: str) -> None:
    one, looped = compiled(model, share, 1), compiled(model, share)
    assert check_kernel(emit_design(looped).text) == []
    launch, whole, oracle = simulate(one.graph), simulate(looped.graph, record=True), simulate(looped.graph, "simpy")
    assert (whole.verdict, whole.cycles) == (oracle.verdict, oracle.cycles)
    assert whole.verdict == "done"
    assert launch.cycles is not None
    assert whole.cycles is not None
    # Each token waits for the one before; what is read of it besides is a row of the embedding.
    assert 0.9 * TOKENS * launch.cycles < whole.cycles < 1.1 * TOKENS * launch.cycles
    latency = require_hbm(load_board("u55c")).hbm.read_latency_cycles(looped.graph.clock_mhz)
    _check_waits(looped.graph, whole, "load_x", TOKENS, latency)
    # A word that an entry changes is read, and written, and what is read next is asked for after that.
    _check_waits(looped.graph, whole, "load_k_cache", LAYERS * TOKENS, 3 * latency)


def _check_waits(graph: TimedGraph, run: Simulation, dma: str, turns: int, cycles: int) -> None:
    """What a DMA brings in a turn comes so many cycles after all that it waits for in the one before."""
    hold = next(each for each in graph.processes if each.name == f"{dma}_hold")
    assert isinstance(hold, Pipeline)
    copies, takes = hold.loops[0], hold.loops[1]
    assert run.write_times is not None
    brought, awaited = run.write_times[copies.events[1].fifo], run.write_times[takes.events[0].fifo]
    per_turn, each = copies.iterations, takes.iterations
    assert (brought.size, awaited.size) == (turns * per_turn, turns * each)
    for turn in range(turns - 1):
        assert brought[(turn + 1) * per_turn] >= awaited[(turn + 1) * each - 1] + cycles
