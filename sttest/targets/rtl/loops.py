"""Loop pipelines in hardware: nested counters for every offset of a loop body that has accesses."""

import re
from dataclasses import dataclass, field
from math import prod

import numpy as np

from sttest.sim.graph import Actor, Event, Loop, Pipeline, TimedGraph
from sttest.sim.stages import expand, group

# --- A process in hardware: its module's text, shared by all processes of the same shape, and what each plugs in


NAME = "@NAME@"
"""Stands for the module's name, which is chosen once it is known whether another process has the same text."""


@dataclass(frozen=True)
class Body:
    """Module text for one process.

    ``ops``: the FIFO sides that it uses, 2 * FIFO index + write, in the order of its ports; ``files``: data files
    that the text reads, by name.
    """

    kind: str
    text: str
    ops: tuple[int, ...]
    files: dict[str, str] = field(default_factory=dict)


def pipeline_ports(count: int) -> str:
    """The header of a pipeline with ``count`` FIFO sides."""
    sides = [
        f"  input  logic [31:0] op_{k},\n  input  logic [31:0] ready_{k},\n  output logic [31:0] n_{k},\n"
        for k in range(count)
    ]
    return f"module {NAME} (\n{_COMMON}{''.join(sides)}{_STATE});\n"


_COMMON = """  input  logic        clk,
  input  logic        tick,
  input  logic [63:0] now,
  input  logic [31:0] id,
  input  logic        report,
"""
_STATE = """  output logic        done,
  output logic        moving
"""


def actor_ports(count: int) -> str:
    """The header of an actor with ``count`` FIFO sides; it moves tokens at the start and at the end of firings."""
    sides = [
        f"  input  logic [31:0] op_{k},\n  input  logic [31:0] ready_{k},\n"
        f"  output logic [31:0] at_start_{k},\n  output logic [31:0] at_end_{k},\n"
        for k in range(count)
    ]
    return f"module {NAME} (\n{_COMMON}{''.join(sides)}  output logic        acts,\n{_STATE});\n"


# --- Small things of SystemVerilog text: identifiers, widths, literals


_NAME_LENGTH = 40


def identifier(prefix: str, number: int, name: str) -> str:
    """An identifier that is unique by ``prefix`` and ``number``; ``name`` is data, only its plain letters stay."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name[:_NAME_LENGTH]).strip("_")
    return f"{prefix}{number}_{plain}".rstrip("_")


def width_of(most: int) -> int:
    """Bits that hold 0 to ``most``."""
    return max(1, most.bit_length())


def literal(value: int, width: int) -> str:
    """A sized decimal constant."""
    return f"{width}'d{value}"


def any_of(terms: list[str]) -> str:
    """The or of conditions."""
    return " | ".join(terms) if terms else "1'b0"


def all_of(terms: list[str]) -> str:
    """The and of conditions."""
    return " & ".join(terms) if terms else "1'b1"


def sum_of(terms: list[str]) -> str:
    """The sum of 32-bit numbers."""
    return " + ".join(terms) if terms else "32'd0"


# --- What loop and trace pipelines share: one gated clock over local stages, and where the program ends


def gate(start: int, runs: int, period: int, end: int, sides: int, program: str) -> str:
    """The module of a pipeline: stage counter, gate, report, around the hardware that says what a stage needs.

    Args:
        start: first cycle in which stage 0 may happen.
        runs: number of runs of the program.
        period: stages from one run to the next.
        end: the stage of the last run in which the process finishes.
        sides: number of FIFO sides; ``program`` drives ``need_0`` … for them.
        program: text that sees ``stage``, the stage of the present run, and ``advance``, high where it happens.
    """
    width, run_width = width_of(max(period, end)), width_of(runs)
    needs = "".join(f"  logic [31:0] need_{k};\n" for k in range(sides))
    outputs = "".join(f"  assign n_{k} = advance ? need_{k} : 32'd0;\n" for k in range(sides))
    reports = "".join(
        f"    if (report && !done && need_{k} > ready_{k}) `TWIN_BLOCKED(id, op_{k}, need_{k}, ready_{k});\n"
        for k in range(sides)
    )
    possible = all_of([f"need_{k} <= ready_{k}" for k in range(sides)])
    return f"""{pipeline_ports(sides)}  logic [{width - 1}:0] stage = 0;
  logic [{run_width - 1}:0] run = 0;
  logic advance, last_run, last_stage;
{needs}  initial done = 0;
  assign last_run = run == {literal(runs - 1, run_width)};
  assign last_stage = stage == (last_run ? {literal(end, width)} : {literal(period - 1, width)});
  assign advance = tick & !done & now >= {literal(start, 64)} & {possible};
  assign moving = !done & (now < {literal(start, 64)} | advance);
{outputs}
  always @(posedge clk) if (tick) begin
    if (advance) begin
      stage <= last_stage ? {literal(0, width)} : stage + {literal(1, width)};
      if (last_stage & last_run) begin
        done <= 1;
        `TWIN_FINISH(id, now);
      end
      if (last_stage & !last_run) run <= run + {literal(1, run_width)};
    end
{reports}  end
{program}endmodule
"""


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
    """The conditions on the counters under which an event happens."""
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


# --- Dataflow actors in hardware: firings in order, overlapping, each phase with a queue of the starts in flight


def actor_body(actor: Actor, graph: TimedGraph) -> Body:
    """The module of an actor with a finite number of firings.

    It starts one firing and ends one of each phase per clock edge; ``acts`` holds the cycle until it has done all
    that the cycle allows.
    """
    index = graph.fifo_index
    moves = [
        {2 * index[name]: n for name, n in phase.reads.items() if n}
        | {2 * index[name] + 1: n for name, n in phase.writes.items() if n}
        for phase in actor.phases
    ]
    ops = tuple(sorted({op for move in moves for op in move}))
    firings = actor.firings or 0
    depths = {op: graph.fifos[op // 2].depth for op in ops}
    queues = [_queue(k, phase.time, _most_in_flight(firings, moves[k], depths)) for k, phase in enumerate(actor.phases)]
    return Body("actor", actor_ports(len(ops)) + _control(actor, moves, ops) + "".join(queues) + "endmodule\n", ops)


def _most_in_flight(firings: int, moves: dict[int, int], depths: dict[int, int]) -> int:
    """Firings of a phase that can run at once: tokens taken and space claimed come back only at the end."""
    return max(1, min([firings, *(depths[op] // tokens for op, tokens in moves.items())]))


def _control(actor: Actor, moves: list[dict[int, int]], ops: tuple[int, ...]) -> str:
    phases, firings = len(actor.phases), actor.firings or 0
    width = width_of(phases)
    needs = "".join(f"  logic [31:0] need_{side};\n" for side in range(len(ops)))
    wires = "".join(f"  logic ends_{phase};\n" for phase in range(phases))
    possible = all_of([f"need_{side} <= ready_{side}" for side in range(len(ops))])
    ended = sum_of([f"{{31'd0, ends_{phase}}}" for phase in range(phases)])
    reports = "".join(
        f"    if (report && !done && need_{side} > ready_{side}) "
        f"`TWIN_BLOCKED(id, op_{side}, need_{side}, ready_{side});\n"
        for side in range(len(ops))
    )
    any_end = any_of([f"ends_{phase}" for phase in range(phases)])
    return f"""  logic [31:0] started = 0;
  logic [31:0] ended = 0;
  logic [{width - 1}:0] phase = 0;
  logic starts, complete;
{needs}{wires}  initial done = 0;
  assign starts = started != {firings} & now >= {literal(actor.start, 64)} & {possible};
  assign acts = starts | {any_end};
  assign complete = ended == {firings} & now >= {literal(actor.start, 64)};
  assign moving = !done & (acts | started != ended | now < {literal(actor.start, 64)} | complete);
{_moves(moves, ops, width)}
  always @(posedge clk) begin
    if (starts) begin
      started <= started + 1;
      phase <= phase == {literal(phases - 1, width)} ? {literal(0, width)} : phase + {literal(1, width)};
    end
    ended <= ended + {ended};
    if (complete & !done) begin
      done <= 1;
      `TWIN_FINISH(id, now);
    end
{reports}  end
"""


def _moves(moves: list[dict[int, int]], ops: tuple[int, ...], width: int) -> str:
    """What the next firing needs of every FIFO side, and what moves there at starts and ends."""
    lines = []
    for side, op in enumerate(ops):
        of_side = [(phase, move[op]) for phase, move in enumerate(moves) if op in move]
        need = sum_of([f"(phase == {literal(phase, width)} ? {literal(n, 32)} : 32'd0)" for phase, n in of_side])
        ended = sum_of([f"(ends_{phase} ? {literal(n, 32)} : 32'd0)" for phase, n in of_side])
        lines += [
            f"  assign need_{side} = {need};",
            f"  assign at_start_{side} = starts ? need_{side} : 32'd0;",
            f"  assign at_end_{side} = {ended};",
        ]
    return "\n".join(lines)


def _queue(phase: int, time_cycles: int, size: int) -> str:
    """Starts of the firings of one phase in flight; they all last as long, so that the oldest ends first."""
    width, count = width_of(size - 1), width_of(size)
    last, zero, one = literal(size - 1, width), literal(0, width), literal(1, width)
    return f"""  logic [63:0] start_{phase} [0:{size - 1}];
  logic [{width - 1}:0] head_{phase} = 0, tail_{phase} = 0;
  logic [{count - 1}:0] flights_{phase} = 0;
  logic starts_{phase};
  assign starts_{phase} = starts & phase == {phase};
  assign ends_{phase} = flights_{phase} != 0 & now == start_{phase}[head_{phase}] + {literal(time_cycles, 64)};
  always @(posedge clk) begin
    if (starts_{phase}) begin
      start_{phase}[tail_{phase}] <= now;
      tail_{phase} <= tail_{phase} == {last} ? {zero} : tail_{phase} + {one};
    end
    if (ends_{phase}) head_{phase} <= head_{phase} == {last} ? {zero} : head_{phase} + {one};
    flights_{phase} <= flights_{phase} + starts_{phase} - ends_{phase};
  end
"""


# --- Trace pipelines in hardware: a ROM with one row per stage that has accesses


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
