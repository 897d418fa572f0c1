"""What a host must know of a compiled design's C++."""

from typing import Any

from sttest.compile.compiler import CompiledDesign
from sttest.compile.dialects import df
from sttest.compile.hls.kernel import EmittedKernel, emit_kernel
from sttest.compile.hls.memory_layout import PortLayout
from sttest.compile.hls.network import PortMemory, RelayChain, Tensor
from sttest.compile.hls.top import PortTiming
from sttest.compile.ir.module_walk import all_of
from sttest.compile.resources.design import DesignResources, design_resources
from sttest.compile.resources.placement import SlrPlacement
from sttest.compile.sharing.processes import fifos_of
from sttest.core.kernel_signature import BufferArgument, DesignSignature, KernelSignature
from sttest.core.program import __version__
from sttest.sim.crossings import register_names
from sttest.sim.graph import Pipeline

# --- What a host must know of an emitted kernel (`hls/signature.json`)


def signature(kernel: EmittedKernel, timing: PortTiming, design: str, board: str) -> DesignSignature:
    """The arguments in order, each with the pseudo-channel of its DMA.

    Args:
        kernel: the emitted kernel with the layouts of its arguments.
        timing: timing of the same kernel.
        design: the package's name.
        board: the board that has these channels.
    """
    arguments = tuple(_argument(index, memory, timing) for index, memory in enumerate(kernel.memories))
    return DesignSignature(
        design=design, board=board, kernels=(KernelSignature(name=kernel.name, arguments=arguments),)
    )


def memory_table(kernel: EmittedKernel) -> list[dict[str, Any]]:
    """What the signature has no place for: which DMA an argument belongs to, and how its tensor lies in memory."""
    return [_memory_facts(index, memory) for index, memory in enumerate(kernel.memories)]


def _memory_facts(index: int, memory: PortMemory) -> dict[str, Any]:
    shared = len(memory.tensors) + len(memory.behind) > 1
    return {
        "index": index,
        "name": memory.name,
        "dma": memory.label,
        "direction": "write" if memory.writes else "read",
        "c_type": memory.c_type,
        "element": memory.element.tag,
        **({"parts": [_part(tensor) for tensor in memory.tensors]} if shared else _place(memory.tensors[0].layout)),
        "bytes": memory.words * memory.word_bytes,
        **({"layers": memory.layers} if memory.layers > 1 else {}),
        **({"steps": memory.steps} if memory.steps > 1 else {}),
        **({"rows": memory.rows} if memory.rows > 1 else {}),
        **({"behind": [_part(tensor) for tensor in memory.behind]} if memory.behind else {}),
    }


def _part(tensor: Tensor) -> dict[str, Any]:
    """A tensor of several in an argument: they follow each other, each from a whole word on."""
    return {"load": tensor.label, **_place(tensor.layout), "bytes": tensor.words * tensor.layout.word_bytes}


def _place(layout: PortLayout) -> dict[str, Any]:
    return {
        "shape": [cells * size for cells, size in zip(layout.grid, layout.tile, strict=True)],
        "grid": list(layout.grid),
        "tile": list(layout.tile),
        "beat": list(layout.beat),
        "packed": layout.packed,
    }


def _argument(index: int, memory: PortMemory, timing: PortTiming) -> BufferArgument:
    return BufferArgument(
        name=memory.name,
        index=index,
        element=memory.element.in_signature,
        bytes=memory.words * memory.word_bytes,
        access="write" if memory.writes else "read_write" if memory.takes_entries else "read",
        port=memory.bundle,
        banks=(timing.channels[memory.label],),
        alignment_bytes=memory.word_bytes,
    )


SCHEMA = "sttest.hls/1"


def emit_design(
    design: CompiledDesign, taken: DesignResources | None = None, placed: SlrPlacement | None = None
) -> EmittedKernel:
    """The one kernel of a compiled design in C++.

    Args:
        design: a compiled design.
        taken: resources of the design, where they are known already.
        placed: its placement on SLRs; what crosses them then goes through relays.

    Raises:
        InputError: something in it has no C++ (docs/reference/values.md).
    """
    (kernel,) = all_of(design.module, df.KernelOp)
    return emit_kernel(kernel, _timing(design, taken or design_resources(design), placed), _title(design))


def design_signature(design: CompiledDesign, emitted: EmittedKernel, taken: DesignResources) -> DesignSignature:
    """The signature of a compiled design's kernel."""
    return signature(emitted, _timing(design, taken), design.name, design.board.name)


def design_memory(design: CompiledDesign, emitted: EmittedKernel) -> dict[str, Any]:
    """The table of memory of a compiled design's kernel, and the streams that share a FIFO."""
    (kernel,) = all_of(design.module, df.KernelOp)
    table: dict[str, Any] = {"kernel": emitted.name, "arguments": memory_table(emitted)}
    fifos = {fifo: [each.sym_name.data for each in streams] for fifo, streams in fifos_of(kernel).items()}
    shared = {fifo: streams for fifo, streams in fifos.items() if len(streams) > 1}
    return {**table, "shared_fifos": shared} if shared else table


def _timing(design: CompiledDesign, taken: DesignResources, placed: SlrPlacement | None = None) -> PortTiming:
    (kernel,) = all_of(design.module, df.KernelOp)
    kinds = {each.facts.name: each.kind for each in taken.memories}
    graph, relays = (design.graph, {}) if placed is None else (placed.graph, relay_chains(placed))
    return PortTiming.of(kernel, graph, design.board, design.passes, kinds, relays)


def relay_chains(placed: SlrPlacement) -> dict[str, RelayChain]:
    """The relays of each FIFO that crosses SLRs, as the timed graph of a placed design has them."""
    loops = {each.name: each.loops for each in placed.graph.processes if isinstance(each, Pipeline)}
    depths = {fifo.name: fifo.depth for fifo in placed.graph.fifos}
    found = {}
    for fifo, count in placed.crossings.relays.items():
        names = tuple(register_names(fifo, number) for number in range(count))
        process, before = names[0]
        found[fifo] = RelayChain(names, depths[before], loops[process][0].iterations)
    return found


def _title(design: CompiledDesign) -> list[str]:
    options = design.options
    facts = [f"{key} {value}" for key, value in design.workload.items() if key != "config"]
    lines = [
        f"{design.name}: a dataflow kernel for Vitis HLS 2024.1.",
        f"Computes one block: {', '.join(facts)}." if facts else "",
        f"For {design.board.title} at {design.board.clock_mhz.value:g} MHz; {options.precision}, tiles of "
        f"{options.tile_size}, tokens of at most {options.vector_bits} bits.",
        f"Made by sttest {__version__} (schema {SCHEMA}); its values are those of docs/reference/values.md.",
    ]
    return [line for line in lines if line]
