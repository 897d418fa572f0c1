"""Where the streams of two engines part: the first stream in topological order, its first token and element."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sttest.crosscheck.engines import Values, json_number
from sttest.reference import ReferenceGraph
from sttest.reference.engine import run_order
from sttest.reference.graph import Array, Concat, Load, Node, ReferenceStream, Task, is_integer
from sttest.reference.memory import element_numbers, offsets, row_major, scatter

if TYPE_CHECKING:
    from torch import nn


CLOSE = 1e-5
"""Floating-point streams that differ by no more, relative to the stream's largest magnitude, are close."""
Verdict = Literal["same", "close", "different"]


@dataclass(frozen=True)
class StreamDifference:
    """A place at which two engines differ."""

    stream: str  # its FIFO
    # token, element: numbers from 0; the element row-major in the token, None where one has no such token
    token: int
    element: int | None
    # left, right: the values
    left: float | int | None
    right: float | int | None
    origin: str  # PyTorch module, or argument, that the stream's tokens come from

    def to_json(self) -> dict[str, Any]:
        """The difference as JSON values; a number that JSON can't express is a string."""
        sides = {"left": self.left, "right": self.right}
        strange = {name: str(value) for name, value in sides.items() if value is not None and not np.isfinite(value)}
        return asdict(self) | strange

    def __str__(self) -> str:
        if self.element is None:
            return f"stream '{self.stream}' of {self.origin} ends before token {self.token}"
        place = f"stream '{self.stream}', token {self.token}, element {self.element}"
        return f"{place}: {_shown(self.left)} and {_shown(self.right)}, of {self.origin}"


@dataclass(frozen=True)
class StreamComparison:
    """All streams of two engines."""

    # left, right: the engines
    left: str
    right: str
    # streams, differing: how many there are, and how many differ in any bit
    streams: int
    differing: int
    integers: int  # elements of integer streams that differ
    relative: float  # largest difference in a floating-point stream, relative to its largest magnitude
    is_short: bool  # one engine has tokens that the other has not
    first: StreamDifference | None  # None where all bits are equal

    @property
    def verdict(self) -> Verdict:
        """``same`` to the bit, ``close`` if integers are the same and floating point within `CLOSE`."""
        if not self.differing and not self.is_short:
            return "same"
        return "different" if self.integers or self.is_short or not self.relative <= CLOSE else "close"

    def to_json(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        first = None if self.first is None else self.first.to_json()
        return {
            "engines": [self.left, self.right],
            "verdict": self.verdict,
            "streams": self.streams,
            "streams_differing": self.differing,
            "integers_differing": self.integers,
            "largest_relative_difference": json_number(self.relative),
            "first_difference": first,
        }

    def __str__(self) -> str:
        pair = f"{self.left} and {self.right}"
        if self.verdict == "same":
            return f"{pair}: the same in all {self.streams} streams, to the bit"
        if self.first is None:
            return f"{pair}: the same in all tokens that both have, to the bit"
        counts = f"{self.differing} of {self.streams} streams differ, {self.integers:,} integers, floats by "
        return f"{pair}: {counts}{self.relative:.2g} of their largest; first: {self.first}"


def compare_streams(graph: ReferenceGraph, left: Values, right: Values) -> StreamComparison:
    """Holds two engines against each other, token by token.

    A value that differs goes before tokens that are missing, which a deadlock leaves everywhere.  Of those, the
    first is named whose reader waits while its writer has ended.
    """
    first, differing, integers, relative, is_short = None, 0, 0, 0.0, False
    origin = origins(graph)
    for stream in topological_streams(graph):
        ours, theirs = left.streams[stream.name], right.streams[stream.name]
        is_short |= len(ours) != len(theirs)
        both = min(len(ours), len(theirs))
        unlike = _unlike(ours[:both], theirs[:both])
        if not unlike.any():
            continue
        differing += 1
        first = first or _difference(stream, unlike, ours, theirs, origin[stream.name])
        if is_integer(stream.dtype):
            integers += int(unlike.sum())
        else:
            relative = max(relative, _relative(ours[:both], theirs[:both]))
    if first is None and is_short:
        first = next(_ends_early(graph, left, right), None)
    return StreamComparison(
        left.engine, right.engine, len(graph.streams), differing, integers, relative, is_short, first
    )


def topological_streams(graph: ReferenceGraph) -> Iterator[ReferenceStream]:
    """Every stream after those that its writer reads."""
    return (graph.stream[name] for node in run_order(graph) for name in node.sinks)


def origins(graph: ReferenceGraph) -> dict[str, str]:
    """The source of each stream's values: the module of a task or concatenation, or the argument of a load."""
    origin: dict[str, str] = {}
    for node in run_order(graph):
        if isinstance(node, Task | Concat):
            name = node.origin or node.name
        elif isinstance(node, Load):
            name = node.argument
        else:
            name = origin[node.sources[0]]
        origin.update(dict.fromkeys(node.sinks, name))
    return origin


def _unlike(left: Array, right: Array) -> Array:
    """Elements whose bits differ; NaNs are one value."""
    if left.dtype.kind != "f":
        return np.asarray(left != right)
    bits = np.dtype(f"u{left.dtype.itemsize}")
    unlike = np.asarray(left.view(bits) != right.view(bits))
    return unlike & ~(np.isnan(left) & np.isnan(right)) if unlike.any() else unlike


def _difference(stream: ReferenceStream, unlike: Array, left: Array, right: Array, origin: str) -> StreamDifference:
    place = int(np.argmax(unlike))
    token, element = divmod(place, max(1, unlike[0].size))
    index = np.unravel_index(place, unlike.shape)
    return StreamDifference(stream.name, token, element, left[index].item(), right[index].item(), origin)


def _relative(left: Array, right: Array) -> float:
    """Largest difference over the largest magnitude; NaN or infinity on one side alone is infinitely far."""
    ours, theirs = left.astype(np.float64), right.astype(np.float64)
    unlike = _unlike(left, right)
    apart, scale = np.abs(ours - theirs)[unlike].max(), np.abs(ours).max()
    return float(apart / scale) if np.isfinite(apart) and scale else float("inf")


def _ends_early(graph: ReferenceGraph, left: Values, right: Values) -> Iterator[StreamDifference]:
    for values in (left, right):
        blocked = values.waits
        stuck = _writers_that_wait(graph, blocked)
        for stream in topological_streams(graph):
            count = len(values.streams[stream.name])
            if count < stream.tokens and blocked.get(stream.name) == "read" and stream.name not in stuck:
                yield StreamDifference(stream.name, count, None, None, None, origins(graph)[stream.name])


def _writers_that_wait(graph: ReferenceGraph, blocked: Mapping[str, str]) -> set[str]:
    """Streams whose writer itself waits, to read another stream or to write one."""
    waiting = set()
    for node in graph.nodes:
        reads = any(blocked.get(name) == "read" for name in node.sources)
        writes = any(blocked.get(name) == "write" for name in node.sinks)
        waiting |= set(node.sinks) if reads or writes else set()
    return waiting


def _shown(value: float | None) -> str:
    return f"{value:.9g}" if isinstance(value, float) else str(value)


# --- The first PyTorch module whose output no stream of an engine holds: where the design computes something else


Outputs = Mapping[str, Array]
"""Outputs by module, in the order in which they ran, the first tensor that it gave out."""


@contextmanager
def recorded_outputs(block: "nn.Module") -> Iterator[dict[str, Array]]:
    """Notes what the modules of a block give out while it runs; see :data:`Outputs`."""
    found: dict[str, Array] = {}
    hooks = [module.register_forward_hook(_recorder(found, name)) for name, module in block.named_modules() if name]
    try:
        yield found
    finally:
        for hook in hooks:
            hook.remove()


def _recorder(found: dict[str, Array], name: str) -> Any:
    def record(_module: Any, _inputs: Any, outcome: Any) -> None:
        while isinstance(outcome, tuple):
            outcome = outcome[0]
        found[name] = outcome.numpy()

    return record


def first_other_module(graph: ReferenceGraph, outputs: Outputs, streams: Mapping[str, Array]) -> str:
    """The first module, as PyTorch runs them, whose output is in no stream of its nodes; empty if there is none.

    Nodes are tasks and concatenations.  Passed over are modules without nodes, those that end in a node of the next
    (a bias that is added there), and those whose streams all have another number of elements.  So the fault may lie
    just before the module.

    Args:
        graph: the design.
        outputs: outputs of the golden block.
        streams: tokens by stream, of an engine that ended.
    """
    fused = _modules_that_end_elsewhere(graph)
    nodes = [node for node in graph.nodes if isinstance(node, Task | Concat) and node.origin not in fused]
    for name, wanted in outputs.items():
        sinks = [graph.stream[sink] for node in nodes if node.origin == name for sink in node.sinks]
        if _differs(wanted, (_tensor(stream, streams[stream.name]) for stream in sinks)):
            return name
    return ""


def _differs(wanted: Array, tensors: Iterable[Array]) -> bool:
    """Whether tensors of as many elements are there, and none is the same; padding at the start is left out."""
    unpadded = [tensor if tensor.size == wanted.size else tensor[-len(wanted) :] for tensor in tensors]
    same = [np.array_equal(tensor.ravel(), wanted.ravel()) for tensor in unpadded if tensor.size == wanted.size]
    return bool(same) and not any(same)


def _modules_that_end_elsewhere(graph: ReferenceGraph) -> set[str]:
    """Those with a parameter that a node of another module reads."""
    reader: dict[str, Node] = {name: node for node in graph.nodes for name in node.sources}
    found: set[str] = set()
    for load in graph.loads:
        module = load.argument.rpartition(".")[0]
        ends = _nodes_behind(load.sink, reader)
        found |= {module} if any(node.origin != module for node in ends) else set()
    return found


def _nodes_behind(stream: str, reader: Mapping[str, Node]) -> list[Task | Concat]:
    """Tasks and concatenations that read a stream, through forks and converters."""
    node = reader[stream]
    if isinstance(node, Task | Concat):
        return [node]
    return [found for sink in node.sinks for found in _nodes_behind(sink, reader)]


def _tensor(stream: ReferenceStream, tokens: Array) -> Array:
    """What a stream carries, put together at the offsets of its tokens."""
    where = offsets(stream, stream.trips).reshape(stream.tokens, len(stream.element))
    low = where.min(axis=0)
    shape = (where.max(axis=0) - low + np.array(stream.element, dtype=np.int64)).tolist()
    flat = np.zeros(int(np.prod(shape, dtype=np.int64)), dtype=tokens.dtype)
    scatter(flat, row_major(where - low, shape), element_numbers(stream.element, shape), tokens.reshape(len(where), -1))
    return flat.reshape(shape)
