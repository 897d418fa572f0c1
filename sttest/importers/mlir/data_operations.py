"""Operations that compute and move data are passed over to the end of their text; their results keep its types.

Where the text of an operation does not say what its result is, as that of ``llvm.extractvalue`` does not, the result
has the type that it is first used with.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import IndexType, MemRefType, ShapedType, TensorType, UnregisteredAttr, VectorType, i1
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.lexer import Span

_OPEN, _CLOSE = "([{<", ")]}>"
_MARK = re.compile(
    r'"(?:[^"\\]|\\.)*"|//[^\n]*|->|[<>]=|::|[\[({<>})\]\n:,]|(?<![\w%@#!.$-])(?:to|into|from)(?![\w.$-])'
)
_CONTINUES = re.compile(r"\s*((?:ins|outs|to|into|from)\b|->|[:\[({<,])")
_NOTHING = re.compile(r"\s*(?://.*)?")
_TOKENS = re.compile(r"\b(?:aie\.objectfifo|allo\.\w*(?:get|put))")
_TEXT_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*')
_MOST_RESULTS = 4096
"""Of one operation."""

_INDICES = ("memref.dim", "memref.rank", "tensor.dim", "tensor.rank", "vector.vscale")
_BITS = ("index.cmp", "index.bool.constant")
_CASTS = ("index.casts", "index.castu")
_ELEMENTS = (
    "memref.load", "affine.load", "tensor.extract", "vector.extractelement", "llvm.extractelement",
    "memref.generic_atomic_rmw",
)  # fmt: skip
"""Whose result is an element of what they read."""
_COMPARISONS = ("llvm.icmp", "llvm.fcmp", "math.isfinite", "math.isinf", "math.isnan", "math.isnormal")
_FIRST = ("math.fpowi", "llvm.getelementptr")
"""Whose result has the first of the types that stand last."""
_UNSTATED = (
    "llvm.extractvalue", "llvm.cmpxchg", "llvm.shufflevector", "vector.shuffle", "vector.outerproduct",
)  # fmt: skip


@irdl_attr_definition
class UnstatedType(ParametrizedAttribute, TypeAttribute):
    """Of a result whose type the text of its operation does not say."""

    name = "sttest.unstated"


class LenientParser(Parser):
    """Knows how many results an operation is to have, and takes one of no stated type as what it is used as."""

    bound = 0

    def _parse_op_result_list(self) -> list[tuple[Span, int]]:
        found = super()._parse_op_result_list()
        self.bound = sum(size for _, size in found)
        if self.bound > _MOST_RESULTS:
            self.raise_error(f"an operation of more than {_MOST_RESULTS:,} results")
        return found

    def resolve_operand(self, operand: UnresolvedOperand, type: Attribute) -> SSAValue:  # noqa: A002 - as there
        """As of :class:`Parser`."""
        values: Sequence[SSAValue] = self.ssa_values.get(operand.operand_name, ())
        if operand.index < len(values) and isinstance(values[operand.index].type, UnstatedType):
            values[operand.index]._type = type
        return super().resolve_operand(operand, type)


class _Mark(NamedTuple):
    """Something outside of all brackets that may stand before a type."""

    text: str
    end: int


def _scan(text: str, start: int) -> tuple[int, list[_Mark]]:
    """Where the text of an operation ends, and what may stand before its types."""
    depth, place, marks, comma = 0, start, list[_Mark](), -1
    while (found := _MARK.search(text, place)) is not None:
        mark, place = found[0], found.end()
        if mark in _OPEN:
            depth += 1
        elif mark in _CLOSE:
            if depth == 0:
                return found.start(), marks  # of the region around it
            depth -= 1
        elif depth:
            continue
        elif mark == ",":
            comma = place
        elif mark == "\n":
            more = _CONTINUES.match(text, place)
            is_listed = comma >= 0 and _NOTHING.fullmatch(text, comma, found.start()) is not None
            if more is None and not is_listed:
                return found.start(), marks
            comma = place if is_listed else -1
            place = place if more is None else more.start(1)
        elif mark in (":", "->", "to", "into", "from"):
            marks.append(_Mark(mark, place))
    return len(text), marks


def end_of_operation(text: str, start: int) -> int:
    """Where the text of an operation ends: at the first end of a line outside of all brackets."""
    return _scan(text, start)[0]


def pass_over(cls: type[Operation], parser: Parser) -> Operation:
    """An operation on data.

    Raises:
        ParseError: tokens are moved inside, or the type of its result is missing.
    """
    assert isinstance(parser, LenientParser)
    text, start = parser.lexer.input.content, parser.pos
    end, marks = _scan(text, start)
    body = _TEXT_OR_COMMENT.sub(" ", text[start:end])
    if _TOKENS.search(body):
        parser.raise_error("tokens are moved inside an operation on data")
    results = parser.bound
    types = _result_types(cls.name, parser, start, marks, results, has_outputs="outs" in body) if results else ()
    parser._resume_from(end)
    return cls.create(result_types=types)


def _result_types(
    name: str, parser: Parser, start: int, marks: Sequence[_Mark], results: int, *, has_outputs: bool
) -> Sequence[Attribute]:
    """The types of the results of an operation, of which there is at least one."""
    if name in _INDICES or (name.startswith("index.") and name not in (*_BITS, *_CASTS)):
        return [IndexType()] * results
    if name in _BITS:
        return [i1] * results
    colon = max((number for number, mark in enumerate(marks) if mark.text == ":"), default=-1)
    after = marks[max(colon, 0) :]
    at = next((mark for mark in reversed(after) if mark.text in ("->", "to", "into")), None)
    at = at or (marks[colon] if colon >= 0 else None)
    if at is None and has_outputs:  # those of its outputs
        return [UnstatedType()] * results
    if at is None:
        parser.raise_error("the type of its result is missing", start)
    parser._resume_from(at.end)
    types = _type_list(parser)
    words = {mark.text for mark in after}
    if results > 1:
        return _several_types(types, results)
    if name in _ELEMENTS and not isinstance(types[0], ShapedType | UnregisteredAttr):
        parser.raise_error(f"{types[0]} has no elements", start)
    return [_one_type(name, types, words)]


def _type_list(parser: Parser) -> Sequence[Attribute]:
    found = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return found or parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)


def _one_type(name: str, types: Sequence[Attribute], words: set[str]) -> Attribute:
    """The type of a result.

    Args:
        name: of the operation.
        types: those that stand last.
        words: what stands before them.
    """
    last = types[-1]
    if name in _ELEMENTS and isinstance(types[0], MemRefType | TensorType | VectorType):
        return cast("MemRefType[Attribute]", types[0]).element_type
    if name in _COMPARISONS:
        return i1 if not isinstance(last, ShapedType) else UnstatedType()
    if name == "vector.extract":
        return types[0] if "from" in words else UnstatedType()
    is_old = (name == "llvm.load" and "->" not in words) or (name == "bufferization.to_tensor" and "to" not in words)
    if name in (*_UNSTATED, *_ELEMENTS) or is_old:
        return UnstatedType()
    return types[0] if name in _FIRST else last


def _several_types(types: Sequence[Attribute], results: int) -> Sequence[Attribute]:
    if len(types) == results:
        return types
    return [types[-1] if len(set(types)) == 1 else UnstatedType()] * results
