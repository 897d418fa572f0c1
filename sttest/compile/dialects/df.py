"""The `df` dialect: dataflow kernels over iterative tensors, and the streams that they become.

Two levels live in it.  At the *itensor* level every value says in which order
it is streamed and nodes return their results; at the *stream* level the same
nodes push into ``!df.stream`` FIFOs of a given depth.  A ``df.kernel`` is one
FPGA kernel: streaming inside, external memory between.  (StreamTensor, MICRO
2025, sections 3 and 4; the list of ops is its table of the itensor dialect.)
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Dialect, Operation, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    BaseAttr,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator
from xdsl.utils.exceptions import VerifyException

from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.stream_order import same_order

TILE = BaseAttr(ITensorType)


@irdl_attr_definition
class IntListAttr(ParametrizedAttribute):
    """A list of integers, printed ``[4,16]``."""

    name = "df.ints"

    items: ArrayAttr[IntAttr]

    @staticmethod
    def of(values: Sequence[int]) -> IntListAttr:
        """Builds the attribute from plain numbers."""
        return IntListAttr(ArrayAttr([IntAttr(value) for value in values]))

    @property
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
        """Parses ``<itensor, depth: N>``."""
        with parser.in_angle_brackets():
            itensor = parser.parse_attribute()
            parser.parse_punctuation(",")
            parser.parse_keyword("depth")
            parser.parse_punctuation(":")
            depth = parser.parse_integer()
        return (itensor, IntAttr(depth))


STREAM = BaseAttr(StreamType)

# What every node prints after its own properties: where it pushes (stream level) or what it returns (itensor level).
_TAIL = "(`named` $label^)? (`into` $sinks^)? attr-dict `:` type($sources) (`into` type($sinks)^)? (`->` type($streams)^)?"


def itensor_of(value: SSAValue | Attribute) -> ITensorType:
    """The itensor type of an itensor value or of the tokens of a stream."""
    kind = value.type if isinstance(value, SSAValue) else value
    if isinstance(kind, StreamType):
        return kind.itensor
    if isinstance(kind, ITensorType):
        return kind
    raise VerifyException(f"expected an itensor or a stream, found {kind}")


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends the region of a kernel or of a task's scalar payload."""

    name = "df.yield"
    arguments = var_operand_def(AnyAttr())
    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict ($arguments^ `:` type($arguments))?"

    def __init__(self, values: Sequence[SSAValue]) -> None:
        super().__init__(operands=[values])


@irdl_op_definition
class KernelOp(IRDLOperation):
    """One FPGA kernel: tensors outside, itensors inside; its boundary is where DMAs come from."""

    name = "df.kernel"
    sym_name = prop_def(StringAttr)
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove())
    assembly_format = (
        "$sym_name `(` ($inputs^ `:` type($inputs))? `)` (`->` type($outputs)^)? $body attr-dict-with-keyword"
    )

    def __init__(self, name: str, inputs: Sequence[SSAValue], outputs: Sequence[Attribute], body: Region) -> None:
        super().__init__(
            properties={"sym_name": StringAttr(name)}, operands=[inputs], result_types=[outputs], regions=[body]
        )

    @property
    def terminator(self) -> YieldOp:
        """The op that returns the kernel's streams."""
        last = self.body.block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException("df.kernel: the body must end in df.yield")
        return last

    def verify_(self) -> None:
        """Inside and outside of every port must be one tensor."""
        _check_ports("input", self.inputs, self.body.block.args)
        _check_ports("result", self.outputs, self.terminator.arguments)


def _check_ports(kind: str, outside: Sequence[SSAValue], inside: Sequence[SSAValue]) -> None:
    if len(outside) != len(inside):
        raise VerifyException(f"df.kernel: {len(outside)} {kind}s outside but {len(inside)} inside")
    for number, (out, inner) in enumerate(zip(outside, inside, strict=True)):
        tensor = out.type
        if inner.type == tensor or not isinstance(inner.type, ITensorType):
            continue
        if isinstance(tensor, TensorType) and inner.type.full_shape != tensor.get_shape():
            raise VerifyException(
                f"df.kernel: {kind} {number} is {tensor} outside but streams {inner.type.full_shape} inside"
            )


class NodeOp(IRDLOperation):
    """What all nodes of the dataflow graph share: they read sources and fill results (itensor level) or sinks."""

    sources = var_operand_def(AnyAttr())
    sinks = var_operand_def(STREAM)
    streams = var_result_def(AnyAttr())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @property
    def produced(self) -> Sequence[SSAValue]:
        """Results at the itensor level, sinks at the stream level."""
        return self.sinks or self.streams


@irdl_op_definition
class TaskOp(NodeOp):
    """A tiled loop nest over tokens with a scalar payload.

    The nest has ``trips`` iterations per loop and works on a tile of ``tile``
    points per loop in each; ``iterators`` names each loop ``parallel`` or
    ``reduction``.  Every source is read once per iteration of the whole nest,
    every result written once per iteration of its parallel part.
    """

    name = "df.task"
    sym_name = prop_def(StringAttr)
    trips = prop_def(IntListAttr)
    tile = prop_def(IntListAttr)
    iterators = prop_def(StringAttr)
    origin = opt_prop_def(StringAttr)
    init = opt_prop_def(FloatAttr)
    lanes = opt_prop_def(IntegerAttr[I64])
    payload = region_def("single_block")
    assembly_format = (
        "$sym_name `loops` $trips `tile` $tile `kinds` $iterators (`init` $init^)? (`lanes` $lanes^)? (`origin` $origin^)? "
        "`ins` `(` ($sources^ `:` type($sources))? `)` (`into` `(` $sinks^ `:` type($sinks) `)`)? "
        "(`->` type($streams)^)? $payload attr-dict-with-keyword"
    )

    @property
    def trip_counts(self) -> tuple[int, ...]:
        """Iterations of every tile loop, outermost first."""
        return self.trips.values

    @property
    def tile_sizes(self) -> tuple[int, ...]:
        """Points of every loop that one iteration works on."""
        return self.tile.values

    @property
    def loop_kinds(self) -> tuple[str, ...]:
        """``parallel`` or ``reduction`` for every loop."""
        return tuple(self.iterators.data.split(",")) if self.iterators.data else ()

    @property
    def tile_points(self) -> int:
        """Scalar payload evaluations of one iteration."""
        return prod(self.tile_sizes)

    @property
    def iterations(self) -> int:
        """Iterations of the whole nest."""
        return prod(self.trip_counts)

    @property
    def reduction_iterations(self) -> int:
        """Iterations of the nest per result token."""
        return prod(trip for trip, kind in zip(self.trip_counts, self.loop_kinds, strict=True) if kind == "reduction")

    @property
    def reduction_points(self) -> int:
        """Payload evaluations per result element."""
        loops = zip(self.trip_counts, self.tile_sizes, self.loop_kinds, strict=True)
        return prod(trip * size for trip, size, kind in loops if kind == "reduction")

    @property
    def lane_count(self) -> int:
        """Payload evaluations per cycle; 1 before unrolling."""
        return self.lanes.value.data if self.lanes else 1

    def verify_(self) -> None:
        """The nest must be exactly that of the types it reads and writes."""
        if not len(self.trip_counts) == len(self.tile_sizes) == len(self.loop_kinds):
            raise VerifyException("df.task: trips, tile and iterators must name the same loops")
        kinds = list(self.loop_kinds)
        if kinds != sorted(kinds):
            raise VerifyException("df.task: parallel loops must be outside, reductions inside")
        for source in self.sources:
            self._check_tokens(source, self.iterations, "read")
        for produced in self.produced:
            self._check_tokens(produced, self.iterations // self.reduction_iterations, "written")

    def _check_tokens(self, value: SSAValue, wanted: int, verb: str) -> None:
        tokens = itensor_of(value).tokens
        if tokens % wanted or (tokens != wanted and not itensor_of(value).is_vector):
            raise VerifyException(
                f"df.task {self.sym_name}: a stream of {tokens} tokens is {verb} {wanted} times by the loop nest"
            )


@irdl_op_definition
class ConverterOp(NodeOp):
    """Turns one stream order of a tensor into another through a ping-pong buffer inside ``before_loop`` loops."""

    name = "df.converter"
    label = opt_prop_def(StringAttr)
    buffer = opt_prop_def(IntListAttr)
    before_loop = opt_prop_def(IntegerAttr[I64])
    blocks = opt_prop_def(IntegerAttr[I64])
    assembly_format = f"$sources (`buffer` $buffer^)? (`before` $before_loop^)? (`blocks` $blocks^)? {_TAIL}"

    def __init__(self, source: SSAValue, result: ITensorType) -> None:
        super().__init__(operands=[[source], []], result_types=[[result]])

    def verify_(self) -> None:
        """One tensor on both sides."""
        source, result = itensor_of(self.sources[0]), itensor_of(self.produced[0])
        _check_same_tensor(self.name, source, result)


@irdl_op_definition
class ForkOp(NodeOp):
    """Copies a stream to several readers."""

    name = "df.fork"
    label = opt_prop_def(StringAttr)
    assembly_format = f"$sources {_TAIL}"

    def __init__(self, source: SSAValue, copies: int) -> None:
        super().__init__(operands=[[source], []], result_types=[[source.type] * copies])

    def verify_(self) -> None:
        """All copies have the source's order; each is read once."""
        source = itensor_of(self.sources[0])
        if any(itensor_of(copy) != source for copy in self.produced):
            raise VerifyException("df.fork: every result must have the type of the source")
        _check_single_use(self.name, self.streams)


@irdl_op_definition
class JoinOp(NodeOp):
    """Takes one token of each source in turn; all have the result's type."""

    name = "df.join"
    label = opt_prop_def(StringAttr)
    assembly_format = f"$sources {_TAIL}"

    def verify_(self) -> None:
        """All sources have the result's type."""
        result = itensor_of(self.produced[0])
        if any(itensor_of(source) != result for source in self.sources):
            raise VerifyException("df.join: every source must have the type of the result")


@irdl_op_definition
class DmaReadOp(NodeOp):
    """Streams a tensor from external memory: packed by tiles, widened to port beats, through a ping-pong tile buffer.

    ``layout`` is the packed shape in memory (tile grid, then the tile), ``beat_bits`` the port width,
    ``packed`` says that memory holds the tiles in stream order (parameters, packed ahead of time);
    ``folded`` says that the reader shares the tile buffer and needs no FIFO.
    """

    name = "df.dma_read"
    label = opt_prop_def(StringAttr)
    layout = opt_prop_def(IntListAttr)
    beat_bits = opt_prop_def(IntegerAttr[I64])
    origin = opt_prop_def(StringAttr)
    folded = opt_prop_def(UnitAttr)
    packed = opt_prop_def(UnitAttr)
    assembly_format = (
        f"$sources (`layout` $layout^)? (`beat` $beat_bits^)? (`packed` $packed^)? (`folded` $folded^)? (`origin` $origin^)? {_TAIL}"
    )


@irdl_op_definition
class DmaWriteOp(NodeOp):
    """Writes a stream to a tensor in external memory; mirrors ``df.dma_read``."""

    name = "df.dma_write"
    label = opt_prop_def(StringAttr)
    layout = opt_prop_def(IntListAttr)
    beat_bits = opt_prop_def(IntegerAttr[I64])
    origin = opt_prop_def(StringAttr)
    assembly_format = f"$sources (`layout` $layout^)? (`beat` $beat_bits^)? (`origin` $origin^)? {_TAIL}"


@irdl_op_definition
class InstanceOp(IRDLOperation):
    """A stream between two nodes, made explicit: it becomes one FIFO."""

    name = "df.instance"
    source = operand_def(TILE)
    result = result_def(TILE)
    sym_name = opt_prop_def(StringAttr)
    assembly_format = "$source (`named` $sym_name^)? attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, name: str) -> None:
        super().__init__(operands=[source], result_types=[source.type], properties={"sym_name": StringAttr(name)})

    def verify_(self) -> None:
        """An instance has one reader and does not change the order."""
        if self.source.type != self.result.type:
            raise VerifyException("df.instance: source and result must have the same type")
        _check_single_use(self.name, [self.result])


@irdl_op_definition
class StreamOp(IRDLOperation):
    """Makes a FIFO: exactly one node writes it and exactly one reads it."""

    name = "df.stream"
    sym_name = prop_def(StringAttr)
    sized_by = opt_prop_def(StringAttr)
    result = result_def(StreamType)
    assembly_format = "$sym_name (`sized` $sized_by^)? attr-dict `:` type($result)"

    def __init__(self, name: str, kind: StreamType, sized_by: str | None = None) -> None:
        sized = {"sized_by": StringAttr(sized_by)} if sized_by else {}
        super().__init__(result_types=[kind], properties={"sym_name": StringAttr(name), **sized})

    def verify_(self) -> None:
        """One writer, one reader."""
        uses = list(self.result.uses)
        writers = sum(_writes(use.operation, use.index) for use in uses)
        if (writers, len(uses) - writers) != (1, 1):
            raise VerifyException(
                f"df.stream {self.sym_name}: {writers} writers and {len(uses) - writers} readers, "
                "a stream has exactly one of each"
            )


def _writes(op: Operation, index: int) -> bool:
    if isinstance(op, StreamWriteOp):
        return index == 1
    return isinstance(op, NodeOp) and index >= len(op.sources)


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
        _check_token(self, itensor_of(self.source), self.value.type)


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
        _check_token(self, itensor_of(self.target), self.value.type)


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
        _check_same_tensor(self.name, source, result)
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
        """Tensor elements, token elements and token count stay."""
        source, result = itensor_of(self.source), itensor_of(self.result)
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
        """The parts cover the source along the dim."""
        _check_parts(self.name, itensor_of(self.source), self.parts, self.dim.value.data)


@irdl_op_definition
class ConcatOp(IRDLOperation):
    """Joins itensors along data dim ``dim``."""

    name = "df.concat"
    parts = var_operand_def(TILE)
    result = result_def(TILE)
    dim = prop_def(IntegerAttr[I64])
    assembly_format = "$parts `along` $dim attr-dict `:` type($parts) `->` type($result)"

    def verify_(self) -> None:
        """The parts cover the result along the dim."""
        _check_parts(self.name, itensor_of(self.result), self.parts, self.dim.value.data)


@irdl_op_definition
class StreamReadOp(IRDLOperation):
    """Pops a token."""

    name = "df.stream_read"
    source = operand_def(STREAM)
    value = result_def(AnyAttr())
    assembly_format = "$source attr-dict `:` type($source) `->` type($value)"


@irdl_op_definition
class StreamWriteOp(IRDLOperation):
    """Pushes a token."""

    name = "df.stream_write"
    value = operand_def(AnyAttr())
    target = operand_def(STREAM)
    assembly_format = "$value `into` $target attr-dict `:` type($value) `into` type($target)"


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


@irdl_op_definition
class BufferOp(IRDLOperation):
    """A ping-pong buffer on chip: two memrefs of the given shape."""

    name = "df.buffer"
    sym_name = prop_def(StringAttr)
    result = result_def(MemRefType)
    assembly_format = "$sym_name attr-dict `:` type($result)"

    def __init__(self, name: str, kind: MemRefType) -> None:
        super().__init__(result_types=[kind], properties={"sym_name": StringAttr(name)})


def _check_same_tensor(name: str, source: ITensorType, result: ITensorType) -> None:
    if source.dtype != result.dtype:
        raise VerifyException(f"{name}: data types differ: {source.dtype} and {result.dtype}")
    if source.full_shape != result.full_shape:
        raise VerifyException(f"{name}: full shapes differ: {source.full_shape} and {result.full_shape}")


def _check_single_use(name: str, values: Sequence[SSAValue]) -> None:
    for value in values:
        uses = value.uses.get_length()
        if uses > 1:
            raise VerifyException(f"{name}: a result has {uses} uses, it may have one; fork it first")


def _check_token(op: Operation, stream: ITensorType, token: Attribute) -> None:
    if not isinstance(token, TensorType) or token.get_shape() != stream.element_shape:
        raise VerifyException(f"{op.name}: the token {token} does not have the element shape {stream.element_shape}")
    if token.get_element_type() != stream.dtype:
        raise VerifyException(f"{op.name}: the token {token} does not have the data type {stream.dtype}")
    wanted = [pair for pair in zip(stream.trip_counts, stream.step_sizes, strict=True) if pair[0] != 1]
    if _enclosing_loops(op) != wanted:
        raise VerifyException(f"{op.name}: the enclosing loops must have the (trip, step) sequence {wanted}")


def _enclosing_loops(op: Operation) -> list[tuple[int, int]]:
    from xdsl.dialects.arith import ConstantOp
    from xdsl.dialects.scf import ForOp

    found: list[tuple[int, int]] = []
    parent = op.parent_op()
    while isinstance(parent, ForOp):
        bounds = [value.owner for value in (parent.lb, parent.ub, parent.step)]
        if not all(isinstance(bound, ConstantOp) for bound in bounds):
            raise VerifyException(f"{op.name}: enclosing loops must have constant bounds")
        low, high, step = (bound.value.value.data for bound in bounds)  # pyright: ignore
        found.insert(0, ((high - low) // step, step))
        parent = parent.parent_op()
    return [pair for pair in found if pair[0] != 1]


def _check_parts(name: str, whole: ITensorType, parts: Sequence[SSAValue], dim: int) -> None:
    if not 0 <= dim < len(whole.full_shape):
        raise VerifyException(f"{name}: data dim {dim} of a tensor of rank {len(whole.full_shape)}")
    total = sum(itensor_of(part).full_shape[dim] for part in parts)
    if total != whole.full_shape[dim]:
        raise VerifyException(f"{name}: the parts cover {total} of {whole.full_shape[dim]} along dim {dim}")


def i64_attr(value: int) -> IntegerAttr[I64]:
    """The attribute of one integer."""
    return IntegerAttr(value, i64)


def new_block(types: Sequence[Attribute]) -> Block:
    """An empty block with arguments of these types."""
    return Block(arg_types=list(types))


DF = Dialect(
    "df",
    [
        YieldOp, KernelOp, TaskOp, ConverterOp, ForkOp, JoinOp, DmaReadOp, DmaWriteOp, InstanceOp, StreamOp, EmptyOp,
        ReadOp, WriteOp, CastOp, ReassociateOp, ChunkOp, ConcatOp, StreamReadOp, StreamWriteOp, StreamCastOp, BufferOp,
    ],
    [ITensorType, StreamType, IntListAttr],
)  # fmt: skip
