"""The memories of a design: FIFOs, ping-pong buffers of converters, tiles of tasks and DMAs."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, prod

from sttest.compile.dialects.df import ConverterOp, DmaReadOp, DmaWriteOp, KernelOp, NodeOp, TaskOp, itensor_of
from sttest.compile.spaces.memory import MemoryFacts
from sttest.compile.turns.port_names import StreamEnds, dma_port, stream_ends
from sttest.compile.turns.processes import process_name, processes_of
from sttest.sim.graph import TimedGraph

_PING_PONG = 2


def memories(kernel: KernelOp, graph: TimedGraph) -> list[MemoryFacts]:
    """All memories of a kernel at the stream level; a FIFO belongs to its reader."""
    kinds = {fifo.name: fifo.kind for fifo in graph.fifos}
    streams = stream_ends(kernel)
    folded = {each.writer for each in streams if is_folded(each)} | {each.reader for each in streams if is_folded(each)}
    found = [_stream(each, kinds[each.fifo]) for each in streams]
    idle = _idle(kernel)
    for op in kernel.body.block.ops:
        if isinstance(op, NodeOp) and op not in idle:
            found += _of_node(op, folded)
    return found


def _idle(kernel: KernelOp) -> set[NodeOp]:
    """Nodes whose tiles lie in the memories of another: of those of a process, the one that keeps most has them."""
    return {node for nodes in processes_of(kernel).values() for node in {*nodes} - {max(nodes, key=_running_tiles)}}


def _running_tiles(node: NodeOp) -> int:
    return prod(node.trip_counts[loop] for loop in node.held_loops) if isinstance(node, TaskOp) else 1


def is_folded(stream: StreamEnds) -> bool:
    """Whether a DMA and its one reader share a two-tile buffer instead of a FIFO."""
    sized_by = stream.streams[0].sized_by
    return sized_by is not None and sized_by.data == "folded"


def _stream(ends: StreamEnds, kind: str) -> MemoryFacts:
    depth, bits = ends.kind.depth.data, ends.kind.itensor.token_bits
    if is_folded(ends):
        return MemoryFacts(ends.fifo, ends.reader, "tile", depth, bits)
    return MemoryFacts(ends.fifo, ends.reader, "fifo", depth, bits, shift_register=kind == "srl")


def _of_node(op: NodeOp, folded: set[str]) -> Iterator[MemoryFacts]:
    name = process_name(op)
    if isinstance(op, ConverterOp):
        yield from _converter(op, name)
    elif isinstance(op, TaskOp):
        yield from _tiles(op, name)
    elif isinstance(op, DmaReadOp | DmaWriteOp) and name not in folded:
        # The emitted code puts a token together in registers; what it reads ahead is its port's (port_buffers.py).
        yield MemoryFacts(f"{name}_tile", name, "tile", 1, itensor_of(dma_port(op)).token_bits)


def _converter(op: ConverterOp, name: str) -> Iterator[MemoryFacts]:
    """Both halves, banked by word, which is an element where the two sides take their tokens in different orders."""
    if op.buffer is None:
        return
    element_bits = itensor_of(op.sources[0]).element_bits
    at_once = max(itensor_of(port).token_bits // element_bits for port in (op.sources[0], op.sinks[0]))
    words = ceil(_PING_PONG * prod(op.buffer.values) / at_once)
    together = prod(op.word)
    yield MemoryFacts(f"{name}_buffer", name, "converter", words, together * element_bits, banks=at_once // together)
    for side in ("full", "empty"):
        yield MemoryFacts(f"{name}_{side}", name, "fifo", _PING_PONG, 1, shift_register=True)


def _tiles(task: TaskOp, name: str) -> Iterator[MemoryFacts]:
    """A tile of every source while a task works on it, over as many words as it takes steps, and all running tiles."""
    steps = ceil(task.tile_points / min(task.lane_count, task.tile_points))
    running = _running_tiles(task)
    ports = [(f"in{n}", source, task.iterations, 1) for n, source in enumerate(task.sources)]
    for n, result in enumerate(task.sinks):
        ports.append((f"out{n}", result, task.writes(n), 1 if task.is_scanned(n) else running))
    for label, port, visits, tiles in ports:
        tile_bits = itensor_of(port).tokens // visits * itensor_of(port).token_bits
        words = min(steps, tile_bits)
        yield MemoryFacts(f"{name}_{label}", name, "tile", tiles * words, ceil(tile_bits / words))
