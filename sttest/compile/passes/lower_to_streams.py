"""`lower-to-streams`: bufferisation: instances become FIFOs, nodes push into them, converters get their buffers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntAttr, MemRefType, ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from sttest.compile.dialects.df import (
    BufferOp,
    ConverterOp,
    DmaReadOp,
    InstanceOp,
    KernelOp,
    NodeOp,
    StreamOp,
    StreamType,
    itensor_of,
)
from sttest.compile.names import hint

# The ping-pong tile buffer that a folded DMA shares with its reader.
_FOLDED_DEPTH = 2


@dataclass(frozen=True)
class LowerToStreams(ModulePass):
    """Turns itensor values into `df.stream` FIFOs of ``start_depth`` tokens (HLS start FIFO depth of 16)."""

    name = "lower-to-streams"

    start_depth: int = 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrites the body of every kernel."""
        for kernel in [item for item in op.walk() if isinstance(item, KernelOp)]:
            nodes = [item for item in kernel.body.block.ops if isinstance(item, NodeOp)]
            instances = [item for item in kernel.body.block.ops if isinstance(item, InstanceOp)]
            streams = {instance: self._make_stream(instance) for instance in reversed(instances)}
            for node in nodes:
                _push_into_sinks(node, streams)

    def _make_stream(self, instance: InstanceOp) -> StreamOp:
        producer = instance.source.owner
        folded = isinstance(producer, DmaReadOp) and producer.folded is not None
        depth = _FOLDED_DEPTH if folded else self.start_depth
        name = instance.sym_name.data if instance.sym_name else "stream"
        stream = StreamOp(
            name, StreamType(itensor_of(instance.result), IntAttr(depth)), "folded" if folded else "default"
        )
        block = instance.parent_block()
        assert block is not None
        first = block.first_op
        assert first is not None
        block.insert_op_before(stream, first)
        stream.result.name_hint = hint(name)
        instance.result.replace_all_uses_with(stream.result)
        return stream


def _push_into_sinks(node: NodeOp, streams: dict[InstanceOp, StreamOp]) -> None:
    """Replaces a node by one that writes the streams of its instances."""
    block = node.parent_block()
    assert block is not None
    if isinstance(node, ConverterOp):
        block.insert_op_before(_buffer_of(node), node)
    instances = [instance for result in node.streams for instance in _instances(result)]
    if not instances:
        return
    regions = [node.detach_region(region) for region in list(node.regions)]
    lowered = type(node).build(
        operands=[list(node.sources), [streams[instance].result for instance in instances]],
        result_types=[[]],
        properties={key: value for key, value in node.properties.items() if "Segment" not in key},
        regions=regions,
    )
    block.insert_op_before(lowered, node)
    for dead in (*instances, node):
        dead.detach()
        dead.erase()


def _instances(result: SSAValue) -> list[InstanceOp]:
    return [use.operation for use in result.uses if isinstance(use.operation, InstanceOp)]


def _buffer_of(converter: ConverterOp) -> BufferOp:
    assert converter.buffer is not None
    dtype = itensor_of(converter.sources[0]).dtype
    name = converter.label.data if converter.label else "buffer"
    return BufferOp(name, MemRefType(dtype, converter.buffer.values))
