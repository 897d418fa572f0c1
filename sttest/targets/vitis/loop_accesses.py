"""What one iteration of a loop accesses: streams, banks of arrays, memory ports; and how many at most at once.

Conditions decide what can meet in one iteration.  The tool schedules accesses on one port in one cycle where it can
prove that they never happen together (UG1448, "Mutual Exclusion, Resources, and Predicates"), and it always keeps the
predicates of writes and stream accesses.  Here that is proven for the branches of one ``if``, and for conditions that
compare the same counter, or the same expression of it, with constants that leave no common value.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import gcd, prod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sttest.targets.vitis.cpp_model import (
    Assign,
    CallStatement,
    CppCall,
    CppType,
    Expr,
    For,
    If,
    Item,
    Num,
    Op,
    Split,
    Statement,
    VariableName,
    key_of,
    names_in,
)
from sttest.targets.vitis.loop_nests import PipelinedNest, ProcessCode, trip_count

Integers: TypeAlias = NDArray[np.int64]
_FAR = 1 << 60
MOST_WALKED = 1 << 14
"""Iterations that are looked at one by one."""


class Literal(NamedTuple):
    """A condition: a value lies between two bounds, both included."""

    value: str
    low: int
    high: int


Guard: TypeAlias = tuple[Literal, ...]
Lanes: TypeAlias = tuple[tuple[str, int], ...]
"""The unrolled loops around a statement, outermost first: counter and trip count."""


class GuardedStatement(NamedTuple):
    """A statement, or a condition, where it stands in an iteration."""

    statement: Statement
    guard: Guard
    lanes: Lanes


class LoopAccess(NamedTuple):
    """A read or write of a stream, an array or memory, in every lane around it."""

    name: str
    writes: bool
    indices: tuple[Expr, ...]
    guard: Guard
    lanes: Lanes
    line: int


class Affine(NamedTuple):
    """An index: a number per lane, and counters with factors."""

    lanes: Integers
    terms: tuple[tuple[str, int], ...] = ()


@cache
def lane_values(lanes: Lanes) -> dict[str, Integers]:
    """The value of every unrolled counter in all lanes, in the order in which they are worked through."""
    count = lane_count(lanes)
    grids = np.indices([trip for _, trip in lanes], dtype=np.int64).reshape(len(lanes), count)
    return {name: grids[number] for number, (name, _) in enumerate(lanes)}


def lane_count(lanes: Lanes) -> int:
    """Copies of a statement."""
    return prod(trip for _, trip in lanes)


@dataclass
class Iteration:
    """One iteration of a loop."""

    code: ProcessCode
    nest: PipelinedNest

    def __post_init__(self) -> None:
        self.ranges = {
            **self.nest.around,
            **{loop.counter: trip * loop.stride for loop, trip in zip(self.nest.loops, self.nest.trips, strict=True)},
        }
        self.aliases: dict[str, Expr] = {}
        self.rounded: dict[str, tuple[str, Affine, int]] = {}
        self.placed = list(self._placed(self.nest.body, (), ()))
        self.accesses = [each for placed in self.placed for each in self._accesses(placed)]

    # --- Statements under their conditions, in their lanes

    def _placed(self, statements: Sequence[Statement], guard: Guard, lanes: Lanes) -> Iterator[GuardedStatement]:
        for each in statements:
            if isinstance(each, For):
                trip, notes = trip_count(each)
                self.nest.notes += [f"inside a pipeline {note}" for note in notes]
                yield from self._placed(each.body, guard, (*lanes, (each.counter, trip)))
                continue
            yield GuardedStatement(each, guard, lanes)
            if isinstance(each, If):
                then, other = self._guards(each)
                yield from self._placed(each.then, (*guard, *then), lanes)
                yield from self._placed(each.other, (*guard, *other), lanes)
            elif (
                isinstance(each, Assign) and isinstance(each.target, VariableName) and self._is_index(each.target.name)
            ):
                self.aliases[each.target.name] = each.value

    def _is_index(self, name: str) -> bool:
        """Whether a variable is an integer that is set once: an index by another name."""
        is_integer = self.code.type_of(name).kind == "int" and name not in self.code.function.statics
        return is_integer and self.code.settings[name] == 1

    def _guards(self, choice: If) -> tuple[Guard, Guard]:
        if isinstance(choice.condition, Num):
            never = (Literal("", 0, -1),)
            return ((), never) if choice.condition.value else (never, ())
        # What changes may be another value at each place.
        parts = {
            part: any(self.code.settings[name] > 1 for name in names_in(part))
            for part in _conjunction(choice.condition)
        }
        literals = [None if changes else self._literal(part) for part, changes in parts.items()]
        known = tuple(each for each in literals if each is not None)
        if any(parts.values()):
            place = f"line {choice.line} {id(choice)}"
            return (*known, Literal(place, 1, 1)), (Literal(place, 0, 0),)
        is_known = len(known) == len(literals)
        opposite = self._opposite(known[0]) if is_known and len(known) == 1 else ()
        if is_known and (opposite or not choice.other):
            return known, opposite
        text = key_of(choice.condition)
        return (*known, Literal(text, 1, 1)), (Literal(text, 0, 0),)

    def _literal(self, condition: Expr) -> Literal | None:
        match condition:
            case Op("==" | "<" | "<=" | ">" | ">=" as op, (value, Num(bound))) if not isinstance(value, Num):
                number, text = int(bound), key_of(value)
                low = {"==": number, ">": number + 1, ">=": number}.get(op, -_FAR)
                high = {"==": number, "<": number - 1, "<=": number}.get(op, _FAR)
                return Literal(text, low, high)
        return None

    def _opposite(self, literal: Literal) -> Guard:
        """The other side of a condition that has one; an end of a counter's range has."""
        value, low, high = literal
        least, most = (0, self.ranges[value] - 1) if value in self.ranges else (-_FAR, _FAR)
        if low <= least and high >= most:
            return (Literal(value, _FAR, _FAR),)
        if low <= least:
            return (Literal(value, high + 1, _FAR),)
        return (Literal(value, -_FAR, low - 1),) if high >= most else ()

    # --- Accesses of a statement

    def _accesses(self, placed: GuardedStatement) -> Iterator[LoopAccess]:
        match placed.statement:
            case Assign(target, value):
                yield from self._read(value, placed)
                yield from self._written(target, placed)
            case CallStatement(call):
                yield from self._read(call, placed)
            case If(condition):
                yield from self._read(condition, placed)

    def _written(self, target: Expr, placed: GuardedStatement) -> Iterator[LoopAccess]:
        if isinstance(target, CppCall):  # a range of bits: the rest is kept
            yield from (each for arg in target.args for each in self._read(arg, placed))
            target = target.args[0]
        element = self.element(target)
        if element is not None:
            yield from (each for index in element[1] for each in self._read(index, placed))
            yield self._access(*element, True, placed)

    def _read(self, expr: Expr, placed: GuardedStatement) -> Iterator[LoopAccess]:
        element = self.element(expr)
        if element is not None:
            yield from (each for index in element[1] for each in self._read(index, placed))
            yield self._access(*element, False, placed)
            return
        match expr:
            case CppCall(name, (stream, *values)) if name in (".read", ".write"):
                yield from (each for value in values for each in self._read(value, placed))
                channel, index = (stream.base, (stream.place,)) if isinstance(stream, Item) else (stream, ())
                if isinstance(channel, VariableName):
                    yield self._access(channel.name, index, name == ".write", placed)
            case Item(base, index):
                yield from self._read(base, placed)
                yield from self._read(index, placed)
            case Op(_, args):
                yield from (each for arg in args for each in self._read(arg, placed))
            case CppCall(name, args, template):
                called = self.code.file.function(name, template)
                for number, arg in enumerate(args):
                    yield from self._read(arg, placed)
                    if called is not None and called.parameters[number].is_changed:
                        yield from self._written(arg, placed)

    def _access(self, name: str, indices: tuple[Expr, ...], writes: bool, placed: GuardedStatement) -> LoopAccess:
        return LoopAccess(name, writes, indices, placed.guard, placed.lanes, placed.statement.line)

    def element(self, expr: Expr) -> tuple[str, tuple[Expr, ...]] | None:
        """The array or memory and the indices of an element; a part of an element is that element."""
        indices: list[Expr] = []
        while isinstance(expr, Item):
            indices.insert(0, expr.place)
            expr = expr.base
        if isinstance(expr, Op) and expr.op == "+" and indices and isinstance(expr.args[0], VariableName):
            indices[0], expr = Op("+", (expr.args[1], indices[0])), expr.args[0]
        if not isinstance(expr, VariableName):
            return None
        if expr.name in self.code.pointers and indices:
            return expr.name, (indices[0],)
        kind = self.code.type_of(expr.name)
        if kind.kind != "array" or len(indices) < len(kind.extents):
            return None
        return expr.name, tuple(indices[: len(kind.extents)])

    # --- Indices

    def affine(self, expr: Expr, lanes: Lanes) -> Affine:
        """An index as numbers per lane and counters; what is not affine is a counter of its own."""
        found = self._affine(expr, lanes)
        if found is not None:
            return found
        varies = any(name in dict(lanes) for name in self._names(expr))
        numbers = np.arange(lane_count(lanes)) if varies else np.zeros(lane_count(lanes), np.int64)
        return Affine(numbers, ((f"?{key_of(expr)}" if varies else key_of(expr), 1),))

    def _names(self, expr: Expr) -> Iterator[str]:
        for name in names_in(expr):
            yield name
            if name in self.aliases:
                yield from self._names(self.aliases[name])

    def _affine(self, expr: Expr, lanes: Lanes) -> Affine | None:
        count = lane_count(lanes)
        match expr:
            case Num(value):
                return Affine(np.full(count, int(value), np.int64))
            case VariableName(name):
                if name in (values := lane_values(lanes)):
                    return Affine(values[name])
                if name in self.aliases and name not in self.ranges:
                    return self._affine(self.aliases[name], lanes)
                return Affine(np.zeros(count, np.int64), ((name, 1),))
            case Op("+" | "-" as op, (left, right)):
                first, second = self._affine(left, lanes), self._affine(right, lanes)
                return None if first is None or second is None else _sum(first, second, 1 if op == "+" else -1)
            case Op("*" | "/" | "%" as op, (left, right)):
                first, second = self._affine(left, lanes), self._affine(right, lanes)
                if op == "*" and first is not None and not first.terms and not np.ptp(first.lanes):
                    first, second = second, first
                if first is None or second is None or second.terms or np.ptp(second.lanes):
                    return None
                return self._scaled(op, first, int(second.lanes[0]))
        return None

    def _scaled(self, op: str, value: Affine, factor: int) -> Affine | None:
        if op == "*":
            terms = tuple((name, each * factor) for name, each in value.terms if factor)
            return Affine(value.lanes * factor, terms)
        if factor <= 0 or not (value.lanes >= 0).all():
            return None
        return self._whole(op, value, factor) or self._rounded(op, value, factor)

    def _whole(self, op: str, value: Affine, divisor: int) -> Affine | None:
        """A quotient or remainder where what is no multiple of the divisor stays below it."""
        multiples = tuple(each for each in value.terms if each[1] % divisor == 0)
        others = tuple(each for each in value.terms if each[1] % divisor)
        most = sum(
            factor * (self.ranges[name] - 1) if name in self.ranges and factor > 0 else _FAR for name, factor in others
        )
        if most + int(np.max(value.lanes % divisor)) >= divisor:
            return None
        if op == "%":
            return Affine(value.lanes % divisor, others)
        return Affine(value.lanes // divisor, tuple((name, factor // divisor) for name, factor in multiples))

    def _rounded(self, op: str, value: Affine, divisor: int) -> Affine | None:
        """A quotient or remainder that is a counter of its own, the same one in all lanes."""
        unit = gcd(divisor, *(factor for _, factor in value.terms))
        steps = value.lanes // unit
        if np.ptp(steps):
            return None
        inner = " + ".join([*(f"{factor // unit} {name}" for name, factor in value.terms), str(steps[0])])
        name = f"({inner}) {op} {divisor // unit}"
        scaled = Affine(steps[:1], tuple((key, factor // unit) for key, factor in value.terms))
        self.rounded[name] = op, scaled, divisor // unit
        if op == "/":
            return Affine(np.zeros_like(value.lanes), ((name, 1),))
        self.ranges.setdefault(name, divisor // unit)
        return Affine(value.lanes % unit, ((name, unit),))

    def walked(self, terms: Sequence[tuple[str, int]]) -> Integers | None:
        """A sum of counters in every iteration of an entry, the first ones of many; None if others are in it."""
        trips = self.nest.trips
        place = np.zeros(min(prod(trips), MOST_WALKED), np.int64)
        numbers = np.unravel_index(np.arange(len(place)), trips) if trips else ()
        counters = {loop.counter: number for loop, number in zip(self.nest.loops, numbers, strict=True)}
        for name, factor in terms:
            if name in counters:
                place = place + factor * counters[name]
            elif name in self.rounded:
                op, inner, divisor = self.rounded[name]
                value = self.walked(inner.terms)
                if value is None:
                    return None
                value = value + inner.lanes[0]
                place = place + factor * (value // divisor if op == "/" else value % divisor)
            elif name not in self.nest.around:
                return None
        return place

    def flat(self, name: str, indices: Sequence[Expr], lanes: Lanes) -> Affine:
        """The place of an element among all of its array, row-major."""
        extents = self.code.type_of(name).extents or (1,)
        found = Affine(np.zeros(lane_count(lanes), np.int64))
        for dim, index in enumerate(indices):
            stride = prod(extents[dim + 1 :])
            each = self.affine(index, lanes)
            moved = Affine(each.lanes * stride, tuple((key, factor * stride) for key, factor in each.terms))
            found = _sum(found, moved, 1)
        return found


def _conjunction(condition: Expr) -> list[Expr]:
    if isinstance(condition, Op) and condition.op == "&&":
        return [each for arg in condition.args for each in _conjunction(arg)]
    return [condition]


def _sum(left: Affine, right: Affine, sign: int) -> Affine:
    terms = dict(left.terms)
    for name, factor in right.terms:
        terms[name] = terms.get(name, 0) + sign * factor
    return Affine(left.lanes + sign * right.lanes, tuple(sorted(each for each in terms.items() if each[1])))


# --- How many of several accesses can meet


def at_once(counted: Sequence[tuple[Guard, Integers]]) -> Integers:
    """The most that meet in one iteration, per resource.

    Args:
        counted: condition of each access, and how often it uses each resource.
    """
    boxes = [(_box(guard), numbers) for guard, numbers in counted]
    return _most([each for each in boxes if each[0] is not None])  # pyright: ignore[reportArgumentType]


def _box(guard: Guard) -> dict[str, tuple[int, int]] | None:
    """The values that a condition leaves; None if it leaves none."""
    box: dict[str, tuple[int, int]] = {}
    for value, low, high in guard:
        before = box.get(value, (-_FAR, _FAR))
        box[value] = max(low, before[0]), min(high, before[1])
        if box[value][0] > box[value][1]:
            return None
    return box


def _most(boxes: Sequence[tuple[Mapping[str, tuple[int, int]], Integers]]) -> Integers:
    if not boxes:
        return np.zeros(1, np.int64)
    values = sorted(value for value in {value for box, _ in boxes for value in box} if _divides(value, boxes))
    if not values:
        return np.sum([numbers for _, numbers in boxes], axis=0)
    # Where boxes meet they all hold the largest of their lower corners.
    value = values[0]
    corners = {box[value][0] for box, _ in boxes if value in box} | {-_FAR}
    found = []
    for corner in corners:
        meeting = [(box, n) for box, n in boxes if value not in box or box[value][0] <= corner <= box[value][1]]
        if meeting:
            found.append(_most([({k: v for k, v in box.items() if k != value}, n) for box, n in meeting]))
    return np.max(found, axis=0)


def _divides(value: str, boxes: Sequence[tuple[Mapping[str, tuple[int, int]], Integers]]) -> bool:
    """Whether two of the boxes leave no common number to a value."""
    ranges = [box[value] for box, _ in boxes if value in box]
    return max(low for low, _ in ranges) > min(high for _, high in ranges)


# --- Banks


@dataclass
class ArrayBanks:
    """The banks of an array: which one holds an element, and at which address.

    Directives on one dim apply in the order of the text: what is reshaped, then partitioned, is words in banks.
    """

    kind: CppType
    splits: Sequence[Split]

    def __post_init__(self) -> None:
        self.by_dim: list[list[Split]] = [[] for _ in self.kind.extents]
        for split in self.splits:
            for dim in range(len(self.kind.extents)) if split.dim == 0 else (split.dim - 1,):
                if 0 <= dim < len(self.by_dim):
                    self.by_dim[dim].append(split)

    @property
    def are_registers(self) -> bool:
        """Whether every element is a register of its own."""
        return all(
            extent == 1 or any(each.kind == "complete" and not each.reshapes for each in splits)
            for extent, splits in zip(self.kind.extents, self.by_dim, strict=True)
        )

    def counts(self) -> list[int]:
        """Banks per dim."""
        return [
            prod(extent if each.kind == "complete" else each.factor for each in splits if not each.reshapes)
            for extent, splits in zip(self.kind.extents, self.by_dim, strict=True)
        ]

    def words(self, dim: int, index: Affine) -> Affine:
        """The index in words of elements that a reshaped dim reads and writes together."""
        for split in self.by_dim[dim]:
            if split.reshapes:
                index = self._word(split, index, self.kind.extents[dim])
        return index

    def _word(self, split: Split, index: Affine, extent: int) -> Affine:
        if split.kind == "complete":
            return Affine(np.zeros_like(index.lanes))
        if split.kind == "block":
            size = -(-extent // split.factor)
            return Affine(index.lanes % size, () if all(f % size == 0 for _, f in index.terms) else index.terms)
        if any(factor % split.factor for _, factor in index.terms):
            return index
        terms = tuple((name, factor // split.factor) for name, factor in index.terms)
        return Affine(index.lanes // split.factor, terms)

    def banks(self, dim: int, index: Affine, ranges: Mapping[str, int]) -> Integers:
        """Per lane the banks of a dim that an index may reach, as rows of numbers."""
        found = np.zeros((len(index.lanes), 1), np.int64)
        for split in self.by_dim[dim]:
            if split.reshapes:
                index = self._word(split, index, self.kind.extents[dim])
                continue
            count = self.kind.extents[dim] if split.kind == "complete" else split.factor
            bank = self._bank(split, count, index, dim, ranges)
            found = (found[:, :, None] * count + bank[:, None, :]).reshape(len(index.lanes), -1)
        return found

    def _bank(self, split: Split, count: int, index: Affine, dim: int, ranges: Mapping[str, int]) -> Integers:
        if split.kind == "block":
            size = -(-self.kind.extents[dim] // split.factor)
            inside = [(name, factor) for name, factor in index.terms if factor % size]
            if sum(factor * (ranges.get(name, _FAR) - 1) for name, factor in inside) + max(index.lanes % size) >= size:
                return np.tile(np.arange(count), (len(index.lanes), 1))
            terms = tuple((name, factor // size) for name, factor in index.terms if factor % size == 0)
            index = Affine(index.lanes // size, terms)
        reached = np.array(sorted(_offsets(index.terms, count, ranges)), np.int64)
        return (index.lanes[:, None] + reached[None, :]) % count


def _offsets(terms: Sequence[tuple[str, int]], count: int, ranges: Mapping[str, int]) -> set[int]:
    """What counters may add to a bank's number."""
    found = {0}
    for name, factor in terms:
        if factor % count == 0:
            continue
        period = count // gcd(factor, count)
        steps = min(period, ranges.get(name, period))
        found = {(offset + factor * step) % count for offset in found for step in range(steps)}
    return found


def bank_accesses(iteration: Iteration, name: str) -> list[tuple[Guard, Integers]]:
    """Per access of an array its condition and how often it uses each bank.

    What the tool does to straight-line code is done first: an element is read once under a condition, and not at all
    where it has just been written; of two writes the first is dropped where the second always follows.
    """
    banks = ArrayBanks(
        iteration.code.type_of(name), iteration.code.splits.get(iteration.code.blocks.get(name, name), [])
    )
    counts = banks.counts()
    known: list[_Touched] = []
    for access in (each for each in iteration.accesses if each.name == name):
        touched = _touched(iteration, access, banks)
        for before in known:
            if before.form != touched.form:
                continue
            if not touched.writes and before.guard <= touched.guard:
                touched.places = {place: rows for place, rows in touched.places.items() if place not in before.places}
            elif touched.writes and before.writes and touched.guard <= before.guard:
                before.places = {place: rows for place, rows in before.places.items() if place not in touched.places}
        known.append(touched)
    return [
        (tuple(each.guard), _used([np.array(rows) for rows in zip(*each.places.values(), strict=True)], counts))
        for each in known
        if each.places
    ]


@dataclass
class _Touched:
    """The elements of an array that an access touches: the banks of each dim that it may reach, by place."""

    guard: frozenset[Literal]
    writes: bool
    form: tuple[tuple[tuple[str, int], ...], ...]
    places: dict[int, list[Integers]]


def _touched(iteration: Iteration, access: LoopAccess, banks: ArrayBanks) -> _Touched:
    indices = [iteration.affine(index, access.lanes) for index in access.indices]
    words = [banks.words(dim, index) for dim, index in enumerate(indices)]
    place = np.zeros(lane_count(access.lanes), np.int64)
    for word, extent in zip(words, banks.kind.extents, strict=True):
        place = place * (2 * extent) + word.lanes
    places, chosen = np.unique(place, return_index=True)
    reached = [banks.banks(dim, index, iteration.ranges)[chosen] for dim, index in enumerate(indices)]
    rows = [[each[number] for each in reached] for number in range(len(places))]
    return _Touched(
        frozenset(access.guard),
        access.writes,
        tuple(word.terms for word in words),
        dict(zip(places.tolist(), rows, strict=True)),
    )


def _used(reached: Sequence[Integers], counts: Sequence[int]) -> Integers:
    """How many accesses reach each bank."""
    used = np.zeros(prod(counts), np.int64)
    for offsets in product(*(range(each.shape[1]) for each in reached)):
        numbers = np.ravel_multi_index([each[:, at] for each, at in zip(reached, offsets, strict=True)], counts)
        used += np.bincount(numbers, minlength=len(used))
    return used
