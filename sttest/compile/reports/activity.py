"""What one run of a design does, counted: the activity report from which a board computes energy.

Nothing here depends on time; an engine adds the cycles (``sttest.boards.energy_activity``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import TypeVar

import pandas as pd

from sttest.boards.energy_activity import COLUMNS
from sttest.boards.operators import Operator, operators
from sttest.boards.part import URAM_BYTES
from sttest.compile.compiler import Design
from sttest.compile.dialects.df import ConverterOp, KernelOp, TaskOp, itensor_of
from sttest.compile.ir.module_walk import all_of
from sttest.compile.linalg.task_facts import work
from sttest.compile.timing.cost_model import FABRIC, operator_instances, payload_operators, step_interval
from sttest.compile.turns.layers import LaunchCounts
from sttest.compile.turns.port_names import stream_ends
from sttest.sim.graph import Memory

Counts = dict[str, str | int | float]
_MAC = "mac_"
_PING_PONG = 2
_Node = TypeVar("_Node", TaskOp, ConverterOp)


def activity_table(design: Design) -> pd.DataFrame:
    """One row per task, FIFO, converter and DMA, with the columns of an activity report."""
    library = operators(design.board)
    rows = [*_tasks(design, library), *_fifos(design), *_converters(design), *_dmas(design)]
    return pd.DataFrame(rows, columns=list(COLUMNS)).fillna(0)


def _with_counts(design: Design, kind: type[_Node]) -> Iterator[tuple[_Node, int]]:
    """Nodes of a kind, and how often each works in a launch."""
    for kernel in all_of(design.module, KernelOp):
        counts = LaunchCounts(kernel)
        yield from ((node, counts.of_node(node)) for node in all_of(kernel, kind))


def _tasks(design: Design, library: Mapping[str, Operator]) -> Iterator[Counts]:
    for op, count_of_launch in _with_counts(design, TaskOp):
        used, lanes = payload_operators(op), min(op.lane_count, op.tile_points)
        instances = operator_instances(used, lanes, step_interval(op, lanes, library))
        slices = sum(_charged_slices(name, library) * count for name, count in used.items())
        macs = sum(count for name, count in used.items() if name.startswith(_MAC))
        evaluations = work(op) * count_of_launch
        yield {
            "element": op.sym_name.data,
            "kind": "task",
            "evaluations": evaluations,
            "macs": macs * evaluations,
            "dsp_slices": sum(_charged_slices(name, library) * count for name, count in instances.items()),
            "dsp_work_cycles": slices * evaluations,
        }


def _charged_slices(name: str, library: Mapping[str, Operator]) -> float:
    """DSP slices as which an operator is charged: a product in LUTs costs no less than that in a DSP (assumed)."""
    return library[name.removesuffix(FABRIC)].area.dsp


def _fifos(design: Design) -> Iterator[Counts]:
    """Every token is pushed once and popped once; an SRL's cost per bit covers both."""
    kinds = {fifo.name: fifo.kind for fifo in design.graph.fifos}
    for kernel in all_of(design.module, KernelOp):
        counts = LaunchCounts(kernel)
        for ends in stream_ends(kernel):
            token_bits = ends.kind.itensor.token_bits
            tokens = (stream.result.type.itensor.tokens * counts.of_stream(stream) for stream in ends.streams)
            bits = sum(tokens) * token_bits
            if kinds[ends.fifo] == "srl":
                moved = {"srl_bits": bits}
            else:
                moved = _ram(2 * bits, ends.kind.depth.data * token_bits)
            yield {"element": ends.fifo, "kind": "fifo", **moved}


def _converters(design: Design) -> Iterator[Counts]:
    """Filled with all tokens of the source, drained as all tokens of the sink: with repetition that is more."""
    for op, count_of_launch in _with_counts(design, ConverterOp):
        if op.buffer and op.label:
            streams = itensor_of(op.sources[0]), itensor_of(op.sinks[0])
            bits = count_of_launch * sum(stream.tokens * stream.token_bits for stream in streams)
            size = _PING_PONG * prod(op.buffer.values) * streams[0].element_bits
            yield {"element": op.label.data, "kind": "converter", **_ram(bits, size)}


def _dmas(design: Design) -> Iterator[Counts]:
    """Through the port once, into and out of the tile buffer once each."""
    for port in design.graph.processes:
        if isinstance(port, Memory):
            bits = port.tokens * port.token_bytes * 8
            tile = _ram(2 * bits, _PING_PONG * port.token_bytes * 8)
            yield {"element": port.name, "kind": "dma", "hbm_bits": bits, **tile}


def _ram(bits: int, size_bits: int) -> dict[str, int]:
    """Accesses of a block memory by its kind: what fills a URAM is one."""
    return {"uram_bits" if size_bits >= 8 * URAM_BYTES else "bram_bits": bits}
