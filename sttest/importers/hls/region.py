"""The dataflow region of a C++ file for Vitis HLS: its streams with their depths, and its tasks with what they access.

Rules (UG1399 2024.1, "pragma HLS dataflow" and "pragma HLS stream"): each call in the region is a task, and so is each
loop; a stream that no ``stream`` pragma and no template argument sizes is 2 deep.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import prod

from tree_sitter import Node

from sttest.core.errors import InputError, did_you_mean
from sttest.importers.hls.cpp_model import (
    Assign,
    Call,
    CallStatement,
    CppFile,
    CppFunction,
    CppType,
    Expr,
    For,
    Item,
    Num,
    Statement,
    VariableName,
    in_order,
    is_stream,
    names_of,
    split_arguments,
)
from sttest.importers.hls.project import SourceText
from sttest.importers.hls.source import Directive, FunctionSource, MissingPartError, declared_name, line_of, text_of
from sttest.sim import Fifo

DEFAULT_DEPTH = 2
"""Tokens: of a stream whose depth nothing says."""
TOKEN_BITS = 32
"""Of a token whose type is not known."""
MOST_STREAMS = 16_384
"""Single streams of one declaration."""
_WHOLE = re.compile(r"\d{1,9}")


@dataclass(frozen=True)
class StreamVariable:
    """A declared stream, or an array of them."""

    name: str
    extents: tuple[int, ...]  # of the array, outermost first; none for a single stream
    bits: int  # of a token; 0 where its type is not known
    depth: int
    first: int  # place of its first stream among all of the region
    line: int  # where its declaration begins
    last_line: int  # where it ends
    pragma_line: int  # where a pragma says its depth; 0 where none does
    is_template_depth: bool  # whether its type says its depth

    @property
    def count(self) -> int:
        """Single streams."""
        return prod(self.extents)

    def element_name(self, place: int) -> str:
        """How its stream number ``place`` is written, such as ``v48[3][1]``."""
        indices: list[int] = []
        for extent in reversed(self.extents):
            place, index = divmod(place, extent)
            indices.insert(0, index)
        return self.name + "".join(f"[{index}]" for index in indices)


@dataclass(frozen=True)
class StreamsGiven:
    """Streams that a task is given: of ``variable`` those from ``offset`` on, an array of ``extents``."""

    variable: StreamVariable
    offset: int
    extents: tuple[int, ...]


@dataclass(frozen=True)
class RegionTask:
    """A call of the region, or loops in it."""

    name: str  # of the function, or the label of the first loop
    call: Call | None
    loops: tuple[For, ...]
    line: int


@contextmanager
def reading_cpp(where: str) -> Iterator[None]:
    """Turns what deeply nested C++ or numbers beyond 64 bits raise into errors about the file."""
    try:
        yield
    except RecursionError as error:
        raise InputError("cpp-nesting", "its C++ is nested too deeply, or calls itself", where=where) from error
    except MissingPartError as error:
        raise InputError("bad-cpp", f"its C++ is not whole: {error}", where=where) from error
    except (OverflowError, ValueError) as error:  # such as of 5,000 digits
        raise InputError("bad-cpp", f"a number or a name that is none ({error})", where=where) from error


class DataflowRegion:
    """The function that is the design.

    Args:
        source: C++.
        top: name of the function; empty for the one with a ``dataflow`` pragma.
        preferred: name of the function to take where several have such a pragma.

    Raises:
        InputError: no such function, or several.
    """

    def __init__(self, source: SourceText, top: str = "", preferred: str = "") -> None:
        self.source = source
        self.where = source.files[-1][0].name
        self.file = CppFile(source.text)
        self.node = self._top(top, preferred)
        self.code = self.file.function(self.node.name) or CppFunction(self.node.name)

    def locate(self, line: int) -> str:
        """File and line number of a line, for people."""
        path, number = self.source.place(line)
        return f"{path.name} line {number}"

    @property
    def name(self) -> str:
        """Of the function."""
        return self.node.name

    @cached_property
    def streams(self) -> dict[str, StreamVariable]:
        """Its streams by variable, in the order of their declarations."""
        pragmas = self._stream_pragmas()
        found: dict[str, StreamVariable] = {}
        first = 0
        for node in self.node.body.named_children:
            if node.type != "declaration":
                continue
            for declarator in node.children_by_field_name("declarator"):
                variable = self._stream(node, declared_name(declarator), first, pragmas)
                if variable is not None:
                    found[variable.name] = variable
                    first += variable.count
        return found

    @cached_property
    def arrays(self) -> dict[str, CppType]:
        """Arrays of its own: where one task fills and another reads one, it is a buffer between them."""
        own = {each.name for each in self.code.parameters}
        return {
            name: kind for name, kind in self.code.types.items()
            if kind.kind == "array" and name not in own and name not in self.streams
        }  # fmt: skip

    @cached_property
    def tasks(self) -> list[RegionTask]:
        """Its tasks, in the order of the text."""
        return list(self._tasks(self.code.body))

    def fifos(self, name: Callable[[StreamVariable, int], str]) -> list[Fifo]:
        """Its streams as FIFOs, in order.

        Args:
            name: what stream number ``place`` of a variable is to be called.
        """
        return [
            Fifo(name(stream, place), stream.depth, stream.bits or TOKEN_BITS)
            for stream in self.streams.values() for place in range(stream.count)
        ]  # fmt: skip

    def given(self, argument: Expr) -> StreamsGiven | None:
        """What an argument of a call names, if that is a stream of the region."""
        indices: list[int] = []
        while isinstance(argument, Item):
            if not isinstance(argument.place, Num):
                raise self._refused("an index of a stream in the region is not a number")
            indices.insert(0, int(argument.place.value))
            argument = argument.base
        variable = self.streams.get(argument.name) if isinstance(argument, VariableName) else None
        if variable is None:
            return None
        return StreamsGiven(variable, *self.element(variable.extents, indices, variable.name))

    def given_whole(self, variable: StreamVariable) -> StreamsGiven:
        """All streams of a variable."""
        return StreamsGiven(variable, 0, variable.extents)

    def element(self, extents: tuple[int, ...], indices: list[int], name: str) -> tuple[int, tuple[int, ...]]:
        """The place of an element, or of the first of a part, and the extents of that part.

        Raises:
            InputError: an index outside of the array.
        """
        if len(indices) > len(extents):
            raise self._refused(f"'{name:.80}' has more indices than dimensions")
        place = 0
        for index, extent in zip(indices, extents, strict=False):
            if not 0 <= index < extent:
                raise self._refused(f"'{name:.80}' has index {index} where there are {extent}")
            place = place * extent + index
        rest = extents[len(indices) :]
        return place * prod(rest), rest

    # --- The function

    def _top(self, wanted: str, preferred: str) -> FunctionSource:
        functions = self.file.source.functions
        if wanted:
            if wanted not in functions:
                hints = [did_you_mean(wanted, functions)] if functions else []
                raise InputError("no-top", f"no function '{wanted:.80}'", where=self.where, hints=hints)
            return functions[wanted]
        found = [each for each in functions.values() if self._is_region(each)]
        chosen = [each for each in found if each.name == preferred] or found
        if len(chosen) != 1:
            named = ", ".join(each.name for each in found)
            what = "no function has a dataflow pragma" if not found else f"several have a dataflow pragma: {named}"
            raise InputError("no-top", what, where=self.where, hints=["name the design's function with --top"])
        return chosen[0]

    def _is_region(self, function: FunctionSource) -> bool:
        return bool(self.file.source.directives_in(function.body, "dataflow"))

    # --- Streams

    def _stream_pragmas(self) -> Mapping[str, Directive]:
        found = self.file.source.directives_in(self.node.body, "stream")
        return {each.options.get("variable", ""): each for each in found}

    def _stream(self, node: Node, name: str, first: int, pragmas: Mapping[str, Directive]) -> StreamVariable | None:
        kind = self.code.types.get(name)
        if kind is None or not is_stream(kind):
            return None
        pragma, in_type = pragmas.get(name), _depth_in_type(text_of(node.child_by_field_name("type")))
        told = pragma.options.get("depth", "") if pragma is not None else in_type
        depth = int(told) if _WHOLE.fullmatch(told) else self.file.number(told)
        extents = kind.extents if kind.kind == "array" else ()
        if not 1 <= prod(extents) <= MOST_STREAMS:
            raise self._refused(f"'{name:.80}' is {prod(extents)} streams, 1 to {MOST_STREAMS} are possible")
        return StreamVariable(
            name, extents, kind.bits, depth or DEFAULT_DEPTH, first, line_of(node), node.end_point[0] + 1,
            line_of(pragma.node) if pragma is not None else 0, bool(in_type),
        )  # fmt: skip

    # --- Tasks

    def _tasks(self, statements: tuple[Statement, ...]) -> Iterator[RegionTask]:
        for each in statements:
            call = each.call if isinstance(each, CallStatement) else each.value if isinstance(each, Assign) else None
            if isinstance(call, Call) and call.name in self.file.source.functions:
                yield self._task(call, each.line)
            elif isinstance(each, For):
                label = each.label or f"VITIS_LOOP_{self.source.place(each.line)[1]}"
                yield RegionTask(label, None, (each,), each.line)
            elif names := [name for name in _names(each) if name in self.streams]:
                what = f"stream '{names[0]:.80}' is used by what is no call of a function in its files and no loop"
                hints = ["give all source files of the design"]
                raise InputError("unknown-task", what, where=self.locate(each.line), hints=hints)

    def _task(self, call: Call, line: int) -> RegionTask:
        if self._is_region(self.file.source.functions[call.name]):
            what = f"task '{call.name}' is a dataflow region itself, which is not read"
            hints = [f"take it alone with --top {call.name}"]
            raise InputError("nested-region", what, where=self.locate(line), hints=hints)
        return RegionTask(call.name, call, (), line)

    def _refused(self, what: str) -> InputError:
        return InputError("bad-cpp", what, where=self.where)


def _depth_in_type(written: str) -> str:
    """The second argument of ``hls::stream<T, DEPTH>``; empty without one."""
    inner = written.partition("<")[2].rpartition(">")[0]
    arguments = split_arguments(inner) if "stream" in written.partition("<")[0] else []
    return arguments[1] if len(arguments) > 1 else ""


def _names(statement: Statement) -> Iterator[str]:
    """Variables that a statement, or one inside of it, uses; a declaration with a name for debugging uses none."""
    for each in in_order((statement,)):
        if isinstance(each, Assign) and isinstance(each.value, Call) and each.value.name == "argument_list":
            continue
        yield from names_of(each)
