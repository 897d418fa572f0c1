"""What a design takes as emitted SystemVerilog: an estimate of every module, not of what Vitis HLS would make of C++.

The modules are those that `sttest emulate` runs and `sttest synth` synthesizes; their lanes are counted and not made,
so that neither XLS nor yosys is asked.  Arrays of a process are in its module; blocks of memory and the kinds of all
memories are chosen as for C++.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from sttest.boards.operators import Operator
from sttest.boards.resources import Resources
from sttest.compile.dialects import df
from sttest.compile.resources.nodes import NodeLogic
from sttest.compile.resources.synthesis import (
    corrected,
    fifo_estimate,
    port_estimate,
    port_rows,
    process_estimate,
    synthesized_rows,
)
from sttest.compile.rtl.cells import CountedCells
from sttest.compile.rtl.dma import PortTensor, PortTensors, port_words
from sttest.compile.rtl.processes import design_modules
from sttest.compile.rtl.walks import Bursts
from sttest.compile.sharing.processes import node_label, process_name
from sttest.compile.spaces.memory import MemoryChoice
from sttest.core.errors import InputError
from sttest.reference.graph import Load, ReferenceGraph, Store
from sttest.sim.graph import MemoryPort, TimedGraph


def logic_in_hardware(
    kernel: df.KernelOp,
    graph: TimedGraph,
    library: Mapping[str, Operator],
    nodes: tuple[NodeLogic, ...],
    memories: tuple[MemoryChoice, ...],
    values: ReferenceGraph | None,
) -> tuple[tuple[NodeLogic, ...], tuple[MemoryChoice, ...]]:
    """Nodes and memories with what synthesis makes of them; a node that has no module keeps what it has.

    Args:
        kernel: kernel at the stream level.
        graph: its timed graph.
        library: operators at the board's clock.
        nodes: processes of the design, as C++.
        memories: their memories, with their kinds.
        values: what the design computes; without it, ports keep what they have.
    """
    cells = CountedCells(kinds={memory.facts.name: memory.kind for memory in memories})
    refused: dict[str, InputError] = {}
    modules = design_modules(kernel, graph, library, cells, refused)
    logic = {module.name: process_estimate(module, synthesized_rows()) for module in modules}
    if values is not None:
        logic |= _ports(kernel, graph, values)
    made = tuple(replace(node, logic=logic.get(node.name, node.logic)) for node in nodes)
    return made, tuple(_in_hardware(memory, memory.facts.owner in logic) for memory in memories)


def _in_hardware(memory: MemoryChoice, in_module: bool) -> MemoryChoice:
    """A FIFO by its rule; of an array in a module only the blocks, for its logic is the module's."""
    facts = memory.facts
    if facts.role == "fifo":
        one = memory.resources * (1 / facts.banks)
        made = fifo_estimate(memory.kind, facts.depth, facts.bits, one) * facts.banks
    else:
        made = corrected(memory.resources, Resources()) if in_module else memory.resources
    return replace(memory, resources=made)


# --- Memory ports: an AXI4 master each


def _ports(kernel: df.KernelOp, graph: TimedGraph, values: ReferenceGraph) -> dict[str, Resources]:
    """The estimate of each DMA whose tokens a port can move, by the first of its tensors."""
    ports = {port.name: port for port in graph.processes if isinstance(port, MemoryPort)}
    moved = {node.name: node for node in (*values.loads, *values.stores)}
    found: dict[str, Resources] = {}
    for dma in (op for op in kernel.body.block.ops if isinstance(op, df.DmaOp)):
        name, node = process_name(dma), moved.get(node_label(dma))
        if name in found or name not in ports or node is None:
            continue
        stream = values.stream[node.source if isinstance(node, Store) else node.sink]
        tensor = PortTensor(_nameless(node), replace(stream, name=_ANY, origin=""))
        made = _port(tensor, ports[name].burst_bytes, ports[name].outstanding)
        if made is not None:
            found[name] = made
    return found


_ANY = "port"


def _nameless(node: Load | Store) -> Load | Store:
    """The same port by another name: many ports of a design differ in nothing else."""
    if isinstance(node, Store):
        return replace(node, name=_ANY, source=_ANY)
    part = None if node.part is None else replace(node.part, number=0)
    return replace(node, name=_ANY, sink=_ANY, argument=_ANY, part=part)


@lru_cache(maxsize=1024)
def _port(tensor: PortTensor, burst_bytes: int, outstanding: int) -> Resources | None:
    try:
        words = port_words(PortTensors((tensor,)))
    except InputError:
        return None
    bursts = Bursts.of(words.words, Bursts.longest(burst_bytes, words.word_bits), tensor.word_bytes)
    room = bursts.room(outstanding)
    return port_estimate(words, bursts, room, reads=isinstance(tensor.node, Load), rows=port_rows())
