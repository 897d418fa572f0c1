"""What is one piece of hardware: processes and FIFOs, with the nodes and streams of a kernel that share them.

Tasks of an engine take turns; so do the loads of a *queue*, whose tensors the tasks of an engine read one after the
other: one DMA per slice, one gather, one FIFO.  What the tasks of one engine hand to those of another is a queue of
streams, one FIFO.  Values know nothing of that: there every task is a node and every
tensor has a stream of its own.  Turns are in program order.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from sttest.compile.dialects.df import (
    ConcatOp,
    ConverterOp,
    DmaReadOp,
    DmaWriteOp,
    EnterOp,
    ForkOp,
    GatherOp,
    KernelOp,
    LeaveOp,
    NodeOp,
    StreamOp,
    TaskOp,
)
from sttest.compile.ir.module_walk import all_of
from sttest.compile.ir.pass_order import run_first

_Labelled = ConcatOp | ConverterOp | EnterOp | ForkOp | GatherOp | LeaveOp | DmaReadOp | DmaWriteOp


def process_name(node: NodeOp) -> str:
    """The name of the process that a node is: of a task's engine or a load's queue, else its own.

    Raises:
        InputError: it has none yet.
    """
    if isinstance(node, TaskOp):
        return (node.engine or node.sym_name).data
    queue = queue_of(node)
    if queue is None:
        return node_label(node)
    if isinstance(node, DmaReadOp):
        return f"load_{queue}{f'_slice{node.slice_of[0]}' if node.slice else ''}"
    return f"gather_{queue}"


def node_label(node: NodeOp) -> str:
    """The name of a node by itself, whatever it shares with others.

    Raises:
        InputError: it has none yet.
    """
    if isinstance(node, TaskOp):
        return node.sym_name.data
    label = node.label if isinstance(node, _Labelled) else None
    if label is None:
        raise run_first("processes", f"{node.name} has no name", "make-instances")
    return label.data


def queue_of(node: NodeOp) -> str | None:
    """The queue that a DMA or a gather belongs to."""
    if isinstance(node, DmaReadOp | GatherOp) and node.queue is not None:
        return node.queue.data
    return None


def processes_of(kernel: KernelOp) -> dict[str, list[NodeOp]]:
    """The nodes that each process of a kernel is, in the order of their turns."""
    found: dict[str, list[NodeOp]] = {}
    for node in kernel.body.block.ops:
        if isinstance(node, NodeOp):
            found.setdefault(process_name(node), []).append(node)
    return found


def fifo_name(stream: StreamOp) -> str:
    """The FIFO of a stream: that of its queue, or its own."""
    return _fifo_behind(stream.writer, stream)


def _fifo_behind(writer: NodeOp, stream: StreamOp) -> str:
    if stream.queue is not None:
        return stream.queue.data
    if queue_of(writer) is None:
        return stream.sym_name.data
    return f"{process_name(writer)}__{process_name(stream.reader)}"


def fifos_of(kernel: KernelOp) -> dict[str, list[StreamOp]]:
    """The streams that go through each FIFO of a kernel, in the order of their turns."""
    found: dict[str, list[tuple[int, StreamOp]]] = {}
    writers = _writers(kernel)
    for stream in all_of(kernel, StreamOp):
        number, writer = writers.get(stream.result) or (0, stream.writer)
        found.setdefault(_fifo_behind(writer, stream), []).append((number, stream))
    return {
        name: [stream for _, stream in sorted(streams, key=lambda each: each[0])] for name, streams in found.items()
    }


def _writers(kernel: KernelOp) -> dict[SSAValue, tuple[int, NodeOp]]:
    """The node that writes each stream, and its place, found in one walk."""
    return {
        sink: (number, node)
        for number, node in enumerate(kernel.body.block.ops)
        if isinstance(node, NodeOp)
        for sink in node.operands[node.source_count :]
    }
