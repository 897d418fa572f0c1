"""The op interface of nodes that say themselves what hardware they are, and what they compute.

Timing, resources and the reference engine ask a node that has it, be it of `df` or of an extension's dialect.

    Offer("ops", "my", "my_package.dialect:MY")

is a dialect of xDSL called ``my``, whose nodes are of both classes, ``df.NodeOp`` and :class:`HardwareOp`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from sttest.boards.resources import Resources
from sttest.reference.graph import Node
from sttest.sim.graph import COPY_CYCLES, Event, Loop, Pipeline


@dataclass(frozen=True)
class Ports:
    """A node in its design."""

    name: str  # its own, as `name-nodes` has given it
    # sources, sinks: FIFOs that it reads and writes, by port
    sources: tuple[str, ...]
    sinks: tuple[str, ...]


class HardwareOp(ABC):
    """A node at the stream level that is one pipeline; the layers of a launch, and turns, are not its business.

    Its names are those of ``df.NodeOp``.  C++ and SystemVerilog of nodes of extensions are refused.
    """

    @abstractmethod
    def pipeline(self, ports: Ports) -> Pipeline:
        """When it reads and writes its FIFOs: loops with interval, latency and the cycle of each access."""

    @abstractmethod
    def reference(self, ports: Ports) -> Node | None:
        """What it computes, from tokens to tokens; None of a node that does nothing in a layer by itself."""

    @abstractmethod
    def logic(self) -> Resources:
        """What it takes besides the control of its loop and its FIFOs."""


def copies(tokens: int, source: str, sink: str) -> Loop:
    """The loop that passes tokens on, one per cycle."""
    return Loop((tokens,), 1, COPY_CYCLES, (Event(source, "read", 0), Event(sink, "write", COPY_CYCLES - 1)))
