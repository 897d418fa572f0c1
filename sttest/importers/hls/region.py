"""The dataflow region of a C++ file for Vitis HLS: its streams with their depths, and its tasks with what they access.

Rules (UG1399 2024.1, "pragma HLS dataflow" and "pragma HLS stream"): each call in the region is a task, and so is each
loop; a stream that no ``stream`` pragma and no template argument sizes is 2 deep.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

from tree_sitter import Node

from sttest.core.errors import InputError, did_you_mean
from sttest.importers.hls.cpp_model import (
    Call,
    CppFile,
    CppFunction,
    CppType,
    Expr,
    For,
    Item,
    Name,
    Num,
    Run,
    Statement,
)
from sttest.importers.hls.source import Directive, Function, declared_name, enclosing, line_of, text_of

DEFAULT_DEPTH = 2
"""Tokens: of a stream whose depth nothing says."""
MOST_STREAMS = 16_384
"""Single streams of one declaration."""
_DEPTH = re.compile(r"hls::stream\s*<.*,\s*(\w+)\s*>$", re.DOTALL)
_WHOLE = re.compile(r"\d{1,9}")


@dataclass(frozen=True)
class StreamVariable:
    """A declared stream, or an array of them."""

    name: str
    extents: tuple[int, ...]  # of the array, outermost first; none for a single stream
    bits: int  # of a token; 0 where its type is not known
    depth: int
    first: int  # place of its first stream among all of the region
    line: int  # where it is declared
    pragma_line: int  # where its depth is said by a pragma; 0 where it is not

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
class Task:
    """A call of the region, or loops in it."""

    name: str  # of the function, or the label of the first loop
    call: Call | None
    loops: tuple[For, ...]
    line: int


class DataflowRegion:
    """The function that is the design.

    Args:
        text: C++.
        where: name of the file, in errors.
        top: name of the function; empty for the one with a ``dataflow`` pragma.

    Raises:
        InputError: no such function, or several.
    """

    def __init__(self, text: str, where: str, top: str = "") -> None:
        self.where = where
        self.file = CppFile(text)
        self.node = self._top(top)
        self.code = self.file.function(self.node.name) or CppFunction(self.node.name)

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
    def ports(self) -> dict[str, CppType]:
        """Parameters of the function that are streams or arrays of them."""
        return {each.name: each.type for each in self.code.parameters if _is_stream(each.type)}

    @cached_property
    def arrays(self) -> dict[str, CppType]:
        """Arrays of its own: where one task fills and another reads one, it is a buffer between them."""
        own = {each.name for each in self.code.parameters}
        return {
            name: kind for name, kind in self.code.types.items()
            if kind.kind == "array" and name not in own and name not in self.streams
        }  # fmt: skip

    @cached_property
    def tasks(self) -> list[Task]:
        """Its tasks, in the order of the text."""
        return list(self._tasks(self.code.body))

    def given(self, argument: Expr) -> StreamsGiven | None:
        """What an argument of a call names, if that is a stream of the region."""
        indices: list[int] = []
        while isinstance(argument, Item):
            if not isinstance(argument.place, Num):
                raise self._refused("an index of a stream in the region is not a number")
            indices.insert(0, int(argument.place.value))
            argument = argument.base
        variable = self.streams.get(argument.name) if isinstance(argument, Name) else None
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

    def _top(self, wanted: str) -> Function:
        functions = self.file.source.functions
        if wanted:
            if wanted not in functions:
                hints = [did_you_mean(wanted, functions)] if functions else []
                raise InputError("no-top", f"no function '{wanted:.80}'", where=self.where, hints=hints)
            return functions[wanted]
        regions = [each for each in self.file.source.directives if each.name == "dataflow"]
        around = [enclosing(each.node, "function_definition") for each in regions]
        found = [each for each in functions.values() if each.node in around]
        if len(found) != 1:
            named = ", ".join(each.name for each in found)
            what = (
                f"several functions with a dataflow pragma, {named}" if found else "no function with a dataflow pragma"
            )
            raise InputError("no-top", what, where=self.where, hints=["name the design's function with --top"])
        return found[0]

    # --- Streams

    def _stream_pragmas(self) -> Mapping[str, Directive]:
        return {
            each.options.get("variable", ""): each for each in self.file.source.directives_in(self.node.body, "stream")
        }

    def _stream(self, node: Node, name: str, first: int, pragmas: Mapping[str, Directive]) -> StreamVariable | None:
        kind = self.code.types.get(name)
        if kind is None or not _is_stream(kind):
            return None
        pragma, written = pragmas.get(name), text_of(node.child_by_field_name("type"))
        told = _DEPTH.search(written)
        depth_text = pragma.options.get("depth", "") if pragma is not None else told[1] if told is not None else ""
        depth = int(depth_text) if _WHOLE.fullmatch(depth_text) else self.file.number(depth_text)
        extents = kind.extents if kind.kind == "array" else ()
        if not 1 <= prod(extents) <= MOST_STREAMS:
            raise self._refused(f"'{name:.80}' is {prod(extents)} streams, 1 to {MOST_STREAMS} are possible")
        return StreamVariable(
            name, extents, kind.bits, depth or DEFAULT_DEPTH, first, line_of(node),
            line_of(pragma.node) if pragma is not None else 0,
        )  # fmt: skip

    def _tasks(self, statements: tuple[Statement, ...]) -> Iterator[Task]:
        for each in statements:
            if isinstance(each, Run) and each.call.name in self.file.source.functions:
                yield Task(each.call.name, each.call, (), each.line)
            elif isinstance(each, For):
                yield Task(each.label or f"VITIS_LOOP_{each.line}", None, (each,), each.line)

    def _refused(self, what: str) -> InputError:
        return InputError("bad-cpp", what, where=self.where)


def _is_stream(kind: CppType) -> bool:
    return kind.kind == "stream" or (
        kind.kind == "array" and kind.element is not None and kind.element.kind == "stream"
    )
