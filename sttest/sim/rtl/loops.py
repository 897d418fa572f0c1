"""Loop pipelines in hardware: nested counters for every offset of a loop body that has accesses."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from sttest.sim.graph import Event, Loop, Pipeline
from sttest.sim.rtl.body import Body
from sttest.sim.rtl.pipeline_gate import gate
from sttest.sim.rtl.verilog import all_of, literal, sum_of, width_of

Ops = dict[tuple[str, str], int]
"""FIFO sides of a process: (FIFO name, read or write) to 2 * FIFO index + write."""


@dataclass(frozen=True)
class Counter:
    """A register that counts ``trips``; it stands for the loop dims ``dims``, one where some event asks for it."""

    trips: int
    dims: tuple[int, ...]


def loop_body(pipeline: Pipeline, fifo_index: dict[str, int]) -> Body:
    """The module of a pipeline of loops.

    An offset with accesses has its own iteration counters, which start when the stage counter comes to the loop's
    entry + offset and go on by one every ii stages: the iterations in flight then need no other memory.
    """
    sides = _sides(pipeline, fifo_index)
    terms: dict[int, list[str]] = {op: [] for op in sides.values()}
    texts, entry, end, gap = [], 0, 0, 0
    for loop in pipeline.loops:
        for offset in sorted({event.stage for event in loop.events}):
            events = [event for event in loop.events if event.stage == offset]
            texts.append(_offset_hardware(f"c{len(texts)}", loop, entry + offset, events, sides, terms))
        end, gap = entry + loop.length, loop.entry_gap
        entry = end + gap
    end = end if pipeline.end is None else pipeline.end
    ops = tuple(sorted(terms))
    needs = "".join(f"  assign need_{k} = {sum_of(terms[op])};\n" for k, op in enumerate(ops))
    runs, period = pipeline.repeat, end + gap
    if not ops:
        runs, period, end = 1, 1, (runs - 1) * period + end
    return Body("loops", gate(pipeline.start, runs, period, end, len(ops), "".join(texts) + needs), ops)


def _sides(pipeline: Pipeline, fifo_index: dict[str, int]) -> Ops:
    events = [event for loop in pipeline.loops for event in loop.events]
    return {(e.fifo, e.op): 2 * fifo_index[e.fifo] + (e.op == "write") for e in events}


def _offset_hardware(
    name: str, loop: Loop, stage: int, events: list[Event], sides: Ops, terms: dict[int, list[str]]
) -> str:
    """Counters for the events of one offset; adds to ``terms`` what the events need of their FIFO sides."""
    counters = _counters(loop, events)
    for event in events:
        happens = all_of([f"{name}_valid", *_conditions(name, counters, event)])
        terms[sides[event.fifo, event.op]].append(f"({happens} ? {literal(event.tokens, 32)} : 32'd0)")
    return _iterator(name, [counter.trips for counter in counters], loop.ii, stage)


def _counters(loop: Loop, events: list[Event]) -> list[Counter]:
    """Outermost first; dims side by side that no event asks for are counted as one."""
    asked = {dim for event in events for dim, when in enumerate(event.when) if when is not None}
    groups: list[list[int]] = []
    for dim in range(len(loop.trips)):
        if groups and dim not in asked and groups[-1][-1] not in asked:
            groups[-1].append(dim)
        else:
            groups.append([dim])
    return [Counter(prod(loop.trips[dim] for dim in group), tuple(group)) for group in groups]


def _conditions(name: str, counters: list[Counter], event: Event) -> list[str]:
    """On the counters, for one event to happen."""
    conditions = []
    for number, counter in enumerate(counters):
        when = event.when[counter.dims[0]] if event.when else None
        if when is None or counter.trips == 1:
            continue
        first, last, step = when if isinstance(when, tuple) else (when, when, 1)
        index, width = f"{name}_x{number}", width_of(counter.trips - 1)
        if first == last:
            conditions.append(f"{index} == {literal(first, width)}")
            continue
        conditions += [f"{index} >= {literal(first, width)}", f"{index} <= {literal(last, width)}"]
        if step > 1:
            # As wide as either: a step may be wider than the index.
            wide = max(width, width_of(step))
            conditions.append(f"({index} - {literal(first, width)}) % {literal(step, wide)} == 0")
    return conditions


def _iterator(name: str, trips: list[int], ii: int, stage: int) -> str:
    """``NAME_valid`` in the stages of the iterations, ``NAME_x0`` … their indices, outermost first."""
    indices = [(f"{name}_x{k}", width_of(trip - 1), trip) for k, trip in enumerate(trips) if trip > 1]
    phase, phase_width = f"{name}_phase", width_of(ii - 1)
    registers = [f"  logic [{width - 1}:0] {index} = 0;" for index, width, _ in indices]
    registers.append(f"  logic {name}_on = 0, {name}_valid, {name}_last;")
    if ii > 1:
        registers.append(f"  logic [{phase_width - 1}:0] {phase} = 0;")
    in_phase = f"{name}_on & {phase} == 0" if ii > 1 else f"{name}_on"
    last = all_of([f"{index} == {literal(trip - 1, width)}" for index, width, trip in indices])
    clear = "".join(f" {index} <= 0;" for index, _, _ in indices)
    step = "\n        ".join(_increments(indices))
    if ii > 1:
        body = (
            f"if ({phase} == {literal(ii - 1, phase_width)}) begin\n        {phase} <= 0;\n        {step}\n"
            f"      end else {phase} <= {phase} + {literal(1, phase_width)};"
        )
    else:
        body = step
    return "\n".join(
        [
            *registers,
            f"  assign {name}_valid = stage == {literal(stage, width_of(stage))} | ({in_phase});",
            f"  assign {name}_last = {last};",
            f"  always @(posedge clk) if (advance & ({name}_valid | {name}_on)) begin",
            f"    if ({name}_valid & {name}_last) begin {name}_on <= 0;"
            + (f" {phase} <= 0;" if ii > 1 else "")
            + f"{clear} end",
            f"    else begin\n      {name}_on <= 1;\n      {body}\n    end",
            "  end",
            "",
        ]
    )


def _increments(indices: list[tuple[str, int, int]]) -> list[str]:
    """The innermost index counts every time, each further one when those inside it wrap."""
    lines, wrapped = [], []
    for index, width, trip in reversed(indices):
        at_end = f"{index} == {literal(trip - 1, width)}"
        guard = f"if ({all_of(wrapped)}) " if wrapped else ""
        lines.append(f"{guard}{index} <= {at_end} ? {literal(0, width)} : {index} + {literal(1, width)};")
        wrapped.append(at_end)
    return lines
