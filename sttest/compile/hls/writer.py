"""Builds functions of C++ statement by statement: loops, directives, conditions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import TypeVar

from sttest.compile.hls import tree
from sttest.compile.ir.names import unique

_Turn = TypeVar("_Turn")


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


@dataclass
class CodeWriter:
    """A tree that grows statement by statement."""

    functions: list[tree.Function] = field(default_factory=list)
    layers: int = 1  # number of times that a process repeats its work for one token
    steps: int = 1  # number of tokens that a launch generates
    _statements: list[tree.CppNode] = field(default_factory=list)  # those of the block that is being written
    _around: list[CountedLoop] = field(default_factory=list)  # loops that the next nest begins with
    _pipelined: bool = False  # whether the present loop is, or lies in, a pipeline
    _labels: set[str] = field(default_factory=set)
    _names: Mapping[str, str] = field(default_factory=dict)  # what symbols of the function's values stand for
    _constants: dict[str, tree.Constant] = field(default_factory=dict)

    @property
    def body(self) -> tree.Body:
        """What has been written."""
        return tuple(self._statements)

    # --- Constants of the function

    def size(self, name: str, number: int) -> str:
        """A number by a name that the function has for it."""
        self._constants[name] = tree.Constant("int", name, str(number))
        return name

    def type(self, name: str, c_type: str) -> str:
        """A type by a name that the function has for it: the first that was asked for."""
        known = (each.name for each in self._constants.values() if (each.kind, each.value) == ("class", c_type))
        if (found := next(known, None)) is not None:
            return found
        self._constants[name] = tree.Constant("class", f"@{name}@", c_type)
        return f"@{name}@"

    # --- Statements

    def add(self, *statements: tree.CppNode) -> None:
        """Any statements."""
        self._statements += statements

    def line(self, text: str) -> None:
        """A statement that no node says."""
        self.add(tree.Verbatim(text))

    def comment(self, text: str) -> None:
        """One line of comment, whatever the text: it can't end the line, nor go on in the next."""
        self.add(tree.Comment("".join(each if each.isprintable() and each != "\\" else "?" for each in text)))

    def sentence(self, text: str) -> None:
        """A comment that may be long."""
        self.add(*map(tree.Comment, wrap(text, tree.MAX_COLUMNS - len("// "))))

    def pragma(self, text: str) -> None:
        """A directive."""
        self.add(tree.Pragma(text))

    def variable(self, c_type: str, name: str, value: str = "", extents: str = "") -> None:
        """A variable, or an array where it has extents."""
        self.add(tree.Variable(c_type, name, value, extents))

    def registers(self, c_type: str, name: str, *sizes: int, value: str = "") -> None:
        """An array of which all elements are there at once."""
        self.variable(c_type, name, value, "".join(f"[{size}]" for size in sizes))
        for dim in range(1, len(sizes) + 1):
            self.pragma(f"array_partition variable={name} type=complete dim={dim}")

    def constant(self, c_type: str, name: str, value: str) -> None:
        """A name for a value."""
        self.add(tree.Variable(c_type, name, value, constant=True))

    def assign(self, target: str, value: str) -> None:
        """A variable is set."""
        self.add(tree.CppAssign(target, value))

    def call(self, function: str, *arguments: str) -> None:
        """A function is called."""
        self.add(tree.CppCallOp(function, arguments))

    @contextmanager
    def _inside(self) -> Iterator[list[tree.CppNode]]:
        """What is written goes into a list of its own."""
        before, self._statements = self._statements, []
        yield self._statements
        self._statements = before

    @contextmanager
    def scope(self, conditions: Sequence[str] = ()) -> Iterator[None]:
        """``{`` … ``}``, entered if all conditions hold."""
        with self._inside() as inside:
            yield
        body = tuple(inside)
        self.add(*((tree.CppIf(body, " && ".join(conditions)),) if conditions else tree.in_braces(body)))

    @contextmanager
    def otherwise(self, conditions: Sequence[str] = ()) -> Iterator[None]:
        """What runs where the conditions before do not hold, if all of these do."""
        with self._inside() as inside:
            yield
        self.add(tree.CppIf(tuple(inside), " && ".join(conditions), is_else=True))

    @contextmanager
    def function(
        self,
        name: str,
        parameters: Sequence[tree.CppArgument],
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
            names: names of its values, for which it has symbols.
        """
        comments, self._statements = self.body, []
        self._names = tree.names_of_symbols(names)
        self._labels.clear()
        self._constants.clear()
        for each in sizes:
            self.size(*each)
        yield
        constants = tuple(self._constants.values())
        types = {f"<{each.value}>": f"<{each.name}>" for each in constants if each.kind == "class"}
        typed = tuple(each.mapped(lambda text: tree.bound(text, types)) for each in parameters)
        self.functions.append(tree.Function(name, kind, comments, typed, constants, self.body, tuple(names)))
        self._statements = []

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

    def in_layers(self, every: Iterable[_Turn], once: Iterable[_Turn]) -> Iterator[_Turn]:
        """Turns of every layer of every token, then those that come once per token, while the loops for them stand."""
        with self.every_step():
            with self.every_layer():
                yield from every
            yield from once

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

    def _label(self, wanted: str) -> str:
        """The label, with a number where another is called the same once symbols are names."""
        tried = set[str]()
        label = unique(wanted, tried)
        while (name := tree.bound(label, self._names)) in self._labels:
            label = unique(wanted, tried)
        self._labels.add(name)
        return label

    @contextmanager
    def _loop(self, loop: CountedLoop) -> Iterator[None]:
        label = self._label(loop.label)
        bound = loop.bound or (str(loop.trip) if loop.is_literal else self.size(label.upper(), loop.trip))
        with self._inside() as inside:
            if loop.bound and loop.least:
                self.pragma(f"loop_tripcount min={loop.least} max={loop.trip}")
            yield
        self.add(tree.CppLoop(tuple(inside), label, loop.variable, bound))


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
        (text if factor == 1 or tree.is_word(text) else f"({text})", factor) for text, factor in terms if text != "0"
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
    inner = text if tree.is_word(text) else f"({text})"
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
