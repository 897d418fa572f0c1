"""How a task walks one tile: which points each step works on, when tokens come in and when they leave.

A tile is worked on in steps of so many lanes.  Reductions lie outside of parallel loops, steps and lanes alike:
the points of one result element keep their row-major order, so that its running sum is the chain of
docs/reference/values.md, while neighbouring lanes belong to different results.
"""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import StreamLoop, merged
from sttest.compile.hls.memory_layout import count, cut_inside, offsets
from sttest.compile.hls.top import PortTiming
from sttest.compile.hls.types import LocalArray, Token, row_major_strides
from sttest.compile.hls.writer import CountedLoop, affine
from sttest.compile.schedule.reductions import lane_factors, reduction_loops
from sttest.core.errors import InputError

# --- A task's streams: their tokens within a tile, and the array that holds the tile


@dataclass(frozen=True)
class TaskPort:
    """A source or a result."""

    token: Token  # type of the stream's tokens
    rows: tuple[tuple[int, ...], ...]  # per data dim of the tensor, how far each loop of the task moves
    parts: tuple[StreamLoop, ...]  # the loops over the tokens of a tile
    held: tuple[str, ...]  # the iteration of every loop that a running tile is held for
    tile: LocalArray  # the array that holds the tile, or all running tiles
    scanned: bool = False  # whether it is a result that reductions index
    turns: "TokenTurns | None" = None  # the steps of each token, where it is worked on by itself: then there's no array

    def at(self, place: Sequence[str]) -> str:
        """An element of the present tile in its array, by an index expression per data dim."""
        return self.tile.at((*self.held, *place))

    def element(self, terms: Sequence[Sequence[tuple[str, int]]]) -> str:
        """An element of the present tile, by variables with factors per data dim."""
        if self.turns is None:
            return self.at([affine(dim) for dim in terms])
        inside = [
            [(self.turns.inside[name], factor) for name, factor in dim if name in self.turns.inside] for dim in terms
        ]
        pairs = zip(inside, row_major_strides(self.token.shape), strict=True)
        return self.token.at(
            self.tile.name, affine([(name, factor * stride) for dim, stride in pairs for name, factor in dim])
        )

    @property
    def offsets(self) -> list[tuple[int, ...]]:
        """Where each token of a tile lies in it, in stream order."""
        return list(offsets(self.parts, len(self.rows)))


def task_ports(task: df.TaskOp) -> tuple[list[TaskPort], list[TaskPort]]:
    """Sources and results of a task.

    Raises:
        InputError: the task does not say what it accesses, or its streams have another order than its loops.
    """
    where = task.sym_name.data
    if task.accesses is None:
        raise InputError(
            "no-accesses", "the task does not say which elements its payload works on", where=where,
            hints=["compile the design anew"],
        )  # fmt: skip
    maps = [access.data for access in task.accesses]
    every = range(len(task.trip_counts))
    outside = [loop for loop in every if task.loop_kinds[loop] == "parallel"]
    arity = len(task.sources)
    sources = [
        _port(task, source, access, f"in{number}", loops=every)
        for number, (source, access) in enumerate(zip(task.sources, maps[:arity], strict=True))
    ]
    results = []
    for number, (result, access) in enumerate(zip(task.produced, maps[arity:], strict=True)):
        name, scanned = f"out{number}", task.is_scanned(number)
        loops, held = (every, ()) if scanned else (outside, task.held_loops)
        results.append(replace(_port(task, result, access, name, loops=loops, held=held), scanned=scanned))
    return sources, results


def _port(
    task: df.TaskOp, value: SSAValue, access: AffineMap, name: str, *, loops: Sequence[int], held: Sequence[int] = ()
) -> TaskPort:
    where = task.sym_name.data
    stream = df.itensor_of(value)
    rows = _rows(access, where)
    wanted = [
        StreamLoop(task.trip_counts[loop], tuple(row[loop] * task.tile_sizes[loop] for row in rows)) for loop in loops
    ]
    outer, inner = cut_inside(stream, stream.tokens // count(wanted), where)
    if merged(outer) != merged(wanted) or any(stream.map.eval((0,) * stream.map.num_dims, ())):
        raise InputError(
            "unaligned-stream", f"{stream} is not streamed in the order of the task's loops", where=where,
            hints=["put a converter before the task"],
        )  # fmt: skip
    tiles = (task.trip_counts[loop] for loop in held)
    extents = (1 + sum(factor * (size - 1) for factor, size in zip(row, task.tile_sizes, strict=True)) for row in rows)
    token = Token.of(stream, where)
    array = LocalArray(name, token.element.c_type, (*tiles, *extents))
    return TaskPort(token, rows, tuple(inner), tuple(f"t{loop}" for loop in held), array)


def _rows(access: AffineMap, where: str) -> tuple[tuple[int, ...], ...]:
    """Coefficients of a linear map without constants."""
    zero = access.eval((0,) * access.num_dims, ())
    units = [tuple(int(dim == unit) for dim in range(access.num_dims)) for unit in range(access.num_dims)]
    columns = [access.eval(unit, ()) for unit in units]
    rows = tuple(tuple(column[dim] - zero[dim] for column in columns) for dim in range(len(zero)))
    if any(zero) or any(factor < 0 for row in rows for factor in row):
        raise InputError(
            "bad-access", f"{access} does not start at element 0 or runs backwards", where=where,
            hints=["write accesses as sums of loops with positive factors"],
        )  # fmt: skip
    return rows


Step = tuple[int, ...]
"""The number of a step in every loop of the task."""


@dataclass(frozen=True)
class TileSchedule:
    """The walk over a tile."""

    order: tuple[int, ...]  # loop numbers from the outermost to the innermost: reductions, then parallel loops
    steps: tuple[int, ...]  # steps per loop
    lanes: tuple[int, ...]  # points of a step per loop

    @staticmethod
    def of(task: df.TaskOp) -> "TileSchedule":
        """The walk of a task with its lanes.

        Raises:
            InputError: the lanes can't be spread over the tile.
        """
        reductions = reduction_loops(task)
        parallel = [loop for loop, kind in enumerate(task.loop_kinds) if kind == "parallel"]
        factors = lane_factors(task, min(task.lane_count, task.tile_points))
        steps = tuple(size // factor for size, factor in zip(task.tile_sizes, factors, strict=True))
        return TileSchedule((*reductions, *parallel), steps, factors)

    @property
    def count(self) -> int:
        """Steps of a tile."""
        return math.prod(self.steps)

    def in_order(self) -> list[Step]:
        """All steps, first to last."""
        ranges = itertools.product(*(range(self.steps[loop]) for loop in self.order))
        return [self._by_loop(numbers) for numbers in ranges]

    @property
    def number(self) -> list[tuple[str, int]]:
        """The number of the present step, as variables with factors."""
        strides = [
            math.prod(self.steps[inner] for inner in self.order[place + 1 :]) for place in range(len(self.order))
        ]
        pairs = zip(self.order, strides, strict=True)
        return [(f"s{loop}", stride) for loop, stride in pairs if self.steps[loop] > 1]

    def spans(self, coefficients: Sequence[Sequence[int]], step: Step) -> list[tuple[int, int]]:
        """The lowest and the highest element, per data dim, that a step touches of a tensor."""
        starts = [number * lanes for number, lanes in zip(step, self.lanes, strict=True)]
        found = []
        for row in coefficients:
            low = sum(factor * start for factor, start in zip(row, starts, strict=True))
            found.append((low, low + sum(factor * (lanes - 1) for factor, lanes in zip(row, self.lanes, strict=True))))
        return found

    def turns_of(self, port: TaskPort, loops: Sequence[int]) -> "TokenTurns | None":
        """How the steps of these loops, outermost first, work on one token of a port after the other.

        None if a step touches several tokens, or steps come back to one.
        """
        numbers = [*itertools.product(*(range(self.steps[loop]) for loop in loops))]
        length, left = divmod(len(numbers), len(port.offsets))
        if left:
            return None
        turns = _turns([(loop, self.steps[loop]) for loop in loops], length)
        if turns is None:
            return None
        still = [0] * len(self.steps)
        for number, point in enumerate(numbers):
            step = list(still)
            for loop, value in zip(loops, point, strict=True):
                step[loop] = value
            offset = port.offsets[number // length]
            spans = self.spans(port.rows, tuple(step))
            inside = [low - start for (low, _), start in zip(spans, offset, strict=True)]
            ends = [high - start for (_, high), start in zip(spans, offset, strict=True)]
            local = [low for low, _ in self.spans(port.rows, turns.local(step))]
            if local != inside or any(end >= size for end, size in zip(ends, port.token.shape, strict=True)):
                return None
        lanes = {f"l{loop}": f"l{loop}" for loop, factor in enumerate(self.lanes) if factor > 1}
        return replace(turns, inside=turns.inside | lanes)

    def _by_loop(self, numbers: Sequence[int]) -> Step:
        by_loop = dict(zip(self.order, numbers, strict=True))
        return tuple(by_loop[loop] for loop in range(len(self.steps)))


@dataclass(frozen=True)
class TokenTurns:
    """Steps that work on one token after the other, so many on each."""

    periods: tuple[tuple[int, int, int], ...]  # loop, its steps in a turn, and all of its steps
    inside: dict[str, str]  # variables that count steps within a turn, as expressions

    def local(self, step: Sequence[int]) -> Step:
        """The step of a turn that is like a step of the tile."""
        inside = {loop: steps for loop, steps, _ in self.periods}
        return tuple(number % inside[loop] if loop in inside else 0 for loop, number in enumerate(step))

    @property
    def first(self) -> list[str]:
        """Conditions under which a turn begins."""
        return [f"{_within(loop, steps, of)} == 0" for loop, steps, of in self.periods if steps > 1]

    @property
    def last(self) -> list[str]:
        """Conditions under which a turn ends."""
        return [f"{_within(loop, steps, of)} == {steps - 1}" for loop, steps, of in self.periods if steps > 1]


def _within(loop: int, steps: int, of: int) -> str:
    return f"s{loop}" if steps == of else f"s{loop} % {steps}"


def _turns(loops: Sequence[tuple[int, int]], length: int) -> TokenTurns | None:
    """Turns of so many steps of a nest, given as loops with their steps, outermost first."""
    periods: list[tuple[int, int, int]] = []
    for loop, steps in reversed(loops):
        own = math.gcd(length, steps)
        if own != steps and own != length:
            return None
        periods.append((loop, own, steps))
        length //= own
    inside = {f"s{loop}": _within(loop, steps, of) for loop, steps, of in periods if steps > 1}
    inside = {name: text if text == name else f"({text})" for name, text in inside.items()}
    return TokenTurns(tuple(reversed(periods)), inside) if length == 1 else None


def reading_steps(
    schedule: TileSchedule,
    coefficients: Sequence[Sequence[int]],
    shape: Sequence[int],
    offsets: Sequence[tuple[int, ...]],
) -> list[Step]:
    """Per token of a tile the step that reads it: no later than it is needed, in the order in which they come.

    Args:
        schedule: the walk.
        coefficients: per data dim of the tensor, how far each loop of the task moves.
        shape: shape of a token.
        offsets: place of each token in the tile.
    """
    steps = schedule.in_order()
    latest = len(steps) - 1
    found = []
    for offset in reversed(offsets):
        latest = min(latest, _first(steps, schedule, coefficients, shape, offset))
        found.append(steps[latest])
    return found[::-1]


def writing_steps(
    schedule: TileSchedule,
    coefficients: Sequence[Sequence[int]],
    shape: Sequence[int],
    offsets: Sequence[tuple[int, ...]],
) -> list[Step]:
    """Per token of a result the step after which it is complete, in the order in which they leave."""
    steps = schedule.in_order()
    earliest = 0
    found = []
    for offset in offsets:
        last = len(steps) - 1 - _first(steps[::-1], schedule, coefficients, shape, offset)
        earliest = max(earliest, last)
        found.append(steps[earliest])
    return found


def _first(
    steps: Sequence[Step],
    schedule: TileSchedule,
    coefficients: Sequence[Sequence[int]],
    shape: Sequence[int],
    offset: tuple[int, ...],
) -> int:
    """The first of the steps that touches a token; lanes are taken for boxes, which may say a step too early."""
    for number, step in enumerate(steps):
        spans = schedule.spans(coefficients, step)
        if all(
            low < start + size and start <= high for (low, high), start, size in zip(spans, offset, shape, strict=True)
        ):
            return number
    return len(steps) - 1


# --- Tokens that pass a port one by one although a tile needs, or completes, several at once


@dataclass(frozen=True)
class SpreadTokens:
    """Tokens of a tile that pass a port in consecutive steps, and wait in registers before or behind it.

    A source's tokens come so many steps ``ahead`` of the step that their number would give them, the first ones in the
    steps of the tile before.  A result's tokens leave in order, some of them in the steps of the next tile.
    """

    tokens: int  # tokens of a tile
    per_step: int  # tokens that one step moves, which its interval allows
    registers: int  # tokens that wait at the most, rounded up to a divisor of all
    ahead: int = 0  # steps
    rest: int = 0  # most tokens that are left when the last tile is worked on

    @property
    def steps(self) -> int:
        """Steps in which tokens come."""
        return -(-self.tokens // self.per_step)


def spread_reads(needed: Sequence[int], steps: int, interval: int) -> SpreadTokens | None:
    """How a source's tokens come, or None if no step needs more of them than its interval lets pass.

    Args:
        needed: numbers of the steps by which each token must be there, ascending.
        steps: steps of a tile.
        interval: cycles per step.
    """
    if _most(needed) <= interval:
        return None
    ahead = max(0, *(token // interval - step for token, step in enumerate(needed)))
    waiting = 0
    for step in range(-ahead, steps):
        # What comes by the end of a step, the next tile's included, less what earlier steps took.
        come = min(len(needed), (step + ahead + 1) * interval)
        follow = max(0, min(len(needed), (step + ahead + 1 - steps) * interval))
        waiting = max(waiting, come + follow - sum(each < step for each in needed))
    return SpreadTokens(len(needed), interval, _divisor(len(needed), waiting), ahead)


def spread_writes(complete: Sequence[int], steps: int, interval: int) -> SpreadTokens | None:
    """How a result's tokens leave, or None if no step completes more of them than its interval lets pass.

    Args:
        complete: numbers of the steps after which each token is complete, ascending.
        steps: steps of a tile.
        interval: cycles per step.
    """
    if _most(complete) <= interval:
        return None
    arrive = Counter(complete)
    waiting = most = rest = 0
    for _ in range(len(complete) + 1):  # tiles, until as many are left as after the tile before
        for step in range(steps):
            waiting += arrive[step]
            most = max(most, waiting)
            waiting = max(0, waiting - interval)
        if waiting == rest:
            break
        rest = waiting
    return SpreadTokens(len(complete), interval, _divisor(len(complete), most), rest=rest)


def _most(steps: Sequence[int]) -> int:
    return max(Counter(steps).values())


def _divisor(number: int, least: int) -> int:
    """The smallest divisor from ``least`` on."""
    return next(each for each in range(least, number + 1) if number % each == 0)


# --- When a task takes the tokens of a tile, or gives them, and where in the tile they lie


@dataclass(frozen=True)
class TileVisit:
    """One token, or all tokens of a tile in a loop."""

    step: Step  # number of the step
    loops: tuple[CountedLoop, ...]  # over the tokens; none for one token
    # index in the tile, per data dim, of the token's element that loops over ``e0``, ``e1`` … stand at
    places: tuple[str, ...]
    number: str  # number of the token in the tile


def visits(port: TaskPort, steps: Sequence[Step]) -> list[TileVisit]:
    """The visits of a tile: a loop where all tokens come in one step, else one by one.

    Args:
        port: the port that the tokens pass.
        steps: steps of each token.
    """
    if len(set(steps)) == 1:
        terms = [(f"v{n}", loop) for n, loop in enumerate(port.parts) if loop.trip > 1]
        loops = tuple(CountedLoop(f"tokens_{port.tile.name}_{name[1:]}", name, loop.trip) for name, loop in terms)
        moved = [[(name, loop.strides[dim]) for name, loop in terms] for dim in range(len(port.rows))]
        inner = [prod(loop.trip for loop in port.parts[n + 1 :]) for n in range(len(port.parts))]
        number = affine([(name, inner[int(name[1:])]) for name, _ in terms])
        return [TileVisit(steps[0], loops, _places(port, moved, [0] * len(port.rows)), number)]
    still: list[list[tuple[str, int]]] = [[] for _ in port.rows]
    starts = enumerate(zip(steps, port.offsets, strict=True))
    return [TileVisit(step, (), _places(port, still, start), str(number)) for number, (step, start) in starts]


def _places(port: TaskPort, moved: Sequence[Sequence[tuple[str, int]]], start: Sequence[int]) -> tuple[str, ...]:
    return tuple(
        affine([*terms, *([(f"e{dim}", 1)] if size > 1 else [])], at)
        for dim, (terms, size, at) in enumerate(zip(moved, port.token.shape, start, strict=True))
    )


# --- Trip counts of a task, or of the tasks that one function serves in turn


@dataclass(frozen=True)
class TurnTrips:
    """How often each tile loop runs: a number, or a parameter where the tasks differ."""

    members: Sequence[df.TaskOp]  # one task, or those of an engine
    timing: PortTiming  # timing, which says where their pipelines drain

    def is_loop(self, loop: int) -> bool:
        """Whether any of them iterates it."""
        return max(self._counts(loop)) > 1

    def last(self, loop: int) -> str:
        """The index of its last iteration."""
        return self._loop(loop).last

    def varies(self, loop: int) -> bool:
        """Whether the tasks differ in it."""
        return len({*self._counts(loop)}) > 1

    def name(self, loop: int) -> str:
        """The parameter of a loop that varies."""
        return f"trips_{loop}"

    @property
    def varying(self) -> list[int]:
        """The loops that are told to a turn."""
        return [loop for loop in range(len(self.members[0].trip_counts)) if self.varies(loop)]

    @property
    def loops(self) -> tuple[list[CountedLoop], list[CountedLoop]]:
        """The tile loops that the pipeline is left for, and those inside it."""
        depth = self._left_loops()
        every = [self._loop(loop) for loop in range(len(self.members[0].trip_counts)) if self.is_loop(loop)]
        outside = sum(self.is_loop(loop) for loop in range(depth))
        return every[:outside], every[outside:]

    def _loop(self, loop: int) -> CountedLoop:
        counts = self._counts(loop)
        bound = self.name(loop) if self.varies(loop) else ""
        return CountedLoop(f"tiles_{loop}", f"t{loop}", max(counts), bound, min(counts))

    def _counts(self, loop: int) -> list[int]:
        return [member.trip_counts[loop] for member in self.members]

    def _left_loops(self) -> int:
        """As in the timed graph: the loops that any of them must leave."""
        return max(map(self._left_of, self.members))

    def _left_of(self, member: df.TaskOp) -> int:
        trips, passes = member.trip_counts, self.timing.passes[member.sym_name.data]
        return next((n for n in range(len(trips) + 1) if prod(trips[:n]) == passes), 0)


def largest(members: Sequence[df.TaskOp]) -> df.TaskOp:
    """The task whose arrays hold those of all others: running tiles are kept per iteration of some loops.

    Raises:
        InputError: there is none.
    """
    first = max(members, key=lambda task: [task.trip_counts[loop] for loop in task.held_loops])
    for member in members:
        sizes = zip(member.held_loops, first.held_loops, strict=False)
        same = len(member.held_loops) <= len(first.held_loops)
        if not same or any(m != f or member.trip_counts[m] > first.trip_counts[f] for m, f in sizes):
            raise InputError(
                "engine-arrays", "its tasks keep running tiles of different loops", where=_engine(member),
                hints=["share fewer tasks"],
            )  # fmt: skip
    return first


def _engine(task: df.TaskOp) -> str:
    return (task.engine or task.sym_name).data
