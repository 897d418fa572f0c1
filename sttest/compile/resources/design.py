"""What a compiled design takes: every process with its memories, and the facts that a die partition is made from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from xdsl.dialects.builtin import ModuleOp

from sttest.boards.board import FpgaBoard
from sttest.boards.operators import operators
from sttest.boards.part import BudgetName
from sttest.boards.resources import Resources, process_bound, slr_budgets, slr_capacity, total
from sttest.compile.compiler import CompiledDesign
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, only_kernel
from sttest.compile.options import CompileOptions
from sttest.compile.resources.memories import HBM, MemoryBus, buffer_words, memory_buses
from sttest.compile.resources.nodes import NodeLogic, NodeModel, channels_of, memories
from sttest.compile.resources.rtl_design import logic_in_hardware
from sttest.compile.sharing.functional_units import stream_ends
from sttest.compile.sharing.processes import process_name
from sttest.compile.spaces.memory import MemoryChoice, choose_memories
from sttest.compile.spaces.partition import Die, ProcessFacts, WireFacts
from sttest.core.errors import DoesNotFitError, InputError
from sttest.reference.graph import ReferenceGraph


@dataclass(frozen=True)
class DesignResources:
    """A design taken apart."""

    nodes: tuple[NodeLogic, ...]  # logic per process, in program order
    memories: tuple[MemoryChoice, ...]  # memories with their kinds
    wires: tuple[WireFacts, ...]  # FIFOs between processes
    buses: tuple[MemoryBus, ...] = ()  # buses between DMAs and the HBM
    hbm_slr: int = 0  # SLR beside the HBM
    card_of: Mapping[str, int] = field(default_factory=dict)  # card per process, of several cards

    @property
    def by_node(self) -> Mapping[str, Resources]:
        """Logic and memories per process."""
        found = {node.name: node.logic for node in self.nodes}
        for memory in self.memories:
            found[memory.facts.owner] = found[memory.facts.owner] + memory.resources
        return found

    @property
    def total(self) -> Resources:
        """The resources of the whole design."""
        return total(self.by_node.values())

    @property
    def memory_ports(self) -> int:
        """Load and store units of the design."""
        return sum(node.memory_ports for node in self.nodes)

    @property
    def hbm_channels(self) -> frozenset[str]:
        """Pseudo-channels that any of them works on, each behind one AXI master."""
        return frozenset(channel for node in self.nodes for channel in node.hbm_channels)

    def cards(self) -> "tuple[DesignResources, ...]":
        """What is on each card; FIFOs between cards are links."""
        return tuple(self._on(card) for card in sorted(set(self.card_of.values()))) or (self,)

    def _on(self, card: int) -> "DesignResources":
        own = {name for name, where in self.card_of.items() if where == card}
        return DesignResources(
            tuple(node for node in self.nodes if node.name in own),
            tuple(memory for memory in self.memories if memory.facts.owner in own),
            tuple(wire for wire in self.wires if {wire.source, wire.target} <= own),
            tuple(bus for bus in self.buses if bus.wire.target in own),
            self.hbm_slr,
        )

    def processes(self) -> tuple[ProcessFacts, ...]:
        """The processes as a die partition takes them, and the HBM, which is fixed."""
        by_node, hbm = self.by_node, ProcessFacts(HBM, Resources(), self.hbm_slr)
        return hbm, *(ProcessFacts(node.name, by_node[node.name]) for node in self.nodes)

    def links(self) -> tuple[WireFacts, ...]:
        """The FIFOs and buses as a die partition takes them."""
        return *self.wires, *(bus.wire for bus in self.buses)


_TAKEN: WeakKeyDictionary[ModuleOp, dict[CompileOptions, DesignResources]] = WeakKeyDictionary()
"""Resources by module and options, as long as the module is there: a verb asks for a design's several times."""


def design_resources(design: CompiledDesign) -> DesignResources:
    """Takes a design apart, once.

    Raises:
        InputError: its module is not at the stream level.
    """
    of_module = _TAKEN.setdefault(design.module, {})
    if design.options not in of_module:
        of_module[design.options] = _taken_apart(design)
    return of_module[design.options]


def _taken_apart(design: CompiledDesign) -> DesignResources:
    kernel = only_kernel(design.module, "resources", design.name)
    memory, port_bits = design.board.feed, design.options.beat_bits
    in_flight = memory.outstanding * memory.burst_bytes * 8 // port_bits
    library = operators(design.board)
    model = NodeModel(library, port_bits, channels_of(design.graph), buffer_words(kernel, in_flight, port_bits))
    nodes = tuple(model.of_kernel(kernel))
    logic = total(node.logic for node in nodes)
    most = process_bound(design.board.fabric, design.options.budget)
    fifos = stream_ends(kernel)
    facts = memories(kernel, fifos, design.graph, library)
    room = total([board_capacity(design.board)] * design.options.cards)
    chosen = choose_memories(facts, room, logic, most)
    if design.options.flow == "rtl":
        nodes, chosen = logic_in_hardware(kernel, design.graph, library, nodes, chosen, _values(design))
    wires = (WireFacts(ends.fifo, ends.writer, ends.reader, ends.kind.itensor.token_bits) for ends in fifos)
    cards = {process_name(node): node.card_number for node in all_of(kernel, df.NodeOp)}
    cards = cards if design.options.cards > 1 else {}
    buses, hbm_slr = memory_buses(design.graph, port_bits), design.board.fabric.hbm_slr.count
    return DesignResources(nodes, chosen, tuple(wires), buses, hbm_slr, cards)


def _values(design: CompiledDesign) -> ReferenceGraph | None:
    """What a design computes, where that is defined."""
    try:
        return design.values
    except InputError:
        return None


def board_capacity(board: FpgaBoard) -> Resources:
    """What a board has for kernels, no margin kept."""
    return total(slr_capacity(slr) for slr in board.fabric.slrs)


def die_of(board: FpgaBoard, budget: BudgetName, ports: int = 0) -> Die:
    """The SLRs of a board as far as a design may fill them.

    Args:
        board: itself.
        budget: one of its budgets.
        ports: pseudo-channels in use, whose switch is taken off; none is a bound for any design.
    """
    fabric = board.fabric
    # Costs are counted in shares of these lines: a die of one SLR, which states 1, has one whatever the share.
    lines = max(1, int(fabric.sll_per_boundary.value * getattr(fabric.budgets, budget).super_long_lines.value))
    return Die(slr_budgets(fabric, budget, ports), lines, process=process_bound(fabric, budget))


def die_under(design: CompiledDesign, taken: DesignResources) -> Die:
    """The SLRs that a design has by its budget."""
    return die_of(design.board, design.options.budget, len(taken.hbm_channels))


def refuse_ports(design: CompiledDesign, taken: DesignResources) -> None:
    """Several AXI masters may share a pseudo-channel; there cannot be more channels than the board has ports.

    Raises:
        DoesNotFitError: ``hbm-ports``.
    """
    ports = design.board.feed.ports
    if len(taken.hbm_channels) > ports:
        raise DoesNotFitError(
            "hbm-ports",
            "more HBM ports than the board has",
            where=design.name,
            demand=len(taken.hbm_channels),
            bound=ports,
            unit="ports",
            hints=["take a board with more HBM ports", "fuse fewer kernels into one group"],
        )
