"""The `df` dialect: dataflow kernels over iterative tensors, and the streams that they become.

Two levels live in it.  At the *itensor* level every value says in which order
it is streamed and nodes return their results; at the *stream* level the same
nodes push into ``!df.stream`` FIFOs of a given depth.  A ``df.kernel`` is one
FPGA kernel: streaming inside, external memory between.  (StreamTensor, MICRO
2025, sections 3 and 4; the list of ops is its table of the itensor dialect.)
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from math import gcd, prod
from typing import Self, TypeVar

from xdsl.dialects.arith import ConstantOp, MuliOp
from xdsl.dialects.builtin import (
    I64,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    TensorType,
    UnitAttr,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.scf import ForOp
from xdsl.ir import Attribute, Dialect, Operation, ParametrizedAttribute, Region, SSAValue, TypeAttribute
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

from sttest.boards.resources import Resources, load_resource_model
from sttest.compile.dialects.hardware_op import HardwareOp, Ports, copies
from sttest.compile.dialects.itensor import ITensorType, int_array, remembered, remembering
from sttest.compile.dialects.stream_order import coded_stream, cut_dim, is_sliced, resized, same_order, turns
from sttest.core.errors import InputError
from sttest.reference.codes import Code
from sttest.reference.graph import BITS, Concat, Gather
from sttest.reference.weight_types import codes
from sttest.sim.graph import COPY_CYCLES, Event, Loop, Pipeline

# --- Types and attributes of the `df` dialect: lists of numbers, and FIFOs of tokens


TILE = BaseAttr(ITensorType)


@remembering
@irdl_attr_definition
class IntListAttr(ParametrizedAttribute):
    """A list of integers, printed ``[4,16]``."""

    name = "df.ints"

    items: ArrayAttr[IntAttr]

    @staticmethod
    def of(values: Sequence[int]) -> "IntListAttr":
        """Builds the attribute from plain numbers."""
        return _int_list(tuple(values))

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


@lru_cache(maxsize=1 << 12)
def _int_list(values: tuple[int, ...]) -> IntListAttr:
    return IntListAttr(int_array(values))


@irdl_attr_definition
class TargetAttr(ParametrizedAttribute):
    """What a module is compiled for: ``#df.target<"u55c">``, a shipped board, or the content of another one as JSON."""

    name = "df.target"

    board: StringAttr


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


def identifier(text: str) -> str:
    """A name that is safe in IR, JSON, C++ and Verilog: letters, digits and underscores, no leading digit.

    >>> identifier("attn.q_proj"), identifier("1;rm")
    ('attn_q_proj', '_1_rm')
    """
    clean = re.sub(r"[^0-9A-Za-z_]+", "_", text)
    return f"_{clean}" if clean[:1].isdigit() or not clean else clean


@lru_cache(maxsize=1 << 12)
def i64_attr(value: int) -> IntegerAttr[I64]:
    """The attribute of one integer."""
    return IntegerAttr(value, i64)


# --- Rules that several ops of the `df` dialect share (streamtensor.md section 1); each raises a VerifyException


def check_ports(name: str, *, sources: tuple[int, int], results: tuple[int, int]) -> None:
    """The op must have as many sources and results as wanted; each argument is (found, wanted)."""
    for what, (found, wanted) in (("source", sources), ("result", results)):
        if found != wanted:
            raise VerifyException(f"{name}: {found} {what}s, it must have {wanted}")


def check_same_tensor(name: str, source: ITensorType, result: ITensorType) -> None:
    """Both sides stream one tensor: same data type, same full shape."""
    if source.dtype != result.dtype:
        raise VerifyException(f"{name}: data types differ: {source.dtype} and {result.dtype}")
    if source.full_shape != result.full_shape:
        raise VerifyException(f"{name}: full shapes differ: {source.full_shape} and {result.full_shape}")


def check_streams_tensor(name: str, tensor: Attribute, stream: ITensorType) -> None:
    """The stream covers exactly that tensor."""
    if not isinstance(tensor, TensorType):
        raise VerifyException(f"{name}: expected a tensor in external memory, found {tensor}")
    if tensor.get_shape() != stream.full_shape or tensor.get_element_type() != stream.dtype:
        raise VerifyException(f"{name}: {tensor} is not the tensor that streams, {stream.full_shape} of {stream.dtype}")


def check_streams_slice(name: str, tensor: Attribute, stream: ITensorType, part: Sequence[int]) -> None:
    """The stream covers one slice of the tensor's tokens: one dim of the tensor is as many times longer."""
    if len(part) != 2 or not 0 <= part[0] < part[1]:
        raise VerifyException(f"{name}: a slice is [number, of how many], not {list(part)}")
    whole = tensor.get_shape() if isinstance(tensor, TensorType) else ()
    cut = [dim for dim, (size, own) in enumerate(zip(whole, stream.full_shape, strict=False)) if size != own]
    if len(cut) == 1:
        scaled = tuple(size * part[1] if dim == cut[0] else size for dim, size in enumerate(stream.full_shape))
        if scaled == whole and isinstance(tensor, TensorType) and tensor.get_element_type() == stream.dtype:
            return
    raise VerifyException(f"{name}: {stream.full_shape} of {stream.dtype} is no slice of 1/{part[1]} of {tensor}")


def check_single_use(name: str, values: Sequence[SSAValue]) -> None:
    """Every value is read exactly once."""
    for value in values:
        uses = value.uses.get_length()
        if uses > 1:
            raise VerifyException(f"{name}: a result has {uses} uses, it may have one; fork it first")
        if not uses:
            raise VerifyException(f"{name}: a result is never read, it must have one use")


def check_token(name: str, stream: ITensorType, token: Attribute) -> None:
    """The value is one token of the stream: element shape and data type; a token of one element may be a scalar."""
    if stream.token_elements == 1 and token == stream.dtype:
        return
    if not isinstance(token, TensorType | VectorType) or token.get_shape() != stream.element_shape:
        raise VerifyException(f"{name}: the token {token} does not have the element shape {stream.element_shape}")
    if token.get_element_type() != stream.dtype:
        raise VerifyException(f"{name}: the token {token} does not have the data type {stream.dtype}")


def check_nest(op: Operation, stream: ITensorType) -> None:
    """The loops around the op are those of the stream; loops of one trip do not count."""
    wanted = [pair for pair in zip(stream.trip_counts, stream.step_sizes, strict=True) if pair[0] != 1]
    if _enclosing_loops(op) != wanted:
        raise VerifyException(f"{op.name}: the enclosing loops must have the (trip, step) sequence {wanted}")


def check_parts(name: str, whole: ITensorType, parts: Sequence[SSAValue], dim: int) -> None:
    """The parts make up the whole along ``dim`` and agree with it elsewhere."""
    if not 0 <= dim < len(whole.full_shape):
        raise VerifyException(f"{name}: data dim {dim} of a tensor of rank {len(whole.full_shape)}")
    types = [itensor_of(part) for part in parts]
    total = sum(part.full_shape[dim] for part in types if dim < len(part.full_shape))
    if total != whole.full_shape[dim]:
        raise VerifyException(f"{name}: the parts cover {total} of {whole.full_shape[dim]} along dim {dim}")
    for part in types:
        if part.dtype != whole.dtype or _without(part.full_shape, dim) != _without(whole.full_shape, dim):
            raise VerifyException(f"{name}: parts may differ from the whole only in their size along dim {dim}")


def _without(shape: tuple[int, ...], dim: int) -> tuple[int, ...]:
    return (*shape[:dim], *shape[dim + 1 :])


def _enclosing_loops(op: Operation) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    parent = op.parent_op()
    while isinstance(parent, ForOp):
        low, high, step = (_constant(op, value) for value in (parent.lb, parent.ub, parent.step))
        if low or step < 1:
            raise VerifyException(f"{op.name}: enclosing loops must count up from 0")
        found.insert(0, (-(-high // step), step))
        parent = parent.parent_op()
    return [pair for pair in found if pair[0] != 1]


def _constant(op: Operation, bound: SSAValue) -> int:
    owner = bound.owner
    if not isinstance(owner, ConstantOp) or not isinstance(owner.value, IntegerAttr):
        raise VerifyException(f"{op.name}: enclosing loops must have constant bounds")
    return owner.value.value.data


# --- Ops on tokens: reading and writing them, and looking at a stream of them in another way


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


# --- Nodes of the dataflow graph: they read sources and fill results (itensor level) or sinks (stream level)


# What every node prints after its own properties: where it pushes (stream level) or what it returns (itensor level).
TAIL = (
    "(`named` $label^)? (`on_card` $card^)? (`into` $sinks^)? attr-dict "
    "`:` type($sources) (`into` type($sinks)^)? (`->` type($streams)^)?"
)
_LOOP_KINDS = ("parallel", "reduction")
CASCADE_LENGTHS = (2, 4, 8, 16)
"""Products that a task may sum down the cascade of DSPs."""


@cache
def _first_size(sizes: bytes) -> int:
    """The first of a few 32-bit numbers; every walk from a stream to its nodes asks for it."""
    return int.from_bytes(sizes[:4], sys.byteorder)


@cache
def _kinds(iterators: str) -> tuple[str, ...]:
    return tuple(iterators.split(",")) if iterators else ()


def _walks_along(accesses: ArrayAttr[AffineMapAttr], port: int, iterators: str) -> bool:
    """Whether any reduction of a nest moves a port's element; attributes never change, and it is asked many times."""
    known: dict[tuple[int, str], bool] = vars(accesses).setdefault("_walks_along", {})
    found = known.get((port, iterators))
    if found is None:
        access = accesses.data[port].data
        origin = access.eval((0,) * access.num_dims, ())
        units = (
            tuple(int(loop == unit) for loop in range(access.num_dims))
            for unit, kind in enumerate(iterators.split(","))
            if kind == "reduction"
        )
        found = known[port, iterators] = any(access.eval(unit, ()) != origin for unit in units)
    return found


_SEGMENTS = AttrSizedOperandSegments.attribute_name


@cache
def _segment_sizes(sources: int, sinks: int) -> Attribute:
    return DenseArrayBase.from_list(i32, [sources, sinks])


class NodeOp(IRDLOperation):
    """What all nodes of the dataflow graph share: they read sources and fill results (itensor level) or sinks."""

    sources = var_operand_def(AnyAttr())
    sinks = var_operand_def(STREAM)
    streams = var_result_def(AnyAttr())
    card = opt_prop_def(IntegerAttr[I64])
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        *,
        operands: Sequence[Sequence[SSAValue]],
        result_types: Sequence[Sequence[Attribute]],
        properties: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> None:
        # irdl's own works out from the definition of an op what all nodes have in common.
        (sources, sinks), (streams,) = operands, result_types
        sizes = {_SEGMENTS: _segment_sizes(len(sources), len(sinks))}
        Operation.__init__(
            self,
            operands=[*sources, *sinks],
            result_types=streams,
            properties={**(properties or {}), **sizes},
            regions=regions,
        )

    def into(self, sinks: Sequence[SSAValue]) -> Self:
        """The same node at the stream level; takes its regions.

        Args:
            sinks: streams that it writes in place of its results.
        """
        regions = [self.detach_region(region) for region in list(self.regions)]
        properties = {key: value for key, value in self.properties.items() if key != _SEGMENTS}
        properties[_SEGMENTS] = _segment_sizes(self.source_count, len(sinks))
        return self.create(operands=[*self.sources, *sinks], properties=properties, regions=regions)

    @property
    def source_count(self) -> int:
        """Operands before this number are sources, the others sinks."""
        sizes = self.properties["operandSegmentSizes"]
        assert isinstance(sizes, DenseArrayBase)
        return _first_size(sizes.data.data)

    @property
    def produced(self) -> Sequence[SSAValue]:
        """Results at the itensor level, sinks at the stream level."""
        return self.sinks or self.streams

    @property
    def kind(self) -> str:
        """The kind of hardware that it becomes, as tables name it."""
        return self.name.rpartition(".")[2]

    @property
    def given_name(self) -> str | None:
        """Its own name, whatever it shares with others; None before `name-nodes`."""
        return self._text("label")

    def give_name(self, name: str) -> None:
        """Takes a name, unless it has had one from the start."""
        self.properties["label"] = StringAttr(name)

    def proposed_name(self, name_of: Callable[[SSAValue], str]) -> str:
        """A name for it, not yet unique.

        Args:
            name_of: the name of the node that a stream comes from.
        """
        return self.kind

    @property
    def origin_name(self) -> str:
        """The module of the model, or the tensor, that it comes from; empty where the text does not say."""
        return self._text("origin") or ""

    @property
    def queue_name(self) -> str | None:
        """The queue of loads that it belongs to."""
        return self._text("queue")

    @property
    def card_number(self) -> int:
        """The card that it is on, of several (`place-on-cards`)."""
        found = self.properties.get("card")
        return found.value.data if isinstance(found, IntegerAttr) else 0

    @property
    def shared_name(self) -> str | None:
        """The process that it shares with others: its engine, or what its queue makes of it; None where it is alone."""
        return None

    @property
    def passes_on(self) -> bool:
        """Whether its results are the tokens of its first source, as they are or in another order."""
        return False

    def _text(self, name: str) -> str | None:
        found = self.properties.get(name)
        return found.data if isinstance(found, StringAttr) else None


def _sources(node: NodeOp) -> Sequence[SSAValue]:
    return node.operands[: node.source_count]


def _sinks(node: NodeOp) -> Sequence[SSAValue]:
    return node.operands[node.source_count :]


def _streams(node: NodeOp) -> Sequence[SSAValue]:
    return node.results


_PORTS = {"sources": _sources, "sinks": _sinks, "streams": _streams}
_NodeT = TypeVar("_NodeT", bound=NodeOp)


def _node(cls: type[_NodeT]) -> type[_NodeT]:
    """Defines a class of nodes.

    The accessors of irdl take the sizes of both groups of operands apart at every look; there are thousands per design.
    """
    defined = irdl_op_definition(cls)
    for name, port in _PORTS.items():
        setattr(defined, name, property(port))
    return defined


@_node
class TaskOp(NodeOp):
    """A tiled loop nest over tokens with a scalar payload.

    The nest has ``trips`` iterations per loop and works on a tile of ``tile``
    points per loop in each; ``iterators`` names each loop ``parallel`` or
    ``reduction``.  Every source is read once per iteration of the whole nest,
    every result written once per iteration of its parallel part, when all
    reductions stand at their last; one that reductions index, behind a result
    that they do not, is written in every iteration: what the running value
    makes of each (a scan).  A reduction around parallel loops keeps a
    running tile for every iteration of these.  ``contracts``
    says that the payload multiplies the first two sources and sums: a matmul.
    ``pairwise`` says that the terms of a sum are added in pairs (docs/reference/values.md), not one after the other.
    ``accesses`` has one map per source, then per result: from a point of the
    loops to the element of the tensor that the payload's argument stands for.
    Tasks of one ``engine`` take turns, in program order, on one piece of hardware.
    ``fabric`` says that its products of integers are made of LUTs, not DSPs; ``cascade``, how many of them at most
    are summed down the cascade of DSPs, one behind the other.
    The passes of the outermost loop of a task that is ``whole`` follow each other without a drain.
    """

    name = "df.task"
    sym_name = prop_def(StringAttr)
    trips = prop_def(IntListAttr)
    tile = prop_def(IntListAttr)
    iterators = prop_def(StringAttr)
    origin = opt_prop_def(StringAttr)
    init = opt_prop_def(FloatAttr | IntegerAttr)
    contracts = opt_prop_def(UnitAttr)
    pairwise = opt_prop_def(UnitAttr)
    accesses = opt_prop_def(ArrayAttr[AffineMapAttr])
    lanes = opt_prop_def(IntegerAttr[I64])
    engine = opt_prop_def(StringAttr)
    fabric = opt_prop_def(UnitAttr)
    cascade = opt_prop_def(IntegerAttr[I64])
    whole = opt_prop_def(UnitAttr)
    payload = region_def("single_block")
    assembly_format = (
        "$sym_name `loops` $trips `tile` $tile `kinds` $iterators "
        "(`init` $init^)? (`contracts` $contracts^)? (`pairwise` $pairwise^)? (`lanes` $lanes^)? "
        "(`engine` $engine^)? (`fabric` $fabric^)? (`cascade` $cascade^)? (`whole` $whole^)? (`on_card` $card^)? "
        "(`origin` $origin^)? (`accesses` $accesses^)? `ins` `(` ($sources^ `:` type($sources))? `)` "
        "(`into` `(` $sinks^ `:` type($sinks) `)`)? (`->` type($streams)^)? $payload attr-dict-with-keyword"
    )

    @property
    def given_name(self) -> str | None:
        """The name of its kernel."""
        return self.sym_name.data

    def give_name(self, name: str) -> None:
        """It has one already."""

    def proposed_name(self, name_of: Callable[[SSAValue], str]) -> str:
        """The name that it has."""
        return self.sym_name.data

    @property
    def shared_name(self) -> str | None:
        """Its engine."""
        return self._text("engine")

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
        return _kinds(self.iterators.data)

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
    def held_loops(self) -> tuple[int, ...]:
        """The parallel loops inside of a reduction: a running tile is held for each of their iterations."""
        loops = [*zip(self.trip_counts, self.loop_kinds, strict=True)]
        outermost = next((n for n, (trip, kind) in enumerate(loops) if kind == "reduction" and trip > 1), len(loops))
        return tuple(n for n, (trip, kind) in enumerate(loops) if n > outermost and kind == "parallel" and trip > 1)

    @property
    def iterations_per_sum(self) -> int:
        """Iterations from one update of a running tile to the next."""
        between = 1
        for trip, kind in reversed([*zip(self.trip_counts, self.loop_kinds, strict=True)]):
            if kind == "reduction" and trip > 1:
                return between
            between *= trip
        return 1

    @property
    def iterations_per_result(self) -> int:
        """Iterations from one result token to the next: reductions around parallel loops give them in a burst."""
        between = 1
        for trip, kind in reversed([*zip(self.trip_counts, self.loop_kinds, strict=True)]):
            if kind == "parallel" and trip > 1:
                return between
            between *= trip if kind == "reduction" else 1
        return between

    def is_scanned(self, result: int) -> bool:
        """Whether reductions index a result, by its number: it is written in every iteration."""
        if self.accesses is None:
            return False
        return _walks_along(self.accesses, self.source_count + result, self.iterators.data)

    def writes(self, result: int) -> int:
        """The number of times that the nest writes a result, given by its number."""
        return self.iterations if self.is_scanned(result) else self.iterations // self.reduction_iterations

    @property
    def is_contraction(self) -> bool:
        """Whether the payload multiplies the first two sources and sums."""
        return self.contracts is not None

    @property
    def multiplies_integers(self) -> bool:
        """Whether the payload has a product of integers."""
        return any(isinstance(op, MuliOp) for op in self.payload.block.ops)

    @property
    def multiplies_in_fabric(self) -> bool:
        """Whether these products are made of LUTs."""
        return self.fabric is not None

    @property
    def lane_count(self) -> int:
        """Payload evaluations per cycle; 1 before unrolling."""
        return self.lanes.value.data if self.lanes is not None else 1

    def verify_(self) -> None:
        """The nest must be exactly that of the types it reads and writes, and the payload fit both."""
        self._check_loops()
        self._check_accesses()
        for source in self.sources:
            self._check_tokens(source, self.iterations, "read")
        for number, produced in enumerate(self.produced):
            self._check_tokens(produced, self.writes(number), "written")
        self._check_payload()

    def _check_loops(self) -> None:
        if not len(self.trip_counts) == len(self.tile_sizes) == len(self.loop_kinds):
            raise VerifyException("df.task: trips, tile and iterators must name the same loops")
        if any(size < 1 for size in (*self.trip_counts, *self.tile_sizes)):
            raise VerifyException("df.task: trips and tile sizes must be at least 1")
        unknown = set(self.loop_kinds) - set(_LOOP_KINDS)
        if unknown:
            raise VerifyException(f"df.task: a loop is parallel or reduction, not '{sorted(unknown)[0]}'")
        if self.lane_count < 1:
            raise VerifyException(f"df.task: {self.lane_count} lanes, there must be at least 1")

    def _check_accesses(self) -> None:
        if self.accesses is None:
            return
        ports = [*self.sources, *self.produced]
        if len(self.accesses) != len(ports):
            raise VerifyException(f"df.task: {len(self.accesses)} accesses for {len(ports)} sources and results")
        for access, port in zip(self.accesses, ports, strict=True):
            found = (access.data.num_dims, len(access.data.results))
            wanted = (len(self.trip_counts), len(itensor_of(port).full_shape))
            if found != wanted:
                raise VerifyException(f"df.task: an access maps {found[0]} loops to {found[1]} dims, not {wanted}")

    def _check_payload(self) -> None:
        found, wanted = len(self.payload.block.args), len(self.sources) + len(self.produced)
        if found != wanted:
            raise VerifyException(
                f"df.task: the payload has {found} arguments, one per source and result makes {wanted}"
            )
        last = self.payload.block.last_op
        yielded = 0 if last is None else len(last.operands)
        if yielded != len(self.produced):
            raise VerifyException(f"df.task: the payload yields {yielded} values for {len(self.produced)} results")
        if "reduction" in self.loop_kinds and self.init is None:
            raise VerifyException("df.task: a reduction needs the value that it starts from (init)")
        if self.multiplies_in_fabric and not self.multiplies_integers:
            raise VerifyException("df.task: fabric is for products of integers, and the payload has none")
        if self.cascade is not None:
            self._check_cascade(self.cascade.value.data)
        if self.contracts is not None and (len(self.sources) < 2 or "reduction" not in self.loop_kinds):
            raise VerifyException("df.task: a contraction has two factors and a reduction loop")

    def _check_cascade(self, length: int) -> None:
        if length not in CASCADE_LENGTHS:
            raise VerifyException(f"df.task: a cascade has {CASCADE_LENGTHS} DSPs at most, not {length}")
        if self.multiplies_in_fabric or not self.multiplies_integers:
            raise VerifyException("df.task: a cascade is for products of integers in DSPs, and there are none")

    def _check_tokens(self, value: SSAValue, wanted: int, verb: str) -> None:
        tokens = itensor_of(value).tokens
        if tokens % wanted or (tokens != wanted and not itensor_of(value).is_vector):
            raise VerifyException(
                f"df.task {self.sym_name}: a stream of {tokens} tokens is {verb} {wanted} times by the loop nest"
            )


@_node
class ConverterOp(NodeOp):
    """Turns one stream order of a tensor into another through a ping-pong buffer inside ``before_loop`` loops.

    One that only repeats what it has ``kept`` has words of whole tokens in its buffer.
    """

    name = "df.converter"
    label = opt_prop_def(StringAttr)
    buffer = opt_prop_def(IntListAttr)
    before_loop = opt_prop_def(IntegerAttr[I64])
    blocks = opt_prop_def(IntegerAttr[I64])
    kept = opt_prop_def(UnitAttr)
    assembly_format = (
        f"$sources (`buffer` $buffer^)? (`before` $before_loop^)? (`blocks` $blocks^)? (`kept` $kept^)? {TAIL}"
    )

    def __init__(self, source: SSAValue, result: ITensorType) -> None:
        super().__init__(operands=[[source], []], result_types=[[result]])

    def proposed_name(self, name_of: Callable[[SSAValue], str]) -> str:
        """A name made of that of the node whose order it changes."""
        return f"order_{name_of(self.sources[0])}"

    @property
    def passes_on(self) -> bool:
        """The same tokens in another order."""
        return True

    @property
    def at_once(self) -> list[int]:
        """Neighbors per data dim that are written or read in one cycle: those of a token."""
        source, result = (itensor_of(port).element_shape for port in self._ends)
        return [max(pair) for pair in zip(source, result, strict=True)]

    @property
    def word(self) -> list[int]:
        """Neighbors per data dim that lie in one word of the buffer: one, or what both sides of ``kept`` ones move."""
        source, result = (itensor_of(port).element_shape for port in self._ends)
        if self.kept is None:
            return [1] * len(source)
        return [gcd(*pair) for pair in zip(source, result, strict=True)]

    @property
    def _ends(self) -> tuple[SSAValue, SSAValue]:
        return self.sources[0], self.produced[0]

    def verify_(self) -> None:
        """One tensor on both sides, and the buffer covers a block of it."""
        check_ports(self.name, sources=(len(self.sources), 1), results=(len(self.produced), 1))
        source, result = itensor_of(self.sources[0]), itensor_of(self.produced[0])
        check_same_tensor(self.name, source, result)
        rank = len(source.full_shape)
        if self.buffer is not None and len(self.buffer.values) != rank:
            raise VerifyException(f"df.converter: the buffer {self.buffer.values} of a tensor of rank {rank}")
        blocks = self.blocks.value.data if self.blocks is not None else 1
        for tokens in (source.tokens, result.tokens):
            if blocks < 1 or tokens % blocks:
                raise VerifyException(f"df.converter: {tokens} tokens do not make {blocks} blocks")


@_node
class ForkOp(NodeOp):
    """Copies a stream to several readers, and drains after each of its ``passes``.

    Those of a ``queue`` are one process: it copies the streams one after the other, and each reader has one FIFO for
    all of them.
    """

    name = "df.fork"
    label = opt_prop_def(StringAttr)
    passes = opt_prop_def(IntegerAttr[I64])
    queue = opt_prop_def(StringAttr)
    assembly_format = f"$sources (`passes` $passes^)? (`queue` $queue^)? {TAIL}"

    def __init__(self, source: SSAValue, copies: int) -> None:
        super().__init__(operands=[[source], []], result_types=[[source.type] * copies])

    def proposed_name(self, name_of: Callable[[SSAValue], str]) -> str:
        """A name made of that of the node whose tokens it copies."""
        return f"fork_{name_of(self.sources[0])}"

    @property
    def shared_name(self) -> str | None:
        """A name made of its queue's."""
        return f"fork_{self.queue.data}" if self.queue is not None else None

    @property
    def passes_on(self) -> bool:
        """Each result has all tokens."""
        return True

    def verify_(self) -> None:
        """All copies have the source's order; each is read once."""
        if len(self.sources) != 1 or not self.produced:
            raise VerifyException("df.fork: it has one source and at least one result")
        source = itensor_of(self.sources[0])
        if any(itensor_of(copy) != source for copy in self.produced):
            raise VerifyException("df.fork: every result must have the type of the source")
        check_single_use(self.name, self.streams)


@_node
class JoinOp(NodeOp):
    """Takes one token of each source in turn; all have the result's type."""

    name = "df.join"
    label = opt_prop_def(StringAttr)
    assembly_format = f"$sources {TAIL}"

    def verify_(self) -> None:
        """All sources have the result's type."""
        check_ports(self.name, sources=(min(len(self.sources), 1), 1), results=(len(self.produced), 1))
        result = itensor_of(self.produced[0])
        if any(itensor_of(source) != result for source in self.sources):
            raise VerifyException("df.join: every source must have the type of the result")


# --- `df.concat`: the node that reads its sources in turn and gives their tokens to one stream


@_node
class ConcatOp(NodeOp, HardwareOp):
    """Joins streams along data dim ``dim``: in each turn all tokens of the first source, then of the second, ….

    Every source streams as the result does, with fewer trips of the outermost
    loop that walks ``dim``; the loops around that one are the turns.
    """

    name = "df.concat"
    dim = prop_def(IntegerAttr[I64])
    label = opt_prop_def(StringAttr)
    origin = opt_prop_def(StringAttr)
    assembly_format = f"$sources `along` $dim (`origin` $origin^)? {TAIL}"

    def proposed_name(self, name_of: Callable[[SSAValue], str]) -> str:
        """The name that it has, if any."""
        return self.given_name or self.kind

    @property
    def along(self) -> int:
        """The data dim along which the sources lie one behind the other."""
        return self.dim.value.data

    @property
    def turns(self) -> int:
        """The number of turns in which every source is read."""
        return turns(itensor_of(self.produced[0]), self.along)

    @property
    def tokens_per_turn(self) -> tuple[int, ...]:
        """Tokens of each source in a turn."""
        return tuple(itensor_of(source).tokens // self.turns for source in self.sources)

    def pipeline(self, ports: Ports) -> Pipeline:
        """One loop over the turns, one over the tokens of a turn, of which each source gives some in a row."""
        events, first = list[Event](), 0
        for source, tokens in zip(ports.sources, self.tokens_per_turn, strict=True):
            events.append(Event(source, "read", 0, (None, (first, first + tokens - 1, 1))))
            first += tokens
        events.append(Event(ports.sinks[0], "write", COPY_CYCLES - 1))
        loop = Loop((self.turns, first), 1, COPY_CYCLES, tuple(events))
        return Pipeline(ports.name, (loop,), origin=self.origin_name, category="concat")

    def reference(self, ports: Ports) -> Concat:
        """Its turns."""
        return Concat(ports.name, ports.sources, ports.sinks[0], self.turns, self.origin_name)

    def logic(self) -> Resources:
        """A word of registers behind the choice of a source: a LUT chooses one bit of four (AMD UG574)."""
        bits = itensor_of(self.produced[0]).token_bits
        return Resources(lut=bits * -(-(len(self.sources) - 1) // 3), ff=bits)

    def verify_(self) -> None:
        """The sources cover the result along the dim, in its order."""
        check_ports(self.name, sources=(min(len(self.sources), 1), 1), results=(len(self.produced), 1))
        whole = itensor_of(self.produced[0])
        check_parts(self.name, whole, self.sources, self.along)
        for number, source in enumerate(self.sources):
            part = itensor_of(source)
            wanted = resized(whole, self.along, part.full_shape[self.along])
            if wanted is None or not same_order(wanted, part):
                raise VerifyException(
                    f"df.concat: source {number} does not stream as the result does along dim {self.along}; "
                    "use df.converter"
                )


# --- Nodes between streams and external memory: DMAs, and what puts the slices of several together


class DmaOp(NodeOp):
    """What joins one stream to one tensor in external memory, in either direction.

    ``layout`` is the packed shape in memory (tile grid, then the tile), ``beat_bits`` the port width, ``channel`` the
    pseudo-channel that it works on.  ``packed`` says that memory holds the tiles in stream order: parameters, which are
    packed ahead of time, and results that are not streamed row-major.  ``ahead`` bounds the bursts in flight, ``page``
    the bytes of each: of what lies together where a cache is kept in pages.
    """

    label = opt_prop_def(StringAttr)
    layout = opt_prop_def(IntListAttr)
    beat_bits = opt_prop_def(IntegerAttr[I64])
    packed = opt_prop_def(UnitAttr)
    origin = opt_prop_def(StringAttr)
    channel = opt_prop_def(IntegerAttr[I64])
    ahead = opt_prop_def(IntegerAttr[I64])
    page = opt_prop_def(IntegerAttr[I64])

    @property
    def kind(self) -> str:
        """One kind for both directions."""
        return "dma"

    @property
    def writes(self) -> bool:
        """Whether it writes memory."""
        return isinstance(self, DmaWriteOp)

    @property
    def port(self) -> SSAValue:
        """Its stream."""
        return self.sources[0] if self.writes else self.produced[0]

    @property
    def is_packed(self) -> bool:
        """Whether memory holds its tiles in the order of the stream."""
        return self.packed is not None

    @property
    def tensor_name(self) -> str:
        """The name of its tensor, as an identifier."""
        return identifier(self.origin_name or "tensor")


@_node
class DmaReadOp(DmaOp):
    """Streams a tensor from external memory: packed by tiles, widened to port beats, through a ping-pong tile buffer.

    ``folded`` says that the reader shares the tile buffer and needs no FIFO.  ``slice`` [j, k] says that it reads slice
    j of k of every token, out of memory that holds nothing else.
    DMAs of one ``queue`` are one piece of hardware, which reads their tensors one after the other, in program order.

    In a launch that generates several tokens, a second source is what the DMA waits for between two of them.  With
    ``rows``, the token that was chosen: memory holds the row of the launch's first token, then one for each of so many
    tokens.  Without, the new entry of a layer, which goes into its place in memory before the DMA reads on.

    With ``parts`` [count, parts, dim, runs] the second source has the numbers of ``count`` parts, which come first:
    memory holds ``parts`` tensors, the stream is of so many of them side by side along ``dim``, ``runs`` times the next
    run of words of each that was chosen.

    With a ``code`` memory holds bytes, the codes of the tokens that a ``df.gather`` of the same code makes of them.
    """

    name = "df.dma_read"
    code = opt_prop_def(StringAttr)
    folded = opt_prop_def(UnitAttr)
    slice = opt_prop_def(IntListAttr)
    queue = opt_prop_def(StringAttr)
    rows = opt_prop_def(IntegerAttr[I64])
    parts = opt_prop_def(IntListAttr)
    assembly_format = (
        "$sources (`layout` $layout^)? (`beat` $beat_bits^)? (`packed` $packed^)? (`folded` $folded^)? "
        "(`slice` $slice^)? (`channel` $channel^)? (`ahead` $ahead^)? (`page` $page^)? (`queue` $queue^)? "
        f"(`rows` $rows^)? (`parts` $parts^)? (`code` $code^)? (`origin` $origin^)? {TAIL}"
    )

    def proposed_name(self, name_of: Callable[[SSAValue], str]) -> str:
        """A name made of its tensor's and the slice that it reads."""
        return self._name_of_slice(self.tensor_name)

    @property
    def shared_name(self) -> str | None:
        """A name made of its queue's and the slice that it reads."""
        return self._name_of_slice(self.queue.data) if self.queue is not None else None

    def _name_of_slice(self, tensor: str) -> str:
        return f"load_{tensor}{f'_slice{self.slice_of[0]}' if self.slice else ''}"

    @property
    def tensor_type(self) -> Attribute:
        """What memory holds: its tensor, or the bytes that are its code."""
        if self.code is None:
            return self.sources[0].type
        stream, (_, slices) = itensor_of(self.produced[0]), self.slice_of
        return TensorType(stream.dtype, [size * slices for size in stream.full_shape])

    @property
    def row_count(self) -> int:
        """Rows of the table that it takes one of for each token, the first token's among them; 0 if it has none."""
        return self.rows.value.data + 1 if self.rows is not None else 0

    @property
    def takes_entries(self) -> bool:
        """Whether it puts the new entries of a cache in their places."""
        return len(self.sources) > 1 and self.rows is None and self.parts is None

    @property
    def slice_of(self) -> tuple[int, int]:
        """Which slice of the tokens it reads, and of how many; (0, 1) for whole tokens."""
        index, slices = self.slice.values if self.slice is not None else (0, 1)
        return index, slices

    def verify_(self) -> None:
        """A tensor goes in, its stream comes out, or that of one slice of its tokens."""
        check_ports(self.name, sources=(min(len(self.sources), 1), 1), results=(len(self.produced), 1))
        if len(self.sources) > 2:
            raise VerifyException(f"df.dma_read: it waits for one stream, not for {len(self.sources) - 1}")
        stream = itensor_of(self.produced[0])
        if self.slice is None:
            check_streams_tensor(self.name, self.tensor_type, stream)
        else:
            check_streams_slice(self.name, self.tensor_type, stream, self.slice.values)


@_node
class DmaWriteOp(DmaOp):
    """Writes a stream to a tensor in external memory; mirrors ``df.dma_read``."""

    name = "df.dma_write"
    assembly_format = (
        "$sources (`layout` $layout^)? (`beat` $beat_bits^)? (`packed` $packed^)? (`channel` $channel^)? "
        f"(`ahead` $ahead^)? (`page` $page^)? (`origin` $origin^)? {TAIL}"
    )

    def proposed_name(self, name_of: Callable[[SSAValue], str]) -> str:
        """A name made of its tensor's."""
        return f"store_{self.tensor_name}"

    def verify_(self) -> None:
        """A stream goes in, its tensor comes out."""
        check_ports(self.name, sources=(len(self.sources), 1), results=(len(self.streams), 1))
        check_streams_tensor(self.name, self.streams[0].type, itensor_of(self.sources[0]))


def code_named(op: str, name: str) -> Code:
    """The code of that name.

    Raises:
        VerifyException: there is none.
    """
    if name not in codes():
        raise VerifyException(f"{op}: unknown code '{name}', expected one of {', '.join(codes())}")
    return codes()[name]


@_node
class GatherOp(NodeOp, HardwareOp):
    """Makes whole tokens out of one slice from each source (`sttest.compile.dialects.stream_order`).

    ``folded`` says that the reader shares the buffer of the tokens and needs no FIFO.  Behind the DMAs of a ``queue``
    there is one for all of them.  With a ``code`` it decodes the tokens: its slices are bytes.
    """

    name = "df.gather"
    code = opt_prop_def(StringAttr)
    label = opt_prop_def(StringAttr)
    folded = opt_prop_def(UnitAttr)
    queue = opt_prop_def(StringAttr)
    assembly_format = f"$sources (`folded` $folded^)? (`queue` $queue^)? (`code` $code^)? {TAIL}"

    def proposed_name(self, name_of: Callable[[SSAValue], str]) -> str:
        """A name made of that of the tensor whose slices it puts together, or of the task that was split."""
        load = self.sources[0].owner
        if isinstance(load, DmaOp):
            return f"{self._verb}_{load.tensor_name}"
        return f"gather_{re.sub('_unit[0-9]+of[0-9]+$', '', name_of(self.sources[0]))}"

    @property
    def runs(self) -> int:
        """Parts of a slice's token that follow each other in the whole one: 1 where slices are contiguous."""
        part, whole = itensor_of(self.sources[0]), itensor_of(self.produced[0])
        return 1 if self.code is not None else prod(whole.element_shape[: cut_dim(part, whole)])

    @property
    def _verb(self) -> str:
        return "gather" if self.code is None else "decode"

    @property
    def shared_name(self) -> str | None:
        """A name made of its queue's."""
        return f"{self._verb}_{self.queue.data}" if self.queue is not None else None

    @property
    def passes_on(self) -> bool:
        """Slices of tokens become tokens."""
        return True

    def pipeline(self, ports: Ports) -> Pipeline:
        """One loop over the tokens, of which every source gives a slice; a join where tasks give them."""
        stream = self.sources[0].owner
        assert isinstance(stream, StreamOp)
        events = [Event(source, "read", 0) for source in ports.sources]
        events.append(Event(ports.sinks[0], "write", COPY_CYCLES - 1))
        loop = Loop((itensor_of(self.sinks[0]).tokens,), 1, COPY_CYCLES, tuple(events))
        return Pipeline(ports.name, (loop,), category="join" if isinstance(stream.writer, TaskOp) else "gather")

    def reference(self, ports: Ports) -> Gather:
        """Its slices, or the codes that they make up."""
        return Gather(ports.name, ports.sources, ports.sinks[0], self.code.data if self.code is not None else "")

    def logic(self) -> Resources:
        """A word of registers, and what takes the codes of a token apart."""
        whole = itensor_of(self.produced[0])
        word = Resources(ff=whole.token_bits)
        return word if self.code is None else word + _decoders(self.code.data, whole.token_elements)

    def verify_(self) -> None:
        """Every source streams slices of the result's tokens, or of the bytes that they are made of."""
        check_ports(self.name, sources=(min(len(self.sources), 1), 1), results=(len(self.produced), 1))
        whole = itensor_of(self.produced[0])
        if self.code is not None:
            whole = coded_stream(whole, code_named(self.name, self.code.data))
        for source in self.sources:
            if not is_sliced(itensor_of(source), whole, len(self.sources)):
                raise VerifyException(f"df.gather: a source does not stream slices of 1/{len(self.sources)} of a token")


def _decoders(name: str, elements: int) -> Resources:
    """What takes the codes of a token apart."""
    code, known = codes()[name], load_resource_model().decoders
    # Of one that nobody synthesized, a table: a LUT is a bit of any function of six bits (AMD UG574).
    table = code.group * BITS[code.dtype] << max(0, code.bits - 6)
    return Resources(lut=-(-elements // code.group) * (known[name].lut if name in known else table))


# --- Nodes of a loop over layers: where activations enter a block, and where they leave it or go round


class LayerOp(NodeOp, HardwareOp):
    """A point where activations enter a block or leave it; it counts layers itself."""

    label = opt_prop_def(StringAttr)

    def reference(self, ports: Ports) -> None:
        """Nothing: the reference has one layer."""

    def logic(self) -> Resources:
        """A word of registers."""
        return Resources(ff=itensor_of(self.sources[0]).token_bits)

    @property
    def _later_layers(self) -> int:
        kernel = self.parent_op()
        assert isinstance(kernel, KernelOp)
        return kernel.layer_count - 1

    @property
    def kind(self) -> str:
        """One kind for both ends."""
        return "layers"


@_node
class EnterOp(LayerOp):
    """Gives the first layer its first source, every later layer its second: what the layer before made."""

    name = "df.enter"
    assembly_format = f"$sources {TAIL}"

    def pipeline(self, ports: Ports) -> Pipeline:
        """What comes from outside once, then what goes round."""
        (outside, back), (inside,), tokens = ports.sources, ports.sinks, itensor_of(self.sinks[0]).tokens
        # The loop is left after every layer: its last tokens are what the next layer's are made of.
        loops = copies(tokens, outside, inside), *self._later_layers * (copies(tokens, back, inside),)
        return Pipeline(ports.name, loops, category="layers")

    def verify_(self) -> None:
        """Two sources and a result of one order."""
        check_ports(self.name, sources=(len(self.sources), 2), results=(len(self.produced), 1))
        _check_one_order(self)


@_node
class LeaveOp(LayerOp):
    """Gives what a layer made to its first sink, for the next layer; that of the last layer to its second."""

    name = "df.leave"
    assembly_format = f"$sources {TAIL}"

    def pipeline(self, ports: Ports) -> Pipeline:
        """What goes round, then what leaves."""
        (inside,), (back, outside), tokens = ports.sources, ports.sinks, itensor_of(self.sources[0]).tokens
        loops = *self._later_layers * (copies(tokens, inside, back),), copies(tokens, inside, outside)
        return Pipeline(ports.name, loops, category="layers")

    def verify_(self) -> None:
        """A source and two results of one order."""
        check_ports(self.name, sources=(len(self.sources), 1), results=(len(self.produced), 2))
        _check_one_order(self)


def _check_one_order(node: NodeOp) -> None:
    orders = {itensor_of(port) for port in (*node.sources, *node.produced)}
    if len(orders) != 1:
        raise VerifyException(f"{node.name}: what goes round must have the order that enters")


# --- Structure of a design: kernels and what they return, the edges between nodes, on-chip buffers


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends the region of a kernel or of a task's scalar payload."""

    name = "df.yield"
    arguments = var_operand_def(AnyAttr())
    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict ($arguments^ `:` type($arguments))?"

    def __init__(self, values: Sequence[SSAValue]) -> None:
        Operation.__init__(self, operands=values)


@irdl_op_definition
class CallOp(IRDLOperation):
    """A C++ function of the user's in a payload, with what one instance of it takes.

    ``stages`` are cycles from its operands to its result, ``interval`` those between two calls of one instance.
    """

    name = "df.call"
    callee = prop_def(StringAttr)
    stages = prop_def(IntegerAttr[I64])
    interval = prop_def(IntegerAttr[I64])
    dsp = prop_def(IntegerAttr[I64])
    ff = prop_def(IntegerAttr[I64])
    lut = prop_def(IntegerAttr[I64])
    arguments = var_operand_def(AnyAttr())
    result = result_def(AnyAttr())

    def verify_(self) -> None:
        """Times are of a pipeline, areas not negative."""
        if min(self.figure("stages"), self.figure("interval")) < 1:
            raise VerifyException("df.call: stages and interval are at least 1")
        if min(self.figure("dsp"), self.figure("ff"), self.figure("lut")) < 0:
            raise VerifyException("df.call: an area is not negative")

    def figure(self, name: str) -> int:
        """One of its figures by name."""
        attribute = self.properties[name]
        assert isinstance(attribute, IntegerAttr)
        return attribute.value.data


@irdl_op_definition
class KernelOp(IRDLOperation):
    """One FPGA kernel: tensors outside, itensors inside; its boundary is where DMAs come from.

    With ``layers`` it runs its body so often; what leaves one run enters the next (`df.enter`, `df.leave`).  With
    ``steps`` it does all of that so often: a launch generates so many tokens (`loop-tokens`).  One over several cards
    says how its ``links`` work (`place-on-cards`), and the ``credits`` of each stream if they are not the board's.
    """

    name = "df.kernel"
    sym_name = prop_def(StringAttr)
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    layers = opt_prop_def(IntegerAttr[I64])
    steps = opt_prop_def(IntegerAttr[I64])
    links = opt_prop_def(StringAttr)
    credits = opt_prop_def(IntegerAttr[I64])
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove())
    assembly_format = (
        "$sym_name (`layers` $layers^)? (`steps` $steps^)? (`links` $links^)? (`credits` $credits^)? "
        "`(` ($inputs^ `:` type($inputs))? `)` (`->` type($outputs)^)? $body attr-dict-with-keyword"
    )

    def __init__(self, name: str, inputs: Sequence[SSAValue], outputs: Sequence[Attribute], body: Region) -> None:
        Operation.__init__(
            self, properties={"sym_name": StringAttr(name)}, operands=inputs, result_types=outputs, regions=[body]
        )

    @property
    def layer_count(self) -> int:
        """The number of times that the body runs per token."""
        return self.layers.value.data if self.layers is not None else 1

    @property
    def step_count(self) -> int:
        """The number of tokens that a launch generates."""
        return self.steps.value.data if self.steps is not None else 1

    @property
    def terminator(self) -> YieldOp:
        """The op that returns the kernel's streams."""
        last = self.body.block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException("df.kernel: the body must end in df.yield")
        return last

    def stream_of(self, output: SSAValue) -> SSAValue:
        """What the body returns for one of the kernel's results."""
        return self.terminator.arguments[self.results.index(output)]

    def verify_(self) -> None:
        """Inside and outside of every port must be one tensor."""
        _check_ports("input", self.inputs, self.body.block.args)
        _check_ports("result", self.outputs, self.terminator.arguments)


def _check_ports(kind: str, outside: Sequence[SSAValue], inside: Sequence[SSAValue]) -> None:
    if len(outside) != len(inside):
        raise VerifyException(f"df.kernel: {len(outside)} {kind}s outside but {len(inside)} inside")
    for number, (out, inner) in enumerate(zip(outside, inside, strict=True)):
        if inner.type == out.type:
            continue
        if not isinstance(inner.type, ITensorType):
            raise VerifyException(f"df.kernel: {kind} {number} is {out.type} outside but {inner.type} inside")
        check_streams_tensor(f"df.kernel: {kind} {number}", out.type, inner.type)


@irdl_op_definition
class InstanceOp(IRDLOperation):
    """A stream between two nodes, made explicit: it becomes one FIFO."""

    name = "df.instance"
    source = operand_def(TILE)
    result = result_def(TILE)
    sym_name = opt_prop_def(StringAttr)
    assembly_format = "$source (`named` $sym_name^)? attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, name: str) -> None:
        Operation.__init__(
            self, operands=[source], result_types=[source.type], properties={"sym_name": StringAttr(name)}
        )

    def verify_(self) -> None:
        """An instance has one reader and does not change the order."""
        if self.source.type != self.result.type:
            raise VerifyException("df.instance: source and result must have the same type")
        check_single_use(self.name, [self.result])


@irdl_op_definition
class StreamOp(IRDLOperation):
    """Makes a FIFO: exactly one node writes it and exactly one reads it.

    Streams of one ``queue`` go through one FIFO, one after the other, in program order.
    """

    name = "df.stream"
    sym_name = prop_def(StringAttr)
    sized_by = opt_prop_def(StringAttr)
    queue = opt_prop_def(StringAttr)
    result = result_def(StreamType)
    assembly_format = "$sym_name (`sized` $sized_by^)? (`queue` $queue^)? attr-dict `:` type($result)"

    def __init__(self, name: str, kind: StreamType, sized_by: str | None = None) -> None:
        sized = {"sized_by": StringAttr(sized_by)} if sized_by else {}
        Operation.__init__(self, result_types=[kind], properties={"sym_name": StringAttr(name), **sized})

    @property
    def writer(self) -> NodeOp:
        """The node that fills it.

        Raises:
            InputError: no node does.
        """
        return self._end(writes=True)

    @property
    def reader(self) -> NodeOp:
        """The node that empties it.

        Raises:
            InputError: no node does.
        """
        return self._end(writes=False)

    def _end(self, *, writes: bool) -> NodeOp:
        for use in self.result.uses:
            if isinstance(use.operation, NodeOp) and (use.index >= use.operation.source_count) == writes:
                return use.operation
        raise InputError("no-node", "the stream does not join two nodes", where=f"df.stream {self.sym_name}")

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
    return isinstance(op, NodeOp) and index >= op.source_count


@irdl_op_definition
class BufferOp(IRDLOperation):
    """A ping-pong buffer on chip: two memrefs of the given shape."""

    name = "df.buffer"
    sym_name = prop_def(StringAttr)
    result = result_def(MemRefType)
    assembly_format = "$sym_name attr-dict `:` type($result)"

    def __init__(self, name: str, kind: MemRefType) -> None:
        super().__init__(result_types=[kind], properties={"sym_name": StringAttr(name)})


DF = Dialect(
    "df",
    [
        YieldOp, CallOp, KernelOp, TaskOp, ConverterOp, ForkOp, JoinOp, ConcatOp, GatherOp, EnterOp, LeaveOp, DmaReadOp,
        DmaWriteOp, InstanceOp, StreamOp, EmptyOp, ReadOp, WriteOp, CastOp, ReassociateOp, ChunkOp, StreamReadOp,
        StreamWriteOp, StreamCastOp, BufferOp,
    ],
    [ITensorType, StreamType, IntListAttr, TargetAttr],
)  # fmt: skip
