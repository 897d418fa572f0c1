"""The check that a design fits its board: budgets, HBM ports, an SLR for every process, and what crossings cost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sttest.compile.compiler import Design
from sttest.compile.depths.access_curves import accesses
from sttest.compile.resources.crossings import with_crossings
from sttest.compile.resources.design import DesignResources, design_resources, die_of
from sttest.compile.resources.memory_buses import WAYS
from sttest.compile.spaces.partition import partition
from sttest.compile.spaces.partition_facts import Partition
from sttest.errors import DoesNotFitError
from sttest.sim import simulate
from sttest.sim.graph import TimedGraph


@dataclass(frozen=True)
class Placement:
    """A design that fits.

    Attributes:
        taken: process by process.
        partition: SLRs and what they and their boundaries carry.
        graph: timed, with registers on what crosses.
        cycles: without and with those registers; None for a deadlock.
    """

    taken: DesignResources
    partition: Partition
    graph: TimedGraph
    cycles: tuple[int | None, int | None]


def place(design: Design) -> Placement:
    """Checks a design against its board and places it.

    Raises:
        DoesNotFitError: ``board-resources``, ``slr-resources``, ``hbm-ports`` or ``no-partition``, with the
            resource, the demand, the budget and what would lower it.
    """
    taken = design_resources(design)
    refuse_ports(design, taken)
    found = partition(taken.processes(), taken.links(), die_of(design.board))
    graph = with_crossings(design.graph, crossed_by(taken, found), tokens_carried(design.graph))
    return Placement(taken, found, graph, (simulate(design.graph).cycles, simulate(graph).cycles))


def crossed_by(taken: DesignResources, found: Partition) -> dict[str, int]:
    """Boundaries on the way of each FIFO's tokens: its own, and there and back those of the bus of a DMA at an end."""
    crossings = Counter({wire.fifo: found.crossings(wire) for wire in taken.wires})
    for bus in taken.buses:
        crossings[bus.fifo] += WAYS * found.crossings(bus.wire)
    return crossings


def tokens_carried(graph: TimedGraph) -> dict[str, int]:
    """What each FIFO carries in a run, of all layers."""
    return {
        fifo: len(curve)
        for process in graph.processes
        for (fifo, end), curve in accesses(process, graph).items()
        if end == "write"
    }


def refuse_ports(design: Design, taken: DesignResources) -> None:
    """Several AXI masters may share a pseudo-channel; there cannot be more channels than the board has ports.

    Raises:
        DoesNotFitError: ``hbm-ports``.
    """
    ports = design.board.hbm.axi_ports.count
    if len(taken.hbm_channels) > ports:
        raise DoesNotFitError(
            "hbm-ports", "more HBM ports than the board has", where=design.name, demand=len(taken.hbm_channels),
            bound=ports, unit="ports", levers=["take a board with more HBM ports", "fuse fewer kernels into one group"],
        )  # fmt: skip
