"""When the loops of a task access its streams: stages from trip counts, intervals and latencies, without running it.

All loops of a nest have a stride in stages: the pipelined ones their interval times the iterations inside of them,
those around them what one of their iterations takes.  A read is at the first stage of an iteration, a write at its
last.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from sttest.core.errors import InputError
from sttest.importers.hls.cpp_model import (
    Assign,
    Call,
    CallStatement,
    CppType,
    Expr,
    For,
    If,
    Item,
    Num,
    Op,
    Return,
    Statement,
    Unknown,
    VariableName,
    in_order,
    is_stream,
    names_of,
    plain,
)
from sttest.importers.hls.loop_nests import ProcessCode, trip_count
from sttest.importers.hls.static_values import MOST_ITERATIONS, Value, fitting, is_never, value_of
from sttest.sim.graph import check_work

MOST_UNROLLED = 1 << 17
"""Statements of one iteration, with all loops inside of it unrolled."""
READ, WRITE = 0, 1
_METHODS = {".read": READ, ".write": WRITE}


class Axis(NamedTuple):
    """A loop that is not unrolled."""

    counter: str
    first: int
    step: int
    trips: int
    stride: int  # stages from one of its iterations to the next


class StreamStages(NamedTuple):
    """Accesses to one stream: a stage each, in any order."""

    stream: int
    op: int
    stages: np.ndarray
    offset: int  # stages from the entry of the iteration


@dataclass
class IterationWalk:
    """Finds the accesses of one iteration's statements in all iterations.

    Args:
        axes: the loops around the statements, outermost first.
        start: stage in which the first iteration is entered.
        offsets: of a read and of a write, in stages from the entry of their iteration.
        code: the task that the statements are of.
        find: number of the stream that an expression names with the indices after it; None where it is no stream.
        where: the task, in errors.
        locate: file and line number of a line, in errors.
    """

    axes: Sequence[Axis]
    start: int
    offsets: tuple[int, int]
    code: ProcessCode
    find: Callable[[str, list[int]], int | None]
    where: str
    locate: Callable[[int], str]
    found: list[StreamStages] = field(default_factory=list)
    total: int = 0

    def __post_init__(self) -> None:
        count = len(self.axes)
        self.known: dict[str, Value] = {}
        for number, axis in enumerate(self.axes):
            shape = [1] * count
            shape[number] = axis.trips
            if axis.trips <= MOST_ITERATIONS:
                counts = np.arange(axis.trips, dtype=np.int64).reshape(shape)
                self.known[axis.counter] = axis.first + axis.step * counts
        self.steps = 0
        self.touches: dict[int, bool] = {}

    def run(self, statements: Sequence[Statement]) -> list[StreamStages]:
        """All accesses, in the order of the statements with loops inside unrolled.

        Raises:
            InputError: an access that the text alone does not time, or too many.
        """
        self._walk(statements, None)
        return self.found

    def _walk(self, statements: Sequence[Statement], guard: Value) -> None:
        for each in statements:
            self._count(1)
            match each:
                case For():
                    if self._has_access(each):
                        self._unroll(each, guard)
                case If():
                    if self._has_access(each):
                        self._choose(each, guard)
                case Assign(VariableName(name), value):
                    self._accesses(value, guard, each.line)
                    if self._is_whole(name):
                        self.known[name] = value_of(value, self.known) if self.code.settings[name] == 1 else None
                case Assign(target, value):
                    self._accesses(target, guard, each.line)
                    self._accesses(value, guard, each.line)
                case CallStatement(call):
                    self._accesses(call, guard, each.line)
                case Return(value):
                    self._accesses(value, guard, each.line)
                case Unknown(text):
                    raise self._untimed(f"'{text.partition(chr(10))[0]:.40}' decides what runs", each.line)
                case _:
                    pass

    def _count(self, steps: int) -> None:
        """Counts statements before they are walked through."""
        self.steps += steps
        if self.steps > MOST_UNROLLED:
            raise InputError(
                "too-large", "an iteration has too many statements with its loops unrolled", where=self.where,
                demand=self.steps, bound=MOST_UNROLLED,
            )  # fmt: skip

    def _unroll(self, loop: For, guard: Value) -> None:
        first = value_of(loop.first, self.known)
        trips, notes = trip_count(loop)
        if notes or first is None:
            raise self._untimed(f"loop '{loop.label or plain(loop.counter)}' has no constant trip count", loop.line)
        self._count(trips)
        for number in range(trips):
            self.known[loop.counter] = first + number * loop.stride
            self._walk(loop.body, guard)

    def _choose(self, choice: If, guard: Value) -> None:
        condition = value_of(choice.condition, self.known)
        self._accesses(choice.condition, guard, choice.line)
        if condition is None:
            raise self._untimed("a stream is accessed where data says so", choice.line)
        holds = np.asarray(condition, bool)
        for branch, chosen in ((choice.then, holds), (choice.other, np.logical_not(holds))):
            inner = chosen if guard is None else np.logical_and(*fitting(guard, chosen, bool))
            if any(isinstance(each, Return) for each in branch) and choice.condition != Num(1):
                raise self._untimed("a return under a condition", choice.line)
            if branch and not is_never(inner):
                self._walk(branch, None if inner.all() else inner)

    # --- Accesses of an expression

    def _accesses(self, expr: Expr, guard: Value, line: int) -> None:
        for stream, op in self._streams(expr, line):
            offset = self.offsets[op]
            self.found.append(StreamStages(stream, op, self._at(guard) + self.start + offset, offset))

    def _streams(self, expr: Expr, line: int) -> Iterator[tuple[int, int]]:
        """Streams that are accessed while an expression is worked out, arguments first."""
        match expr:
            case Call(name, (stream, *rest)) if name.startswith(".") and self._is_stream(stream):
                for each in rest:
                    yield from self._streams(each, line)
                if name not in _METHODS:
                    raise self._untimed(f"'{name[1:]:.40}' of a stream depends on time", line)
                number = self._stream(stream, line)
                if number is not None:
                    yield number, _METHODS[name]
                if name == ".read" and rest:  # in.read(value)
                    return
            case Call(name, args):
                if name in _METHODS or any(map(self._is_stream, args)):
                    raise self._untimed(f"what '{name.lstrip('.'):.80}' does to a stream is not known", line)
                for each in args:
                    yield from self._streams(each, line)
            case Op("?:" | "&&" | "||", (first, *rest)):
                yield from self._streams(first, line)
                if any(any(self._streams(each, line)) for each in rest):
                    raise self._untimed("a stream is accessed in a part of an expression that may be skipped", line)
            case Op(_, args):
                for each in args:
                    yield from self._streams(each, line)
            case Item(base, place):
                yield from self._streams(place, line)
                yield from self._streams(base, line)
            case _:
                pass

    def _is_stream(self, expr: Expr) -> bool:
        while isinstance(expr, Item):
            expr = expr.base
        kind = self.code.types.get(expr.name) if isinstance(expr, VariableName) else None
        return kind is not None and is_stream(kind)

    def _stream(self, expr: Expr, line: int) -> int | None:
        indices: list[Expr] = []
        while isinstance(expr, Item):
            indices.insert(0, expr.place)
            expr = expr.base
        if not isinstance(expr, VariableName):
            return None
        kind = self.code.types[expr.name]
        if kind.kind == "blocks" or (kind.element is not None and kind.element.kind == "blocks"):
            raise self._untimed("a stream of blocks", line)
        numbers = [value_of(each, self.known) for each in indices]
        if any(each is None or np.size(each) != 1 for each in numbers):
            raise self._untimed(f"which stream of '{plain(expr.name):.80}' is not decided by unrolled loops", line)
        return self.find(expr.name, [int(np.asarray(each).item()) for each in numbers])

    def _at(self, guard: Value) -> np.ndarray:
        """Stages of the iterations in which a guard holds."""
        count = len(self.axes)
        stages = np.zeros(1, np.int64)
        used = guard.shape if isinstance(guard, np.ndarray) and guard.ndim else (1,) * count
        if isinstance(guard, np.ndarray) and guard.ndim:
            chosen = np.nonzero(guard)
            stages = sum(
                (place * axis.stride for place, axis in zip(chosen, self.axes, strict=True)),
                np.zeros(chosen[0].size, np.int64),
            )
        rest = [axis for axis, length in zip(self.axes, used, strict=True) if length == 1 and axis.trips > 1]
        size = stages.size
        for axis in rest:
            size *= axis.trips
        self.total += size
        check_work(self.total, "number of FIFO accesses", self.where)
        for axis in rest:
            stages = (stages[:, None] + axis.stride * np.arange(axis.trips, dtype=np.int64)).ravel()
        return stages

    def _has_access(self, statement: Statement) -> bool:
        """Whether a statement, or one inside of it, accesses a stream or leaves the iteration."""
        if id(statement) not in self.touches:
            self.touches[id(statement)] = accesses_stream(statement, self.code.types) or _jumps((statement,))
        return self.touches[id(statement)]

    def _is_whole(self, name: str) -> bool:
        kind = self.code.types.get(name)
        return kind is not None and kind.kind == "int"

    def _untimed(self, what: str, line: int) -> InputError:
        hints = ["import the trace of a run, see 'sttest import'"]
        return InputError("not-static", what, where=self.locate(line), hints=hints)


def accesses_stream(statement: Statement, types: Mapping[str, CppType]) -> bool:
    """Whether a statement, or one inside of it, names a stream."""
    names = (name for each in in_order((statement,)) for name in names_of(each))
    return any((kind := types.get(name)) is not None and is_stream(kind) for name in names)


def _jumps(statements: Sequence[Statement], *, in_loop: bool = False) -> bool:
    """Whether statements may leave the iteration that they are in; ``in_loop`` are those of a loop inside of it."""
    for each in statements:
        match each:
            case Unknown(text):
                word = text.partition(";")[0].split(" ")[0]
                if word == "goto" or (word in ("break", "continue") and not in_loop):
                    return True
            case If(condition, then, other):
                inside = (*then, *other)
                # A call that was written into the task is a choice that is always taken, and may end with a return.
                if condition != Num(1) and any(isinstance(one, Return) for one in inside):
                    return True
                if _jumps(inside, in_loop=in_loop):
                    return True
            case For():
                if _jumps(each.body, in_loop=True):
                    return True
            case _:
                pass
    return False
