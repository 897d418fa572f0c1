"""Engines that read the parameters of all their tasks in one stream: C++ and reference engine, to the bit."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from functional_runs import whole_tensors
from linalg_programs import random_whole_program
from many_kernels import Call, run_all
from small_kernels import needs_compiler

from sttest.compile.compiler import compile_text
from sttest.compile.hls.files import emit_design
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.reference import memory_images, run
from sttest.targets.vitis.rules import check_kernel

# Seed, tile size, bits of a token and room to read ahead of programs in which engines have queues: of tensors that one
# loop reads, with padding between them, of tiles that lie across words, read several times, of three tensors.
PROGRAMS = (
    (356, 1, 512, 0),
    (445, 3, 512, 64),
    (578, 1, 4096, 0),
    (829, 4, 512, 64),
    (983, 3, 512, 0),
    (1017, 4, 512, 64),
    (1183, 2, 128, 64),
    (1364, 2, 512, 0),
    (1436, 8, 512, 64),
)


@needs_compiler
def test_programs_on_shared_loads_compute_what_they_did(tmp_path: Path) -> None:
    calls, graphs = [], []
    for seed, tile_size, vector_bits, prefetch_kib in PROGRAMS:
        options = CompileOptions(
            tile_size=tile_size,
            vector_bits=vector_bits,
            overall_unroll=100_000,
            precision="fp32",
            share="all",
            prefetch_kib=prefetch_kib,
        )
        design = compile_text(_of_parameters(random_whole_program(seed)), "random", "u55c", options)
        kernel, graph = emit_design(design), value_graph(design.module, "random")
        assert any(len(memory.tensors) > 1 for memory in kernel.memories), f"program {seed} has no queue"
        assert check_kernel(kernel.text) == []
        tensors = whole_tensors(graph, seed)
        images = memory_images(graph, {name: tensors[name] for name in graph.argument})
        calls.append(Call(kernel, images))
        graphs.append(graph)
    for (seed, *_), graph, call, found in zip(PROGRAMS, graphs, calls, run_all(calls, tmp_path), strict=True):
        for name, image in run(graph, call.memory).results.items():
            assert np.array_equal(image, found[name]), f"program {seed}: reference engine and C++ differ in {name}"


def _of_parameters(text: str) -> str:
    """The program with all its arguments parameters of a model."""
    head, body = text.split("{\n", 1)
    names = [f'"{name}"' for name in re.findall(r"%(a\d+):", head)]
    kinds = ", ".join('"parameter"' for _ in names)
    return f"{head}attributes {{sttest.arg_names = [{', '.join(names)}], sttest.arg_kinds = [{kinds}]}} {{\n{body}"
