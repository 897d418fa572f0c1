"""How a task walks one tile: which points each step works on, and in which step each token must be there or is made.

A tile is worked on in steps of so many lanes.  Reductions lie outside of parallel loops, steps and lanes alike:
the points of one result element keep their row-major order (docs/reference/values.md), while neighboring lanes belong
to different results.
"""

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import accumulate
from math import gcd, prod

import numpy as np
from numpy.typing import NDArray
from xdsl.ir.affine import AffineMap

from sttest.compile.dialects import df
from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.dialects.stream_order import StreamLoop, cut_inside, merged, offsets
from sttest.compile.schedule.reductions import free_order, lane_factors, reduction_loops
from sttest.core.errors import InputError

# --- The tokens of a port in one tile


@dataclass(frozen=True)
class PortTokens:
    """The tokens of a source or a result that belong to one tile."""

    rows: tuple[tuple[int, ...], ...]  # how far each loop of the task moves, per data dim of the tensor
    shape: tuple[int, ...]  # shape of a token
    parts: tuple[StreamLoop, ...]  # the loops over the tokens of a tile
    scanned: bool = False  # whether it is a result that reductions index

    @cached_property
    def offsets(self) -> list[tuple[int, ...]]:
        """Where each token of a tile lies in it, in stream order."""
        return list(offsets(self.parts, len(self.rows)))

    @property
    def is_grid(self) -> bool:
        """Whether the loops over the tokens are those of a grid: at most one per dim, from neighbor to neighbor."""
        moved = [
            [(dim, stride) for dim, stride in enumerate(part.strides) if stride] for part in self.parts if part.trip > 1
        ]
        dims = [dim for steps in moved for dim, _ in steps]
        even = all(len(steps) == 1 and steps[0][1] == self.shape[steps[0][0]] for steps in moved)
        return even and len(set(dims)) == len(dims)


def task_tokens(task: df.TaskOp) -> tuple[list[PortTokens], list[PortTokens]]:
    """The tokens of the sources and of the results of a task.

    Raises:
        InputError: the task does not say what it accesses, or its streams have another order than its loops.
    """
    where = task.sym_name.data
    if task.accesses is None:
        raise InputError(
            "no-accesses",
            "the task does not say which elements its payload works on",
            where=where,
            hints=["compile the design anew"],
        )
    maps = [access.data for access in task.accesses]
    every = range(len(task.trip_counts))
    outside = [loop for loop in every if task.loop_kinds[loop] == "parallel"]
    arity = len(task.sources)
    sources = [source_tokens(task, n, df.itensor_of(source)) for n, source in enumerate(task.sources)]
    results = []
    for number, (result, access) in enumerate(zip(task.produced, maps[arity:], strict=True)):
        scanned = task.is_scanned(number)
        found = _tokens(task, df.itensor_of(result), access, every if scanned else outside)
        results.append(replace(found, scanned=scanned))
    return sources, results


def source_tokens(task: df.TaskOp, number: int, stream: ITensorType) -> PortTokens:
    """The tokens of a source if it were streamed so.

    Args:
        task: task that says what it accesses.
        number: number of the source.
        stream: type of its stream.

    Raises:
        InputError: the stream has another order than the task's loops.
    """
    assert task.accesses is not None
    return _tokens(task, stream, task.accesses.data[number].data, range(len(task.trip_counts)))


def _tokens(task: df.TaskOp, stream: ITensorType, access: AffineMap, loops: Sequence[int]) -> PortTokens:
    where = task.sym_name.data
    rows = access_rows(access, where)
    wanted = [
        StreamLoop(task.trip_counts[loop], tuple(row[loop] * task.tile_sizes[loop] for row in rows)) for loop in loops
    ]
    outer, inner = cut_inside(stream, stream.tokens // prod(loop.trip for loop in wanted), where)
    if merged(outer) != merged(wanted) or any(stream.origin):
        raise InputError(
            "unaligned-stream",
            f"{stream} is not streamed in the order of the task's loops",
            where=where,
            hints=["put a converter before the task"],
        )
    return PortTokens(rows, tuple(stream.element_shape), tuple(inner))


@lru_cache(maxsize=4096)
def _coefficients(access: AffineMap) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """The constant of every result of a linear map, and the coefficients of its dims."""
    zero = access.eval((0,) * access.num_dims, ())
    units = [tuple(int(dim == unit) for dim in range(access.num_dims)) for unit in range(access.num_dims)]
    columns = [access.eval(unit, ()) for unit in units]
    return zero, tuple(tuple(column[dim] - zero[dim] for column in columns) for dim in range(len(zero)))


def access_rows(access: AffineMap, where: str) -> tuple[tuple[int, ...], ...]:
    """How far each loop moves, per data dim: the coefficients of a linear map without constants."""
    zero, rows = _coefficients(access)
    if any(zero) or any(factor < 0 for row in rows for factor in row):
        raise InputError(
            "bad-access",
            f"{access} does not start at element 0 or runs backwards",
            where=where,
            hints=["write accesses as sums of loops with positive factors"],
        )
    return rows


# --- The walk over a tile


Step = tuple[int, ...]
"""The number of a step in every loop of the task."""
Places = NDArray[np.int64]
"""Elements per data dim, [step, data dim]."""


@dataclass(frozen=True)
class TileWalk:
    """The steps of a tile."""

    order: tuple[int, ...]  # loop numbers from the outermost to the innermost
    steps: tuple[int, ...]  # steps per loop
    lanes: tuple[int, ...]  # points of a step per loop
    reduced: tuple[int, ...] = ()  # the reduction loops, outermost first

    @staticmethod
    def of(task: df.TaskOp) -> "TileWalk":
        """The walk of a task with its lanes.

        Raises:
            InputError: the lanes can't be spread over the tile.
        """
        reductions = reduction_loops(task)
        parallel = [loop for loop, kind in enumerate(task.loop_kinds) if kind == "parallel"]
        factors = lane_factors(task, min(task.lane_count, task.tile_points))
        if (free := free_order(task)) and prod(factors) < task.tile_points:
            try:
                sources, results = task_tokens(task)
            except InputError:
                pass
            else:
                bits = (df.itensor_of(port).element_bits for port in (*task.sources, *task.produced))
                ports = (*sources, *results)
                inputs = len(sources)
                return walk_along_tokens(
                    tuple(task.tile_sizes), factors, tuple(reductions), ports, inputs, tuple(bits), free == "points"
                )
        return _walk((*reductions, *parallel), task.tile_sizes, factors, tuple(reductions))

    @property
    def count(self) -> int:
        """Steps of a tile."""
        return prod(self.steps)

    @property
    def parallel(self) -> tuple[int, ...]:
        """The parallel loops, outermost first."""
        return tuple(loop for loop in self.order if loop not in self.reduced)

    @property
    def reduces_outside(self) -> bool:
        """Whether the steps over reductions lie around all others."""
        stepped = [loop in self.reduced for loop in self.order if self.steps[loop] > 1]
        return stepped == sorted(stepped, reverse=True)

    @property
    def shared(self) -> int:
        """Lanes that work on one result."""
        return prod(self.lanes[loop] for loop in self.reduced)

    def in_order(self, loops: Sequence[int] | None = None) -> list[Step]:
        """All steps, first to last; of some loops alone, those in which the others stand at their first."""
        walked = [*(self.order if loops is None else loops)]
        places = [walked.index(loop) if loop in walked else len(walked) for loop in range(len(self.steps))]
        numbers = itertools.product(*(range(self.steps[loop]) for loop in walked), (0,))
        return [tuple([each[place] for place in places]) for each in numbers]

    @property
    def number(self) -> list[tuple[str, int]]:
        """The number of the present step, as variables with factors."""
        strides = [prod(self.steps[inner] for inner in self.order[place + 1 :]) for place in range(len(self.order))]
        pairs = zip(self.order, strides, strict=True)
        return [(f"s{loop}", stride) for loop, stride in pairs if self.steps[loop] > 1]

    @property
    def extents(self) -> dict[str, int]:
        """How many values each variable that counts steps or lanes takes."""
        counts = ((f"s{loop}", steps) for loop, steps in enumerate(self.steps))
        return dict([*counts, *((f"l{loop}", lanes) for loop, lanes in enumerate(self.lanes))])

    def lowest(self, port: PortTokens, steps: Sequence[Step] | NDArray[np.int64]) -> Places:
        """The lowest element that each of the steps touches."""
        starts = np.array(steps, np.int64).reshape(len(steps), len(self.lanes)) * np.array(self.lanes, np.int64)
        return starts @ self._rows(port).T

    def reach(self, port: PortTokens) -> NDArray[np.int64]:
        """How far the highest element of a step lies from its lowest, per data dim."""
        return self._rows(port) @ (np.array(self.lanes, np.int64) - 1)

    def _rows(self, port: PortTokens) -> Places:
        return np.array(port.rows, np.int64).reshape(len(port.rows), len(self.lanes))

    def last_used(self, port: PortTokens) -> list[int]:
        """Per token of a source the number of the last step that reads it."""
        low = self.lowest(port, self.in_order())[::-1]
        return [self.count - 1 - self._first(low, port, offset) for offset in port.offsets]

    def needed(self, port: PortTokens) -> list[int]:
        """Per token of a source the number of the step that reads it: no later than it is needed, in their order."""
        low = self.lowest(port, self.in_order())
        latest, found = self.count - 1, []
        for offset in reversed(port.offsets):
            latest = min(latest, self._first(low, port, offset))
            found.append(latest)
        return found[::-1]

    def complete(self, port: PortTokens) -> list[int]:
        """Per token of a result the number of the step after which it is complete, in the order in which they leave."""
        low = self.lowest(port, self.in_order())[::-1]
        earliest, found = 0, []
        for offset in port.offsets:
            earliest = max(earliest, self.count - 1 - self._first(low, port, offset))
            found.append(earliest)
        return found

    def token_along(self, task: df.TaskOp, number: int, shape: Sequence[int], elements: int) -> tuple[int, ...] | None:
        """The extents of tokens of a source, each of which one step or some successive ones work on, or part of one.

        None if there are none of so many elements.

        Args:
            task: task, which says what it accesses.
            number: number of the source.
            shape: extents of a tile of the source.
            elements: elements of a token.
        """
        assert task.accesses is not None
        rows = access_rows(task.accesses.data[number].data, task.sym_name.data)
        sizes = [1 + sum(f * (lanes - 1) for f, lanes in zip(row, self.lanes, strict=True)) for row in rows]
        for loop in reversed(self.order):
            for dim, row in enumerate(rows):
                if row[loop]:
                    sizes[dim] *= gcd(self.steps[loop], max(elements // prod(sizes), 1))
        for dim in range(len(sizes)):
            sizes[dim] //= gcd(sizes[dim], max(prod(sizes) // elements, 1))
        fits = all(extent % size == 0 for extent, size in zip(shape, sizes, strict=True))
        return tuple(sizes) if fits and prod(sizes) == elements else None

    def waiting(self, port: PortTokens) -> int:
        """Elements of a source that wait while a tile is worked on: a token, or a tile and tokens."""
        if self.turns(port, self.order) is not None:
            return prod(port.shape)
        steps = self.needed(port)
        interval = -(-len(steps) // self.count)
        spread = spread_reads(steps, self.count, interval, self.last_used(port) if port.is_grid else None)
        waiting = 0 if spread is None else spread.registers * prod(port.shape)
        return waiting if spread and spread.in_place else len(steps) * prod(port.shape) + waiting

    def waiting_results(self, port: PortTokens) -> int:
        """Elements of a result that wait until they leave: a token, or a tile, and a tile's tokens where many end."""
        if self.turns(port, self.order if port.scanned else self.parallel) is not None:
            return prod(port.shape)
        steps = self.complete(port)
        spread = spread_writes(steps, self.count, -(-len(steps) // self.count))
        waiting = 0 if spread is None else spread.registers * prod(port.shape)
        return len(steps) * prod(port.shape) + waiting

    def _first(self, low: Places, port: PortTokens, offset: tuple[int, ...]) -> int:
        """The first of the steps that touches a token; lanes are taken for boxes, which may say a step too early."""
        start = np.array(offset, np.int64)
        touches = ((low < start + np.array(port.shape)) & (start <= low + self.reach(port))).all(axis=1)
        return int(np.argmax(touches)) if touches.any() else len(low) - 1

    def turns(self, port: PortTokens, loops: Sequence[int]) -> "TokenTurns | None":
        """How the steps of these loops, outermost first, work on one token of a port after the other.

        None if a step touches several tokens, or steps come back to one.
        """
        steps = self.in_order(loops)
        length, left = divmod(len(steps), len(port.offsets))
        turns = None if left else _turns([(loop, self.steps[loop]) for loop in loops], length)
        if turns is None:
            return None
        inside = self.lowest(port, steps) - np.repeat(np.array(port.offsets, np.int64), length, axis=0)
        local = self.lowest(port, turns.local(np.array(steps, np.int64).reshape(len(steps), len(self.steps))))
        if (inside != local).any() or (inside + self.reach(port) >= np.array(port.shape)).any():
            return None
        lanes = {f"l{loop}": f"l{loop}" for loop, factor in enumerate(self.lanes) if factor > 1}
        return replace(turns, inside=(*turns.inside, *lanes.items()))


def _walk(order: Sequence[int], tile: Sequence[int], lanes: tuple[int, ...], reductions: tuple[int, ...]) -> TileWalk:
    steps = tuple(size // factor for size, factor in zip(tile, lanes, strict=True))
    return TileWalk(tuple(order), steps, lanes, reductions)


@lru_cache(maxsize=4096)
def walk_along_tokens(
    tile: tuple[int, ...],
    lanes: tuple[int, ...],
    reductions: tuple[int, ...],
    ports: tuple[PortTokens, ...],
    inputs: int,
    bits: tuple[int, ...],
    any_lanes: bool,
) -> TileWalk:
    """The walk over a tile whose steps work on one token after the other, as far as there is one.

    The results of the tile may be taken in any order.  Where steps touch several tokens these wait, and so does the
    tile: of the walks along the tokens of each port, the one for which the fewest bits wait.

    Args:
        tile: points of the tile per loop.
        lanes: lanes per loop, innermost first, which are kept where nothing is better.
        reductions: loops of one point over which a result takes further tiles, or of terms in any order.
        ports: tokens of each source and result.
        inputs: number of the sources.
        bits: bits of an element of each of them.
        any_lanes: whether points may be taken in any order, too.
    """
    loops = [*reductions, *(loop for loop in range(len(tile)) if loop not in reductions)]
    walks = [_walk(loops, tile, lanes, reductions)]
    for port in ports:
        if (along := _lanes_along(tile, prod(lanes), port) if any_lanes else lanes) is not None:
            walks += [_walk(order, tile, along, reductions) for order in (loops, _order_along(port, loops, reductions))]

    def waiting_bits(walk: TileWalk) -> int:
        elements = [*map(walk.waiting, ports[:inputs]), *map(walk.waiting_results, ports[inputs:])]
        return sum(count * each for count, each in zip(elements, bits, strict=True))

    return min(walks, key=waiting_bits)


def _lanes_along(tile: Sequence[int], lanes: int, port: PortTokens) -> tuple[int, ...] | None:
    """Lanes over the elements of a token, outermost first, then over neighboring tokens; None if they do not fit."""
    factors = [1] * len(tile)
    extents = dict[int, int]()
    for row, size in zip(port.rows, port.shape, strict=True):
        extents |= {loop: size for loop, factor in enumerate(row) if factor == 1}
    for loop, size in sorted(extents.items()):
        factors[loop] = gcd(lanes, size, tile[loop])
        lanes //= factors[loop]
    for loop in reversed(range(len(tile))):
        more = gcd(lanes, tile[loop] // factors[loop])
        factors[loop] *= more
        lanes //= more
    return tuple(factors) if lanes == 1 else None


def _order_along(port: PortTokens, loops: Sequence[int], reductions: Sequence[int]) -> list[int]:
    """The loops in the order in which a port's tokens come, and else as given; reductions stay in their order."""
    moved = [dim for part in port.parts if part.trip > 1 for dim, stride in enumerate(part.strides) if stride]
    first = [loop for dim in moved for loop, factor in enumerate(port.rows[dim]) if factor]
    order = [*dict.fromkeys([*first, *loops])]
    terms = iter(reductions)
    return [next(terms) if loop in reductions else loop for loop in order]


@dataclass(frozen=True)
class TokenTurns:
    """Steps that work on one token after the other, so many on each."""

    periods: tuple[tuple[int, int, int], ...]  # loop, its steps in a turn, and all of its steps
    inside: tuple[tuple[str, str], ...]  # variables that count steps and lanes within a turn, as expressions

    def local(self, steps: NDArray[np.int64]) -> NDArray[np.int64]:
        """The steps of a turn (steps x loops) that are like steps of the tile."""
        found = np.zeros_like(steps)
        for loop, inside, _ in self.periods:
            found[:, loop] = steps[:, loop] % inside
        return found

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
        own = gcd(length, steps)
        if own not in (steps, length):
            return None
        periods.insert(0, (loop, own, steps))
        length //= own
    inside = [(f"s{loop}", _within(loop, steps, of)) for loop, steps, of in periods if steps > 1]
    named = tuple((name, text if text == name else f"({text})") for name, text in inside)
    return TokenTurns(tuple(periods), named) if length == 1 else None


# --- Tokens that pass a port one by one although a tile needs, or completes, several at once


@dataclass(frozen=True)
class SpreadTokens:
    """Tokens of a tile that pass a port in consecutive steps, and wait in registers before or behind it.

    A source's tokens come so many steps ``ahead`` of the step that their number would give them, the first ones before
    the first step, those of later tiles in the steps of the tile before.  A result's tokens leave in order, some of
    them in the steps of the next tile.
    """

    tokens: int  # tokens of a tile
    per_step: int  # tokens that one step moves, which its interval allows; one where not all steps do
    registers: int  # tokens that wait at the most, rounded up to a divisor of all
    ahead: int = 0  # steps
    rest: int = 0  # most tokens that are left when the last tile is worked on
    every: int = 1  # steps from one that moves tokens to the next
    in_place: bool = False  # whether they wait until the last step that needs them, and no other array holds the tile

    @property
    def steps(self) -> int:
        """Steps in which tokens come."""
        return -(-self.tokens // self.per_step) * self.every

    @property
    def first_tokens(self) -> int:
        """Tokens that come before the first step."""
        return min(-(-self.ahead // self.every) * self.per_step, self.tokens)


def spread_reads(
    needed: Sequence[int], steps: int, interval: int, last: Sequence[int] | None = None
) -> SpreadTokens | None:
    """How a source's tokens come, or None if no step needs more of them than its interval lets pass.

    Args:
        needed: numbers of the steps by which each token must be there, ascending.
        steps: steps of a tile.
        interval: cycles per step.
        last: numbers of the last steps that need each token, None if they can't be read where they wait.
    """
    if _most(needed) <= interval:
        return None
    tokens = len(needed)
    if last is not None:
        every = max(steps // tokens, 1)
        per_step = interval if every == 1 else 1
        ahead = _steps_ahead(needed, per_step, every)
        most = _most_waiting([*accumulate(last, max)], steps, ahead, per_step, every)
        if most <= tokens:
            return SpreadTokens(tokens, per_step, _divisor(tokens, most), ahead, every=every, in_place=True)
    ahead = _steps_ahead(needed, interval)
    return SpreadTokens(tokens, interval, _divisor(tokens, _most_waiting(needed, steps, ahead, interval)), ahead)


def _steps_ahead(needed: Sequence[int], per_step: int, every: int = 1) -> int:
    return max(0, *(token // per_step * every - step for token, step in enumerate(needed)))


def _most_waiting(until: Sequence[int], steps: int, ahead: int, per_step: int, every: int = 1) -> int:
    """The most tokens that have come by the end of a step, the next tile's included, less what is done with.

    Args:
        until: last step that keeps each token, ascending, for each has the register of one that came before it.
        steps: steps of a tile.
        ahead: steps before the first one, in which the first tokens come.
        per_step: tokens that come in one step.
        every: steps from one that moves tokens to the next.
    """

    def come(step: int) -> int:
        return max(0, min(len(until), (step // every + 1) * per_step))

    return max(
        come(step + ahead) + come(step + ahead - steps) - sum(each < step for each in until)
        for step in range(-ahead, steps)
    )


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
