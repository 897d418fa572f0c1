"""When a process moves its tokens, in hardware: one gated clock over the stages of a pipelined loop nest.

A stage happens when every FIFO that it touches is ready; else the whole pipeline stands still.  Every offset of a loop
body at which something happens has its own iteration counters, so that iterations in flight need no other memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from sttest.compile.rtl.expressions import Expression, Signal, all_of, any_of, joined, sized, value_of, where
from sttest.compile.rtl.tree import Clocked, Constants, Driven, IfElse, Node, Register, Set, Statement, Wire
from sttest.sim.graph import Event, Pipeline


def width_of(most: int) -> int:
    """Bits that hold 0 to ``most``."""
    return max(1, most.bit_length())


_FOLLOWED = 32
"""Stages over which counters follow others in shift registers; further behind they count themselves."""


@dataclass(frozen=True)
class Counters:
    """A place in a loop's iterations: a wire that is high in their stages, and their indices."""

    valid: Expression  # wire
    indices: tuple[Expression, ...]  # a register per dim, or the constant of a dim with one iteration


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
    tables: list[Constants] = field(default_factory=list)
    _stages: "dict[_Iterator, dict[int, str]]" = field(default_factory=dict)  # names of its counters by stage

    def __post_init__(self) -> None:
        loops = self.pipeline.loops
        if not self.turns:
            distinct = list(dict.fromkeys(loops))
            self.turns = [distinct.index(loop) for loop in loops]
        self.programs = [loops[list(self.turns).index(turn)] for turn in range(max(self.turns) + 1)]

    @property
    def advance(self) -> Expression:
        """The wire that is high where a stage happens."""
        return self._own("advance")

    def _own(self, name: str) -> Expression:
        return Signal(f"{self.prefix}{name}")

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
        indices = (Signal(f"{name}_x{n}") if trip > 1 else value_of(0) for n, trip in enumerate(highest))
        return Counters(Signal(f"{name}_valid"), tuple(indices))

    def moves(self, fifo: str, op: str) -> Expression:
        """The condition under which the present stage moves a token through a side of a FIFO."""
        return any_of(
            [self.moves_in(turn, fifo, op) for turn in range(len(self.programs)) if self._has(turn, fifo, op)]
        )

    def moves_in(self, turn: int, fifo: str, op: str) -> Expression:
        """The same of one turn."""
        events = (event for event in self.programs[turn].events if (event.fifo, event.op) == (fifo, op))
        found = any_of([self.happens(turn, event) for event in events])
        return found if len(self.programs) == 1 else self.is_turn([turn]) & found

    def _has(self, turn: int, fifo: str, op: str) -> bool:
        return any((event.fifo, event.op) == (fifo, op) for event in self.programs[turn].events)

    def happens(self, turn: int, event: Event) -> Expression:
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
                conditions.append(index.equals(first))
                continue
            conditions += [index.at_least(first)] if first else []
            conditions += [index.at_most(last)] if last < trip - 1 else []
            conditions += [((index - first) % step).equals(0)] if step > 1 else []
        return all_of(conditions)

    def is_turn(self, turns: Sequence[int]) -> Expression:
        """The condition of some turns."""
        if len(turns) == len(self.programs):
            return all_of([])
        return any_of([self._own("turn").equals(self._turn(turn)) for turn in turns])

    def by_turn(self, values: Sequence[int], width: int, turns: Sequence[int] = ()) -> Expression:
        """A constant of the present turn.

        Args:
            values: value per turn.
            width: bits.
            turns: turns in which it is asked for, all if left out.
        """
        asked = {values[turn] for turn in turns or range(len(values))}
        if len(asked) == 1:
            return sized(asked.pop(), width)
        name = f"{self.prefix}OF_TURN{len(self.tables)}"
        self.tables.append(Constants(name, tuple(values), width))
        return Signal(name)[self._own("turn")]

    def _turn(self, turn: int) -> Expression:
        return sized(turn, width_of(len(self.programs) - 1))

    def nodes(self, ready: Sequence[tuple[Expression, Expression]]) -> list[Node]:
        """All of it: declarations, the gate, the counters.

        Args:
            ready: per FIFO side two wires: that the present stage moves a token, and that it can.
        """
        p, loops, runs = self.prefix, self.pipeline.loops, self.pipeline.repeat
        before = sum(loop.length + loop.entry_gap for loop in loops[:-1])
        end = loops[-1].length if self.pipeline.end is None else self.pipeline.end - before
        periods = [program.length + program.entry_gap for program in self.programs]
        iterators = self._iterators()
        width, run_width = width_of(self._last_stage), width_of(runs)
        stage, run, advance, ended = (self._own(each) for each in ("stage", "run", "advance", "ended"))
        last_stage, last_pass, last_run = (self._own(f"last_{each}") for each in ("stage", "pass", "run"))
        period = self.by_turn([each - 1 for each in periods], width)
        behind = end + loops[-1].entry_gap - 1
        if behind != periods[self.turns[-1]] - 1:
            period = where(last_pass, sized(behind, width), period)
        over = last_stage & last_pass
        return [
            *self.tables,
            Register(f"{p}stage", (width,), initial=0, role="state"),
            Register(f"{p}run", (run_width,), initial=0, role="state"),
            *(Wire(f"{p}{each}") for each in ("advance", "last_run", "last_pass", "last_stage")),
            Register(f"{p}ended", initial=0, role="state"),
            *self._passes(),
            Driven(last_run, run.equals(sized(runs - 1, run_width))),
            Driven(last_stage, stage.equals(where(last_run & last_pass, sized(end, width), period))),
            Driven(advance, all_of([~Signal("reset"), ~ended, *(~moves | can for moves, can in ready)])),
            Clocked(
                (
                    Set(stage, _next(stage, last_stage, width)),
                    IfElse(over & last_run, (Set(ended, value_of(1)),)),
                    IfElse(over & ~last_run, (Set(run, run + sized(1, run_width)),)),
                ),
                advance,
                (_clear(stage), _clear(run), _clear(ended)),
            ),
            *iterators,
        ]

    def _passes(self) -> list[Node]:
        """The number of the loop in the program, and its turn."""
        p, passes, turns = self.prefix, len(self.turns), len(self.programs)
        last = self._own("last_pass")
        if passes == 1:
            return [Driven(last, value_of(1))]
        width, turn_width, at = width_of(passes - 1), width_of(turns - 1), self._own("pass")
        found: list[Node] = [
            Register(f"{p}pass", (width,), initial=0, role="state"),
            Driven(last, at.equals(sized(passes - 1, width))),
            Clocked((Set(at, _next(at, last, width)),), self.advance & self._own("last_stage"), (_clear(at),)),
        ]
        if turns == 1:
            return found
        table = Constants(f"{p}TURN", tuple(self.turns), turn_width)
        return [*found, table, Wire(f"{p}turn", (turn_width,)), Driven(self._own("turn"), Signal(table.name)[at])]

    def _iterators(self) -> list[Node]:
        """All counters: those of the first stage count, those of later ones follow."""
        found: list[Node] = []
        for iterator, names in self._stages.items():
            before = None
            for stage, name in sorted(names.items()):
                if before is None or stage - before > _FOLLOWED:
                    found += self._iterator(name, iterator, stage)
                else:
                    found += self._follower(name, names[before], iterator, stage - before)
                before = stage
        return found

    def _follower(self, name: str, before: str, iterator: _Iterator, stages: int) -> list[Node]:
        """Counters that are what others were so many stages ago."""
        dims = enumerate(zip(*iterator.trips, strict=True))
        widths = {"valid": 1} | {f"x{n}": width_of(max(dim) - 1) for n, dim in dims if max(dim) > 1}
        bits, was = sum(widths.values()), Signal(f"{name}_was")
        ours, theirs = (joined([Signal(f"{which}_{each}") for each in widths]) for which in (name, before))
        moved = joined([was.part(0, bits * (stages - 1)), theirs]) if stages > 1 else theirs
        return [
            *(Wire(f"{name}_{each}", (width,)) for each, width in widths.items()),
            Register(was.name, (bits * stages,), initial=0, role="delay", row=stages),
            Driven(ours, was.part(bits * (stages - 1), bits)),
            Clocked((Set(was, moved),), self.advance),
        ]

    def _iterator(self, name: str, iterator: _Iterator, stage: int) -> list[Node]:
        """``NAME_valid`` in the stages of the iterations, ``NAME_x0`` … their indices, outermost first."""
        turns, ii = iterator.turns, [program.ii // iterator.steps for program in self.programs]
        indices: list[_Counted] = []
        for k, dim in enumerate(zip(*iterator.trips, strict=True)):
            if max(dim) > 1:
                width = width_of(max(dim) - 1)
                last = self.by_turn([trip - 1 for trip in dim], width, turns)
                indices.append(_Counted(Signal(f"{name}_x{k}"), width, last))
        starts = self._own("stage").equals(sized(stage, width_of(self._last_stage)))
        if len(turns) < len(self.programs):
            starts = starts & self.is_turn(turns)
        valid, last, on = (Signal(f"{name}_{each}") for each in ("valid", "last", "on"))
        if not indices:
            return [Wire(valid.name), Driven(valid, starts)]
        counts, registers, in_phase = _increments(indices), [each.register for each in indices], on
        declared = [Register(each.register.name, (each.width,), initial=0, role="counter") for each in indices]
        if max(ii) > 1:
            phase, width = Signal(f"{name}_phase"), width_of(max(ii) - 1)
            end = self.by_turn([each - 1 for each in ii], width, turns)
            declared.append(Register(phase.name, (width,), initial=0, role="counter"))
            registers.append(phase)
            in_phase = on & phase.equals(0)
            counts = [IfElse(phase.equals(end), (_clear(phase), *counts), (Set(phase, phase + sized(1, width)),))]
        clear = (_clear(on), *map(_clear, registers))
        return [
            *declared,
            Register(on.name, initial=0, role="iterator"),
            Wire(valid.name),
            Wire(last.name),
            Driven(valid, starts | in_phase),
            Driven(last, all_of([each.at_end for each in indices])),
            Clocked(
                (IfElse(valid & last, clear, (Set(on, value_of(1)), *counts)),), self.advance & (valid | on), clear
            ),
        ]

    @property
    def _last_stage(self) -> int:
        loops = self.pipeline.loops
        before = sum(loop.length + loop.entry_gap for loop in loops[:-1])
        return max(*(loop.length + loop.entry_gap for loop in self.programs), (self.pipeline.end or 0) - before, 1)


@dataclass(frozen=True)
class _Counted:
    """An index that counts."""

    register: Signal
    width: int
    last: Expression  # its last value

    @property
    def at_end(self) -> Expression:
        """Whether it wraps when it next counts."""
        return self.register.equals(self.last)


def _clear(register: Expression) -> Set:
    return Set(register, value_of(0))


def _next(register: Expression, at_end: Expression, width: int) -> Expression:
    """One more than a register has, or 0."""
    return where(at_end, sized(0, width), register + sized(1, width))


def _increments(indices: Sequence[_Counted]) -> list[Statement]:
    """The innermost index counts every time, each further one when those inside it wrap.

    Args:
        indices: from the outermost one on.
    """
    found: list[Statement] = []
    wrapped: list[Expression] = []
    for index in reversed(indices):
        counts = Set(index.register, _next(index.register, index.at_end, index.width))
        found.append(IfElse(all_of(wrapped), (counts,)) if wrapped else counts)
        wrapped.append(index.at_end)
    return found
