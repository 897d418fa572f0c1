"""Lines of a dataflow region: where its streams are declared, its tasks called, and each first access made."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

from sttest.importers.hls.cpp_model import (
    Assign,
    Call,
    CallStatement,
    Expr,
    If,
    Item,
    Op,
    Return,
    Statement,
    VariableName,
    in_order,
    names_of,
)
from sttest.importers.hls.region import DataflowRegion, RegionTask, StreamVariable
from sttest.importers.hls.reports import SynthesisReports
from sttest.importers.hls.source import declared_name, line_of
from sttest.importers.hls.tasks import TaskReader, modules_of
from sttest.importers.places import Access, DesignPlaces, Place

_METHODS = {".read": "read", ".write": "write"}


class _Naming(NamedTuple):
    """How a format calls what it reads."""

    process: Callable[[int, RegionTask], str]
    stream: Callable[[StreamVariable, int], str]


def region_places(
    region: DataflowRegion, reports: SynthesisReports, process: Callable[[int, RegionTask], str],
    stream: Callable[[StreamVariable, int], str],
) -> DesignPlaces:  # fmt: skip
    """Where the parts of a region stand.

    Args:
        region: the region.
        reports: of its synthesis.
        process: what the process of a task, with its number, is called.
        stream: what stream number ``place`` of a variable is called.

    Raises:
        InputError: a task without a report.
    """
    naming = _Naming(process, stream)
    fifos = {
        stream(each, number): _at(region, each.line)
        for each in region.streams.values() for number in range(each.count)
    }  # fmt: skip
    processes, accesses = dict[str, Place](), dict[Access, Place]()
    arrays = {name: _at(region, line) for name, line in _declared(region) if name in region.arrays}
    readers = [TaskReader(region, task, reports, module) for task, module in modules_of(region.tasks, reports)]
    turns = {f"{array}.{each.task.name}": array for array, each in product(arrays, readers)}
    for number, reader in enumerate(readers):
        name = process(number, reader.task)
        processes[name] = _at(region, reader.task.line)
        for op, fifo, line in _accesses(region, reader, naming, turns):
            accesses.setdefault((name, op, fifo), _at(region, line))
    for turn, array in turns.items():
        fifos |= dict.fromkeys((f"{turn}.full", f"{turn}.empty"), arrays[array])
    return DesignPlaces(fifos, processes, accesses)


def _at(region: DataflowRegion, line: int) -> Place:
    return Place(*region.source.place(line))


def _declared(region: DataflowRegion) -> Iterator[tuple[str, int]]:
    for node in region.node.body.named_children:
        if node.type == "declaration":
            yield from ((declared_name(each), line_of(each)) for each in node.children_by_field_name("declarator"))


def _accesses(
    region: DataflowRegion, reader: TaskReader, naming: _Naming, turns: dict[str, str]
) -> Iterator[tuple[str, str, int]]:
    """Operation, FIFO and line of what a task's statements do with its streams and with arrays that it shares."""
    for statement in in_order(reader.code.body):
        for variable, op in _streams(statement):
            given = reader.given.get(variable)
            if given is not None:
                for number in range(given.variable.count):
                    yield op, naming.stream(given.variable, number), statement.line
        used = {reader.arrays[name] for name in names_of(statement) if name in reader.arrays}
        for turn, array in turns.items():
            # Both ends take a turn and give it back.
            if array in used:
                yield from (
                    (op, f"{turn}.{end}", statement.line) for op in ("read", "write") for end in ("full", "empty")
                )


def _streams(statement: Statement) -> Iterator[tuple[str, str]]:
    """Variables of streams that a statement itself accesses, and how."""
    match statement:
        case Assign(target, value):
            yield from (*_of(target), *_of(value))
        case CallStatement(value) | Return(value) | If(value):
            yield from _of(value)
        case _:
            pass


def _of(expr: Expr) -> Iterator[tuple[str, str]]:
    match expr:
        case Call(name, args):
            if name in _METHODS and args:
                yield _variable(args[0]), _METHODS[name]
            for each in args:
                yield from _of(each)
        case Op(_, args):
            for each in args:
                yield from _of(each)
        case Item(base, place):
            yield from _of(base)
            yield from _of(place)
        case _:
            pass


def _variable(expr: Expr) -> str:
    while isinstance(expr, Item):
        expr = expr.base
    return expr.name if isinstance(expr, VariableName) else ""
