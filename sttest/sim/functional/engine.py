"""The functional engine: every node once, from arrays of tokens to arrays of tokens.

A process network gives the same tokens in whatever order its nodes run (Kahn,
1974), so each node may see its whole streams at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

import numpy as np

from sttest.errors import InputError, did_you_mean
from sttest.sim.functional.concat import join
from sttest.sim.functional.converter import convert
from sttest.sim.functional.dma import load, store
from sttest.sim.functional.element_types import NUMPY, Array, Bytes
from sttest.sim.functional.gather import gathered
from sttest.sim.functional.graph import Concat, Converter, Fork, Gather, Load, Node, Store, Stream, ValueGraph
from sttest.sim.functional.task import run_task
from sttest.sim.functional.tokens import expanded


@dataclass(frozen=True)
class FunctionalResult:
    """What a run leaves.

    Attributes:
        results: image of memory per store, by the store's name.
        streams: tokens of the streams that were to be kept, [tokens, *element].
    """

    results: dict[str, Bytes]
    streams: dict[str, Array]


def run(graph: ValueGraph, memory: Mapping[str, Bytes], keep: Iterable[str] | None = None) -> FunctionalResult:
    """Computes a design's values.

    Args:
        graph: the design.
        memory: an image per load, by the load's name (see :func:`~sttest.sim.functional.images.memory_images`).
        keep: streams whose tokens are returned, by name.

    Raises:
        InputError: an image is missing or has another length, a stream to keep that there is not, a cycle, or
            nodes whose tokens do not fit their streams.
    """
    engine = _Engine(graph, memory, frozenset(keep or ()))
    # NaN and infinities are values like others; integers wrap.
    with np.errstate(all="ignore"):
        for node in run_order(graph):
            engine.fire(node)
    return FunctionalResult(engine.results, engine.kept)


def run_order(graph: ValueGraph) -> list[Node]:
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

    def __init__(self, graph: ValueGraph, memory: Mapping[str, Bytes], keep: frozenset[str]) -> None:
        self.graph = graph
        self.memory = memory
        self.live: dict[str, Array] = {}
        self.kept: dict[str, Array] = {}
        self.results: dict[str, Bytes] = {}
        self.keep = keep
        for name in keep - graph.stream.keys():
            levers = [did_you_mean(name, graph.stream)]
            raise InputError("unknown-stream", f"there is no stream '{name}'", where=graph.name, levers=levers)
        for node in graph.loads:
            if node.name not in memory:
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
            return [load(node, streams[node.sink], self.memory[node.name])]
        if isinstance(node, Store):
            self.results[node.name] = store(node, streams[node.source], tokens[0])
            return []
        if isinstance(node, Fork):
            return [_copied(node, streams[node.source], streams[name], tokens[0]) for name in node.sinks]
        if isinstance(node, Concat):
            return [join(node, streams, tokens)]
        if isinstance(node, Gather):
            return [gathered(node, [streams[name] for name in node.sources], streams[node.sink], tokens)]
        if isinstance(node, Converter):
            return [convert(node, streams[node.source], streams[node.sink], tokens[0])]
        return run_task(node, streams, tokens)


def _copied(node: Fork, source: Stream, sink: Stream, tokens: Array) -> Array:
    if (source.element, source.dtype) != (sink.element, sink.dtype) or source.tokens != sink.tokens:
        what = f"'{sink.name}' carries other tokens than '{source.name}'"
        raise InputError("bad-fork", what, where=f"fork '{node.name}'")
    same = source.trips == sink.trips
    return tokens if same else expanded(source, tokens).reshape((*sink.trips, *sink.element))


def _check_tokens(stream: Stream, values: Array) -> None:
    """Every stream gets as many tokens as its type says, of its element type."""
    loops = len(stream.trips)
    lead, element = values.shape[:loops], values.shape[loops:]
    full = all(found in (1, trip) for found, trip in zip(lead, stream.trips, strict=True))
    if not full or element != stream.element or values.dtype != NUMPY[stream.dtype]:
        what = f"gets {list(lead)} tokens of {values.dtype} {list(element)}, not {list(stream.trips)} of {stream.dtype}"
        raise InputError("token-count", f"{what} {list(stream.element)}", where=f"stream '{stream.name}'")
