"""The `hls` folder of a design package."""

from __future__ import annotations

import json
from pathlib import Path

import sttest
from sttest.boards.xrt.signature import write_signature
from sttest.compile.compiler import Design
from sttest.compile.dialects.df import KernelOp
from sttest.compile.hls.kernel import EmittedKernel, emit_kernel
from sttest.compile.hls.signature import memory_table, signature
from sttest.compile.hls.timing import KernelTiming
from sttest.compile.ir.module_walk import all_of
from sttest.compile.timing.timed_graph import timed_graph
from sttest.compile.turns.processes import fifos_of

SCHEMA = "sttest.hls/1"
MEMORY_SCHEMA = "sttest.kernel-memory/1"


def emit_design(design: Design) -> EmittedKernel:
    """The one kernel of a compiled design in C++.

    Raises:
        InputError: something in it has no C++ (docs/values.md).
    """
    (kernel,) = all_of(design.module, KernelOp)
    return emit_kernel(kernel, _timing(design), _title(design))


def write_hls(design: Design, emitted: EmittedKernel, folder: Path) -> None:
    """Writes ``kernel.cpp``, ``signature.json`` and ``memory.json`` into a folder, which is made."""
    folder.mkdir(parents=True)
    (folder / "kernel.cpp").write_text(emitted.text, encoding="utf-8")
    timing = _timing(design)
    write_signature(signature(emitted, timing, design.name, design.board.name), folder / "signature.json")
    table = {"schema": MEMORY_SCHEMA, "kernel": emitted.name, "arguments": memory_table(emitted)}
    (kernel,) = all_of(design.module, KernelOp)
    shared = {fifo: [each.sym_name.data for each in streams] for fifo, streams in fifos_of(kernel).items()}
    if shared := {fifo: streams for fifo, streams in shared.items() if len(streams) > 1}:
        table["shared_fifos"] = shared
    (folder / "memory.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


def _timing(design: Design) -> KernelTiming:
    apart = timed_graph(design.module, design.board, design.name, apart=True)
    return KernelTiming.of(design.graph, design.board, apart)


def _title(design: Design) -> list[str]:
    knobs = design.knobs
    facts = [f"{key} {value}" for key, value in design.workload.items()]
    lines = [
        f"{design.name}: a dataflow kernel for Vitis HLS 2024.1.",
        f"Computes one block: {', '.join(facts)}." if facts else "",
        f"For {design.board.title} at {design.board.clock_mhz.value:g} MHz; {knobs.precision}, tiles of "
        f"{knobs.tile_size}, tokens of at most {knobs.vector_bits} bits.",
        f"Made by sttest {sttest.__version__} (schema {SCHEMA}); what it computes is docs/values.md, to the bit.",
    ]
    return [line for line in lines if line]
