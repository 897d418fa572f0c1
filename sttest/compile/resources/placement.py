"""Where a compiled design lies: an SLR for every process, registers on what crosses, and the relays that these are.

Relays are known once SLRs are chosen.  Where they would fill an SLR beyond its budget, SLRs are chosen again with as
much of each budget kept for them.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sttest.boards.operators import Operator, operators
from sttest.boards.resources import PipelineLogic, Resources, fifo_resources, most, pipeline_resources, total
from sttest.compile.assumptions import REGISTERS_PER_BOUNDARY, RELAY_CHOICES
from sttest.compile.compiler import CompiledDesign
from sttest.compile.resources.design import DesignResources, design_resources, die_under, refuse_ports
from sttest.compile.resources.memories import WAYS, Crossings, with_crossings
from sttest.compile.resources.synthesis import process_estimate, relay_fifo_estimate, synthesized_rows
from sttest.compile.rtl.module import Side
from sttest.compile.rtl.movers import relay_module
from sttest.compile.spaces.partition import Partition, assess, partition
from sttest.compile.timing.fifo_depths import accesses
from sttest.core.errors import DoesNotFitError
from sttest.sim import simulate
from sttest.sim.crossings import register_names
from sttest.sim.graph import MIN_DEPTH, Pipeline, TimedGraph


@dataclass(frozen=True)
class SlrPlacement:
    """A design that fits."""

    taken: DesignResources  # process by process
    partition: Partition  # SLRs and what they and their boundaries carry
    crossings: Crossings  # what has registers on its way
    graph: TimedGraph  # timed, with registers on what crosses
    cycles: tuple[int | None, int | None]  # cycles without and with those registers; None for a deadlock


def place(design: CompiledDesign) -> SlrPlacement:
    """Checks a design against its board and places it, its relays too if an assignment for all is found.

    Raises:
        DoesNotFitError: ``board-resources``, ``process-resources``, ``slr-resources``, ``hbm-ports`` or
            ``no-partition``, with the
            resource, the demand, the budget and what would lower it.
    """
    taken = design_resources(design)
    if taken.card_of:
        return _place_cards(design, taken)
    refuse_ports(design, taken)
    die = die_under(design, taken)
    first = found = partition(taken.processes(), taken.links(), die)
    kept = [Resources() for _ in die.budgets]
    for left in reversed(range(RELAY_CHOICES)):
        relays = _relays_by_slr(design, taken, found)
        beside = (relay.shares_of(budget) for relay, budget in zip(relays, die.budgets, strict=True))
        if all((share + more).largest <= 1 for share, more in zip(found.shares, beside, strict=True)):
            return placement(design, taken, found)
        if not left:
            break
        kept = [most(pair) for pair in zip(kept, relays, strict=True)]
        narrower = replace(die, budgets=tuple(map(_less, die.budgets, kept)))
        try:
            found = partition(taken.processes(), taken.links(), narrower)
        except DoesNotFitError:
            break
        found = assess(found.slr_of, taken.processes(), taken.links(), die, found.proven_gap)
    return placement(design, taken, first)


def _place_cards(design: CompiledDesign, taken: DesignResources) -> SlrPlacement:
    """Every card on its own; what an SLR and a boundary carry is that of the fullest card."""
    found = [_place_card(design, card) for card in taken.cards()]
    fullest = Partition(
        {name: slr for each in found for name, slr in each.slr_of.items()},
        tuple(max(counts) for counts in zip(*(each.wires for each in found), strict=True)),
        tuple(most(shares) for shares in zip(*(each.shares for each in found), strict=True)),
        max(each.objective for each in found),
        max(each.proven_gap for each in found),
    )
    inside = replace(taken, wires=tuple(wire for card in taken.cards() for wire in card.wires))
    return placement(design, inside, fullest)


def _place_card(design: CompiledDesign, card: DesignResources) -> Partition:
    refuse_ports(design, card)
    return partition(card.processes(), card.links(), die_under(design, card))


def _less(budget: Resources, kept: Resources) -> Resources:
    return Resources(*(max(0.0, had - gone) for had, gone in zip(budget, kept, strict=True)))


def placement(design: CompiledDesign, taken: DesignResources, found: Partition) -> SlrPlacement:
    """A design on SLRs that are given."""
    crossings, graph = _crossed(design, taken, found)
    return SlrPlacement(taken, found, crossings, graph, (simulate(design.graph).cycles, simulate(graph).cycles))


def _crossed(design: CompiledDesign, taken: DesignResources, found: Partition) -> tuple[Crossings, TimedGraph]:
    crossings = crossed_by(taken, found)
    return crossings, with_crossings(design.graph, crossings, tokens_carried(design.graph))


def crossed_by(taken: DesignResources, found: Partition) -> Crossings:
    """Boundaries on the way of each FIFO's tokens: its own, and there and back those of the bus of a DMA at an end."""
    buses = Counter[str]()
    for bus in taken.buses:
        buses[bus.fifo] += WAYS * found.crossings(bus.wire)
    return Crossings({wire.fifo: found.crossings(wire) for wire in taken.wires}, buses)


def tokens_carried(graph: TimedGraph) -> dict[str, int]:
    """What each FIFO carries in a run, of all layers."""
    return {
        fifo: len(curve)
        for process in graph.processes
        for (fifo, end), curve in accesses(process, graph).items()
        if end == "write"
    }


# --- Relays: processes that pass tokens on over a boundary


@dataclass(frozen=True)
class PlacedRelay:
    """A process that passes tokens on over an SLR boundary, with the FIFO that it reads."""

    process: str
    slr: int
    fifo: str  # FIFO that the tokens come to at last
    number: int  # its number, counted from the writer on
    bits: int  # bits of a token
    resources: Resources


def relay_slr(source: int, target: int, number: int) -> int:
    """The SLR of a relay: one on either side of each boundary.

    Args:
        source: SLR of the FIFO's writer.
        target: SLR of its reader.
        number: number of the relay from the writer on.

    >>> [relay_slr(2, 0, number) for number in range(4)]
    [2, 1, 1, 0]
    """
    crossed = -(-number // REGISTERS_PER_BOUNDARY)
    return source + crossed if source < target else source - crossed


def placed_relays(placed: SlrPlacement, design: CompiledDesign) -> list[PlacedRelay]:
    """All relays of a design, in the order of its FIFOs."""
    return _relays(design, placed.taken, placed.partition, (placed.crossings, placed.graph))


def _relays_by_slr(design: CompiledDesign, taken: DesignResources, found: Partition) -> list[Resources]:
    relays = _relays(design, taken, found, _crossed(design, taken, found))
    return [total(each.resources for each in relays if each.slr == slr) for slr in range(len(found.shares))]


def _relays(
    design: CompiledDesign, taken: DesignResources, partition: Partition, crossed: tuple[Crossings, TimedGraph]
) -> list[PlacedRelay]:
    crossings, graph = crossed
    pipelines = {each.name: each for each in graph.processes if isinstance(each, Pipeline)}
    bits = {fifo.name: fifo.bits for fifo in graph.fifos}
    slr_of, counts, library = partition.slr_of, crossings.relays, operators(design.board)
    found: list[PlacedRelay] = []
    for wire in taken.wires:
        for number in range(counts.get(wire.fifo, 0)):
            name = register_names(wire.fifo, number)[0]
            slr = relay_slr(slr_of[wire.source], slr_of[wire.target], number)
            cost = _resources(pipelines[name], bits[wire.fifo], library, in_rtl=design.options.flow == "rtl")
            found.append(PlacedRelay(name, slr, wire.fifo, number, bits[wire.fifo], cost))
    return found


def _resources(pipeline: Pipeline, bits: int, library: Mapping[str, Operator], *, in_rtl: bool) -> Resources:
    if not in_rtl:
        logic = PipelineLogic(ports=2, trip=pipeline.loops[0].iterations)
        return fifo_resources("register", MIN_DEPTH, bits) + pipeline_resources(logic, library)
    source, sink = (Side(event.fifo, event.op, bits, event.op == "write") for event in pipeline.loops[0].events)
    module = process_estimate(relay_module(pipeline, source, sink), synthesized_rows())
    return module + relay_fifo_estimate(bits)
