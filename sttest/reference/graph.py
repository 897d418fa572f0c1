"""What a design computes, as plain data: streams, the nodes between them, and the memory at both ends.

The facts are those of docs/reference/values.md; `sttest.compile.reference_graph` takes them from a compiled module, and
`values.json` in a design package holds them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import read_model, write_text
from sttest.sim.graph import check_choice, check_name, check_whole

# --- Element types of streams, and what holds them in numpy


ElementType = Literal["i1", "i4", "i8", "i16", "i32", "f16", "f32"]
Array = NDArray[Any]
Bytes = NDArray[np.uint8]

BITS: dict[str, int] = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "f16": 16, "f32": 32}
NUMPY: dict[str, np.dtype[Any]] = {
    "i1": np.dtype(np.bool_), "i4": np.dtype(np.int8), "i8": np.dtype(np.int8), "i16": np.dtype("<i2"),
    "i32": np.dtype("<i4"), "f16": np.dtype("<f2"), "f32": np.dtype("<f4"),
}  # fmt: skip
"""An i4 is held in an int8, an i1 in a bool whose True is the integer -1."""


def is_integer(dtype: str) -> bool:
    """Whether an element is a two's-complement integer."""
    return dtype.startswith("i")


Ints: TypeAlias = tuple[int, ...]
Kind = Literal["parameter", "input", "cache"]
LoopKind = Literal["parallel", "reduction"]


@dataclass(frozen=True)
class ReferenceStream:
    """A FIFO of tokens in the order of an itensor type.

    Args:
        name: of the FIFO.
        dtype: of one data element.
        element: shape of a token.
        trips, steps: of each loop, outermost first.
        coefficients: per data dim, one number per loop; what the loop's value is multiplied by in a token's offset.
        start: per data dim, the offset where all loops stand at 0.
        depth: tokens that the FIFO holds.
        origin: the PyTorch module or the argument that the tokens come from.
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
        check_stream(self)

    @property
    def tokens(self) -> int:
        """Tokens of one run."""
        return prod(self.trips)


@dataclass(frozen=True)
class MemoryLayout:
    """How a tensor lies in memory: per data dim the tiles, the beats of a tile, the elements of a beat.

    Args:
        grid, beats, beat: the three parts of the `layout` of a DMA.
        beat_bits: width of the port.
        packed: whether the tiles follow each other as they are first streamed; else row-major.
    """

    grid: Ints
    beats: Ints
    beat: Ints
    beat_bits: int
    packed: bool = False

    def __post_init__(self) -> None:
        check_layout(self)

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
    """The element that a point of a task's loops touches: per data dim a coefficient per loop, and a constant."""

    coefficients: tuple[Ints, ...]
    start: Ints

    def __post_init__(self) -> None:
        check_access(self)


@dataclass(frozen=True)
class ScalarOp:
    """One operation of a payload.

    Args:
        op: its MLIR name, such as ``arith.addf``.
        dtype: of its result.
        operands: numbers of values: the payload's arguments first, then the results of its operations in order.
        value: of a constant, as Python writes it.
        predicate: of a comparison, as MLIR writes it.
    """

    op: str
    dtype: ElementType
    operands: Ints = ()
    value: str = ""
    predicate: str = ""


@dataclass(frozen=True)
class Payload:
    """What a task computes per point.

    Args:
        arguments: element types, of one element per source, then of the running value per result.
        ops: in order.
        results: numbers of the values that the point gives the results.
    """

    arguments: tuple[ElementType, ...]
    ops: tuple[ScalarOp, ...]
    results: Ints

    def __post_init__(self) -> None:
        check_payload(self)

    @property
    def types(self) -> tuple[ElementType, ...]:
        """Element type of every value by its number."""
        return (*self.arguments, *(op.dtype for op in self.ops))


@dataclass(frozen=True)
class Slice:
    """The part of a tensor that a DMA reads which has one slice of every token.

    Args:
        dim: of the tensor, along which tokens are cut.
        extent: of a whole token along that dim.
        number: of the slice.
        slices: of a token.
    """

    dim: int
    extent: int
    number: int
    slices: int

    def __post_init__(self) -> None:
        check_slice(self)


@dataclass(frozen=True)
class Load:
    """A DMA from memory: streams an argument of the design, or one slice of its tokens, from an image of its own.

    Args:
        name: of the DMA.
        argument: of the design.
        sink: stream.
        layout: of the argument, or of the tensor that its slices make up.
        part: which slice of the argument; None is the whole.
    """

    name: str
    argument: str
    sink: str
    layout: MemoryLayout
    part: Slice | None = None
    kind: Literal["load"] = "load"

    @property
    def shape(self) -> Ints:
        """Of the argument that the layout is for."""
        slices = {} if self.part is None else {self.part.dim: self.part.slices}
        return tuple(size * slices.get(dim, 1) for dim, size in enumerate(self.layout.shape))

    @property
    def sources(self) -> tuple[str, ...]:
        """No stream."""
        return ()

    @property
    def sinks(self) -> tuple[str, ...]:
        """The stream that it writes."""
        return (self.sink,)


@dataclass(frozen=True)
class Store:
    """A DMA to memory."""

    name: str
    source: str
    layout: MemoryLayout
    kind: Literal["store"] = "store"

    @property
    def sources(self) -> tuple[str, ...]:
        """The stream that it reads."""
        return (self.source,)

    @property
    def sinks(self) -> tuple[str, ...]:
        """No stream."""
        return ()


@dataclass(frozen=True)
class Fork:
    """Copies a stream."""

    name: str
    source: str
    sinks: tuple[str, ...]
    kind: Literal["fork"] = "fork"

    @property
    def sources(self) -> tuple[str, ...]:
        """The stream that it reads."""
        return (self.source,)


@dataclass(frozen=True)
class Concat:
    """Reads its sources in turn: in each of ``turns`` the next tokens of every one, as many of it in each turn.

    Args:
        name: of the node.
        sources, sink: streams.
        turns: how often every source is read.
        origin: the PyTorch module.
    """

    name: str
    sources: tuple[str, ...]
    sink: str
    turns: int
    origin: str = ""
    kind: Literal["concat"] = "concat"

    def __post_init__(self) -> None:
        check_concat(self)

    @property
    def sinks(self) -> tuple[str, ...]:
        """The stream that it writes."""
        return (self.sink,)


@dataclass(frozen=True)
class Gather:
    """Puts tokens together: each is made of one token of every source, which follow each other in it."""

    name: str
    sources: tuple[str, ...]
    sink: str
    kind: Literal["gather"] = "gather"

    @property
    def sinks(self) -> tuple[str, ...]:
        """The stream that it writes."""
        return (self.sink,)


@dataclass(frozen=True)
class Converter:
    """Turns one order of a tensor into another, block by block, through a buffer of the shape ``buffer``."""

    name: str
    source: str
    sink: str
    buffer: Ints
    blocks: int
    kind: Literal["converter"] = "converter"

    def __post_init__(self) -> None:
        check_converter(self)

    @property
    def sources(self) -> tuple[str, ...]:
        """The stream that it reads."""
        return (self.source,)

    @property
    def sinks(self) -> tuple[str, ...]:
        """The stream that it writes."""
        return (self.sink,)


@dataclass(frozen=True)
class Task:
    """A tiled loop nest of parallel loops and reductions.

    Args:
        name: name of the task.
        trips, tile: iterations and points per iteration of each loop, outermost first.
        kinds: of each loop.
        sources, sinks: streams.
        accesses: one per source, then one per sink.
        payload: what is computed per point.
        init: where the running values start, as Python writes it; a reduction over loops of one point has no such
            loop, but still a start.
        origin: the PyTorch module.
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
    kind: Literal["task"] = "task"

    def __post_init__(self) -> None:
        check_task(self)

    @property
    def parallel(self) -> Ints:
        """The numbers of the parallel loops, outermost first."""
        return tuple(loop for loop, kind in enumerate(self.kinds) if kind == "parallel")

    def is_scanned(self, sink: int) -> bool:
        """Whether reductions index a sink, by its number: it is written in every iteration."""
        rows = self.accesses[len(self.sources) + sink].coefficients
        return any(row[loop] for row in rows for loop in self.reductions)

    @property
    def reductions(self) -> Ints:
        """The numbers of the reduction loops, outermost first."""
        return tuple(loop for loop, kind in enumerate(self.kinds) if kind == "reduction")


Node: TypeAlias = Load | Store | Fork | Concat | Gather | Converter | Task


@dataclass(frozen=True)
class Argument:
    """A tensor that goes in; every load of it has an image of its own."""

    name: str
    kind: Kind
    shape: Ints
    dtype: ElementType


@dataclass(frozen=True)
class View:
    """A step from the tensor in memory to a result: a reshape, or dims in another order and repeated ones.

    Args:
        shape: after the step.
        dims: for each dim before the step, the dim after it that walks it (-1: none, it has extent 1);
            None is a reshape.
    """

    shape: Ints
    dims: Ints | None = None


@dataclass(frozen=True)
class Result:
    """A tensor that comes out: what a store writes, seen through views."""

    name: str
    store: str
    shape: Ints
    dtype: ElementType
    views: tuple[View, ...] = ()


@dataclass(frozen=True)
class ReferenceGraph:
    """A design as a process network.

    Raises:
        InputError: a stream without exactly one writer and one reader, names that stand twice or for nothing,
            nodes that do not fit their streams.
    """

    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    streams: tuple[ReferenceStream, ...]
    nodes: tuple[Node, ...]

    def __post_init__(self) -> None:
        check_network(self)
        check_results(self)

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
    nodes: tuple[Annotated[Load | Store | Fork | Concat | Gather | Converter | Task, Field(discriminator="kind")], ...]


def read_reference_graph(path: Path) -> ReferenceGraph:
    """The graph of a JSON file.

    Raises:
        InputError: not readable, not of the schema, or not a possible graph.
    """
    found = read_model(_File, path, SCHEMA)
    return ReferenceGraph(found.name, found.arguments, found.results, found.streams, found.nodes)


def write_reference_graph(graph: ReferenceGraph, path: Path) -> None:
    """Writes a graph so that reading it gives an equal one."""
    data = {"schema": SCHEMA, **asdict(graph)}
    write_text(path, json.dumps(data, separators=(",", ":")) + "\n")


# --- Refuses networks whose nodes, streams and memory do not fit together


# --- Which operations a payload may have, and what element types each takes (the table of docs/reference/values.md)


_FLOAT_BINARY = (
    "arith.addf",
    "arith.subf",
    "arith.mulf",
    "arith.divf",
    "arith.maximumf",
    "arith.minimumf",
    "math.powf",
)
_FLOAT_UNARY = (
    "arith.negf", "math.absf", "math.roundeven", "math.exp", "math.tanh", "math.sqrt", "math.rsqrt", "math.sin",
    "math.cos", "math.log", "math.erf",
)  # fmt: skip
_INTEGER = ("arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.minsi")
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
    **dict.fromkeys((*_FLOAT_BINARY, *_INTEGER, "arith.cmpf"), 2), **dict.fromkeys((*_FLOAT_UNARY, *_CONVERSIONS), 1),
    "arith.select": 3, "arith.constant": 0,
}  # fmt: skip


def check_op(name: str, operands: Sequence[str], result: str, predicate: str = "") -> None:
    """Refuses what docs/reference/values.md does not have.

    Args:
        name: of the operation.
        operands: element types.
        result: element type.
        predicate: of a comparison.

    Raises:
        InputError: an unknown operation, or types that it does not take.
    """
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


# --- Refuses streams, layouts, accesses and nodes that cannot be, each by itself


MAX_ELEMENTS = 1 << 33
"""Elements that a stream carries, repetitions included, and points of a task's tile."""
MAX_EXTENT = 1 << 40
"""Along a data dim: keeps offsets far from the end of 64 bits."""
MAX_RANK = 12
MAX_LOOPS = 24
MAX_OPS = 10_000
"""Operations of one payload."""
MAX_BEAT_BITS = 1 << 16
_LEVERS = ("write the package anew",)


def refuse(what: str, where: str) -> InputError:
    """The error of a value graph that contradicts itself."""
    return InputError("bad-value-graph", what, where=where, hints=_LEVERS)


def check_stream(stream: ReferenceStream) -> None:
    """Ranks agree, numbers are in range."""
    check_name(stream.name, "stream")
    where = f"stream '{stream.name}'"
    check_choice(stream.dtype, "element type", where, BITS)
    check_extents(stream.element, "token shape", where, most=MAX_RANK)
    check_extents(stream.trips, "trips", where, most=MAX_LOOPS)
    check_extents(stream.steps, "steps", where, most=MAX_LOOPS)
    check_whole(stream.depth, "depth", where, 1, MAX_EXTENT)
    loops, rank = len(stream.trips), len(stream.element)
    if len(stream.steps) != loops or any(len(row) != loops for row in stream.coefficients):
        raise refuse(f"{loops} trips need as many steps, and coefficients per data dim", where)
    if len(stream.coefficients) != rank or len(stream.start) != rank:
        raise refuse(f"tokens of {rank} dims need coefficients and a start of as many", where)
    check_whole(prod(stream.trips) * prod(stream.element), "number of elements", where, 1, MAX_ELEMENTS)
    for row, low, size in zip(stream.coefficients, stream.start, stream.element, strict=True):
        reach = _reach(row, [(trip - 1) * step for trip, step in zip(stream.trips, stream.steps, strict=True)])
        check_whole(abs(low) + reach + size, "extent", where, 1, MAX_EXTENT)


def check_layout(layout: MemoryLayout) -> None:
    """The three parts have one number per data dim."""
    where = "memory layout"
    for what, part in (("grid", layout.grid), ("beats", layout.beats), ("beat", layout.beat)):
        check_extents(part, what, where, most=MAX_RANK)
    if not len(layout.grid) == len(layout.beats) == len(layout.beat):
        raise refuse("tiles, beats and elements of a beat have different ranks", where)
    check_whole(
        prod(layout.grid) * prod(layout.beats) * prod(layout.beat), "number of elements", where, 1, MAX_ELEMENTS
    )
    check_whole(layout.beat_bits, "beat", where, 8, MAX_BEAT_BITS)
    if layout.beat_bits % 8:
        raise refuse(f"a beat of {layout.beat_bits} bits is not whole bytes", where)


def check_slice(part: Slice) -> None:
    """One of equal slices."""
    where = "slice"
    check_whole(part.dim, "dim", where, 0, MAX_RANK)
    check_whole(part.slices, "number of slices", where, 1, MAX_EXTENT)
    check_whole(part.extent, "extent", where, 1, MAX_EXTENT)
    check_whole(part.number, "number", where, 0, part.slices - 1)
    if part.extent % part.slices:
        raise refuse(f"tokens of {part.extent} are not {part.slices} equal slices", where)


def check_access(access: Access) -> None:
    """One constant per data dim."""
    if len(access.start) != len(access.coefficients):
        raise refuse(f"{len(access.coefficients)} data dims, but {len(access.start)} constants", "access")


def check_payload(payload: Payload) -> None:
    """Operands stand before what reads them, and operations take their types."""
    where = "payload"
    check_whole(len(payload.ops), "number of operations", where, 0, MAX_OPS)
    for number, op in enumerate(payload.ops, start=len(payload.arguments)):
        _check_numbers(op.operands, number, f"{op.op:.80}")
        check_choice(op.dtype, "element type", where, BITS)
        check_op(op.op, [payload.types[operand] for operand in op.operands], op.dtype, op.predicate)
    _check_numbers(payload.results, len(payload.types), "the end")


def check_concat(concat: Concat) -> None:
    """At least one source and one turn."""
    where = f"concatenation '{concat.name:.80}'"
    check_whole(concat.turns, "number of turns", where, 1, MAX_ELEMENTS)
    if not concat.sources:
        raise refuse("has no sources", where)


def check_converter(converter: Converter) -> None:
    """A buffer and at least one block."""
    where = f"converter '{converter.name:.80}'"
    check_extents(converter.buffer, "buffer", where, most=MAX_RANK)
    check_whole(converter.blocks, "number of blocks", where, 1, MAX_ELEMENTS)
    check_whole(converter.blocks * prod(converter.buffer), "number of buffered elements", where, 1, MAX_ELEMENTS)


def check_task(task: Task) -> None:
    """Loops, ports and payload agree in number."""
    where = f"task '{task.name:.80}'"
    loops, ports = len(task.trips), len(task.sources) + len(task.sinks)
    check_extents(task.trips, "trips", where, most=MAX_LOOPS)
    check_extents(task.tile, "tile", where, most=MAX_LOOPS)
    if not loops == len(task.tile) == len(task.kinds):
        raise refuse("trips, tile and kinds name different loops", where)
    if len(task.accesses) != ports or len(task.payload.arguments) != ports:
        raise refuse(f"{ports} streams need as many accesses and arguments of the payload", where)
    if not task.sinks or len(task.payload.results) != len(task.sinks):
        raise refuse(f"the payload gives {len(task.payload.results)} values to {len(task.sinks)} streams", where)
    if "reduction" in task.kinds and not task.init:
        raise refuse("a reduction has no value to start from", where)
    extents = [trip * size for trip, size in zip(task.trips, task.tile, strict=True)]
    check_whole(prod(extents), "number of points", where, 1, MAX_EXTENT)
    for access in task.accesses:
        if any(len(row) != loops for row in access.coefficients):
            raise refuse(f"an access that is not over its {loops} loops", where)
        for row, low in zip(access.coefficients, access.start, strict=True):
            check_whole(abs(low) + _reach(row, extents), "extent of an access", where, 0, MAX_EXTENT)


def check_extents(values: Sequence[int], what: str, where: str, most: int) -> None:
    """At most ``most`` numbers of at least 1."""
    if len(values) > most:
        raise refuse(f"{what} of {len(values)} dims, at most {most} are possible", where)
    for value in values:
        check_whole(value, what, where, 1, MAX_EXTENT)


def _reach(row: Iterable[int], spans: Iterable[int]) -> int:
    return sum(abs(factor) * span for factor, span in zip(row, spans, strict=True))


def _check_numbers(numbers: Iterable[int], end: int, what: str) -> None:
    for number in numbers:
        if not 0 <= number < end:
            raise refuse(f"{what} reads value {number:.0f} of {end}", "payload")


def check_network(graph: ReferenceGraph) -> None:
    """Names stand once and for something; every stream has one writer and one reader.

    Raises:
        InputError: naming what stands wrong.
    """
    _check_names((stream.name for stream in graph.streams), "stream")
    _check_names((node.name for node in graph.nodes), "node")
    _check_names((argument.name for argument in graph.arguments), "argument")
    _check_ends([name for node in graph.nodes for name in node.sinks], graph, "written")
    _check_ends([name for node in graph.nodes for name in node.sources], graph, "read")
    for task in graph.tasks:
        _check_types(task, graph)
    for argument in graph.arguments:
        check_extents(argument.shape, "shape", f"argument '{argument.name}'", most=12)
    for load in graph.loads:
        _check_part(load)
        check_choice(load.argument, "argument", load.name, graph.argument)
        argument, sink = graph.argument[load.argument], graph.stream[load.sink]
        if argument.shape != load.shape or argument.dtype != sink.dtype:
            raise refuse(f"streams {sink.dtype} {list(load.shape)}, '{argument.name}' is another", load.name)


def check_results(graph: ReferenceGraph) -> None:
    """Every result is what a store writes, seen through views that fit each other.

    Raises:
        InputError: naming the result.
    """
    _check_names((result.name for result in graph.results), "result")
    stores = {store.name: store for store in graph.stores}
    for result in graph.results:
        where = f"result '{result.name}'"
        check_choice(result.store, "store", where, stores)
        store = stores[result.store]
        if graph.stream[store.source].dtype != result.dtype:
            raise refuse(f"is {result.dtype}, '{store.name}' writes {graph.stream[store.source].dtype}", where)
        shape = store.layout.shape
        for view in result.views:
            shape = _seen(shape, view.shape, view.dims, where)
        if shape != result.shape:
            raise refuse(f"has the shape {list(result.shape)}, its views give {list(shape)}", where)


def _check_types(task: Task, graph: ReferenceGraph) -> None:
    """The payload computes with the elements that the streams carry, and on running values that start somewhere."""
    where, payload, ports = f"task '{task.name}'", task.payload, (*task.sources, *task.sinks)
    given = [payload.types[number] for number in payload.results]
    wanted = zip((*ports, *task.sinks), (*payload.arguments, *given), strict=True)
    for name, dtype in wanted:
        if graph.stream[name].dtype != dtype:
            what = f"the payload computes with {dtype} where '{name}' carries {graph.stream[name].dtype}"
            raise InputError("no-values", what, where=where, hints=["compile at the precision fp32"])
    read = {*payload.results, *(operand for op in payload.ops for operand in op.operands)}
    if not task.init and any(number in read for number in range(len(task.sources), len(ports))):
        raise refuse("the payload reads a running value that starts from nothing", where)


def _check_part(load: Load) -> None:
    part = load.part
    if part is not None and (part.dim >= len(load.shape) or load.shape[part.dim] % part.extent):
        raise refuse(f"cuts tokens of {part.extent} along dim {part.dim} of {list(load.shape)}", load.name)


def _seen(shape: Sequence[int], after: Sequence[int], dims: Sequence[int] | None, where: str) -> tuple[int, ...]:
    check_extents(after, "view", where, most=12)
    if dims is None:
        fits = prod(shape) == prod(after)
    else:
        walked = [dim for dim in dims if dim != -1]
        fits = len(dims) == len(shape) and len(set(walked)) == len(walked)
        fits = fits and all(-1 <= dim < len(after) for dim in dims)
        fits = fits and all(size == (1 if dim == -1 else after[dim]) for dim, size in zip(dims, shape, strict=True))
    if not fits:
        raise refuse(f"a view takes {list(shape)} to {list(after)}", where)
    return tuple(after)


def _check_names(names: Iterable[str], what: str) -> None:
    counts = Counter(names)
    for name, count in counts.items():
        check_name(name, what)
        if count > 1:
            raise refuse(f"the name stands {count} times", f"{what} '{name}'")


def _check_ends(ends: list[str], graph: ReferenceGraph, verb: str) -> None:
    counts = Counter(ends)
    for name in counts:
        if name not in graph.stream:
            hints = [did_you_mean(name, graph.stream)]
            raise InputError("unknown-stream", f"there is no stream '{name:.80}'", where=graph.name, hints=hints)
    for stream in graph.streams:
        if counts[stream.name] != 1:
            raise refuse(f"is {verb} by {counts[stream.name]} nodes, not by one", f"stream '{stream.name}'")
