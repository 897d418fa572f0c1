"""FIFO, converter, kernel and memory tables of a design."""

from __future__ import annotations

from math import prod

import pandas as pd

from sttest.boards.operators import operators
from sttest.compile.compiler import Design
from sttest.compile.cost_model import task_cost
from sttest.compile.dialects.df import ConverterOp, StreamOp, TaskOp, itensor_of
from sttest.compile.task_facts import work
from sttest.sim.graph import Memory


def fifo_table(design: Design) -> pd.DataFrame:
    """One row per stream: depth and bits, and who decided them."""
    kinds = {fifo.name: fifo.kind for fifo in design.graph.fifos}
    rows = []
    for op in design.module.walk():
        if isinstance(op, StreamOp):
            stream, name = op.result.type, op.sym_name.data
            depth, bits = stream.depth.data, stream.itensor.token_bits
            sized_by = op.sized_by.data if op.sized_by else "default"
            rows.append(
                {
                    "fifo": name, "tokens": stream.itensor.tokens, "depth_tokens": depth, "token_bits": bits,
                    "fifo_bits": depth * bits, "impl": kinds[name], "sized_by": sized_by,
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
