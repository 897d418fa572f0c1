"""FIFO, converter, kernel and memory tables of a design."""

from __future__ import annotations

from math import prod

import pandas as pd

from sttest.boards.operators import operators
from sttest.compile.compiler import Design
from sttest.compile.dialects.df import ConverterOp, KernelOp, TaskOp, itensor_of
from sttest.compile.ir.module_walk import all_of
from sttest.compile.linalg.task_facts import work
from sttest.compile.timing.cost_model import task_cost
from sttest.compile.turns.port_names import stream_ends
from sttest.sim.graph import Memory


def fifo_table(design: Design) -> pd.DataFrame:
    """One row per FIFO: depth and bits, and who decided them; tokens are those of one layer."""
    kinds = {fifo.name: fifo.kind for fifo in design.graph.fifos}
    rows = []
    for kernel in all_of(design.module, KernelOp):
        for ends in stream_ends(kernel):
            depth, bits = ends.kind.depth.data, ends.kind.itensor.token_bits
            sized_by = ends.streams[0].sized_by
            rows.append(
                {
                    "fifo": ends.fifo, "tokens": ends.tokens, "depth_tokens": depth, "token_bits": bits,
                    "fifo_bits": depth * bits, "impl": kinds[ends.fifo],
                    "sized_by": sized_by.data if sized_by else "default",
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def converter_table(design: Design) -> pd.DataFrame:
    """One row per layout converter: its buffer, both halves counted."""
    rows = []
    for op in design.module.walk():
        if isinstance(op, ConverterOp) and op.buffer and op.label and op.blocks:
            bits = itensor_of(op.sources[0]).element_bits
            rows.append(
                {
                    "converter": op.label.data, "buffer": "x".join(map(str, op.buffer.values)),
                    "blocks": op.blocks.value.data, "ping_pong_bytes": 2 * prod(op.buffer.values) * bits // 8,
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def kernel_table(design: Design) -> pd.DataFrame:
    """One row per task: loops, lanes, initiation interval, latency, cycles at its own speed."""
    library = operators(design.board)
    rows = []
    for op in design.module.walk():
        if isinstance(op, TaskOp):
            cost = task_cost(op, library)
            rows.append(
                {
                    "kernel": op.sym_name.data, "origin": op.origin.data if op.origin else "",
                    "trips": "x".join(map(str, op.trip_counts)), "tile": "x".join(map(str, op.tile_sizes)),
                    "work": work(op), "lanes": op.lane_count, "ii_cycles": cost.ii, "latency_cycles": cost.latency,
                    "own_cycles": op.iterations * cost.ii,
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def memory_table(design: Design) -> pd.DataFrame:
    """One row per DMA: what it moves and over which pseudo-channels."""
    return pd.DataFrame(
        {
            "dma": port.name, "op": port.op, "tensor": port.origin, "tokens": port.tokens,
            "token_bytes": port.token_bytes, "total_bytes": port.tokens * port.token_bytes,
            "channels": " ".join(port.channels), "burst_bytes": port.burst_bytes,
        }
        for port in design.graph.processes
        if isinstance(port, Memory)
    )  # fmt: skip
