"""Lines of C++ with indentation: loops, pragmas, functions."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from sttest.compile.ir.names import unique

_INDENT = "  "
_MAX_COLUMNS = 120


@dataclass(frozen=True)
class CountedLoop:
    """A loop of a known number of iterations."""

    # label, variable: label and variable of the loop
    label: str
    variable: str
    trip: int  # iterations; the most there are where they vary
    bound: str = ""  # the parameter that says how many, where they vary
    least: int = 0  # iterations then

    @property
    def last(self) -> str:
        """The variable's value in the last iteration."""
        return f"{self.bound} - 1" if self.bound else str(self.trip - 1)


@dataclass
class Code:
    """Text that grows line by line."""

    # lines, depth: so far
    lines: list[str] = field(default_factory=list)
    depth: int = 0
    layers: int = 1  # number of times that a process repeats its work for one token
    steps: int = 1  # number of tokens that a launch generates
    _labels: set[str] = field(default_factory=set)

    def line(self, text: str = "") -> None:
        """One line at the present depth."""
        self.lines.append(f"{_INDENT * self.depth}{text}" if text else "")

    def comment(self, text: str) -> None:
        """One line of comment, whatever the text: it can't end the line, nor go on in the next."""
        safe = "".join(letter if letter.isprintable() and letter != "\\" else "?" for letter in text)
        self.line(f"// {safe}")

    def pragma(self, text: str) -> None:
        """A directive; it stands at the margin, as all preprocessor lines do."""
        self.lines.append(f"#pragma HLS {text}")

    def wrapped(self, head: str, items: Sequence[str], tail: str) -> None:
        """A list that may be long: on one line where it fits, else with a line break where one is full."""
        column = " " * (len(_INDENT) * self.depth + len(head))
        lines, current = [], f"{_INDENT * self.depth}{head}"
        for number, item in enumerate(items):
            piece = item + (tail if number == len(items) - 1 else ",")
            fits = len(current) + len(piece) + 1 <= _MAX_COLUMNS
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
        self.depth += 1
        yield
        self.depth -= 1
        self.line("}")

    @contextmanager
    def function(self, head: str, parameters: Sequence[str]) -> Iterator[None]:
        """A function's definition, parameters wrapped; labels are unique in it."""
        self._labels.clear()
        self.wrapped(f"{head}(", parameters, ") {")
        self.depth += 1
        yield
        self.depth -= 1
        self.line("}")

    @contextmanager
    def process(self, name: str, parameters: Sequence[str]) -> Iterator[None]:
        """A process's definition; its body runs for every layer of every token."""
        with self.function(f"static void {name}", parameters), self.every_step(), self.every_layer():
            yield

    @contextmanager
    def outside_layers(self) -> Iterator[None]:
        """What is written in it runs once per token, as if there were one layer."""
        layers, self.layers = self.layers, 1
        yield
        self.layers = layers

    @contextmanager
    def every_step(self) -> Iterator[None]:
        """The loop over the tokens of a launch, where there are several."""
        steps = [CountedLoop("steps", "step", self.steps)] if self.steps > 1 else []
        with self.loops(steps, "loop_flatten off"):
            yield

    @contextmanager
    def every_layer(self) -> Iterator[None]:
        """The loop over layers, where there are several."""
        layers = [CountedLoop("layers", "layer", self.layers)] if self.layers > 1 else []
        # What a layer waits for may be made of its last results: pipelines drain in between.
        with self.loops(layers, "loop_flatten off"):
            yield

    @contextmanager
    def loops(self, nest: Sequence[CountedLoop], *directives: str) -> Iterator[None]:
        """A perfect nest; the directives stand in the innermost loop.  Without loops nothing stands around the body."""
        with ExitStack() as stack:
            for loop in nest:
                stack.enter_context(self._loop(loop))
            for directive in directives if nest else ():
                self.pragma(directive)
            yield

    @contextmanager
    def unrolled(self, nest: Sequence[CountedLoop]) -> Iterator[None]:
        """A nest whose every loop is unrolled; without loops nothing stands around the body."""
        with ExitStack() as stack:
            for loop in nest:
                stack.enter_context(self._loop(loop))
                self.pragma("unroll")
            yield

    @contextmanager
    def _loop(self, loop: CountedLoop) -> Iterator[None]:
        self.lines.append(f"{_INDENT * max(self.depth - 1, 0)}{unique(loop.label, self._labels)}:")
        bound = loop.bound or loop.trip
        with self.block(f"for (int {loop.variable} = 0; {loop.variable} < {bound}; ++{loop.variable})"):
            if loop.bound:
                self.pragma(f"loop_tripcount min={loop.least} max={loop.trip}")
            yield

    @contextmanager
    def scope(self, conditions: Sequence[str] = ()) -> Iterator[None]:
        """``{`` … ``}``, entered if all conditions hold."""
        self.line(f"if ({' && '.join(conditions)}) {{" if conditions else "{")
        self.depth += 1
        yield
        self.depth -= 1
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
