"""Small programs with tiles and orders at random: C++, reference engine and text agree, the sized FIFOs suffice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from functional_runs import whole_tensors
from linalg_programs import random_whole_program
from linalg_values import values_of
from many_kernels import Call, run_all
from nest_choices import random_choices
from small_kernels import needs_compiler

from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.dialects import df
from sttest.compile.hls.files import emit_design
from sttest.compile.ir.module_walk import all_of
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.core.errors import SttestError
from sttest.reference import memory_images, read_results, run
from sttest.sim import simulate
from sttest.targets.vitis.rules import check_kernel

PROGRAMS = 20
# What a random program may be refused for: its sizes, not its form.
REFUSALS = {"tile-too-large", "hbm-channels"}


@needs_compiler
def test_tiles_and_orders_change_no_value_and_no_fifo_is_too_shallow(tmp_path: Path) -> None:
    cases = _designs()
    held = [task.held_loops for _, _, design in cases for task in all_of(design.module, df.TaskOp)]
    assert any(held), "no reduction lies outside"
    calls, graphs, tensors = [], [], []
    for seed, _, design in cases:
        emitted, graph = emit_design(design), value_graph(design.module, "random")
        assert check_kernel(emitted.text) == [], f"program {seed}"
        graphs.append(graph)
        tensors.append(whole_tensors(graph, seed))
        read = {name: values for name, values in tensors[-1].items() if name in graph.argument}
        calls.append(Call(emitted, memory_images(graph, read)))
        fast, exact = simulate(design.graph), simulate(design.graph, engine="simpy")
        assert (fast.verdict, fast.cycles) == ("done", exact.cycles), f"program {seed}"
    written = run_all(calls, tmp_path)
    for (seed, text, _), graph, given, call, found in zip(cases, graphs, tensors, calls, written, strict=True):
        for name, image in run(graph, call.memory).results.items():
            assert np.array_equal(image, found[name]), f"program {seed}: reference engine and C++ differ in {name}"
        for got, wanted in zip(read_results(graph, found).values(), values_of(text, given), strict=True):
            np.testing.assert_array_equal(got, wanted, err_msg=f"program {seed}")


def _designs() -> list[tuple[int, str, CompiledDesign]]:
    """The first programs that their sizes let pass; a concatenation would add tasks that have no loops to choose."""
    found: list[tuple[int, str, CompiledDesign]] = []
    for seed in range(20 * PROGRAMS):
        text = random_whole_program(seed, ops=4)
        if "tensor.concat" in text:
            continue
        try:
            tiles, orders = random_choices(text, seed)
            options = CompileOptions(tiles=tiles, orders=orders, tile_size=4, overall_unroll=10**6, precision="fp32")
            found.append((seed, text, compile_text(text, "random", "u55c", options)))
        except SttestError as error:
            if error.code not in REFUSALS:
                raise
        if len(found) == PROGRAMS:
            break
    return found
