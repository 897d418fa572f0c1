"""Trace pipelines in hardware: a ROM with one row per stage that has accesses."""

from __future__ import annotations

import numpy as np

from sttest.sim.graph import Pipeline, TimedGraph
from sttest.sim.program import expand
from sttest.sim.rtl.body import Body
from sttest.sim.rtl.pipeline_gate import gate
from sttest.sim.rtl.verilog import literal, width_of
from sttest.sim.stages import group

ROM_FILE = "@ROM@"
"""Stands for the name of the ROM's file."""


def trace_body(pipeline: Pipeline, graph: TimedGraph) -> Body:
    """The module of a pipeline whose accesses are spelled out: a pointer into rows of (stage, tokens per FIFO side)."""
    program = expand(pipeline, graph.fifo_index)
    if not program.tick.size:
        return Body("trace", gate(pipeline.start, 1, 1, program.last_stage, 0, ""), ())
    table = group(program)
    ops = np.unique(table.op)
    tokens = np.zeros((table.tick.size, ops.size), np.int64)
    row_of = np.repeat(np.arange(table.tick.size), np.diff(table.pointer))
    tokens[row_of, np.searchsorted(ops, table.op)] = table.count
    widths = [width_of(int(table.tick[-1])), *(width_of(int(most)) for most in tokens.max(axis=0))]
    text = _rom(table.tick.size, widths)
    rows = np.column_stack([table.tick, tokens]).tolist()
    body = gate(pipeline.start, program.repeat, program.period, program.end, ops.size, text)
    return Body("trace", body, tuple(ops.tolist()), {ROM_FILE: _hex_rows(rows, widths)})


def _rom(rows: int, widths: list[int]) -> str:
    """Text that reads the ROM; the stage lies in the lowest bits of a row, then the tokens of each side."""
    pointer = width_of(rows)
    lines = [
        f"  logic [{sum(widths) - 1}:0] rom [0:{rows - 1}];",
        f"  logic [{sum(widths) - 1}:0] row;",
        f"  logic [{pointer - 1}:0] place = 0;",
        "  logic here;",
        f'  initial $readmemh("{ROM_FILE}", rom);',
        f"  assign row = rom[place == {literal(rows, pointer)} ? {literal(rows - 1, pointer)} : place];",
        f"  assign here = place != {literal(rows, pointer)} & row[{widths[0] - 1}:0] == stage;",
        "  always @(posedge clk) if (advance)",
        f"    place <= last_stage ? {literal(0, pointer)} : place + here;",
    ]
    low = widths[0]
    for side, width in enumerate(widths[1:]):
        lines.append(f"  assign need_{side} = here ? row[{low + width - 1}:{low}] : 32'd0;")
        low += width
    return "\n".join(lines) + "\n"


def _hex_rows(rows: list[list[int]], widths: list[int]) -> str:
    digits = -(-sum(widths) // 4)
    lines = []
    for row in rows:
        word, low = 0, 0
        for value, width in zip(row, widths, strict=True):
            word |= value << low
            low += width
        lines.append(f"{word:0{digits}x}")
    return "\n".join(lines) + "\n"
