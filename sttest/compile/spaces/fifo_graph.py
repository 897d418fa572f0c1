"""The graph of FIFO sizing: kernels by topological number, FIFOs by their place in the list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sttest.compile.spaces.graphs import topological_order
from sttest.errors import InputError


@dataclass(frozen=True)
class DelayEdge:
    """A FIFO from one kernel to another.

    ``min_delay_cycles`` is the least delay of the target's start with which
    its first read finds a token: D of the paper, less the target's own time
    to that read.  ``weight`` is what a cycle of delay costs: 1 in the paper,
    the bits that arrive in it where memory is to be saved.
    """

    name: str
    source: str
    target: str
    min_delay_cycles: int
    weight: float = 1.0


class DelayGraph:
    """The edges by number, the nodes numbered in topological order."""

    def __init__(self, nodes: Sequence[str], edges: Sequence[DelayEdge]) -> None:
        _refuse_duplicate_names(edge.name for edge in edges)
        order = topological_order(nodes, [(edge.source, edge.target) for edge in edges])
        self.position = {name: number for number, name in enumerate(order)}
        self.weights = [edge.weight for edge in edges]
        self.min_delays = [edge.min_delay_cycles for edge in edges]
        self.ends = [(self.position[edge.source], self.position[edge.target]) for edge in edges]
        self.incoming: list[list[tuple[int, int]]] = [[] for _ in order]
        """Per node: edge and source."""
        for number, (source, target) in enumerate(self.ends):
            self.incoming[target].append((number, source))


def _refuse_duplicate_names(names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError("duplicate-name", f"two edges are named '{name}'", where=name, levers=["rename one"])
        seen.add(name)
