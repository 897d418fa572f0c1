"""A launch of a design over several layers and tokens: the block of each layer, what stands around them, its memory."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sttest.reference.engine import PartResult, run_part
from sttest.reference.graph import Array, Bytes, Node, ReferenceGraph
from sttest.reference.memory import images_of, read_argument, read_result

Rows = Mapping[str, Bytes]
"""Memory by load, [parts, bytes]: an image for each token and layer that has its own, layers innermost."""
TOKEN = "token"
"""The result that says which row of the table the next token begins with."""


@dataclass(frozen=True)
class Launch:
    """What a launch does with a design's graph.

    Args:
        graph: what the design computes with one layer.
        layers: layers of a launch.
        steps: tokens that a launch makes.
        before, behind: nodes that run once per token: ahead of the first layer, and after the last.
        enters, leaves: streams that a layer begins with, and streams of what it makes of each, one of each per card;
            empty without a loop over layers.
        per_layer, per_step: loads with an image for each layer, and for each token.
        table: load that reads one row for each token: the first, then those of the chosen tokens; empty without.
        caches: result by argument to which each token of a launch adds it, in the launch's last places.
    """

    graph: ReferenceGraph
    layers: int = 1
    steps: int = 1
    before: frozenset[str] = frozenset()
    behind: frozenset[str] = frozenset()
    enters: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    per_layer: frozenset[str] = frozenset()
    per_step: frozenset[str] = frozenset()
    table: str = ""
    caches: Mapping[str, str] = field(default_factory=dict)

    def parts(self, load: str) -> int:
        """Images of a load in a launch, but of the table's."""
        return (self.layers if load in self.per_layer else 1) * (self.steps if load in self.per_step else 1)

    def part(self, load: str, step: int, layer: int) -> int:
        """Which of the images of an argument a load reads."""
        """The image that a load reads for a token and a layer."""
        number = layer if load in self.per_layer else 0
        return number + (step * (self.layers if load in self.per_layer else 1) if load in self.per_step else 0)

    def nodes(self, names: Collection[str] | None = None) -> list[Node]:
        """The nodes of these names, or those of a layer."""
        if names is None:
            return [node for node in self.graph.nodes if node.name not in self.before | self.behind]
        return [node for node in self.graph.nodes if node.name in names]


@dataclass(frozen=True)
class LaunchResult:
    """What a launch leaves."""

    # tokens of the streams that were to be kept, [steps, times, tokens, *element]: once per token, or in every layer
    streams: dict[str, Array] = field(repr=False)
    # images of memory by store, per token and layer; what runs once per token is with the last layer
    results: list[list[dict[str, Bytes]]] = field(repr=False)


def run_launch(launch: Launch, memory: Rows, keep: Iterable[str] | None = None) -> LaunchResult:
    """Computes what a launch does, token by token and layer by layer.

    Args:
        launch: the design, and how often it runs.
        memory: what memory holds before the launch; it is not changed.
        keep: streams whose tokens are returned, by name.

    Raises:
        InputError: see :func:`~sttest.reference.engine.run`.
    """
    return LaunchRun(launch, memory, frozenset(keep or ())).result()


def row_of(token: float, rows: int) -> int:
    """The row of a table that a token chooses: the first one is not of any token; no number chooses token 0."""
    return 1 + int(token) if 0 <= token < rows - 1 else 1


class LaunchRun:
    """What runs of a launch have done so far; whoever derives from it changes what a part of the design computes.

    Args:
        launch: the design, and how often it runs.
        memory: what memory holds before the launch; it is not changed.
        keep: streams whose tokens are returned.
    """

    def __init__(self, launch: Launch, memory: Rows, keep: frozenset[str]) -> None:
        self.launch, self.graph, self.keep = launch, launch.graph, keep
        grows = {load.name for load in self.graph.loads if load.argument in launch.caches}
        self.memory = {name: rows.copy() if name in grows else rows for name, rows in memory.items()}
        self.row = 0
        self.inside = launch.nodes()
        self.around = launch.nodes(launch.before), launch.nodes(launch.behind)

    def result(self) -> LaunchResult:
        """Runs the launch, and gives what it leaves."""
        launch, results = self.launch, []
        kept: dict[str, list[list[Array]]] = {}
        for step in range(launch.steps):
            before, layers, behind = self._step(step)
            stores = [found.results for found in layers]
            stores[-1] = {**before.results, **stores[-1], **behind.results}
            results.append(stores)
            for name in before.streams.keys() | layers[0].streams.keys() | behind.streams.keys():
                parts = [found.streams[name] for found in (before, *layers, behind) if name in found.streams]
                kept.setdefault(name, []).append(parts)
            if launch.table:
                token = read_result(self.graph, TOKEN, stores[-1]).reshape(-1)[0]
                self.row = row_of(float(token), len(self.memory[launch.table]))
        return LaunchResult({name: np.array(kept.pop(name)) for name in [*kept]}, results)

    def _step(self, step: int) -> tuple[PartResult, Sequence[PartResult], PartResult]:
        launch, (before, behind) = self.launch, self.around
        first = self.part(before, step, 0, {})
        ahead, made, layers = {name: first.open[name] for name in launch.enters}, dict[str, Array](), []
        for layer in range(launch.layers):
            found = self.part(self.inside, step, layer, ahead)
            layers.append(found)
            self._grow(found.results, step, layer)
            made = {name: found.open[name] for name in launch.leaves}
            ahead = dict(zip(launch.enters, made.values(), strict=True))
        return first, layers, self.part(behind, step, 0, made)

    def part(self, nodes: Sequence[Node], step: int, layer: int, given: Mapping[str, Array]) -> PartResult:
        """What some nodes leave in a step and a layer, from the tokens of streams that others write."""
        images = {name: rows[self.image(name, step, layer)] for name, rows in self.memory.items()}
        return run_part(self.graph, nodes, images, given, self.keep)

    def image(self, load: str, step: int, layer: int) -> int:
        """Which of the images of an argument a load reads."""
        return self.row if load == self.launch.table else self.launch.part(load, step, layer)

    def _grow(self, results: Mapping[str, Bytes], step: int, layer: int) -> None:
        """Puts the entries of a token into the caches of a layer."""
        for argument, result in self.launch.caches.items():
            loads = [load.name for load in self.graph.loads if load.argument == argument]
            cache = read_argument(self.graph, argument, {name: self.memory[name][layer] for name in loads})
            cache[:, cache.shape[1] - self.launch.steps + step] = read_result(self.graph, result, results)[:, 0]
            for name, image in images_of(self.graph, {argument: cache}).items():
                self.memory[name][layer] = image


def turns(streams: Array) -> Array:
    """Tokens of a stream of a launch in their order, [tokens, *element]."""
    return streams.reshape(-1, *streams.shape[3:])
