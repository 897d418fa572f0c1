"""What a design computes, as plain data: streams, the nodes between them, and the memory at both ends.

The facts are those of docs/reference/values.md; `sttest.compile.reference_graph` takes them from a compiled module, and
`values.json` in a design package holds them.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import read_model, write_text
from sttest.sim.graph import check_choice, check_name, check_whole

# --- Element types of streams, and what holds them in numpy


ElementType = Literal["i1", "i2", "i3", "i4", "i8", "i16", "i32", "f16", "f32"]
Array = NDArray[Any]
Bytes = NDArray[np.uint8]

BITS: dict[str, int] = {"i1": 1, "i2": 2, "i3": 3, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "f16": 16, "f32": 32}
NUMPY: dict[str, np.dtype[Any]] = {
    "i1": np.dtype(np.bool_),
    "i2": np.dtype(np.int8),
    "i3": np.dtype(np.int8),
    "i4": np.dtype(np.int8),
    "i8": np.dtype(np.int8),
    "i16": np.dtype("<i2"),
    "i32": np.dtype("<i4"),
    "f16": np.dtype("<f2"),
    "f32": np.dtype("<f4"),
}
"""An integer of 2 to 4 bits is held in an int8, an i1 in a bool whose True is the integer -1."""
NARROW = ("i2", "i3", "i4")
"""Integers that are narrower than what holds them in numpy."""


def is_integer(dtype: str) -> bool:
    """Whether an element is a two's-complement integer."""
    return dtype.startswith("i")


Ints: TypeAlias = tuple[int, ...]
ArgumentKind = Literal["parameter", "input", "cache"]
LoopKind = Literal["parallel", "reduction"]

MAX_ELEMENTS = 1 << 33
"""Elements that a stream carries, repetitions included, and points of a task's tile."""
MAX_EXTENT = 1 << 40
"""Largest extent of a data dim: it keeps offsets well within 64 bits."""
MAX_RANK = 12
MAX_LOOPS = 24
MAX_OPS = 10_000
"""Operations of one payload."""
MAX_BEAT_BITS = 1 << 16


def _invalid(what: str, where: str) -> InputError:
    return InputError("bad-value-graph", what, where=where, hints=("write the package anew",))


def _check_extents(values: Sequence[int], what: str, where: str, most: int) -> None:
    """Refuses more than ``most`` numbers, and numbers below 1."""
    if len(values) > most:
        raise _invalid(f"{what} of {len(values)} dims, at most {most} are possible", where)
    for value in values:
        check_whole(value, what, where, 1, MAX_EXTENT)


def _reach(row: Iterable[int], spans: Iterable[int]) -> int:
    return sum(abs(factor) * span for factor, span in zip(row, spans, strict=True))


@dataclass(frozen=True)
class ReferenceStream:
    """A FIFO of tokens in the order of an itensor type.

    Args:
        name: FIFO name.
        dtype: element type of the data.
        element: shape of a token.
        trips, steps: trip count and step of each loop, outermost first.
        coefficients: per data dim, one factor per loop by which the loop's value enters a token's offset.
        start: per data dim, the offset of the first token.
        depth: capacity of the FIFO, in tokens.
        origin: PyTorch module or argument that produces the tokens.
    """

    name: str
    dtype: ElementType
    element: Ints
    trips: Ints
    steps: Ints
    coefficients: tuple[Ints, ...]
    start: Ints
    depth: int
    origin: str = ""

    def __post_init__(self) -> None:
        check_name(self.name, "stream")
        where, loops, rank = f"stream '{self.name}'", len(self.trips), len(self.element)
        check_choice(self.dtype, "element type", where, BITS)
        _check_extents(self.element, "token shape", where, most=MAX_RANK)
        _check_extents(self.trips, "trips", where, most=MAX_LOOPS)
        _check_extents(self.steps, "steps", where, most=MAX_LOOPS)
        check_whole(self.depth, "depth", where, 1, MAX_EXTENT)
        if len(self.steps) != loops or any(len(row) != loops for row in self.coefficients):
            raise _invalid(f"{loops} trips need as many steps, and coefficients per data dim", where)
        if len(self.coefficients) != rank or len(self.start) != rank:
            raise _invalid(f"tokens of {rank} dims need coefficients and a start of as many", where)
        check_whole(prod(self.trips) * prod(self.element), "number of elements", where, 1, MAX_ELEMENTS)
        spans = [(trip - 1) * step for trip, step in zip(self.trips, self.steps, strict=True)]
        for row, low, size in zip(self.coefficients, self.start, self.element, strict=True):
            check_whole(abs(low) + _reach(row, spans) + size, "extent", where, 1, MAX_EXTENT)

    @property
    def tokens(self) -> int:
        """Tokens per run."""
        return prod(self.trips)


@dataclass(frozen=True)
class MemoryLayout:
    """The layout of a tensor in memory: a grid of tiles, each a grid of beats, each an array of elements.

    Args:
        grid, beats, beat: tiles, beats of a tile and elements of a beat, each per data dim.
        beat_bits: port width in bits.
        packed: whether tiles lie in the order in which they are first streamed; otherwise row-major.
    """

    grid: Ints
    beats: Ints
    beat: Ints
    beat_bits: int
    packed: bool = False

    def __post_init__(self) -> None:
        where = "memory layout"
        for what, part in (("grid", self.grid), ("beats", self.beats), ("beat", self.beat)):
            _check_extents(part, what, where, most=MAX_RANK)
        if not len(self.grid) == len(self.beats) == len(self.beat):
            raise _invalid("tiles, beats and elements of a beat have different ranks", where)
        check_whole(prod((*self.grid, *self.beats, *self.beat)), "number of elements", where, 1, MAX_ELEMENTS)
        check_whole(self.beat_bits, "beat", where, 8, MAX_BEAT_BITS)
        if self.beat_bits % 8:
            raise _invalid(f"a beat of {self.beat_bits} bits is not whole bytes", where)

    @property
    def tile(self) -> Ints:
        """Shape of a tile."""
        return tuple(count * size for count, size in zip(self.beats, self.beat, strict=True))

    @property
    def shape(self) -> Ints:
        """Shape of the tensor."""
        return tuple(count * size for count, size in zip(self.grid, self.tile, strict=True))


@dataclass(frozen=True)
class Access:
    """The element that a point of a task's loops touches: per data dim, one coefficient per loop and a constant."""

    coefficients: tuple[Ints, ...]
    start: Ints

    def __post_init__(self) -> None:
        if len(self.start) != len(self.coefficients):
            raise _invalid(f"{len(self.coefficients)} data dims, but {len(self.start)} constants", "access")


@dataclass(frozen=True)
class ScalarOp:
    """One operation of a payload.

    Args:
        op: MLIR name, such as ``arith.addf``.
        dtype: element type of the result.
        operands: indices of values: the payload's arguments come first, then the results of its operations in order.
        value: constant, as Python writes it.
        predicate: comparison predicate, as MLIR writes it.
    """

    op: str
    dtype: ElementType
    operands: Ints = ()
    value: str = ""
    predicate: str = ""


@dataclass(frozen=True)
class Payload:
    """What a task computes at each point.

    Args:
        arguments: element types of one element per source, then of the running value per result.
        ops: operations in order.
        results: indices of the values that become the results.
    """

    arguments: tuple[ElementType, ...]
    ops: tuple[ScalarOp, ...]
    results: Ints

    def __post_init__(self) -> None:
        check_whole(len(self.ops), "number of operations", "payload", 0, MAX_OPS)
        for number, op in enumerate(self.ops, start=len(self.arguments)):
            _check_operands(op.operands, number, f"{op.op:.80}")
            check_choice(op.dtype, "element type", "payload", BITS)
            check_op(op.op, [self.types[operand] for operand in op.operands], op.dtype, op.predicate)
        _check_operands(self.results, len(self.types), "the end")

    @property
    def types(self) -> tuple[ElementType, ...]:
        """Element type of every value by its index."""
        return (*self.arguments, *(op.dtype for op in self.ops))


def _check_operands(numbers: Iterable[int], end: int, what: str) -> None:
    for number in numbers:
        if not 0 <= number < end:
            raise _invalid(f"{what} reads value {number!s:.20} of {end}", "payload")


@dataclass(frozen=True)
class Slice:
    """The part of a tensor that a DMA reads when each token is split over several DMAs.

    Args:
        dim: data dim along which tokens are split.
        extent: extent of a whole token along that dim.
        number: index of this slice.
        slices: slices per token.
    """

    dim: int
    extent: int
    number: int
    slices: int

    def __post_init__(self) -> None:
        check_whole(self.dim, "dim", "slice", 0, MAX_RANK)
        check_whole(self.slices, "number of slices", "slice", 1, MAX_EXTENT)
        check_whole(self.extent, "extent", "slice", 1, MAX_EXTENT)
        check_whole(self.number, "number", "slice", 0, self.slices - 1)
        if self.extent % self.slices:
            raise _invalid(f"tokens of {self.extent} are not {self.slices} equal slices", "slice")


@dataclass(frozen=True)
class Parts:
    """Which parts of memory a DMA reads: those whose numbers a stream has, before the DMA reads anything.

    Args:
        index: stream of the numbers, float32; what is no part's number is taken for 0.
        count: parts that are read, side by side along ``dim``.
        parts: parts in memory, one after the other.
        dim: data dim of the tensor that is streamed.
        runs: equal runs of words into which the layout cuts every part; the next run of each chosen part comes in turn.
    """

    index: str
    count: int
    parts: int
    dim: int
    runs: int

    def __post_init__(self) -> None:
        for what, value in (("chosen parts", self.count), ("parts", self.parts), ("runs", self.runs)):
            check_whole(value, f"number of {what}", "parts", 1, MAX_EXTENT)
        check_whole(self.dim, "dim", "parts", 0, MAX_RANK)


class _ReadsOne:
    """A node with one source."""

    source: str

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the streams that the node reads."""
        return (self.source,)


class _WritesOne:
    """A node with one sink."""

    sink: str

    @property
    def sinks(self) -> tuple[str, ...]:
        """Names of the streams that the node writes."""
        return (self.sink,)


class _Computes:
    """A node whose results are new values; the others pass on those of their source."""

    name: str
    origin: str

    @property
    def values_of(self) -> str:
        """PyTorch module that computes the values, or the node itself where none is known."""
        return self.origin or self.name


@dataclass(frozen=True)
class Coded:
    """An argument whose tokens lie in memory as codes (:mod:`sttest.reference.codes`).

    Args:
        code: name of the code.
        stream: stream of the decoded tokens, or of those of one share.
        shape: shape of the argument.
        shares: equal shares of a token that have codes of their own, one behind the other.
        dim: data dim along which a token is cut into them.
    """

    code: str
    stream: str
    shape: Ints
    shares: int = 1
    dim: int = 0

    def __post_init__(self) -> None:
        check_whole(self.shares, "number of shares", "codes", 1, MAX_EXTENT)
        check_whole(self.dim, "dim", "codes", 0, max(0, len(self.shape) - 1))


@dataclass(frozen=True)
class Load(_WritesOne):
    """A DMA that streams an argument of the design, or one slice of its tokens, from a memory image of its own.

    Args:
        name: DMA name.
        argument: argument of the design.
        sink: stream that it writes.
        layout: memory layout of the argument, or of the tensor that this slice makes up.
        part: slice of the argument; None for the whole.
        parts: parts of the argument that are read, where they are computed; the argument has an axis of them in front.
        coded: how the bytes that it reads are made of the argument; None where memory has the argument's own elements.
    """

    name: str
    argument: str
    sink: str
    layout: MemoryLayout
    part: Slice | None = None
    parts: Parts | None = None
    coded: Coded | None = None
    kind: Literal["load"] = "load"

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the streams that the node reads."""
        return () if self.parts is None else (self.parts.index,)

    @property
    def values_of(self) -> str:
        """The argument."""
        return self.argument

    @property
    def shape(self) -> Ints:
        """Shape of the argument."""
        if self.coded is not None:
            return self.coded.shape
        if self.parts is None:
            return self.streamed_shape
        sizes = list(self.streamed_shape)
        sizes[self.parts.dim] //= self.parts.count
        return (self.parts.parts, *sizes)

    @property
    def streamed_shape(self) -> Ints:
        """Shape of what is streamed, other slices included: the argument's, or that of the chosen parts."""
        slices = {} if self.part is None else {self.part.dim: self.part.slices}
        return tuple(size * slices.get(dim, 1) for dim, size in enumerate(self.layout.shape))


@dataclass(frozen=True)
class Store(_ReadsOne):
    """A DMA to memory."""

    name: str
    source: str
    layout: MemoryLayout
    kind: Literal["store"] = "store"
    sinks: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True)
class Fork(_ReadsOne):
    """Copies a stream."""

    name: str
    source: str
    sinks: tuple[str, ...]
    kind: Literal["fork"] = "fork"


@dataclass(frozen=True)
class Concat(_WritesOne, _Computes):
    """Interleaves its sources: in each of ``turns`` it forwards the next equal share of the tokens of every source.

    Args:
        name: node name.
        sources, sink: streams.
        turns: how often every source is read.
        origin: PyTorch module.
    """

    name: str
    sources: tuple[str, ...]
    sink: str
    turns: int
    origin: str = ""
    kind: Literal["concat"] = "concat"

    def __post_init__(self) -> None:
        where = f"concatenation '{self.name:.80}'"
        check_whole(self.turns, "number of turns", where, 1, MAX_ELEMENTS)
        if not self.sources:
            raise _invalid("has no sources", where)


@dataclass(frozen=True)
class Gather(_WritesOne):
    """Assembles each token from one token of every source, side by side; with a ``code`` decodes what they make up."""

    name: str
    sources: tuple[str, ...]
    sink: str
    code: str = ""
    kind: Literal["gather"] = "gather"


@dataclass(frozen=True)
class Converter(_ReadsOne, _WritesOne):
    """Reorders a tensor block by block through a buffer of shape ``buffer``."""

    name: str
    source: str
    sink: str
    buffer: Ints
    blocks: int
    kind: Literal["converter"] = "converter"

    def __post_init__(self) -> None:
        where = f"converter '{self.name:.80}'"
        _check_extents(self.buffer, "buffer", where, most=MAX_RANK)
        check_whole(self.blocks, "number of blocks", where, 1, MAX_ELEMENTS)
        check_whole(self.blocks * prod(self.buffer), "number of buffered elements", where, 1, MAX_ELEMENTS)


@dataclass(frozen=True)
class Custom(_Computes):
    """A node of an extension, whose values are a function at the door `values`.

    Args:
        name: node name.
        function: name of the function, with a dot: ``my.clip``.
        sources, sinks: streams.
        numbers: what the function takes besides tokens.
        origin: PyTorch module.
    """

    name: str
    function: str
    sources: tuple[str, ...]
    sinks: tuple[str, ...]
    numbers: Ints = ()
    origin: str = ""
    kind: Literal["custom"] = "custom"

    def __post_init__(self) -> None:
        if "." not in self.function:
            raise _invalid(f"computes '{self.function:.80}', which is no function of an extension", self.name)


@dataclass(frozen=True)
class Task(_Computes):
    """A tiled loop nest of parallel loops and reductions.

    Args:
        name: task name.
        trips, tile: iterations and points per iteration of each loop, outermost first.
        kinds: kind of each loop.
        sources, sinks: streams.
        accesses: one per source, then one per sink.
        payload: computation at each point.
        init: initial running value, as Python writes it; also given where all reduction loops have one point and
            are left out.
        pairwise: whether the terms of a sum, which the last operation of the payload adds to the running value, are
            added in pairs.
        origin: PyTorch module.
    """

    name: str
    trips: Ints
    tile: Ints
    kinds: tuple[LoopKind, ...]
    sources: tuple[str, ...]
    sinks: tuple[str, ...]
    accesses: tuple[Access, ...]
    payload: Payload
    init: str = ""
    origin: str = ""
    pairwise: bool = False
    kind: Literal["task"] = "task"

    def __post_init__(self) -> None:
        where = f"task '{self.name:.80}'"
        if self.pairwise and not self._is_sum:
            raise _invalid("terms are added in pairs, but the payload is no sum", where)
        loops, ports, results = len(self.trips), len(self.sources) + len(self.sinks), len(self.payload.results)
        _check_extents(self.trips, "trips", where, most=MAX_LOOPS)
        _check_extents(self.tile, "tile", where, most=MAX_LOOPS)
        if not loops == len(self.tile) == len(self.kinds):
            raise _invalid("trips, tile and kinds name different loops", where)
        if len(self.accesses) != ports or len(self.payload.arguments) != ports:
            raise _invalid(f"{ports} streams need as many accesses and arguments of the payload", where)
        if not self.sinks or results != len(self.sinks):
            raise _invalid(f"the payload gives {results} values to {len(self.sinks)} streams", where)
        if "reduction" in self.kinds and not self.init:
            raise _invalid("a reduction has no value to start from", where)
        extents = [trip * size for trip, size in zip(self.trips, self.tile, strict=True)]
        check_whole(prod(extents), "number of points", where, 1, MAX_EXTENT)
        for access in self.accesses:
            if any(len(row) != loops for row in access.coefficients):
                raise _invalid(f"an access that is not over its {loops} loops", where)
            for row, low in zip(access.coefficients, access.start, strict=True):
                check_whole(abs(low) + _reach(row, extents), "extent of an access", where, 0, MAX_EXTENT)

    @property
    def _is_sum(self) -> bool:
        """Whether the payload adds a term in binary32 to the running value of the one result, which starts at 0."""
        ops, running = self.payload.ops, len(self.sources)
        if len(self.sinks) != 1 or not ops or not self.init or float(self.init):
            return False
        last = ops[-1]
        reads = [operand for op in ops for operand in op.operands].count(running)
        gives = [*self.payload.results] == [len(self.payload.arguments) + len(ops) - 1]
        return gives and last.op == "arith.addf" and last.operands.count(running) == reads == 1

    @property
    def parallel(self) -> Ints:
        """Indices of the parallel loops, outermost first."""
        return tuple(loop for loop, kind in enumerate(self.kinds) if kind == "parallel")

    @property
    def reductions(self) -> Ints:
        """Indices of the reduction loops, outermost first."""
        return tuple(loop for loop, kind in enumerate(self.kinds) if kind == "reduction")

    def is_scanned(self, sink: int) -> bool:
        """Whether reduction loops index sink number ``sink``, so that every iteration writes it."""
        rows = self.accesses[len(self.sources) + sink].coefficients
        return any(row[loop] for row in rows for loop in self.reductions)


Node: TypeAlias = Load | Store | Fork | Concat | Gather | Converter | Custom | Task


@dataclass(frozen=True)
class Argument:
    """An input tensor of the design; every load of it has a memory image of its own."""

    name: str
    kind: ArgumentKind
    shape: Ints
    dtype: ElementType


@dataclass(frozen=True)
class View:
    """A step from the tensor in memory to a result: a reshape, or a permutation and repetition of dims.

    Args:
        shape: shape after the step.
        dims: for each dim before the step, the dim after it that it becomes (-1 for a dropped dim of extent 1);
            None for a reshape.
    """

    shape: Ints
    dims: Ints | None = None


@dataclass(frozen=True)
class Result:
    """An output tensor: what a store writes, seen through views."""

    name: str
    store: str
    shape: Ints
    dtype: ElementType
    views: tuple[View, ...] = ()


@dataclass(frozen=True)
class ReferenceGraph:
    """A design as a process network.

    Raises:
        InputError: a stream without exactly one writer and one reader, a duplicate or unknown name, or nodes that do
            not fit their streams.
    """

    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    streams: tuple[ReferenceStream, ...]
    nodes: tuple[Node, ...]

    def __post_init__(self) -> None:
        _check_network(self)
        _check_results(self)

    @cached_property
    def stream(self) -> dict[str, ReferenceStream]:
        """Streams by name."""
        return {stream.name: stream for stream in self.streams}

    @cached_property
    def argument(self) -> dict[str, Argument]:
        """Arguments by name."""
        return {argument.name: argument for argument in self.arguments}

    @property
    def loads(self) -> tuple[Load, ...]:
        """The DMAs that read memory."""
        return tuple(node for node in self.nodes if isinstance(node, Load))

    @property
    def stores(self) -> tuple[Store, ...]:
        """The DMAs that write memory."""
        return tuple(node for node in self.nodes if isinstance(node, Store))

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks."""
        return tuple(node for node in self.nodes if isinstance(node, Task))


# --- Reads and writes ``sttest.values/1``: the `values.json` of a design package


SCHEMA = "sttest.values/1"


class _File(BaseModel):
    """What stands in a file: the fields of a graph, each of a known key."""

    model_config = ConfigDict(extra="forbid")

    schema_: Literal["sttest.values/1"] = Field(alias="schema")
    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    streams: tuple[ReferenceStream, ...]
    nodes: tuple[
        Annotated[Load | Store | Fork | Concat | Gather | Converter | Custom | Task, Field(discriminator="kind")], ...
    ]


def read_reference_graph(path: Path) -> ReferenceGraph:
    """The graph of a JSON file.

    Raises:
        InputError: not readable, not of the schema, or not a possible graph.
    """
    found = read_model(_File, path, SCHEMA)
    return ReferenceGraph(found.name, found.arguments, found.results, found.streams, found.nodes)


def write_reference_graph(graph: ReferenceGraph, path: Path) -> None:
    """Writes a graph so that reading it gives an equal one."""
    data = {"schema": SCHEMA, **_fields(graph)}
    write_text(path, json.dumps(data, separators=(",", ":"), default=_fields) + "\n")


def _fields(item: Any) -> dict[str, Any]:
    """Those of one dataclass; ``asdict`` would copy all that is in them, which takes longer than to write it."""
    return {each.name: getattr(item, each.name) for each in fields(item)}


# --- Which operations a payload may have, and what element types each takes (the table of docs/reference/values.md)


_FLOAT_BINARY = ("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.maximumf", "arith.minimumf")
_FLOAT_UNARY = ("arith.negf", "math.absf", "math.roundeven", "math.exp", "math.tanh", "math.sqrt", "math.rsqrt")
_INTEGER = ("arith.addi", "arith.subi", "arith.muli", "arith.andi", "arith.maxsi", "arith.minsi")
_CONVERSIONS = (
    "arith.extsi",
    "arith.trunci",
    "arith.sitofp",
    "arith.fptosi",
    "arith.extf",
    "arith.truncf",
    "arith.bitcast",
)
_PREDICATES = {"false", "true", "ord", "uno"} | {f"{o}{r}" for o in "ou" for r in ("eq", "gt", "ge", "lt", "le", "ne")}
_ARITY: dict[str, int] = {
    **dict.fromkeys((*_FLOAT_BINARY, *_INTEGER, "arith.cmpf"), 2),
    **dict.fromkeys((*_FLOAT_UNARY, *_CONVERSIONS), 1),
    "arith.select": 3,
    "arith.constant": 0,
}


OWN_KERNEL = "df.call"
"""A function of the user's, whose name is the operation's value (`sttest.reference.own_kernels`)."""


def check_op(name: str, operands: Sequence[str], result: str, predicate: str = "") -> None:
    """Refuses an operation to which docs/reference/values.md gives no value.

    Args:
        name: MLIR name of the operation.
        operands: element types of the operands.
        result: element type of the result.
        predicate: comparison predicate.

    Raises:
        InputError: an unknown operation, or types that it does not take.
    """
    if name == OWN_KERNEL:
        if {*operands, result} != {"f32"}:
            raise InputError("unsupported-op", "an own kernel takes and gives other elements than f32", where="payload")
        return
    if name not in _ARITY:
        hints = [did_you_mean(name, _ARITY)]
        raise InputError("unsupported-op", f"{name:.80} has no defined value", where="payload", hints=hints)
    if len(operands) != _ARITY[name] or not _fits(name, list(operands), result, predicate):
        shown = f"{name} {predicate:.40}".rstrip()
        what = f"{shown} of ({', '.join(operands)}) -> {result} has no defined value"
        raise InputError("unsupported-op", what, where="payload")


def _fits(name: str, operands: list[str], result: str, predicate: str) -> bool:
    if name in (*_FLOAT_BINARY, *_FLOAT_UNARY):
        return {*operands, result} == {"f32"}
    if name in _INTEGER:
        return is_integer(result) and {*operands} == {result}
    if name == "arith.cmpf":
        return operands == ["f32", "f32"] and result == "i1" and predicate in _PREDICATES
    if name == "arith.select":
        return operands == ["i1", result, result]
    return name == "arith.constant" or _converts(name, operands[0], result)


def _converts(name: str, source: str, target: str) -> bool:
    if name == "arith.sitofp":
        return is_integer(source) and target == "f32"
    if name == "arith.fptosi":
        return is_integer(target) and source == "f32"
    if name == "arith.extf":
        return (source, target) == ("f16", "f32")
    if name == "arith.truncf":
        return (source, target) == ("f32", "f16")
    if name == "arith.bitcast":
        return {source, target} == {"f32", "i32"}
    integers = is_integer(source) and is_integer(target)
    return integers and (BITS[target] > BITS[source] if name == "arith.extsi" else BITS[target] < BITS[source])


# --- Checks of a whole network: names, ends of streams, and memory


def _check_network(graph: ReferenceGraph) -> None:
    _check_names((stream.name for stream in graph.streams), "stream")
    _check_names((node.name for node in graph.nodes), "node")
    _check_names((argument.name for argument in graph.arguments), "argument")
    _check_ends([name for node in graph.nodes for name in node.sinks], graph, "written")
    _check_ends([name for node in graph.nodes for name in node.sources], graph, "read")
    for task in graph.tasks:
        _check_types(task, graph)
    for argument in graph.arguments:
        _check_extents(argument.shape, "shape", f"argument '{argument.name}'", most=MAX_RANK)
    for load in graph.loads:
        part = load.part
        shape, parts = load.streamed_shape, load.parts
        if part is not None and (part.dim >= len(shape) or shape[part.dim] % part.extent):
            raise _invalid(f"cuts tokens of {part.extent} along dim {part.dim} of {list(shape)}", load.name)
        if parts is not None and (parts.dim >= len(shape) or shape[parts.dim] % parts.count):
            raise _invalid(f"has {parts.count} parts along dim {parts.dim} of {list(shape)}", load.name)
        check_choice(load.argument, "argument", load.name, graph.argument)
        argument, sink = graph.argument[load.argument], graph.stream[load.coded.stream if load.coded else load.sink]
        if argument.shape != load.shape or argument.dtype != sink.dtype:
            what = f"streams {sink.dtype} {list(load.shape)}, but '{argument.name}' is"
            raise _invalid(f"{what} {argument.dtype} {list(argument.shape)}", load.name)


def _check_results(graph: ReferenceGraph) -> None:
    _check_names((result.name for result in graph.results), "result")
    stores = {store.name: store for store in graph.stores}
    for result in graph.results:
        where = f"result '{result.name}'"
        check_choice(result.store, "store", where, stores)
        store = stores[result.store]
        if graph.stream[store.source].dtype != result.dtype:
            raise _invalid(f"is {result.dtype}, '{store.name}' writes {graph.stream[store.source].dtype}", where)
        shape = store.layout.shape
        for view in result.views:
            _check_extents(view.shape, "view", where, most=MAX_RANK)
            if not _is_view(shape, view):
                raise _invalid(f"a view takes {list(shape)} to {list(view.shape)}", where)
            shape = tuple(view.shape)
        if shape != result.shape:
            raise _invalid(f"has the shape {list(result.shape)}, its views give {list(shape)}", where)


def _check_types(task: Task, graph: ReferenceGraph) -> None:
    """The payload must take the element types of the streams, and use no running value that is not initialized."""
    where, payload, ports = f"task '{task.name}'", task.payload, (*task.sources, *task.sinks)
    given = [payload.types[number] for number in payload.results]
    for name, dtype in zip((*ports, *task.sinks), (*payload.arguments, *given), strict=True):
        if graph.stream[name].dtype != dtype:
            what = f"the payload computes with {dtype} where '{name}' carries {graph.stream[name].dtype}"
            raise InputError("no-values", what, where=where, hints=["compile at the precision fp32"])
    read = {*payload.results, *(operand for op in payload.ops for operand in op.operands)}
    if not task.init and any(number in read for number in range(len(task.sources), len(ports))):
        raise _invalid("the payload reads a running value that is not initialized", where)


def _is_view(shape: Sequence[int], view: View) -> bool:
    if view.dims is None:
        return prod(shape) == prod(view.shape)
    kept = [dim for dim in view.dims if dim != -1]
    return (
        len(view.dims) == len(shape)
        and len(set(kept)) == len(kept)
        and all(-1 <= dim < len(view.shape) for dim in view.dims)
        and all(size == (1 if dim == -1 else view.shape[dim]) for dim, size in zip(view.dims, shape, strict=True))
    )


def _check_names(names: Iterable[str], what: str) -> None:
    for name, count in Counter(names).items():
        check_name(name, what)
        if count > 1:
            raise _invalid(f"the name stands {count} times", f"{what} '{name}'")


def _check_ends(ends: list[str], graph: ReferenceGraph, verb: str) -> None:
    counts = Counter(ends)
    for name in counts:
        if name not in graph.stream:
            hints = [did_you_mean(name, graph.stream)]
            raise InputError("unknown-stream", f"there is no stream '{name:.80}'", where=graph.name, hints=hints)
    for stream in graph.streams:
        if counts[stream.name] != 1:
            raise _invalid(f"is {verb} by {counts[stream.name]} nodes, not by one", f"stream '{stream.name}'")
