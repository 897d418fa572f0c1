"""When a process moves its tokens, in hardware: one gated clock over the stages of a pipelined loop nest.

A stage happens when every FIFO that it touches is ready; else the whole pipeline stands still.  Every offset of a loop
body at which something happens has its own iteration counters, so that iterations in flight need no other memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from sttest.sim.graph import Event, Loop, Pipeline


def width_of(most: int) -> int:
    """Bits that hold 0 to ``most``."""
    return max(1, most.bit_length())


def literal(value: int, width: int) -> str:
    """A sized decimal constant."""
    return f"{width}'d{value}"


def any_of(terms: Sequence[str]) -> str:
    """The or of conditions."""
    return " | ".join(terms) if terms else "1'b0"


def all_of(terms: Sequence[str]) -> str:
    """The and of conditions."""
    return " & ".join(terms) if terms else "1'b1"


@dataclass(frozen=True)
class Counters:
    """A place in a loop's iterations: a wire that is high in their stages, and their indices."""

    valid: str  # wire
    indices: tuple[str, ...]  # per dim, a register or the constant of a dim with one iteration

    def is_last(self, dim: int, trip: int) -> list[str]:
        """The condition of a dim's last iteration, none for one of a single one."""
        return [f"{self.indices[dim]} == {trip - 1}"] if trip > 1 else []


@dataclass
class Control:
    """The hardware that walks a pipeline's stages, built up piece by piece."""

    pipeline: Pipeline
    prefix: str = ""  # of all names, where a module has several
    texts: list[str] = field(default_factory=list)
    _made: dict[tuple[object, ...], Counters] = field(default_factory=dict)

    @property
    def entries(self) -> list[int]:
        """Stages at which the loops of a run are entered."""
        found, entry = [], 0
        for loop in self.pipeline.loops:
            found.append(entry)
            entry += loop.length + loop.entry_gap
        return found

    @property
    def advance(self) -> str:
        """The wire that is high where a stage happens."""
        return f"{self.prefix}advance"

    def counters(self, loop: int, stage: int, inner: Sequence[int] = ()) -> Counters:
        """Counters of a loop's iterations, and of equal steps within each, from a stage of the first iteration on.

        Args:
            loop: number of the loop in the program.
            stage: stage of the iteration.
            inner: trips of the loops over the steps of an iteration, outermost first.
        """
        program = self.pipeline.loops[loop]
        key = loop, stage, tuple(inner)
        if key not in self._made:
            trips, ii = (*program.trips, *inner), program.ii // prod(inner)
            name = f"{self.prefix}c{len(self._made)}"
            self.texts.append(self._iterator(name, trips, ii, self.entries[loop] + stage))
            indices = tuple(f"{name}_x{n}" if trip > 1 else "0" for n, trip in enumerate(trips))
            self._made[key] = Counters(f"{name}_valid", indices)
        return self._made[key]

    def walk(self, trips: Sequence[int], stage: int) -> Counters:
        """Counters of the iterations of the only loop, counted by other trips than its own."""
        key = "walk", stage, tuple(trips)
        if key not in self._made:
            name = f"{self.prefix}c{len(self._made)}"
            self.texts.append(self._iterator(name, trips, self.pipeline.loops[0].ii, stage))
            self._made[key] = Counters(
                f"{name}_valid", tuple(f"{name}_x{n}" if trip > 1 else "0" for n, trip in enumerate(trips))
            )
        return self._made[key]

    def moves(self, fifo: str, op: str) -> str:
        """The condition under which the present stage moves a token through a side of a FIFO."""
        return any_of(
            [
                self.happens(number, loop, event)
                for number, loop in enumerate(self.pipeline.loops)
                for event in loop.events
                if (event.fifo, event.op) == (fifo, op)
            ]
        )

    def happens(self, number: int, loop: Loop, event: Event) -> str:
        """The condition under which the present stage has an event."""
        counters = self.counters(number, event.stage)
        conditions = [counters.valid]
        for dim, trip in enumerate(loop.trips):
            when = event.when[dim] if event.when else None
            if when is None or trip == 1:
                continue
            first, last, step = when if isinstance(when, tuple) else (when, when, 1)
            index = counters.indices[dim]
            if first == last:
                conditions.append(f"{index} == {first}")
                continue
            conditions += [f"{index} >= {first}"] if first else []
            conditions += [f"{index} <= {last}"] if last < trip - 1 else []
            conditions += [f"(({index} - {first}) % {step} == 0)"] if step > 1 else []
        return f"({all_of(conditions)})" if len(conditions) > 1 else conditions[0]

    def text(self, ready: Sequence[tuple[str, str]]) -> str:
        """All of it: declarations, the gate, the counters.

        Args:
            ready: per FIFO side two wires: that the present stage moves a token, and that it can.
        """
        p, loops = self.prefix, self.pipeline.loops
        last = loops[-1]
        entry = self.entries[-1]
        end = entry + last.length if self.pipeline.end is None else self.pipeline.end
        period = end + last.entry_gap
        runs = self.pipeline.repeat
        width, run_width = width_of(max(period, end)), width_of(runs)
        possible = all_of([f"(~{moves} | {can})" for moves, can in ready])
        return f"""  logic [{width - 1}:0] {p}stage = 0;
  logic [{run_width - 1}:0] {p}run = 0;
  logic {p}advance, {p}last_run, {p}last_stage, {p}ended = 0;
  assign {p}last_run = {p}run == {literal(runs - 1, run_width)};
  assign {p}last_stage = {p}stage == ({p}last_run ? {literal(end, width)} : {literal(period - 1, width)});
  assign {p}advance = ~reset & ~{p}ended & {possible};
  always_ff @(posedge clk)
    if (reset) begin
      {p}stage <= 0;
      {p}run <= 0;
      {p}ended <= 0;
    end else if ({p}advance) begin
      {p}stage <= {p}last_stage ? {literal(0, width)} : {p}stage + {literal(1, width)};
      if ({p}last_stage & {p}last_run) {p}ended <= 1;
      if ({p}last_stage & ~{p}last_run) {p}run <= {p}run + {literal(1, run_width)};
    end
{"".join(self.texts)}"""

    def _iterator(self, name: str, trips: Sequence[int], ii: int, stage: int) -> str:
        """``NAME_valid`` in the stages of the iterations, ``NAME_x0`` … their indices, outermost first."""
        p = self.prefix
        indices = [(f"{name}_x{k}", width_of(trip - 1), trip) for k, trip in enumerate(trips) if trip > 1]
        phase, phase_width = f"{name}_phase", width_of(ii - 1)
        registers = [f"  logic [{width - 1}:0] {index} = 0;" for index, width, _ in indices]
        registers.append(f"  logic {name}_on = 0, {name}_valid, {name}_last;")
        registers += [f"  logic [{phase_width - 1}:0] {phase} = 0;"] if ii > 1 else []
        in_phase = f"{name}_on & {phase} == 0" if ii > 1 else f"{name}_on"
        last = all_of([f"{index} == {literal(trip - 1, width)}" for index, width, trip in indices])
        clear = "".join(f" {index} <= 0;" for index, _, _ in indices)
        step = "\n        ".join(_increments(indices))
        body = step
        if ii > 1:
            body = (
                f"if ({phase} == {literal(ii - 1, phase_width)}) begin\n        {phase} <= 0;\n        {step}\n"
                f"      end else {phase} <= {phase} + {literal(1, phase_width)};"
            )
        stages = width_of(self._last_stage)
        clear += f" {phase} <= 0;" if ii > 1 else ""
        return "\n".join(
            [
                *registers,
                f"  assign {name}_valid = {p}stage == {literal(stage, stages)} | ({in_phase});",
                f"  assign {name}_last = {last};",
                "  always_ff @(posedge clk)",
                f"    if (reset) begin {name}_on <= 0;{clear} end",
                f"    else if ({p}advance & ({name}_valid | {name}_on)) begin",
                f"      if ({name}_valid & {name}_last) begin {name}_on <= 0;{clear} end",
                f"      else begin\n      {name}_on <= 1;\n      {body}\n    end",
                "    end",
                "",
            ]
        )

    @property
    def _last_stage(self) -> int:
        last = self.pipeline.loops[-1]
        end = self.entries[-1] + last.length
        return max(end + last.entry_gap, self.pipeline.end or 0)


def _increments(indices: Sequence[tuple[str, int, int]]) -> list[str]:
    """The innermost index counts every time, each further one when those inside it wrap."""
    lines: list[str] = []
    wrapped: list[str] = []
    for index, width, trip in reversed(indices):
        at_end = f"{index} == {literal(trip - 1, width)}"
        guard = f"if ({all_of(wrapped)}) " if wrapped else ""
        lines.append(f"{guard}{index} <= {at_end} ? {literal(0, width)} : {index} + {literal(1, width)};")
        wrapped.append(at_end)
    return lines or [";"]
