"""Names of nodes and FIFOs of a design at the stream level, and who stands at the ends of a FIFO."""

from __future__ import annotations

from dataclasses import dataclass

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
from sttest.compile.pass_order import run_first
from sttest.compile.stream_level import stream_of

_HERE = "resources"
_Labelled = ConcatOp | ConverterOp | EnterOp | ForkOp | GatherOp | LeaveOp | DmaReadOp | DmaWriteOp


@dataclass(frozen=True)
class StreamEnds:
    """A stream with its one writer and its one reader."""

    stream: StreamOp
    writer: str
    reader: str

    @property
    def fifo(self) -> str:
        """Name of the FIFO."""
        return self.stream.sym_name.data


def node_name(op: NodeOp) -> str:
    """The name of a task's engine, of a task, concatenation, converter, fork, gather or DMA.

    Raises:
        InputError: it has none yet.
    """
    if isinstance(op, TaskOp):
        return (op.engine or op.sym_name).data
    label = op.label if isinstance(op, _Labelled) else None
    if label is None:
        raise run_first(_HERE, f"{op.name} has no name", "make-instances")
    return label.data


def dma_port(op: NodeOp) -> SSAValue:
    """The one stream of a DMA."""
    return op.sources[0] if isinstance(op, DmaWriteOp) else op.sinks[0]


def stream_ends(kernel: KernelOp) -> list[StreamEnds]:
    """All streams of a kernel with their ends, in program order."""
    writers: dict[str, str] = {}
    readers: dict[str, str] = {}
    for op in kernel.body.block.ops:
        if isinstance(op, NodeOp):
            name = node_name(op)
            writers |= {stream_of(sink, _HERE).sym_name.data: name for sink in op.sinks}
            if not isinstance(op, DmaReadOp):
                readers |= {stream_of(source, _HERE).sym_name.data: name for source in op.sources}
    streams = [op for op in kernel.body.block.ops if isinstance(op, StreamOp)]
    return [StreamEnds(op, writers[op.sym_name.data], readers[op.sym_name.data]) for op in streams]
