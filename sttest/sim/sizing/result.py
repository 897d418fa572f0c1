"""What sizing gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sttest.sim.graph import TimedGraph

SCHEMA = "sttest.sizing/1"


@dataclass(frozen=True)
class Sizing:
    """Depths of the FIFOs of a graph, in tokens.

    ``cycles`` of a finite run, None on a deadlock; ``throughput`` of endless actors, in iterations per cycle.
    ``lower_bounds``: per FIFO, below which no sizing for the same target can go; ``lower_total``: tokens that
    no sizing can go below; ``is_exact``: no sizing has fewer tokens.  ``tried``: depth vectors looked at.
    """

    graph: TimedGraph
    method: str
    depths: dict[str, int]
    cycles: int | None = None
    throughput: Fraction | None = None
    lower_bounds: dict[str, int] = field(default_factory=dict)
    lower_total: int = 0
    is_exact: bool = False
    tried: int = 0
    notes: tuple[str, ...] = ()

    @property
    def total_tokens(self) -> int:
        """Over all FIFOs."""
        return sum(self.depths.values())

    @property
    def total_bits(self) -> int:
        """Over all FIFOs."""
        return sum(fifo.bits * self.depths[fifo.name] for fifo in self.graph.fifos)

    def to_json(self) -> dict[str, Any]:
        """The contract ``sttest.sizing/1``."""
        throughput = None if self.throughput is None else [self.throughput.numerator, self.throughput.denominator]
        return {
            "schema": SCHEMA,
            "depths": self.depths,
            "total_tokens": self.total_tokens,
            "total_bits": self.total_bits,
            "cycles": self.cycles,
            "throughput": throughput,
            "method": self.method,
        }
