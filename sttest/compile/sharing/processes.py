"""What is one piece of hardware: processes and FIFOs, with the nodes and streams of a kernel that share them.

Tasks of an engine take turns; so do the loads of a *queue*, whose tensors the tasks of an engine read one after the
other: one DMA per slice, one gather, one FIFO.  What the tasks of one engine hand to those of another is a queue of
streams, one FIFO.  Values know nothing of that: there every task is a node and every
tensor has a stream of its own.  Turns are in program order.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from xdsl.ir import SSAValue

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, run_first, stream_of
from sttest.core.errors import InputError
from sttest.sim.graph import Fifo

AHEAD, HOLD = "_ahead", "_hold"
"""Ends of names, behind that of a waiting DMA: FIFO of what its port has read, and process that passes it on."""


def process_name(node: df.NodeOp) -> str:
    """The name of the process that a node is: of a task's engine or a load's queue, else its own.

    Raises:
        InputError: it has none yet.
    """
    return node.shared_name or node_label(node)


def node_label(node: df.NodeOp) -> str:
    """The name of a node by itself, whatever it shares with others.

    Raises:
        InputError: it has none yet.
    """
    name = node.given_name
    if name is None:
        raise run_first("processes", f"{node.name} has no name", "name-nodes")
    return name


def processes_of(kernel: df.KernelOp) -> dict[str, list[df.NodeOp]]:
    """The nodes that each process of a kernel is, in the order of their turns."""
    found: dict[str, list[df.NodeOp]] = {}
    for node in kernel.body.block.ops:
        if isinstance(node, df.NodeOp):
            found.setdefault(process_name(node), []).append(node)
    return found


def fifo_name(stream: df.StreamOp) -> str:
    """The FIFO of a stream: that of its queue, or its own."""
    return _fifo_behind(stream.writer, stream)


def _fifo_behind(writer: df.NodeOp, stream: df.StreamOp) -> str:
    if stream.queue is not None:
        return stream.queue.data
    if writer.queue_name is None:
        return stream.sym_name.data
    return f"{process_name(writer)}__{process_name(stream.reader)}"


def fifos_of(kernel: df.KernelOp) -> dict[str, list[df.StreamOp]]:
    """The streams that go through each FIFO of a kernel, in the order of their turns."""
    found: dict[str, list[tuple[int, df.StreamOp]]] = {}
    writers = _writers(kernel)
    for stream in all_of(kernel, df.StreamOp):
        number, writer = writers.get(stream.result) or (0, stream.writer)
        found.setdefault(_fifo_behind(writer, stream), []).append((number, stream))
    return {
        name: [stream for _, stream in sorted(streams, key=lambda each: each[0])] for name, streams in found.items()
    }


def _writers(kernel: df.KernelOp) -> dict[SSAValue, tuple[int, df.NodeOp]]:
    """The node that writes each stream, and its place, found in one walk."""
    return {
        sink: (number, node)
        for number, node in enumerate(kernel.body.block.ops)
        if isinstance(node, df.NodeOp)
        for sink in node.operands[node.source_count :]
    }


# --- The timed graph of queues: loads that share a stream have one name and one FIFO, that of all of them


def fifos_by_stream(kernel: df.KernelOp) -> dict[str, str]:
    """The FIFO that each stream goes through, by name: one per queue and slice.

    Raises:
        InputError: the loads of a queue are read in another order, or by several processes.
    """
    _check_order(kernel)
    found = {each.sym_name.data: name for name, group in fifos_of(kernel).items() for each in group}
    loads = all_of(kernel, df.DmaReadOp)
    return found | {f"{node_label(load)}{AHEAD}": f"{process_name(load)}{AHEAD}" for load in loads}


def shared_fifos(fifos: Iterable[Fifo], fifo_of: Mapping[str, str]) -> list[Fifo]:
    """The FIFOs of streams by themselves, those that are one under its name."""
    shared: dict[str, Fifo] = {}
    for fifo in fifos:
        name = fifo_of.get(fifo.name, fifo.name)
        if name not in shared:
            shared[name] = fifo if name == fifo.name else replace(fifo, name=name)
    return [*shared.values()]


def comes_late(node: df.NodeOp) -> bool:
    """Whether a node puts slices together of a DMA that waits for numbers."""
    if not isinstance(node, df.GatherOp):
        return False
    writer = stream_of(node.sources[0], "queue").writer
    return isinstance(writer, df.DmaReadOp) and writer.parts is not None


def _check_order(kernel: df.KernelOp) -> None:
    """The loads of a queue stand in the order of the turns of the one process that reads them."""
    place = {node: number for number, node in enumerate(kernel.body.block.ops)}
    for name, nodes in processes_of(kernel).items():
        if nodes[0].queue_name is None:
            continue
        readers = [stream_of(node.sinks[0], "timed graph").reader for node in nodes]
        turns = [place[reader] for reader in readers]
        if turns != sorted(turns) or len({*map(process_name, readers)}) > 1:
            raise InputError(
                "queue-order",
                "what reads the loads of a queue does not take turns in their order",
                where=name,
                hints=["remove 'queue' from them", "let merge-weight-streams choose them"],
            )
