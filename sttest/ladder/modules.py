"""The first PyTorch module whose output no stream of an engine holds: where the design computes something else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from sttest.sim.functional import ValueGraph
from sttest.sim.functional.element_types import Array
from sttest.sim.functional.graph import Concat, Node, Stream, Task
from sttest.sim.functional.tokens import element_numbers, offsets, row_major, scatter

if TYPE_CHECKING:
    from torch import nn

Outputs = Mapping[str, Array]
"""By module, in the order in which they ran, the first tensor that it gave out."""


@contextmanager
def recorded_outputs(block: nn.Module) -> Iterator[dict[str, Array]]:
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


def first_other_module(graph: ValueGraph, outputs: Outputs, streams: Mapping[str, Array]) -> str:
    """The first module, as PyTorch runs them, whose output is in no stream of its nodes; empty if there is none.

    Nodes are tasks and concatenations.  Passed over are modules without nodes, those that end in a node of the next
    (a bias that is added there), and those whose streams all have another number of elements.  So the fault may lie
    just before the module.

    Args:
        graph: the design.
        outputs: of the golden.
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


def _modules_that_end_elsewhere(graph: ValueGraph) -> set[str]:
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


def _tensor(stream: Stream, tokens: Array) -> Array:
    """What a stream carries, put together at the offsets of its tokens."""
    where = offsets(stream, stream.trips).reshape(stream.tokens, len(stream.element))
    low = where.min(axis=0)
    shape = (where.max(axis=0) - low + np.array(stream.element, dtype=np.int64)).tolist()
    flat = np.zeros(int(np.prod(shape, dtype=np.int64)), dtype=tokens.dtype)
    scatter(flat, row_major(where - low, shape), element_numbers(stream.element, shape), tokens.reshape(len(where), -1))
    return flat.reshape(shape)
