"""The ports of a task in C++: arrays or single tokens, visits of tokens; trip counts of tasks that take turns."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from sttest.compile.dialects import df
from sttest.compile.hls.top import PortTiming
from sttest.compile.hls.types import LocalArray, Token
from sttest.compile.hls.value_names import ValueNames
from sttest.compile.hls.writer import CodeWriter, CountedLoop, affine, divided, weighted
from sttest.compile.schedule.reductions import reduction_loops
from sttest.compile.schedule.storage import tile_extents
from sttest.compile.schedule.task_schedule import PortMotion, TaskSchedule
from sttest.compile.schedule.tile_ports import TilePort, row_major_strides
from sttest.compile.schedule.tile_walk import PortTokens, Step, TileWalk, task_tokens

# --- A task's streams: their tokens within a tile, and the array that holds the tile


@dataclass(frozen=True)
class TaskPort(TilePort):
    """A source or a result in C++."""

    token: Token  # type of the stream's tokens
    tile: LocalArray  # the array that holds the tile

    def at(self, place: Sequence[str]) -> str:
        """An element of the present tile in its array, by an index expression per data dim."""
        return self.tile.at(place)

    def element(self, terms: Sequence[Sequence[tuple[str, int]]]) -> str:
        """An element of the present tile, by variables with factors per data dim."""
        turns, spread = self.motion.turns, self.motion.spread
        if turns is None and spread is not None and spread.in_place:
            return self._where_it_waits(terms)
        if turns is None:
            return self.at([affine(dim) for dim in terms])
        named = dict(turns.inside)
        inside = [[(named[name], factor) for name, factor in dim if name in named] for dim in terms]
        pairs = zip(inside, row_major_strides(self.token.shape), strict=True)
        return self.token.at(
            self.tile.name, affine([(name, factor * stride) for dim, stride in pairs for name, factor in dim])
        )

    @property
    def registers(self) -> str:
        """The array of its tokens that wait."""
        return f"tokens_{self.tile.name}"

    def register_of(self, token: str) -> str:
        """Where a token waits, by an expression of its number in the tile."""
        spread = self.motion.spread
        assert spread is not None
        place = token if spread.registers == spread.tokens else f"({token}) % {spread.registers}"
        return f"{self.registers}[{place}]"

    def _where_it_waits(self, terms: Sequence[Sequence[tuple[str, int]]]) -> str:
        """An element of a token that waits: its number in the tile, and its place in the token."""
        extents = self.walk.extents
        cut = [divided(dim, size, extents) for dim, size in zip(terms, self.token.shape, strict=True)]
        place = [(text, stride) for (_, text), stride in zip(cut, row_major_strides(self.token.shape), strict=True)]
        number = weighted([(cut[dim][0], stride) for dim, stride in self.token_strides])
        return self.token.at(self.register_of(number), weighted(place))


def task_ports(task: df.TaskOp, schedule: TaskSchedule, names: ValueNames) -> tuple[list[TaskPort], list[TaskPort]]:
    """Sources and results of a task, by names of their values.

    Raises:
        InputError: the task does not say what it accesses, or its streams have another order than its loops.
    """
    sources, results = task_tokens(task)
    return [
        _port(task, value, f"in{n}", name, tokens, motion, schedule.walk)
        for n, (name, value, tokens, motion) in enumerate(
            zip(names.sources, task.sources, sources, schedule.sources, strict=True)
        )
    ], [
        _port(task, value, f"out{n}", name, tokens, motion, schedule.walk, () if tokens.scanned else task.held_loops)
        for n, (name, value, tokens, motion) in enumerate(
            zip(names.results, task.produced, results, schedule.results, strict=True)
        )
    ]


def _port(
    task: df.TaskOp,
    value: SSAValue,
    label: str,
    name: str,
    tokens: PortTokens,
    motion: PortMotion,
    walk: TileWalk,
    held: Sequence[int] = (),
) -> TaskPort:
    token = Token.of(df.itensor_of(value), task.sym_name.data)
    array = LocalArray(name, token.element.c_type, tile_extents(task, tokens))
    return TaskPort(label, tokens, motion, walk, tuple(f"t{loop}" for loop in held), token, array)


# --- When a task takes the tokens of a tile, or gives them, and where in the tile they lie


@dataclass(frozen=True)
class TileVisit:
    """One token, or all tokens of a tile in a loop."""

    step: Step  # number of the step
    loops: tuple[CountedLoop, ...]  # loops over the tokens; none for one token
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


_TILES = "tiles"
"""The parameter that says how many tiles a turn has, where one loop counts them."""


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

    def count_of(self, loop: int) -> str:
        """How often it runs, a number or the parameter that says so."""
        return self.name(loop) if self.varies(loop) else str(self._counts(loop)[0])

    def varies(self, loop: int) -> bool:
        """Whether the tasks differ in it."""
        return len({*self._counts(loop)}) > 1

    def name(self, loop: int) -> str:
        """The parameter of a loop that varies."""
        return f"trips_{loop}"

    @property
    def told(self) -> dict[str, tuple[int, ...]]:
        """What a turn is told, by the name of the parameter: a number per member."""
        found = {self.name(loop): tuple(self._counts(loop)) for loop in self._told_loops if self.varies(loop)}
        return {**found, **({_TILES: self._in_one} if self.joined else {})}

    @property
    def _told_loops(self) -> list[int]:
        every = range(len(self.members[0].trip_counts))
        return [loop for loop in every if loop not in self.joined or loop in self.counters]

    @property
    def loops(self) -> tuple[list[CountedLoop], list[CountedLoop]]:
        """The tile loops that the pipeline is left for, and those inside it."""
        left, inner = self._loops_by_place
        if not self.joined:
            return [*map(self._loop, left)], [*map(self._loop, inner)]
        one = CountedLoop("turn", "tile", max(self._in_one), _TILES, min(self._in_one))
        return [*map(self._loop, left)], [one, *(self._loop(loop) for loop in inner if loop not in self.joined)]

    @property
    def _loops_by_place(self) -> tuple[list[int], list[int]]:
        depth = self._left_loops()
        every = [loop for loop in range(len(self.members[0].trip_counts)) if self.is_loop(loop)]
        return [loop for loop in every if loop < depth], [loop for loop in every if loop >= depth]

    # --- Loops that vary are one pipeline only if none of them lies in another: then they are one loop

    @property
    def joined(self) -> list[int]:
        """The tile loops that are one loop, which counts all tiles."""
        _, inner = self._loops_by_place
        varying = [place for place, loop in enumerate(inner) if self.varies(loop)]
        return inner[: varying[-1] + 1] if varying and varying[-1] else []

    @property
    def _in_one(self) -> tuple[int, ...]:
        """Tiles that the one loop counts, per member."""
        return tuple(prod(member.trip_counts[loop] for loop in self.joined) for member in self.members)

    @property
    def counters(self) -> list[int]:
        """Those of the joined loops that have counters: from the outermost on whose number a step asks for."""
        asked = {loop for each in self.members for loop in (*reduction_loops(each), *each.held_loops)}
        first = next((place for place, loop in enumerate(self.joined) if loop in asked), len(self.joined))
        return self.joined[first:]

    def count_on(self, code: CodeWriter, inner: Sequence[CountedLoop]) -> None:
        """Behind a step: the counters of the next tile.

        Args:
            code: text that is appended to.
            inner: loops inside the one loop.
        """
        with code.scope([f"{loop.variable} == {loop.last}" for loop in inner]):
            for number, loop in enumerate(self.counters):
                inside = [f"t{each} == {self.last(each)}" for each in self.counters[number + 1 :]]
                when = f"if ({' && '.join(inside)}) " if inside else ""
                at_end = f"t{loop} == {self.last(loop)} ? 0 : t{loop} + 1"
                code.line(f"{when}t{loop} = {at_end};" if number or loop != self.joined[0] else f"{when}++t{loop};")

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
