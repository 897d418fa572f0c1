"""FIFOs of a design at the stream level, and who stands at their ends."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from sttest.compile.dialects.df import DmaWriteOp, KernelOp, NodeOp, StreamOp, StreamType
from sttest.compile.turns.processes import fifos_of, process_name


@dataclass(frozen=True)
class StreamEnds:
    """A FIFO with the streams that go through it, its one writer and its one reader."""

    fifo: str
    streams: tuple[StreamOp, ...]
    writer: str
    reader: str

    @property
    def kind(self) -> StreamType:
        """Type of the streams, but for the number of their tokens."""
        return self.streams[0].result.type

    @property
    def tokens(self) -> int:
        """That go through it in one layer."""
        return sum(stream.result.type.itensor.tokens for stream in self.streams)


def dma_port(op: NodeOp) -> SSAValue:
    """The one stream of a DMA."""
    return op.sources[0] if isinstance(op, DmaWriteOp) else op.sinks[0]


def stream_ends(kernel: KernelOp) -> list[StreamEnds]:
    """All FIFOs of a kernel with their ends, in program order."""
    return [
        StreamEnds(name, tuple(streams), process_name(streams[0].writer), process_name(streams[0].reader))
        for name, streams in fifos_of(kernel).items()
    ]
