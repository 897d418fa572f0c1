"""C++ as a tree, in the words of MLIR's `emitc`: what emitters build, what is folded and shared, and then printed once.

Expressions are text.  A name that is known when a function is printed, of a value or a type, is a symbol in them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any, Self, TypeAlias

MAX_COLUMNS = 120
_INDENT = "  "
_NO_BREAK = "\0"
_NO_NAME = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) not in "_@"}


@dataclass(frozen=True)
class CppNode:
    """A part of a tree, whose fields are texts and further nodes."""

    def mapped(self, change: Callable[[str], str]) -> Self:
        """The node with all its texts changed."""
        return type(self)(*[_mapped(each, change) for each in vars(self).values()])


def _mapped(part: Any, change: Callable[[str], str]) -> Any:
    if isinstance(part, tuple):
        return tuple([_mapped(each, change) for each in part])
    return change(part) if isinstance(part, str) else part.mapped(change) if isinstance(part, CppNode) else part


# --- Statements


@dataclass(frozen=True)
class Verbatim(CppNode):
    """A line that no other node says."""

    text: str


@dataclass(frozen=True)
class Comment(CppNode):
    """A line of comment."""

    text: str


@dataclass(frozen=True)
class Pragma(CppNode):
    """A directive; it stands at the margin, as all preprocessor lines do."""

    text: str


@dataclass(frozen=True)
class Variable(CppNode):
    """A variable or an array; a constant is nothing but a name for a value."""

    c_type: str
    name: str
    value: str = ""  # none if it is set later
    extents: str = ""  # those of an array, such as ``[4][16]``
    constant: bool = False


@dataclass(frozen=True)
class CppAssign(CppNode):
    """A variable or an element is set."""

    target: str
    value: str


@dataclass(frozen=True)
class CppCallOp(CppNode):
    """A call of a function that gives nothing."""

    function: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class CppCalls(CppNode):
    """Calls in a row, as many on a line as fit."""

    calls: tuple[CppCallOp, ...]


@dataclass(frozen=True)
class CppBlock(CppNode):
    """Statements in braces."""

    body: "Body"

    def with_body(self, body: "Body") -> Self:
        """The same around other statements."""
        return replace(self, body=body)


@dataclass(frozen=True)
class CppLoop(CppBlock):
    """A counted loop; its directives come first in its body."""

    label: str
    variable: str
    bound: str


@dataclass(frozen=True)
class CppIf(CppBlock):
    """Statements under a condition, or without one behind others that have theirs."""

    condition: str
    is_else: bool = False  # whether it belongs to the one before


Body: TypeAlias = tuple[CppNode, ...]


def in_braces(body: Body) -> Body:
    """A block; no braces around one statement, unless it declares a name."""
    return body if len(body) == 1 and not isinstance(body[0], Variable) else (CppBlock(body),)


# --- Functions


@dataclass(frozen=True)
class Constant(CppNode):
    """A size or a type that a function has a name for."""

    kind: str  # ``int`` or ``class``
    name: str
    value: str


@dataclass(frozen=True)
class CppArgument(CppNode):
    """A parameter, by what stands before its name and behind."""

    before: str
    name: str
    behind: str = ""


@dataclass(frozen=True)
class Function(CppNode):
    """A definition, without what its constants are."""

    name: str
    kind: str  # name that it shares with functions that differ in constants only; empty if it stands for itself
    comments: Body
    parameters: tuple[CppArgument, ...]
    constants: tuple[Constant, ...]
    body: Body
    names: tuple[str, ...] = ()  # what it calls its values; others may call them otherwise


# --- Lines


def definition(head: str, parameters: Iterable[CppArgument], body: Body) -> list[str]:
    """The lines of a function, whose type and name are its head."""
    declared = [f"{each.before}{each.name}{each.behind}" for each in parameters]
    return [*_wrapped(f"{head}(", declared, ") {"), *lines_of(body, 1), "}"]


def lines_of(body: Body, depth: int = 0) -> list[str]:
    """The lines of statements, indented by so many levels."""
    return [line for each in body for line in _lines(each, depth)]


def _lines(node: CppNode, depth: int) -> list[str]:
    indent = _INDENT * depth
    match node:
        case CppAssign(target, value):
            return [f"{indent}{target} = {value};"]
        case Variable(c_type, name, value, extents, constant):
            kind = f"const {c_type}" if constant else c_type
            return [f"{indent}{kind} {name}{extents}{f' = {value}' if value else ''};"]
        case Pragma(text):
            return [f"#pragma HLS {text}"]
        case CppLoop(body, label, variable, bound):
            head = f"{label}: for (int {variable} = 0; {variable} < {bound}; ++{variable}) "
            return _braced(head, lines_of(body, depth + 1), indent)
        case CppIf(body, condition, is_else):
            words = ["else"] * is_else + [f"if ({condition})"] * bool(condition)
            return _guarded(f"{' '.join(words)} ", body, depth)
        case CppBlock(body):
            return _braced("", lines_of(body, depth + 1), indent)
        case CppCallOp(function, arguments):
            return _wrapped(f"{function}(", arguments, ");", indent)
        case CppCalls(calls):
            text = " ".join(f"{each.function}({', '.join(each.arguments)});" for each in calls)
            return _broken(text, indent, indent + _INDENT)
        case Comment(text):
            return [f"{indent}// {text}"]
        case Verbatim(text):
            return [f"{indent}{text}"]
    raise TypeError(node)


def _braced(head: str, inside: list[str], indent: str) -> list[str]:
    return [f"{indent}{head}{{", *inside, f"{indent}}}"]


def _guarded(head: str, body: Body, depth: int) -> list[str]:
    """Statements under a condition, without braces around one that has room in the line and no condition itself."""
    inside, indent = lines_of(body, depth + 1), _INDENT * depth
    joined = f"{indent}{head}{inside[0].lstrip()}"
    is_short = len(inside) == 1 and joined.endswith(";") and len(joined) <= MAX_COLUMNS
    return [joined] if is_short and not isinstance(body[0], CppIf) else _braced(head, inside, indent)


def _wrapped(head: str, items: Sequence[str], tail: str, indent: str = "") -> list[str]:
    """A list that may be long, broken behind items."""
    line = f"{indent}{head}{', '.join(items)}{tail}"
    if len(line) <= MAX_COLUMNS:
        return [line]
    parts = [each.replace(" ", _NO_BREAK) for each in (head, *items, tail)]
    text = f"{parts[0]}{', '.join(parts[1:-1])}{parts[-1]}"
    return [each.replace(_NO_BREAK, " ") for each in _broken(text, indent, indent + " " * len(head))]


def _broken(text: str, first: str, others: str) -> list[str]:
    """Words in lines under indents."""
    return wrap(
        text,
        MAX_COLUMNS,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )


# --- Names in expressions


def bound(text: str, names: Mapping[str, str]) -> str:
    """A text with names in the place of symbols."""
    for each, name in names.items():
        text = text.replace(each, name)
    return text


def names_of_symbols(names: Sequence[str]) -> dict[str, str]:
    """What symbols of values stand for.

    >>> names_of_symbols(["x"])
    {'@v0@': 'x', '@V0@': 'X'}
    """
    pairs = zip(symbols(len(names)), names, strict=True)
    return {each: text for sign, name in pairs for each, text in ((sign, name), (sign.upper(), name.upper()))}


def symbols(count: int) -> list[str]:
    """What stands for the names of so many values until a function is printed."""
    return [f"@v{number}@" for number in range(count)]


def names_in(body: Body) -> list[str]:
    """All names in statements, as often as they stand there."""
    return " ".join(_texts(body)).translate(_NO_NAME).split()


def mentions(node: CppNode, name: str) -> bool:
    """Whether a name stands anywhere in a node."""
    return any(around(each, name) is not None for each in _texts(node))


def _texts(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, tuple | CppNode):
        for each in part if isinstance(part, tuple) else vars(part).values():
            yield from _texts(each)


def around(text: str, name: str) -> tuple[str, str] | None:
    """What stands before a name in an expression, and behind it; None if it is not there.

    >>> around("x_2 + x * 2", "x"), around("x_2", "x")
    (('x_2 + ', ' * 2'), None)
    """
    at = text.find(name)
    while at >= 0 and (is_word(text[at - 1 : at]) or is_word(text[at + len(name) :][:1])):
        at = text.find(name, at + 1)
    return None if at < 0 else (text[:at], text[at + len(name) :])


def is_word(text: str) -> bool:
    """Whether it is one name or number.

    >>> is_word("x_2"), is_word("2 * x"), is_word("")
    (True, False, False)
    """
    return text.replace("_", "a").replace("@", "a").isalnum()
