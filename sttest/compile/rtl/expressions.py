"""Expressions of SystemVerilog as a tree, written with Python's operators.

They print themselves with no more parentheses than they need.  ``==`` compares trees; :meth:`Expression.equals` makes
the comparison that hardware does.

>>> a, b = Signal("a"), Signal("b")
>>> print((a + 1) * b, ~a & b.equals(sized(3, 4)), a[b].part(8, 4), where(a, b, 0))
(a + 1) * b ~a & b == 4'd3 a[b][8 +: 4] a ? b : 0
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

Numbers: TypeAlias = Mapping[str, str]
"""Texts that are printed in the place of names: the numbers of an unrolled loop's variables."""
NO_NUMBERS: Numbers = {}

_LEVELS = (
    ("||",),
    ("&&",),
    ("|",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_LEVEL_OF = {operator: level for level, row in enumerate(_LEVELS, start=1) for operator in row}
_CHOICE, _UNARY, _PRIMARY = 0, len(_LEVELS) + 1, len(_LEVELS) + 2
"""How strongly parts of an expression hold together, from that of ``?:`` to that of a name."""


class Expression:
    """What has a value."""

    __slots__ = ()
    level = _PRIMARY

    def text(self, numbers: Numbers = NO_NUMBERS) -> str:
        """The expression in SystemVerilog.

        Args:
            numbers: texts in the place of names.
        """
        raise NotImplementedError

    def inside(self, level: int, numbers: Numbers) -> str:
        """The text where parts hold together as strongly as the level says, in parentheses if it needs them."""
        text = self.text(numbers)
        return text if self.level >= level else f"({text})"

    def __str__(self) -> str:
        return self.text()

    def __add__(self, other: "Value") -> "Expression":
        added = value_of(other)
        terms = added.parts if isinstance(added, Binary) and added.operator == "+" else (added,)
        return Binary((self, *terms), "+")

    def __sub__(self, other: "Value") -> "Expression":
        return Binary((self, value_of(other)), "-")

    def __mul__(self, other: "Value") -> "Expression":
        return Binary((self, value_of(other)), "*")

    def __rmul__(self, other: int) -> "Expression":
        return Binary((value_of(other), self), "*")

    def __truediv__(self, other: "Value") -> "Expression":
        return Binary((self, value_of(other)), "/")

    def __mod__(self, other: "Value") -> "Expression":
        return Binary((self, value_of(other)), "%")

    def __lshift__(self, other: "Value") -> "Expression":
        return Binary((self, value_of(other)), "<<")

    def __rshift__(self, other: "Value") -> "Expression":
        return Binary((self, value_of(other)), ">>")

    def __and__(self, other: "Value") -> "Expression":
        return Binary((self, value_of(other)), "&")

    def __or__(self, other: "Value") -> "Expression":
        return Binary((self, value_of(other)), "|")

    def __invert__(self) -> "Expression":
        return Unary((self,), "~")

    def __getitem__(self, place: "Value") -> "Expression":
        return Index((self, value_of(place)))

    def __iter__(self) -> "Iterator[Expression]":
        raise TypeError("an expression has no elements")

    def equals(self, other: "Value") -> "Expression":
        """Whether both are equal."""
        return Binary((self, value_of(other)), "==")

    def below(self, other: "Value") -> "Expression":
        """Whether it is the smaller one."""
        return Binary((self, value_of(other)), "<")

    def above(self, other: "Value") -> "Expression":
        """Whether it is the larger one."""
        return Binary((self, value_of(other)), ">")

    def at_least(self, other: "Value") -> "Expression":
        """Whether it is no smaller."""
        return Binary((self, value_of(other)), ">=")

    def at_most(self, other: "Value") -> "Expression":
        """Whether it is no larger."""
        return Binary((self, value_of(other)), "<=")

    def part(self, low: "Value", width: int) -> "Expression":
        """So many bits or elements from the lowest one on."""
        return Extract((self, value_of(low)), width)


Value: TypeAlias = Expression | int
"""What stands in an expression: a number is a constant without a width."""


@dataclass(frozen=True, slots=True)
class Signal(Expression):
    """A wire, a register, a constant, or the variable of a loop."""

    name: str

    def text(self, numbers: Numbers = NO_NUMBERS) -> str:
        """See :meth:`Expression.text`."""
        return numbers.get(self.name, self.name) if numbers else self.name


@dataclass(frozen=True, slots=True)
class Constant(Expression):
    """A number of so many bits, or without a width; ``base`` is ``d``, ``h`` or ``b``."""

    value: int
    width: int | None = None
    base: str = "d"

    def text(self, numbers: Numbers = NO_NUMBERS) -> str:
        """See :meth:`Expression.text`."""
        if self.width is None:
            return str(self.value)
        return f"{self.width}'{self.base}{self.value:{'x' if self.base == 'h' else self.base}}"


@dataclass(frozen=True, slots=True)
class Operation(Expression):
    """An expression that is made of others."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Index(Operation):
    """An element of an array, or a bit: of the first part that at the second one."""

    def text(self, numbers: Numbers = NO_NUMBERS) -> str:
        """See :meth:`Expression.text`."""
        array, place = self.parts
        return f"{array.text(numbers)}[{place.text(numbers)}]"


@dataclass(frozen=True, slots=True)
class Extract(Operation):
    """So many bits or elements of the first part from that at the second one on."""

    width: int

    def text(self, numbers: Numbers = NO_NUMBERS) -> str:
        """See :meth:`Expression.text`."""
        array, low = self.parts
        return f"{array.text(numbers)}[{low.text(numbers)} +: {self.width}]"


@dataclass(frozen=True, slots=True)
class Unary(Operation):
    """An operator before its operand."""

    operator: str
    level = _UNARY

    def text(self, numbers: Numbers = NO_NUMBERS) -> str:
        """See :meth:`Expression.text`."""
        return f"{self.operator}{self.parts[0].inside(_UNARY, numbers)}"


@dataclass(frozen=True, slots=True)
class Binary(Operation):
    """An operator between two operands or more, the first two of which go together first."""

    operator: str

    @property
    def level(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """How strongly its operands hold together."""
        return _LEVEL_OF[self.operator]

    def text(self, numbers: Numbers = NO_NUMBERS) -> str:
        """See :meth:`Expression.text`."""
        level = _LEVEL_OF[self.operator]
        first, *others = self.parts
        texts = [first.inside(level, numbers), *[each.inside(level + 1, numbers) for each in others]]
        return f" {self.operator} ".join(texts)


@dataclass(frozen=True, slots=True)
class Mux(Operation):
    """The value of the first condition that holds, or else the last one: conditions alternate with values."""

    level = _CHOICE

    def text(self, numbers: Numbers = NO_NUMBERS) -> str:
        """See :meth:`Expression.text`."""
        *options, otherwise = self.parts
        inner = [each.inside(_CHOICE + 1, numbers) for each in options]
        pairs = zip(inner[::2], inner[1::2], strict=True)
        return "".join([f"{when} ? {value} : " for when, value in pairs]) + otherwise.text(numbers)


@dataclass(frozen=True, slots=True)
class Concatenation(Operation):
    """Values side by side, the highest one first; several times if there is a ``count``."""

    count: int | None = None

    def text(self, numbers: Numbers = NO_NUMBERS) -> str:
        """See :meth:`Expression.text`."""
        joined = f"{{{', '.join([each.text(numbers) for each in self.parts])}}}"
        return joined if self.count is None else f"{{{self.count}{joined}}}"


@dataclass(frozen=True, slots=True)
class FunctionCall(Operation):
    """A function of some values; a cast is one, too, by the name ``8'`` or ``int'``."""

    function: str

    def text(self, numbers: Numbers = NO_NUMBERS) -> str:
        """See :meth:`Expression.text`."""
        return f"{self.function}({', '.join([each.text(numbers) for each in self.parts])})"


# --- How they are made


def value_of(value: Value) -> Expression:
    """A value as an expression."""
    return _number(value) if isinstance(value, int) else value


@lru_cache(maxsize=4096)
def _number(value: int) -> Constant:
    return Constant(value)


def sized(value: int, width: int) -> Expression:
    """A decimal constant of so many bits."""
    return Constant(value, width)


HIGH, LOW = Constant(1, 1, "b"), Constant(0, 1, "b")


def cast(width: int | str, value: Value) -> Expression:
    """A value of so many bits, or of a type."""
    return FunctionCall((value_of(value),), f"{width}'")


def signed(value: Expression) -> Expression:
    """A value that may be negative."""
    return FunctionCall((value,), "$signed")


def call(function: str, *arguments: Value) -> Expression:
    """A function of some values."""
    return FunctionCall(tuple(map(value_of, arguments)), function)


def joined(values: Iterable[Expression]) -> Expression:
    """Values side by side, the highest one first."""
    return Concatenation(tuple(values))


def where(condition: Expression, value: Value, otherwise: Value) -> Expression:
    """One of two values.

    >>> print(where(Signal("a"), 1, where(Signal("b"), 2, 3)))
    a ? 1 : b ? 2 : 3
    """
    return chosen([(condition, value_of(value))], value_of(otherwise))


def chosen(options: Sequence[tuple[Expression, Expression]], otherwise: Expression) -> Expression:
    """The value of the first condition that holds, or else the last one."""
    return Mux((*(part for option in options for part in option), otherwise)) if options else otherwise


def of_all(operator: str, operands: Sequence[Expression], none: Expression) -> Expression:
    """An operator between all of these; what stands there if there are none."""
    return Binary(tuple(operands), operator) if len(operands) > 1 else next(iter(operands), none)


def any_of(conditions: Sequence[Expression]) -> Expression:
    """The or of conditions."""
    return of_all("|", conditions, LOW)


def all_of(conditions: Sequence[Expression]) -> Expression:
    """The and of conditions."""
    return of_all("&", conditions, HIGH)


def sum_of(terms: Sequence[tuple[Expression, int]], constant: int = 0) -> Expression:
    """A sum of expressions with factors.

    >>> print(sum_of([(Signal("a"), 4), (Signal("b"), 1), (Signal("c"), 0)], 3), sum_of([]))
    4 * a + b + 3 0
    """
    found = [term if factor == 1 else factor * term for term, factor in terms if factor]
    return of_all("+", [*found, *([Constant(constant)] if constant else [])], Constant(0))


# --- What is in them


def all_in(expression: Expression) -> Iterator[Expression]:
    """An expression and all that it is made of."""
    yield expression
    if isinstance(expression, Operation):
        for part in expression.parts:
            yield from all_in(part)


def names_in(expression: Expression) -> Iterator[str]:
    """The names in an expression, each as often as it is there."""
    return (each.name for each in all_in(expression) if isinstance(each, Signal))


def names_in_places(expression: Expression) -> Iterator[str]:
    """The names in an expression that say which elements are meant."""
    places = (each.parts[1] for each in all_in(expression) if isinstance(each, (Index, Extract)))
    return (name for place in places for name in names_in(place))


def replaced(expression: Expression, by: Mapping[str, Expression]) -> Expression:
    """An expression with others in the place of names.

    >>> print(replaced(Signal("a") * Signal("b"), {"a": Signal("c") + 1}))
    (c + 1) * b
    """
    if isinstance(expression, Signal):
        return by.get(expression.name, expression)
    if isinstance(expression, Operation):
        return replace(expression, parts=tuple([replaced(part, by) for part in expression.parts]))
    return expression
