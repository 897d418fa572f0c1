"""Emitted HLS C++ as functions of loops, branches and statements.

Only what compilers emit is understood: one statement, declaration or pragma per line, counted loops from 0 in steps
of 1, and arrays of constant shape.  Everything else is skipped, so counts taken from it are checked against the rows
that they describe.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, prod
from typing import TypeAlias

_COMMENT = re.compile(r"//.*")
_FUNCTION = re.compile(r"void (\w+)\($")
_FOR = re.compile(r"(?:\w+: )?for \(int (\w+) = 0; \w+ < (\d+); \w+(?:\+\+| \+= 1)\) \{$")
_IF = re.compile(r"if \((.*)\) \{$")
_ARRAY = re.compile(r"(?:hls::stream<(\w+)>|(\w+(?:<\d+>)?)) [&*]?(\w+)((?:\[\d+\])*)[,;]?$")
_PARTITION = re.compile(
    r"array_partition variable=(\w+) (?:(cyclic|block)(?: dim=(\d+))? factor=(\d+)(?: dim=(\d+))?|complete dim=(\d+))"
)
_STREAM = re.compile(r"stream variable=(\w+) depth=(\d+)")
_STORAGE = re.compile(r"bind_storage variable=(\w+) type=\w+ impl=(\w+)")
_BITS = {"int8_t": 8, "int16_t": 16, "int32_t": 32, "int": 32, "float": 32, "double": 64, "bool": 1}


@dataclass
class Array:
    """An array or a FIFO, or as many of them as it is cut into.

    Attributes:
        bits: of an element.
        shape: empty where it is a single value.
        factors: banks per dim, by its number from 1.
        depth: words of the FIFO that it is streamed through; 0 where it is a memory.
        impl: what the source asks for: ``bram``, ``lutram`` or nothing.
    """

    bits: int
    shape: tuple[int, ...] = ()
    factors: dict[int, int] = field(default_factory=dict)
    depth: int = 0
    impl: str = ""

    @property
    def banks(self) -> int:
        """Memories or FIFOs that it is."""
        return prod(self.factors.values())

    @property
    def words(self) -> int:
        """Of a bank."""
        return ceil(prod(self.shape) / self.banks)


@dataclass
class Loop:
    """A counted loop; ``pipelined`` where the source asks for it."""

    variable: str
    trip: int
    pipelined: bool = False
    body: list[Item] = field(default_factory=list)


@dataclass
class Branch:
    """Statements under a condition."""

    condition: str
    body: list[Item] = field(default_factory=list)


Item: TypeAlias = Loop | Branch | str


@dataclass
class Function:
    """A function with the arrays it is given and those it has."""

    arguments: tuple[str, ...] = ()
    arrays: dict[str, Array] = field(default_factory=dict)
    body: list[Item] = field(default_factory=list)

    @property
    def own(self) -> Mapping[str, Array]:
        """The arrays that are not arguments."""
        return {name: array for name, array in self.arrays.items() if name not in self.arguments}


def functions_of(text: str) -> dict[str, Function]:
    """All functions of a source by name; arguments are as the calls in its last function have them."""
    lines = iter([line for raw in text.splitlines() if (line := _COMMENT.sub("", raw).strip())])
    found: dict[str, Function] = {}
    for line in lines:
        if match := _FUNCTION.match(line):
            found[match[1]] = _function(lines)
    if found:
        _tell_arguments(found, next(reversed(found.values())))
    return found


def _function(lines: Iterator[str]) -> Function:
    function = Function()
    for line in lines:
        if line.startswith(")"):
            break
        _declare(function, line)
    function.arguments = tuple(function.arrays)
    _fill(function, function.body, None, lines)
    return function


def _fill(function: Function, body: list[Item], loop: Loop | None, lines: Iterator[str]) -> None:
    """Reads lines into ``body`` up to the brace that closes it."""
    for line in lines:
        if line == "}":
            return
        if match := _FOR.match(line):
            inner = Loop(match[1], int(match[2]))
            body.append(inner)
            _fill(function, inner.body, inner, lines)
        elif match := _IF.match(line):
            branch = Branch(match[1])
            body.append(branch)
            _fill(function, branch.body, loop, lines)
        elif line.startswith("#pragma HLS"):
            _direct(function, line, loop)
        elif not _declare(function, line):
            body.append(line)


def _declare(function: Function, line: str) -> bool:
    match = _ARRAY.match(line)
    if match is None or (bits := _bits(match[1] or match[2])) is None:
        return False
    shape = tuple(map(int, re.findall(r"\d+", match[4])))
    array = Array(bits, shape)
    if match[1]:
        # An array of FIFOs.
        array.depth, array.factors = 2, dict(enumerate(shape, 1))
    function.arrays[match[3]] = array
    return True


def _bits(type_name: str) -> int | None:
    if match := re.fullmatch(r"ap_u?int<(\d+)>", type_name):
        return int(match[1])
    return _BITS.get(type_name)


def _direct(function: Function, line: str, loop: Loop | None) -> None:
    if loop is not None and "HLS pipeline" in line:
        loop.pipelined = True
    arrays = function.arrays
    if (match := _PARTITION.search(line)) and match[1] in arrays:
        array = arrays[match[1]]
        dim = int(match[3] or match[5] or match[6])
        if match[2]:
            array.factors[dim] = int(match[4])
        else:
            array.factors.update({at: size for at, size in enumerate(array.shape, 1) if dim in (0, at)})
    if (match := _STREAM.search(line)) and match[1] in arrays:
        arrays[match[1]].depth = int(match[2])
    if (match := _STORAGE.search(line)) and match[1] in arrays:
        arrays[match[1]].impl = match[2]


def _tell_arguments(functions: Mapping[str, Function], caller: Function) -> None:
    """Whether an argument is streamed, and its banks, stand where the array is declared: with the caller."""
    for name, given in _calls(caller.body):
        if name not in functions:
            continue
        function = functions[name]
        for own, theirs in zip(function.arguments, given, strict=False):
            if (array := caller.arrays.get(theirs)) is not None and array.shape:
                known = function.arrays[own]
                known.depth, known.factors, known.impl = array.depth, array.factors | known.factors, array.impl


def _calls(body: Sequence[Item]) -> Iterator[tuple[str, list[str]]]:
    for item in body:
        if isinstance(item, str) and (match := re.match(r"(\w+)\((.*)\);$", item)):
            yield match[1], [each.strip() for each in match[2].split(",")]
