"""Ops on tokens: reading and writing them, and looking at a stream of them in another way."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import I64, IntegerAttr, TensorType
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from sttest.compile.dialects.df_rules import check_nest, check_parts, check_same_tensor, check_token
from sttest.compile.dialects.df_types import STREAM, TILE, itensor_of
from sttest.compile.dialects.stream_order import same_order


@irdl_op_definition
class EmptyOp(IRDLOperation):
    """An itensor without content, the destination of writes."""

    name = "df.empty"
    result = result_def(TILE)
    assembly_format = "attr-dict `:` type($result)"


@irdl_op_definition
class ReadOp(IRDLOperation):
    """Takes the next token of an itensor inside the loop nest of its type."""

    name = "df.read"
    source = operand_def(TILE)
    value = result_def(TensorType)
    assembly_format = "$source attr-dict `:` type($source) `->` type($value)"

    def verify_(self) -> None:
        """The token has the element type and the nest is that of the type."""
        check_token(self.name, itensor_of(self.source), self.value.type)
        check_nest(self, itensor_of(self.source))


@irdl_op_definition
class WriteOp(IRDLOperation):
    """Appends a token to an itensor (destination-carried)."""

    name = "df.write"
    value = operand_def(TensorType)
    target = operand_def(TILE)
    result = result_def(TILE)
    assembly_format = "$value `into` $target attr-dict `:` type($value) `into` type($target) `->` type($result)"

    def verify_(self) -> None:
        """The token has the element type and the nest is that of the type."""
        if self.target.type != self.result.type:
            raise VerifyException("df.write: target and result must have the same type")
        check_token(self.name, itensor_of(self.target), self.value.type)
        check_nest(self, itensor_of(self.target))


@irdl_op_definition
class CastOp(IRDLOperation):
    """Reads one stream order as another name of the same order."""

    name = "df.cast"
    source = operand_def(TILE)
    result = result_def(TILE)
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def verify_(self) -> None:
        """Same data type, same tensor, same order of the same tokens."""
        source, result = itensor_of(self.source), itensor_of(self.result)
        check_same_tensor(self.name, source, result)
        if not same_order(source, result):
            raise VerifyException("df.cast: the two types stream in different orders; use df.converter")


@irdl_op_definition
class ReassociateOp(IRDLOperation):
    """Groups or splits data dims without moving data: products of shapes, trips and tokens stay."""

    name = "df.reassociate"
    source = operand_def(TILE)
    result = result_def(TILE)
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def verify_(self) -> None:
        """Data type, tensor elements, token elements and token count stay."""
        source, result = itensor_of(self.source), itensor_of(self.result)
        if source.dtype != result.dtype:
            raise VerifyException(f"df.reassociate: data types differ: {source.dtype} and {result.dtype}")
        for what, before, after in (
            ("shapes", prod(source.full_shape), prod(result.full_shape)),
            ("elements", source.token_elements, result.token_elements),
            ("trips", source.tokens, result.tokens),
        ):
            if before != after:
                raise VerifyException(f"df.reassociate: the products of {what} differ: {before} and {after}")


@irdl_op_definition
class ChunkOp(IRDLOperation):
    """Splits an itensor along data dim ``dim`` into equal parts."""

    name = "df.chunk"
    source = operand_def(TILE)
    parts = var_result_def(TILE)
    dim = prop_def(IntegerAttr[I64])
    assembly_format = "$source `along` $dim attr-dict `:` type($source) `->` type($parts)"

    def verify_(self) -> None:
        """The parts are equal and cover the source along the dim."""
        if len({part.type for part in self.parts}) != 1:
            raise VerifyException("df.chunk: the parts must have one type")
        check_parts(self.name, itensor_of(self.source), self.parts, self.dim.value.data)


@irdl_op_definition
class StreamReadOp(IRDLOperation):
    """Pops a token."""

    name = "df.stream_read"
    source = operand_def(STREAM)
    value = result_def(AnyAttr())
    assembly_format = "$source attr-dict `:` type($source) `->` type($value)"

    def verify_(self) -> None:
        """The value is a token of the stream."""
        check_token(self.name, itensor_of(self.source), self.value.type)


@irdl_op_definition
class StreamWriteOp(IRDLOperation):
    """Pushes a token."""

    name = "df.stream_write"
    value = operand_def(AnyAttr())
    target = operand_def(STREAM)
    assembly_format = "$value `into` $target attr-dict `:` type($value) `into` type($target)"

    def verify_(self) -> None:
        """The value is a token of the stream."""
        check_token(self.name, itensor_of(self.target), self.value.type)


@irdl_op_definition
class StreamCastOp(IRDLOperation):
    """Reads the tokens of a stream as tokens of another shape of equally many bits."""

    name = "df.stream_cast"
    source = operand_def(STREAM)
    result = result_def(STREAM)
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def verify_(self) -> None:
        """Total bits stay."""
        source, result = itensor_of(self.source), itensor_of(self.result)
        if source.tokens * source.token_bits != result.tokens * result.token_bits:
            raise VerifyException("df.stream_cast: the streams carry different numbers of bits")
