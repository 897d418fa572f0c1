"""Lines of C++ with indentation: loops, pragmas, functions."""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

from sttest.compile.hls.folding import folded
from sttest.compile.ir.names import unique

_INDENT = "  "
MAX_COLUMNS = 120
_OF_TYPE = re.compile(r"<[^&]*>(?=&| \(&)")
"""The type that a stream in a parameter is of."""


@dataclass(frozen=True)
class CountedLoop:
    """A loop of a known number of iterations."""

    # label, variable: label and variable of the loop
    label: str
    variable: str
    trip: int  # iterations; the most there are where they vary
    bound: str = ""  # the size or, where they vary, the parameter that says how many
    least: int = 0  # iterations, where they vary
    is_literal: bool = False  # whether the text has the number itself, and no name for it

    @property
    def last(self) -> str:
        """The variable's value in the last iteration."""
        return str(self.trip - 1) if self.is_literal else f"{self.bound or self.label.upper()} - 1"


@dataclass(frozen=True)
class Constant:
    """A size or a type that a function has a name for."""

    kind: str  # ``int`` or ``class``
    name: str
    value: str


@dataclass(frozen=True)
class FunctionText:
    """A function's definition, without what its constants are."""

    name: str
    kind: str  # name that it shares with functions that differ in constants only; empty if it stands for itself
    comments: tuple[str, ...]
    parameters: tuple[str, ...]  # declarations
    constants: tuple[Constant, ...]
    body: tuple[str, ...]  # lines
    names: tuple[str, ...] = ()  # what it calls its values; others may call them otherwise


@dataclass
class CodeWriter:
    """Text that grows line by line."""

    # lines, depth: so far
    lines: list[str] = field(default_factory=list)
    depth: int = 0
    functions: list[FunctionText] = field(default_factory=list)
    layers: int = 1  # number of times that a process repeats its work for one token
    steps: int = 1  # number of tokens that a launch generates
    _around: list[CountedLoop] = field(default_factory=list)  # loops that the next nest begins with
    _pipelined: bool = False  # whether the present loop is, or lies in, a pipeline
    _labels: set[str] = field(default_factory=set)
    _constants: dict[str, Constant] = field(default_factory=dict)

    def size(self, name: str, number: int) -> str:
        """A number by a name that the function has for it."""
        self._constants[name] = Constant("int", name, str(number))
        return name

    def type(self, name: str, c_type: str) -> str:
        """A type by a name that the function has for it: the first that was asked for."""
        known = (each.name for each in self._constants.values() if (each.kind, each.value) == ("class", c_type))
        if (found := next(known, None)) is not None:
            return found
        self._constants[name] = Constant("class", name, c_type)
        return name

    def line(self, text: str = "") -> None:
        """One line at the present depth."""
        self.lines.append(f"{_INDENT * self.depth}{text}" if text else "")

    def comment(self, text: str) -> None:
        """One line of comment, whatever the text: it can't end the line, nor go on in the next."""
        safe = "".join(letter if letter.isprintable() and letter != "\\" else "?" for letter in text)
        self.line(f"// {safe}")

    def sentence(self, text: str) -> None:
        """A comment that may be long."""
        self.lines += textwrap.wrap(text, MAX_COLUMNS, initial_indent="// ", subsequent_indent="// ")

    def pragma(self, text: str) -> None:
        """A directive; it stands at the margin, as all preprocessor lines do."""
        self.lines.append(f"#pragma HLS {text}")

    def wrapped(self, head: str, items: Sequence[str], tail: str) -> None:
        """A list that may be long: on one line where it fits, else with a line break where one is full."""
        column = " " * (len(_INDENT) * self.depth + len(head))
        lines, current = [], f"{_INDENT * self.depth}{head}"
        for number, item in enumerate(items):
            piece = item + (tail if number == len(items) - 1 else ",")
            fits = len(current) + len(piece) + 1 <= MAX_COLUMNS
            if not fits and current.strip() != head:
                lines.append(current)
                current = column
            joint = "" if current.endswith(("(", " ")) or current == column else " "
            current += joint + piece
        self.lines += [*lines, current if items else current + tail]

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """``head {`` … ``}``."""
        self.line(f"{head} {{")
        with self.indented():
            yield

    def filled(self, words: Sequence[str]) -> None:
        """Words, as many on a line as fit."""
        current = _INDENT * self.depth
        for word in words:
            if current.strip() and len(current) + len(word) + 1 > MAX_COLUMNS:
                self.lines.append(current)
                current = _INDENT * (self.depth + 1)
            current += word if not current.strip() else f" {word}"
        self.lines.append(current)

    @contextmanager
    def indented(self) -> Iterator[None]:
        """The rest of a function whose head stands, and its end."""
        self.depth += 1
        yield
        self.depth -= 1
        self.line("}")

    @contextmanager
    def function(
        self,
        name: str,
        parameters: Sequence[str],
        kind: str = "",
        sizes: Sequence[tuple[str, int]] = (),
        names: Sequence[str] = (),
    ) -> Iterator[None]:
        """A function's definition, under the comments that were written last; labels and constants are its own.

        Args:
            name: name of the function.
            parameters: declarations.
            kind: name of all functions that differ from it in constants only; empty if it stands for itself.
            sizes: names and values of constants.
            names: names of its values.
        """
        comments, self.lines = self.lines, []
        self._labels.clear()
        self._constants.clear()
        for each in sizes:
            self.size(*each)
        self.depth += 1
        yield
        self.depth -= 1
        constants = tuple(self._constants.values())
        types = {f"<{each.value}>": f"<{each.name}>" for each in constants if each.kind == "class"}
        named = tuple(
            re.sub(r"<[^&]*>(?=&| \(&)", lambda found: types.get(found[0], found[0]), each) for each in parameters
        )
        self.functions.append(
            FunctionText(name, kind, tuple(comments), named, constants, tuple(folded(self.lines)), tuple(names))
        )
        self.lines = []

    @contextmanager
    def outside_layers(self) -> Iterator[None]:
        """What is written in it runs once per token, as if there were one layer."""
        layers, self.layers = self.layers, 1
        yield
        self.layers = layers

    @contextmanager
    def every_step(self) -> Iterator[None]:
        """The loop over the tokens of a launch, where there are several."""
        steps = [CountedLoop("steps", "step", self.steps, is_literal=True)] if self.steps > 1 else []
        with self.loops(steps, "loop_flatten off"):
            yield

    @contextmanager
    def every_layer(self) -> Iterator[None]:
        """The loop over layers, where there are several."""
        # What a layer waits for may be made of its last results: pipelines drain in between.
        with self.loops(self._layer_loops(), "loop_flatten off"):
            yield

    @contextmanager
    def every_layer_in_a_row(self) -> Iterator[None]:
        """The loop over layers becomes one with the next pipeline, which goes on without a pause."""
        self._around = self._layer_loops()
        yield
        self._around = []

    def _layer_loops(self) -> list[CountedLoop]:
        return [CountedLoop("layers", "layer", self.layers, is_literal=True)] if self.layers > 1 else []

    @contextmanager
    def loops(self, nest: Sequence[CountedLoop], *directives: str) -> Iterator[None]:
        """A perfect nest; the directives stand in the innermost loop.  Without loops nothing stands around the body."""
        nest, self._around = [*self._around, *nest], []
        with ExitStack() as stack:
            for loop in nest:
                stack.enter_context(self._loop(loop))
            for directive in directives if nest else ():
                self.pragma(directive)
            before = self._pipelined
            self._pipelined |= bool(nest) and any(each.startswith("pipeline II") for each in directives)
            yield
            self._pipelined = before

    @contextmanager
    def unrolled(self, nest: Sequence[CountedLoop]) -> Iterator[None]:
        """A nest whose every loop is unrolled; without loops nothing stands around the body.

        Loops in a pipeline are unrolled without a word (UG1399, "Pipelining Loops").
        """
        with ExitStack() as stack:
            for loop in nest:
                stack.enter_context(self._loop(replace(loop, is_literal=True)))
                if not self._pipelined:
                    self.pragma("unroll")
            yield

    @contextmanager
    def _loop(self, loop: CountedLoop) -> Iterator[None]:
        label = unique(loop.label, self._labels)
        bound = loop.bound or (loop.trip if loop.is_literal else self.size(label.upper(), loop.trip))
        with self.block(f"{label}: for (int {loop.variable} = 0; {loop.variable} < {bound}; ++{loop.variable})"):
            if loop.bound and loop.least:
                self.pragma(f"loop_tripcount min={loop.least} max={loop.trip}")
            yield

    @contextmanager
    def scope(self, conditions: Sequence[str] = ()) -> Iterator[None]:
        """``{`` … ``}``, entered if all conditions hold; no braces around a loop, nor around one statement."""
        head, start = f"if ({' && '.join(conditions)}) " if conditions else "", len(self.lines)
        self.line(f"{head}{{")
        self.depth += 1
        yield
        self.depth -= 1
        inside, outer, inner = self.lines[start + 1 :], _INDENT * self.depth, _INDENT * (self.depth + 1)
        joined = f"{outer}{head}{inside[0].strip()}" if len(inside) == 1 else ""
        opened = [line for line in inside if line.startswith(inner) and line[len(inner) :][0] not in " }"]
        if joined.endswith(";") and len(joined) <= MAX_COLUMNS and (head or "const " not in joined):
            self.lines[start:] = [joined]
        elif not head and len(opened) == 1 and opened[0] is inside[0] and opened[0].endswith("{"):
            self.lines[start:] = [line if line.startswith("#") else line.removeprefix(_INDENT) for line in inside]
        else:
            self.line("}")

    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines) + "\n"


def affine(terms: Sequence[tuple[str, int]], constant: int = 0) -> str:
    """A sum of variables with integer factors.

    >>> affine([("t0", 4), ("t1", 1), ("t2", 0)], 3), affine([("t0", 1)], -3)
    ('4 * t0 + t1 + 3', 't0 - 3')
    """
    parts = [variable if factor == 1 else f"{factor} * {variable}" for variable, factor in terms if factor]
    if parts and constant < 0:
        return f"{' + '.join(parts)} - {-constant}"
    return " + ".join([*parts, *([str(constant)] if constant or not parts else [])])


def weighted(terms: Sequence[tuple[str, int]]) -> str:
    """A sum of expressions with integer factors.

    >>> weighted([("2 * s0 + l0 / 8", 4), ("l1", 1)]), weighted([("0", 8)])
    ('4 * (2 * s0 + l0 / 8) + l1', '0')
    """
    parts = [
        (text if factor == 1 or re.fullmatch(r"\w+", text) else f"({text})", factor)
        for text, factor in terms
        if text != "0"
    ]
    return affine(parts)


def divided(terms: Sequence[tuple[str, int]], size: int, extents: Mapping[str, int]) -> tuple[str, str]:
    """Quotient and rest of a sum of variables with factors.

    >>> divided([("s0", 16), ("l0", 1)], 8, {"l0": 16})
    ('2 * s0 + l0 / 8', 'l0 % 8')
    >>> divided([("s0", 4), ("l0", 1)], 4, {"l0": 4})
    ('s0', 'l0')

    Args:
        terms: variables with their factors.
        size: divisor.
        extents: number of values of each variable, which start at 0.
    """
    whole = [(name, factor // size) for name, factor in terms if factor % size == 0]
    rest = [(name, factor) for name, factor in terms if factor % size]
    if sum(factor * (extents[name] - 1) for name, factor in rest) < size:
        return affine(whole), affine(rest)
    text = weighted([(affine(rest), 1)])
    inner = text if re.fullmatch(r"\w+", text) else f"({text})"
    return affine([*whole, (f"{inner} / {size}", 1)]), f"{inner} % {size}"


def literal(text: str) -> str:
    """A string literal of any text without line ends.

    >>> literal('a"b')
    '"a\\\\"b"'
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def counted(number: int, what: str) -> str:
    """A number of things, as text.

    >>> counted(1, "word"), counted(4, "word")
    ('1 word', '4 words')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def named_loops(label: str, variable: str, trips: Sequence[int], first: int = 0) -> list[CountedLoop]:
    """One loop per trip count above 1, numbered by position: ``tiles_0``, ``tiles_1`` … over ``t0``, ``t1`` …."""
    return [
        CountedLoop(f"{label}_{position}", f"{variable}{position}", trip)
        for position, trip in enumerate(trips, start=first)
        if trip > 1
    ]
