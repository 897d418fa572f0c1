"""What Vitis HLS makes of a function's loops, and what each does in an iteration.

The rules are those of AMD UG1399: the innermost loop is pipelined where nothing is asked for, together with loops in
it of fewer than 64 iterations, which are unrolled (``config_compile -pipeline_loops``); everything in a pipelined
loop is unrolled; loops around it that hold nothing but it become one loop with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from experiments.synthesis_sources.source import Branch, Function, Item, Loop

UNROLLED_BELOW = 64
_ACCESS = re.compile(r"(\w+)((?:\[[^\[\]]*\])+)")
_STREAMED = re.compile(r"(\w+)((?:\[[^\[\]]*\])*)\.(read|write)\(")
_OPERATIONS = {
    "products": re.compile(r"^(?!.*double).*[\w)] \* [\w(]"),
    "double_products": re.compile(r"\bdouble\b.* \* "),
    # Of variables: by constants is shifts, or nothing where the source divides by one that is not an int8; of
    # constants is in floating point, whose areas no report has.
    "quotients": re.compile(r"[a-zA-Z]\w* / [a-zA-Z]"),
    "sums": re.compile(r"[\w)] \+ [\w(]"),
    "differences": re.compile(r"[\w)] - [\w(]"),
    "comparisons": re.compile(r" (?:<=|>=|<|>|==) "),
    "choices": re.compile(r" \? |\bmax\("),
}
OPERATIONS = tuple(_OPERATIONS)
_INDEX = "int "  # Values are narrower integers or floating point.


@dataclass
class Pipelined:
    """A pipelined loop.

    Attributes:
        process: number of the function's outermost loop that it lies in.
        trips: of the nest that becomes one loop, outermost first, without loops of one iteration.
        operations: of an iteration, by kind.
        reads, writes: accesses of an iteration, by array.
    """

    process: int
    trips: tuple[int, ...]
    operations: Counter[str] = field(default_factory=Counter)
    reads: Counter[str] = field(default_factory=Counter)
    writes: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Around:
    """Loops of a process that do not become one with a pipelined loop in them: states count their iterations."""

    process: int
    trips: tuple[int, ...]


def loops_of(function: Function) -> tuple[list[Pipelined], list[Around]]:
    """The pipelined loops of a function, and what loops are around them."""
    pipelined, around = [], []
    processes = [item for item in function.body if isinstance(item, Loop)]
    for number, process in enumerate(processes):
        left: dict[str, int] = {}
        for outer, loop in _pipelines(process, ()):
            nest = _flattened(outer)
            pipelined.append(_described(function, number, [*nest, loop]))
            left |= {each.variable: each.trip for each in outer[: len(outer) - len(nest)]}
        if trips := _counted(left.values()):
            around.append(Around(number, trips))
    _forward(function, pipelined, processes)
    return pipelined, around


def _pipelines(loop: Loop, outer: tuple[Loop, ...]) -> Iterator[tuple[tuple[Loop, ...], Loop]]:
    inner = list(_inner(loop.body))
    if loop.pipelined or not (any(map(_is_asked, inner)) or _unrolled(inner) >= UNROLLED_BELOW):
        yield outer, loop
        return
    for each in inner:
        yield from _pipelines(each, (*outer, loop))


def _inner(body: Sequence[Item]) -> Iterator[Loop]:
    for item in body:
        if isinstance(item, Loop):
            yield item
        elif isinstance(item, Branch):
            yield from _inner(item.body)


def _is_asked(loop: Loop) -> bool:
    return loop.pipelined or any(map(_is_asked, _inner(loop.body)))


def _unrolled(loops: Sequence[Loop]) -> int:
    """Copies of the innermost statement if all of these are unrolled."""
    return max((loop.trip * _unrolled([*_inner(loop.body)]) for loop in loops), default=1)


def _flattened(outer: Sequence[Loop]) -> list[Loop]:
    """The innermost of these loops, as far as each holds one loop and no branch."""
    nest: list[Loop] = []
    for loop in reversed(outer):
        loops = sum(isinstance(item, Loop) for item in loop.body)
        if loops != 1 or any(isinstance(item, Branch) for item in loop.body):
            break
        nest.insert(0, loop)
    return nest


def _counted(trips: Iterable[int]) -> tuple[int, ...]:
    return tuple(trip for trip in trips if trip > 1)


def _described(function: Function, process: int, nest: Sequence[Loop]) -> Pipelined:
    found = Pipelined(process, _counted([loop.trip for loop in nest]) or (1,))
    seen: set[tuple[str, str, bool]] = set()
    around = [item for loop in nest[:-1] for item in loop.body if isinstance(item, str)]
    for text, unrolled, _ in _statements([*around, *nest[-1].body], (), ()):
        target, _, value = text.partition(" = ")
        copies = prod(loop.trip for loop in unrolled)
        if not target.startswith(_INDEX):
            found.operations.update(dict.fromkeys(_operations(value), copies))
        for array, place, written in _accesses(function, text, target):
            if (array, place, written) in seen:
                continue
            seen.add((array, place, written))
            copies = prod(loop.trip for loop in unrolled if re.search(rf"\b{loop.variable}\b", place))
            (found.writes if written else found.reads)[array] += copies
    return found


def _statements(
    body: Sequence[Item], unrolled: tuple[Loop, ...], conditions: tuple[str, ...]
) -> Iterator[tuple[str, tuple[Loop, ...], tuple[str, ...]]]:
    """Statements with the loops inside of the pipelined one that they stand in, and under what."""
    for item in body:
        if isinstance(item, str):
            yield item, unrolled, conditions
        elif isinstance(item, Loop):
            yield from _statements(item.body, (*unrolled, item), conditions)
        else:
            yield from _statements(item.body, unrolled, (*conditions, item.condition))


def _operations(value: str) -> list[str]:
    """Of a right-hand side, its indices aside."""
    plain = _ACCESS.sub("x", value)
    return [name for name, pattern in _OPERATIONS.items() if pattern.search(plain)]


def _accesses(function: Function, text: str, target: str) -> Iterator[tuple[str, str, bool]]:
    """Array, index and whether it is written, for each access of a statement."""
    streamed = [(match[1], match[2], match[3] == "write") for match in _STREAMED.finditer(text)]
    yield from (each for each in streamed if each[0] in function.arrays)
    if streamed:
        return
    for match in _ACCESS.finditer(text):
        if match[1] in function.arrays and function.arrays[match[1]].shape:
            yield match[1], match[2], " = " in text and match.start() < len(target)


def _forward(function: Function, pipelined: Sequence[Pipelined], processes: Sequence[Loop]) -> None:
    """Drops arrays of which each element is used only in the iteration that writes it: the value needs no memory."""
    fixed = {loop.variable for loop in _all_loops(processes) if loop.trip == 1}
    statements = [*_statements(function.body, (), ())]
    for name, array in [*function.own.items()]:
        if array.depth or not array.shape or not _is_passed_on(function, name, statements, fixed):
            continue
        del function.arrays[name]
        for loop in pipelined:
            loop.reads.pop(name, None)
            loop.writes.pop(name, None)


def _all_loops(loops: Sequence[Loop]) -> Iterator[Loop]:
    for loop in loops:
        yield loop
        yield from _all_loops([*_inner(loop.body)])


def _is_passed_on(
    function: Function, name: str, statements: Sequence[tuple[str, tuple[Loop, ...], tuple[str, ...]]], fixed: set[str]
) -> bool:
    """Whether the first access writes, under no condition but on loops of one iteration, what all others use."""
    places: list[tuple[str, bool, tuple[str, ...]]] = []
    for text, _, conditions in statements:
        target = text.partition(" = ")[0]
        places += [
            (place, written, conditions) for array, place, written in _accesses(function, text, target) if array == name
        ]
    if not places:
        return False
    first, written, conditions = places[0]
    always = all(set(re.findall(r"[a-zA-Z]\w*", condition)) <= fixed for condition in conditions)
    return written and always and all(place == first for place, _, _ in places)
