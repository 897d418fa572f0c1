"""When a process moves its tokens, in hardware: one gated clock over the stages of a pipelined loop nest.

A stage happens when every FIFO that it touches is ready; else the whole pipeline stands still.  Every offset of a loop
body at which something happens has its own iteration counters, so that iterations in flight need no other memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from sttest.sim.graph import Event, Pipeline


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


_FOLLOWED = 32
"""Stages over which counters follow others in shift registers; further behind they count themselves."""


@dataclass(frozen=True)
class Counters:
    """A place in a loop's iterations: a wire that is high in their stages, and their indices."""

    valid: str  # wire
    indices: tuple[str, ...]  # a register per dim, or the constant of a dim with one iteration


@dataclass(frozen=True)
class _Iterator:
    """Counters that count alike, at one stage or several."""

    trips: tuple[tuple[int, ...], ...]  # trips per turn, outermost first
    turns: tuple[int, ...]  # turns in which they count
    steps: int  # steps that an iteration is cut into


@dataclass
class Control:
    """The hardware that walks a pipeline's stages, built up piece by piece.

    The loops of a program are its *passes*, one after the other; equal ones are a *turn*.
    """

    pipeline: Pipeline
    prefix: str = ""  # what all names begin with, where a module has several
    turns: Sequence[int] = ()  # the turn of each loop, numbered as they come; equal loops are one if it is left out
    tables: list[str] = field(default_factory=list)
    _stages: "dict[_Iterator, dict[int, str]]" = field(default_factory=dict)  # names of its counters by stage

    def __post_init__(self) -> None:
        loops = self.pipeline.loops
        if not self.turns:
            distinct = list(dict.fromkeys(loops))
            self.turns = [distinct.index(loop) for loop in loops]
        self.programs = [loops[list(self.turns).index(turn)] for turn in range(max(self.turns) + 1)]

    @property
    def advance(self) -> str:
        """The wire that is high where a stage happens."""
        return f"{self.prefix}advance"

    def counters(self, stage: int, inner: Sequence[int] = ()) -> Counters:
        """Counters of the iterations of every turn, and of equal steps within each, from a stage of the first on.

        Turns whose iterations are over before that stage have none; loops of fewer dims are counted by the last ones.

        Args:
            stage: stage of the iteration.
            inner: trips of the loops over the steps of an iteration, outermost first.
        """
        most = max(len(program.trips) for program in self.programs)
        trips = [(1,) * (most - len(program.trips)) + tuple(program.trips) for program in self.programs]
        return self.walk([(*each, *inner) for each in trips], stage, prod(inner))

    def walk(self, trips: Sequence[Sequence[int]], stage: int, steps: int = 1) -> Counters:
        """Counters that count by other trips than those of the loops.

        Args:
            trips: trips per turn, outermost first.
            stage: stage of the iteration.
            steps: steps that an iteration is cut into.
        """
        turns = tuple(turn for turn, program in enumerate(self.programs) if program.latency > stage)
        stages = self._stages.setdefault(_Iterator(tuple(map(tuple, trips)), turns, steps), {})
        if stage not in stages:
            stages[stage] = f"{self.prefix}c{sum(map(len, self._stages.values()))}"
        name = stages[stage]
        highest = [max(dim) for dim in zip(*trips, strict=True)]
        return Counters(f"{name}_valid", tuple(f"{name}_x{n}" if trip > 1 else "0" for n, trip in enumerate(highest)))

    def moves(self, fifo: str, op: str) -> str:
        """The condition under which the present stage moves a token through a side of a FIFO."""
        return any_of(
            [self.moves_in(turn, fifo, op) for turn in range(len(self.programs)) if self._has(turn, fifo, op)]
        )

    def moves_in(self, turn: int, fifo: str, op: str) -> str:
        """The same of one turn."""
        events = (event for event in self.programs[turn].events if (event.fifo, event.op) == (fifo, op))
        found = any_of([self.happens(turn, event) for event in events])
        return found if len(self.programs) == 1 else f"({self.is_turn([turn])} & ({found}))"

    def _has(self, turn: int, fifo: str, op: str) -> bool:
        return any((event.fifo, event.op) == (fifo, op) for event in self.programs[turn].events)

    def happens(self, turn: int, event: Event) -> str:
        """The condition under which the present stage of a turn has an event."""
        counters, loop = self.counters(event.stage), self.programs[turn]
        conditions = [counters.valid]
        outer = len(counters.indices) - len(loop.trips)
        for dim, trip in enumerate(loop.trips):
            when = event.when[dim] if event.when else None
            if when is None or trip == 1:
                continue
            first, last, step = when if isinstance(when, tuple) else (when, when, 1)
            index = counters.indices[outer + dim]
            if first == last:
                conditions.append(f"{index} == {first}")
                continue
            conditions += [f"{index} >= {first}"] if first else []
            conditions += [f"{index} <= {last}"] if last < trip - 1 else []
            conditions += [f"(({index} - {first}) % {step} == 0)"] if step > 1 else []
        return f"({all_of(conditions)})" if len(conditions) > 1 else conditions[0]

    def is_turn(self, turns: Sequence[int]) -> str:
        """The condition of some turns."""
        if len(turns) == len(self.programs):
            return "1'b1"
        return any_of([f"{self.prefix}turn == {self._turn(turn)}" for turn in turns])

    def by_turn(self, values: Sequence[int], width: int, turns: Sequence[int] = ()) -> str:
        """A constant of the present turn.

        Args:
            values: value per turn.
            width: bits.
            turns: turns in which it is asked for, all if left out.
        """
        asked = {values[turn] for turn in turns or range(len(values))}
        if len(asked) == 1:
            return literal(asked.pop(), width)
        name = f"{self.prefix}OF_TURN{len(self.tables)}"
        listed = ", ".join(literal(value, width) for value in values)
        self.tables.append(f"  localparam logic [{width - 1}:0] {name} [{len(values)}] = '{{{listed}}};\n")
        return f"{name}[{self.prefix}turn]"

    def _turn(self, turn: int) -> str:
        return literal(turn, width_of(len(self.programs) - 1))

    def text(self, ready: Sequence[tuple[str, str]]) -> str:
        """All of it: declarations, the gate, the counters.

        Args:
            ready: per FIFO side two wires: that the present stage moves a token, and that it can.
        """
        p, loops = self.prefix, self.pipeline.loops
        runs = self.pipeline.repeat
        before = sum(loop.length + loop.entry_gap for loop in loops[:-1])
        end = loops[-1].length if self.pipeline.end is None else self.pipeline.end - before
        periods = [program.length + program.entry_gap for program in self.programs]
        iterators = "".join(self._iterators())
        width, run_width = width_of(self._last_stage), width_of(runs)
        possible = all_of([f"(~{moves} | {can})" for moves, can in ready])
        period = self.by_turn([each - 1 for each in periods], width)
        behind = end + loops[-1].entry_gap - 1
        if behind != periods[self.turns[-1]] - 1:
            period = f"({p}last_pass ? {literal(behind, width)} : {period})"
        return f"""{"".join(self.tables)}  logic [{width - 1}:0] {p}stage = 0;
  logic [{run_width - 1}:0] {p}run = 0;
  logic {p}advance, {p}last_run, {p}last_pass, {p}last_stage, {p}ended = 0;
{self._passes()}  assign {p}last_run = {p}run == {literal(runs - 1, run_width)};
  assign {p}last_stage = {p}stage == ({p}last_run & {p}last_pass ? {literal(end, width)} : {period});
  assign {p}advance = ~reset & ~{p}ended & {possible};
  always_ff @(posedge clk)
    if (reset) begin
      {p}stage <= 0;
      {p}run <= 0;
      {p}ended <= 0;
    end else if ({p}advance) begin
      {p}stage <= {p}last_stage ? {literal(0, width)} : {p}stage + {literal(1, width)};
      if ({p}last_stage & {p}last_pass & {p}last_run) {p}ended <= 1;
      if ({p}last_stage & {p}last_pass & ~{p}last_run) {p}run <= {p}run + {literal(1, run_width)};
    end
{iterators}"""

    def _passes(self) -> str:
        """The number of the loop in the program, and its turn."""
        p, passes, turns = self.prefix, len(self.turns), len(self.programs)
        if passes == 1:
            return f"  assign {p}last_pass = 1;\n"
        width, turn_width = width_of(passes - 1), width_of(turns - 1)
        text = f"""  logic [{width - 1}:0] {p}pass = 0;
  assign {p}last_pass = {p}pass == {literal(passes - 1, width)};
  always_ff @(posedge clk)
    if (reset) {p}pass <= 0;
    else if ({p}advance & {p}last_stage)
      {p}pass <= {p}last_pass ? {literal(0, width)} : {p}pass + {literal(1, width)};
"""
        if turns == 1:
            return text
        listed = ", ".join(map(self._turn, self.turns))
        return f"""{text}  localparam logic [{turn_width - 1}:0] {p}TURN [{passes}] = '{{{listed}}};
  logic [{turn_width - 1}:0] {p}turn;
  assign {p}turn = {p}TURN[{p}pass];
"""

    def _iterators(self) -> list[str]:
        """All counters: those of the first stage count, those of later ones follow."""
        lines = []
        for iterator, names in self._stages.items():
            before = None
            for stage, name in sorted(names.items()):
                if before is None or stage - before > _FOLLOWED:
                    lines.append(self._iterator(name, iterator, stage))
                else:
                    lines.append(self._follower(name, names[before], iterator, stage - before))
                before = stage
        return lines

    def _follower(self, name: str, before: str, iterator: _Iterator, stages: int) -> str:
        """Counters that are what others were so many stages ago."""
        widths = {
            f"x{n}": width_of(max(dim) - 1) for n, dim in enumerate(zip(*iterator.trips, strict=True)) if max(dim) > 1
        }
        fields, bits = ("valid", *widths), 1 + sum(widths.values())
        declared = "".join(
            f"  logic [{width - 1}:0] {name}_{each};\n" for each, width in {"valid": 1, **widths}.items()
        )
        ours, theirs = ("{" + ", ".join(f"{which}_{each}" for each in fields) + "}" for which in (name, before))
        moved = f"{{{name}_was[{bits * (stages - 1) - 1}:0], {theirs}}}" if stages > 1 else theirs
        return f"""{declared}  logic [{bits * stages - 1}:0] {name}_was = 0;
  assign {ours} = {name}_was[{bits * stages - 1} -: {bits}];
  always_ff @(posedge clk) if ({self.advance}) {name}_was <= {moved};
"""

    def _iterator(self, name: str, iterator: _Iterator, stage: int) -> str:
        """``NAME_valid`` in the stages of the iterations, ``NAME_x0`` … their indices, outermost first."""
        p, turns = self.prefix, iterator.turns
        ii = [program.ii // iterator.steps for program in self.programs]
        indices = []
        for k, dim in enumerate(zip(*iterator.trips, strict=True)):
            if max(dim) > 1:
                width = width_of(max(dim) - 1)
                indices.append((f"{name}_x{k}", width, self.by_turn([trip - 1 for trip in dim], width, turns)))
        starts = f"{p}stage == {literal(stage, width_of(self._last_stage))}"
        if len(turns) < len(self.programs):
            starts += f" & ({self.is_turn(turns)})"
        if not indices:
            return f"  logic {name}_valid;\n  assign {name}_valid = {starts};\n"
        phase, phase_width = f"{name}_phase", width_of(max(ii) - 1)
        registers = [f"  logic [{width - 1}:0] {index} = 0;" for index, width, _ in indices]
        registers.append(f"  logic {name}_on = 0, {name}_valid, {name}_last;")
        waits = max(ii) > 1
        registers += [f"  logic [{phase_width - 1}:0] {phase} = 0;"] if waits else []
        in_phase = f"{name}_on & {phase} == 0" if waits else f"{name}_on"
        last = all_of([f"{index} == {end}" for index, width, end in indices])
        clear = "".join(f" {index} <= 0;" for index, _, _ in indices)
        step = "\n        ".join(_increments(indices))
        body = step
        if waits:
            end = self.by_turn([each - 1 for each in ii], phase_width, turns)
            body = (
                f"if ({phase} == {end}) begin\n        {phase} <= 0;\n        {step}\n"
                f"      end else {phase} <= {phase} + {literal(1, phase_width)};"
            )
        clear += f" {phase} <= 0;" if waits else ""
        return "\n".join(
            [
                *registers,
                f"  assign {name}_valid = {starts} | ({in_phase});",
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
        loops = self.pipeline.loops
        before = sum(loop.length + loop.entry_gap for loop in loops[:-1])
        return max(*(loop.length + loop.entry_gap for loop in self.programs), (self.pipeline.end or 0) - before, 1)


def _increments(indices: Sequence[tuple[str, int, str]]) -> list[str]:
    """The innermost index counts every time, each further one when those inside it wrap.

    Args:
        indices: register, its width and its last value, outermost first.
    """
    lines: list[str] = []
    wrapped: list[str] = []
    for index, width, last in reversed(indices):
        at_end = f"{index} == {last}"
        guard = f"if ({all_of(wrapped)}) " if wrapped else ""
        lines.append(f"{guard}{index} <= {at_end} ? {literal(0, width)} : {index} + {literal(1, width)};")
        wrapped.append(at_end)
    return lines
