"""The reference engine: every node once, from arrays of tokens to arrays of tokens.

A process network gives the same tokens in whatever order its nodes run (Kahn,
1974), so each node may see its whole streams at once.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from math import prod
from typing import Any

import numpy as np

from sttest.core.errors import InputError, did_you_mean
from sttest.core.extensions import Offer, offers
from sttest.reference.codes import decode
from sttest.reference.graph import (
    NUMPY,
    Array,
    Bytes,
    Concat,
    Converter,
    Custom,
    Fork,
    Gather,
    Load,
    Node,
    ReferenceGraph,
    ReferenceStream,
    Store,
)
from sttest.reference.memory import (
    Offsets,
    chosen_image,
    compact_trips,
    element_numbers,
    expanded,
    gathered,
    offsets,
    pack,
    row_major,
    scatter,
    tile_order,
    tiles_and_places,
    tiles_of,
)
from sttest.reference.weight_types import codes

__depends__ = ("sttest/built_in/values.py", "sttest/reference/*.py")

# --- Concatenations: streams that are read in turn


def join(node: Concat, streams: Mapping[str, ReferenceStream], tokens: Sequence[Array]) -> list[Array]:
    """The sink's tokens: in every turn the next ones of the first source, then of the second, and so on.

    Raises:
        InputError: sources and sink carry different tokens, or numbers of them that don't make the turns.
    """
    sources, sink = [streams[name] for name in node.sources], streams[node.sink]
    for source in sources:
        if (source.element, source.dtype) != (sink.element, sink.dtype):
            raise _broken_concat(node, f"'{sink.name}' carries other tokens than '{source.name}'")
        if source.tokens % node.turns:
            raise _broken_concat(node, f"the {source.tokens} tokens of '{source.name}' do not make {node.turns} turns")
    if sum(source.tokens for source in sources) != sink.tokens:
        raise _broken_concat(node, f"'{sink.name}' carries {sink.tokens} tokens, other than its sources together")
    parts = [
        expanded(source, values).reshape(node.turns, source.tokens // node.turns, *sink.element)
        for source, values in zip(sources, tokens, strict=True)
    ]
    return [np.concatenate(parts, axis=1).reshape(*sink.trips, *sink.element)]


def _broken_concat(node: Concat, what: str) -> InputError:
    return InputError("bad-concat", what, where=f"concatenation '{node.name}'", hints=["write the package anew"])


# --- Converters: a buffer that is written in one order and read in another, block by block


def convert(node: Converter, streams: Mapping[str, ReferenceStream], tokens: Sequence[Array]) -> list[Array]:
    """The sink's tokens, from those of the source.

    Raises:
        InputError: tokens that do not make whole blocks, an access outside of the buffer, or to an element
            that the block did not write; the message names token and element.
    """
    source, sink = streams[node.source], streams[node.sink]
    for stream in (source, sink):
        if stream.tokens % node.blocks or len(stream.element) != len(node.buffer):
            raise _broken_converter(
                node, f"the tokens of '{stream.name}' do not make {node.blocks} blocks of {node.buffer}"
            )
    rank = len(node.buffer)
    written = offsets(source, source.trips).reshape(node.blocks, source.tokens // node.blocks, rank)
    corners = written.min(axis=1)
    trips = compact_trips(sink, within=sink.tokens // node.blocks)
    read = offsets(sink, trips).reshape(prod(trips), rank)
    numbers = _token_numbers(sink, trips)
    blocks_read = numbers // (sink.tokens // node.blocks)
    blocks_written = np.repeat(np.arange(node.blocks), written.shape[1])
    into = _places(node, source, written.reshape(source.tokens, rank), corners, blocks_written, None)
    outof = _places(node, sink, read, corners, blocks_read, numbers)

    size = prod(node.buffer)
    halves = np.zeros(node.blocks * size, dtype=tokens[0].dtype)
    filled = np.zeros(node.blocks * size, dtype=np.bool_)
    pattern = element_numbers(source.element, node.buffer)
    scatter(halves, into, pattern, expanded(source, tokens[0]).reshape(source.tokens, -1))
    scatter(filled, into, pattern, np.broadcast_to(np.True_, (source.tokens, len(pattern))))
    pattern = element_numbers(sink.element, node.buffer)
    if not filled.all():
        _refuse_unwritten(node, sink, gathered(filled, outof, pattern), read, numbers)
    return [gathered(halves, outof, pattern).reshape((*trips, *sink.element))]


def _token_numbers(stream: ReferenceStream, trips: tuple[int, ...]) -> Offsets:
    """Number in the whole stream of every token of a compact one."""
    numbers = np.arange(stream.tokens, dtype=np.int64).reshape(stream.trips)
    return numbers[tuple(slice(0, trip) for trip in trips)].reshape(-1)


def _places(
    node: Converter, stream: ReferenceStream, where: Offsets, corners: Offsets, block: Offsets, numbers: Offsets | None
) -> Offsets:
    """Where each token starts in the buffers of all blocks."""
    local = where - corners[block]
    inside = (local >= 0) & (local + np.array(stream.element) <= np.array(node.buffer))
    if not inside.all():
        first = int(np.argmin(inside.all(axis=1)))
        token = first if numbers is None else int(numbers[first])
        raise _broken_converter(
            node, f"token {token} of '{stream.name}' at {where[first].tolist()} lies outside of the buffer"
        )
    return block * prod(node.buffer) + row_major(local, node.buffer)


def _refuse_unwritten(node: Converter, sink: ReferenceStream, filled: Array, where: Offsets, numbers: Offsets) -> None:
    if filled.all():
        return
    first, place = divmod(int(np.argmin(filled)), filled.shape[1])
    local = np.array(np.unravel_index(place, sink.element), dtype=np.int64).reshape(-1)
    element = (where[first] + local).tolist()
    raise _broken_converter(
        node, f"token {int(numbers[first])} of '{sink.name}' reads {element}, which the block did not write"
    )


def _broken_converter(node: Converter, what: str) -> InputError:
    return InputError("bad-converter", what, where=f"converter '{node.name}'", hints=["infer its buffer anew"])


# --- Tokens out of slices


def gather_slices(node: Gather, streams: Mapping[str, ReferenceStream], tokens: Sequence[Array]) -> list[Array]:
    """The sink's tokens: slices are parts of them along the one dim in which they are smaller.

    Args:
        node: the gather.
        streams: by name.
        tokens: of every source, repetitions held once.

    Raises:
        InputError: the sources' tokens do not make up the sink's.
    """
    if node.code and node.code not in codes():
        raise InputError("bad-gather", f"unknown code '{node.code:.40}'", where=f"gather '{node.name}'")
    sources, sink = [streams[name] for name in node.sources], streams[node.sink]
    code = codes().get(node.code)
    dtype, wanted = (sink.dtype, prod(sink.element)) if code is None else ("i8", code.token_bytes(prod(sink.element)))
    size = sum(prod(source.element) for source in sources)
    alike = all(source.dtype == dtype and source.trips == sink.trips for source in sources)
    if not alike or size != wanted or len({values.shape for values in tokens}) != 1:
        what = f"its sources do not make up the tokens of '{sink.name}'"
        raise InputError("bad-gather", what, where=f"gather '{node.name}'")
    lead = tokens[0].shape[: len(sink.trips)]
    element = sources[0].element
    if code is not None:
        data = np.concatenate([values.reshape(-1, *element) for values in tokens], axis=1)
        return [decode(data.view(np.uint8), code, prod(sink.element)).reshape(*lead, *sink.element)]
    cut = next((dim for dim, (own, all_) in enumerate(zip(element, sink.element, strict=True)) if own != all_), 0)
    return [np.concatenate([values.reshape(*lead, *element) for values in tokens], axis=len(lead) + cut)]


# --- DMAs: from an image of memory to tokens, and back


def load(node: Load, stream: ReferenceStream, image: Bytes) -> Array:
    """The tokens that a DMA reads.

    Raises:
        InputError: an image of another length, or a stream that does not fit the layout.
    """
    tiles = tiles_of(image, node.layout, stream)
    number, place = tiles_and_places(node.layout, stream)
    if node.layout.packed:
        order = tile_order(node.layout, stream)
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
        number = position[number]
    pattern = element_numbers(stream.element, node.layout.tile)
    tokens = gathered(tiles.reshape(-1), number * prod(node.layout.tile) + place, pattern)
    return tokens.reshape((*compact_trips(stream), *stream.element))


def store(node: Store, stream: ReferenceStream, tokens: Array) -> Bytes:
    """The image that a DMA writes.

    Raises:
        InputError: tokens that miss a part of the tensor, or lie outside of it.
    """
    shape = node.layout.shape
    tensor = np.zeros(prod(shape), dtype=NUMPY[stream.dtype])
    written = np.zeros(prod(shape), dtype=np.bool_)
    where = offsets(stream, stream.trips).reshape(stream.tokens, len(stream.element))
    if len(shape) != where.shape[1] or (where < 0).any() or (where + np.array(stream.element) > shape).any():
        raise InputError("bad-layout", f"tokens lie outside of {list(shape)}", where=node.name)
    base, pattern = row_major(where, shape), element_numbers(stream.element, shape)
    scatter(tensor, base, pattern, expanded(stream, tokens).reshape(stream.tokens, -1))
    scatter(written, base, pattern, np.broadcast_to(np.True_, (stream.tokens, len(pattern))))
    if not written.all():
        missing = [int(axis) for axis in np.unravel_index(int(np.argmin(written)), shape)]
        raise InputError("unwritten", f"no token holds the element at {missing}", where=node.name)
    return pack(tensor.reshape(shape), node.layout, stream)


@dataclass(frozen=True)
class FunctionalResult:
    """What a run leaves."""

    results: dict[str, Bytes]  # image of memory per store, by the store's name
    streams: dict[str, Array]  # tokens of the streams that were to be kept, [tokens, *element]


def run(graph: ReferenceGraph, memory: Mapping[str, Bytes], keep: Iterable[str] | None = None) -> FunctionalResult:
    """Computes a design's values.

    Args:
        graph: the design.
        memory: an image per load, by the load's name (see :func:`~sttest.reference.memory.memory_images`).
        keep: streams whose tokens are returned, by name.

    Raises:
        InputError: an image is missing or has another length, a stream to keep that there is not, a cycle, or
            nodes whose tokens do not fit their streams.
    """
    found = run_part(graph, graph.nodes, memory, {}, keep)
    return FunctionalResult(found.results, found.streams)


@dataclass(frozen=True)
class PartResult(FunctionalResult):
    """What a run of some nodes leaves."""

    open: dict[str, Array]  # tokens of the streams that the others read, [*trips, *element]


def run_part(
    graph: ReferenceGraph,
    nodes: Iterable[Node],
    memory: Mapping[str, Bytes],
    given: Mapping[str, Array],
    keep: Iterable[str] | None = None,
) -> PartResult:
    """Computes the values of some nodes of a design.

    Args:
        graph: the design.
        nodes: nodes to run.
        memory: an image for each load among them, by the load's name.
        given: tokens of the streams that other nodes write, [*trips, *element], by name.
        keep: streams whose tokens are returned, by name, of those that the nodes write.

    Raises:
        InputError: see :func:`run`.
    """
    chosen = {node.name for node in nodes}
    engine = _Engine(graph, memory, frozenset(keep or ()), chosen)
    engine.live |= given
    # NaN and infinities are values like others; integers wrap.
    with np.errstate(all="ignore"):
        for node in run_order(graph):
            if node.name in chosen:
                engine.fire(node)
    return PartResult(engine.results, engine.kept, engine.live)


def run_order(graph: ReferenceGraph) -> list[Node]:
    """The nodes so that every stream is written before it is read.

    Raises:
        InputError: nodes wait for each other in a circle.
    """
    writer = {name: node.name for node in graph.nodes for name in node.sinks}
    nodes = {node.name: node for node in graph.nodes}
    order = TopologicalSorter({node.name: [writer[name] for name in node.sources] for node in graph.nodes})
    try:
        return [nodes[name] for name in order.static_order()]
    except CycleError as error:
        circle = " -> ".join(error.args[1][:8])
        raise InputError("cycle", f"the nodes wait for each other: {circle}", where=graph.name) from error


class _Engine:
    """Arrays of the streams that are written and not read yet."""

    def __init__(
        self, graph: ReferenceGraph, memory: Mapping[str, Bytes], keep: frozenset[str], nodes: Collection[str]
    ) -> None:
        self.graph = graph
        self.memory = memory
        self.live: dict[str, Array] = {}
        self.kept: dict[str, Array] = {}
        self.results: dict[str, Bytes] = {}
        self.keep = keep
        for name in keep - graph.stream.keys():
            hints = [did_you_mean(name, graph.stream)]
            raise InputError("unknown-stream", f"there is no stream '{name}'", where=graph.name, hints=hints)
        for node in graph.loads:
            if node.name in nodes and node.name not in memory:
                raise InputError("missing-image", f"there is no image for '{node.name}'", where=graph.name)

    def fire(self, node: Node) -> None:
        """Runs a node; the arrays that it reads are given up."""
        tokens = [self.live.pop(name) for name in node.sources]
        for name, values in zip(node.sinks, self._compute(node, tokens), strict=True):
            stream = self.graph.stream[name]
            _check_tokens(stream, values)
            self.live[name] = values
            if name in self.keep:
                self.kept[name] = expanded(stream, values)

    def _compute(self, node: Node, tokens: Sequence[Array]) -> list[Array]:
        streams = self.graph.stream
        if isinstance(node, Load):
            image = self.memory[node.name]
            if node.parts is not None:
                numbers = expanded(streams[node.parts.index], tokens[0]).reshape(-1)
                image = chosen_image(node, image, numbers, streams[node.sink].dtype)
            return [load(node, streams[node.sink], image)]
        if isinstance(node, Store):
            self.results[node.name] = store(node, streams[node.source], tokens[0])
            return []
        return list(_function(node)(node, streams, tokens))


Function = Callable[[Any, Mapping[str, ReferenceStream], Sequence[Array]], Sequence[Array]]
"""What is offered at the door `values`: the tokens of each sink, [*trips, *element], from those of each source.

What a stream repeats it may hold once: a trip of 1 stands for all (:func:`~sttest.reference.memory.expanded`).
"""


def _function(node: Node) -> Function:
    """What computes a node.

    Raises:
        InputError: no extension that is installed has its function.
    """
    name = node.function if isinstance(node, Custom) else node.kind
    if name not in _functions():
        hints = ["install the distribution that has it"]
        raise InputError("unknown-function", f"no extension computes '{name:.80}'", where=node.name, hints=hints)
    return _functions()[name].load()


@cache
def _functions() -> dict[str, Offer]:
    return offers("values")


# --- Forks: streams that are copied


def copied(node: Fork, streams: Mapping[str, ReferenceStream], tokens: Sequence[Array]) -> list[Array]:
    """The tokens of each copy.

    Raises:
        InputError: a copy carries other tokens.
    """
    return [_copied(node, streams[node.source], streams[name], tokens[0]) for name in node.sinks]


def _copied(node: Fork, source: ReferenceStream, sink: ReferenceStream, tokens: Array) -> Array:
    if (source.element, source.dtype) != (sink.element, sink.dtype) or source.tokens != sink.tokens:
        what = f"'{sink.name}' carries other tokens than '{source.name}'"
        raise InputError("bad-fork", what, where=f"fork '{node.name}'")
    same = source.trips == sink.trips
    return tokens if same else expanded(source, tokens).reshape((*sink.trips, *sink.element))


def _check_tokens(stream: ReferenceStream, values: Array) -> None:
    """Every stream gets as many tokens as its type says, of its element type."""
    loops = len(stream.trips)
    lead, element = values.shape[:loops], values.shape[loops:]
    full = all(found in (1, trip) for found, trip in zip(lead, stream.trips, strict=True))
    if not full or element != stream.element or values.dtype != NUMPY[stream.dtype]:
        what = f"gets {list(lead)} tokens of {values.dtype} {list(element)}, not {list(stream.trips)} of {stream.dtype}"
        raise InputError("token-count", f"{what} {list(stream.element)}", where=f"stream '{stream.name}'")
