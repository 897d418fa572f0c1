"""The printed forms of Allo's stream operations (``AlloOps.td`` of https://github.com/cornell-zhang/allo)."""

from collections.abc import Mapping

from xdsl.ir import Operation
from xdsl.parser import Parser

from sttest.importers.mlir.text import PrintedForm


def _construct(cls: type[Operation], parser: Parser) -> Operation:
    """``allo.stream_construct() {name = "pipe"} : !allo.stream<i32, 4>``."""
    parser.parse_punctuation("(")
    parser.parse_punctuation(")")
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    return cls.create(result_types=[parser.parse_type()], attributes=attributes)


def _get(cls: type[Operation], parser: Parser) -> Operation:
    """``allo.stream_get(%s, []) {name = "x"} : !allo.stream<i32, 4> -> i32``."""
    parser.parse_punctuation("(")
    stream = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    parser.parse_punctuation(")")
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    operand = parser.resolve_operand(stream, parser.parse_type())
    parser.parse_punctuation("->")
    return cls.create(operands=[operand], result_types=[parser.parse_type()], attributes=attributes)


def _put(cls: type[Operation], parser: Parser) -> Operation:
    """``allo.stream_put(%s, [], %x) : !allo.stream<i32, 4> contains i32``."""
    parser.parse_punctuation("(")
    stream = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    parser.parse_punctuation(",")
    data = parser.parse_unresolved_operand()
    parser.parse_punctuation(")")
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    operand = parser.resolve_operand(stream, parser.parse_type())
    parser.parse_keyword("contains")
    return cls.create(operands=[operand, parser.resolve_operand(data, parser.parse_type())], attributes=attributes)


ALLO_FORMS: Mapping[str, PrintedForm] = {
    "allo.stream_construct": _construct,
    "allo.stream_get": _get,
    "allo.stream_put": _put,
}
