"""What a design computes, as plain data: streams, the nodes between them, and the memory at both ends.

The facts are those of docs/values.md; `sttest.compile.value_graph` takes them from a compiled module, and
`values.json` in a design package holds them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Literal, TypeAlias

from sttest.sim.functional.check_network import check_network, check_results
from sttest.sim.functional.check_parts import (
    check_access,
    check_concat,
    check_converter,
    check_layout,
    check_payload,
    check_slice,
    check_stream,
    check_task,
)
from sttest.sim.functional.element_types import ElementType

Ints: TypeAlias = tuple[int, ...]
Kind = Literal["parameter", "input", "cache"]
LoopKind = Literal["parallel", "reduction"]


@dataclass(frozen=True)
class Stream:
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
        name: of the task.
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
class ValueGraph:
    """A design as a process network.

    Raises:
        InputError: a stream without exactly one writer and one reader, names that stand twice or for nothing,
            nodes that do not fit their streams.
    """

    name: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    streams: tuple[Stream, ...]
    nodes: tuple[Node, ...]

    def __post_init__(self) -> None:
        check_network(self)
        check_results(self)

    @cached_property
    def stream(self) -> dict[str, Stream]:
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
