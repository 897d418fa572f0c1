"""Types and attributes of the `df` dialect: lists of numbers, and FIFOs of tokens."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, ArrayAttr, IntAttr, IntegerAttr, i64
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import BaseAttr, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from sttest.compile.dialects.itensor import ITensorType, int_array
from sttest.compile.dialects.remembered import remembered

TILE = BaseAttr(ITensorType)


@irdl_attr_definition
class IntListAttr(ParametrizedAttribute):
    """A list of integers, printed ``[4,16]``."""

    name = "df.ints"

    items: ArrayAttr[IntAttr]

    @staticmethod
    def of(values: Sequence[int]) -> IntListAttr:
        """Builds the attribute from plain numbers."""
        return IntListAttr(int_array(tuple(values)))

    @remembered
    def values(self) -> tuple[int, ...]:
        """The numbers."""
        return tuple(item.data for item in self.items)

    def print_parameters(self, printer: Printer) -> None:
        """Prints ``[a,b]``."""
        printer.print_string(f"[{','.join(str(value) for value in self.values)}]")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parses ``[a,b]``."""
        values = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        return (ArrayAttr([IntAttr(value) for value in values]),)


@irdl_attr_definition
class StreamType(ParametrizedAttribute, TypeAttribute):
    """A FIFO of ``depth`` tokens in the order of ``itensor``: ``!df.stream<!df.itensor<…>, depth: 2>``."""

    name = "df.stream"

    itensor: ITensorType
    depth: IntAttr

    def verify(self) -> None:
        """A FIFO holds at least one token."""
        if self.depth.data < 1:
            raise VerifyException(f"stream: depth {self.depth.data} must be at least 1")

    def print_parameters(self, printer: Printer) -> None:
        """Prints ``<itensor, depth: N>``."""
        with printer.in_angle_brackets():
            printer.print_attribute(self.itensor)
            printer.print_string(f", depth: {self.depth.data}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parses ``<itensor, depth: N>``; errors carry the source span."""
        start = parser.pos
        with parser.in_angle_brackets():
            itensor = parser.parse_attribute()
            if not isinstance(itensor, ITensorType):
                parser.raise_error(f"stream: expected an itensor, found {itensor}", start, parser.pos)
            parser.parse_punctuation(",")
            parser.parse_keyword("depth")
            parser.parse_punctuation(":")
            depth = parser.parse_integer()
        try:
            return cls(itensor, IntAttr(depth)).parameters
        except VerifyException as error:
            parser.raise_error(str(error), start, parser.pos)


STREAM = BaseAttr(StreamType)


def itensor_of(value: SSAValue | Attribute) -> ITensorType:
    """The itensor type of an itensor value or of the tokens of a stream."""
    kind = value.type if isinstance(value, SSAValue) else value
    if isinstance(kind, StreamType):
        return kind.itensor
    if isinstance(kind, ITensorType):
        return kind
    raise VerifyException(f"expected an itensor or a stream, found {kind}")


def i64_attr(value: int) -> IntegerAttr[I64]:
    """The attribute of one integer."""
    return IntegerAttr(value, i64)
