"""`lower-to-streams`: bufferization: instances become FIFOs, nodes push into them, converters get their buffers."""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntAttr, MemRefType, ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, require_dmas, run_first
from sttest.compile.ir.names import hint
from sttest.sim.graph import PING_PONG


@dataclass(frozen=True)
class LowerToStreams(ModulePass):
    """Turns itensor values into `df.stream` FIFOs of ``start_depth`` tokens (HLS start FIFO depth of 16)."""

    name = "lower-to-streams"

    start_depth: int = 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrites the body of every kernel.

        Raises:
            InputError: an edge has no instance yet, or a converter no buffer.
        """
        for kernel in all_of(op, df.KernelOp):
            require_dmas(self.name, kernel)
            _refuse_unnamed_edges(kernel)
            instances = all_of(kernel, df.InstanceOp)
            streams = {instance: self._make_stream(kernel, instance) for instance in reversed(instances)}
            for node in all_of(kernel, df.NodeOp):
                _push_into_sinks(node, streams)

    def _make_stream(self, kernel: df.KernelOp, instance: df.InstanceOp) -> df.StreamOp:
        producer = instance.source.owner
        folded = isinstance(producer, df.DmaReadOp | df.GatherOp) and producer.folded is not None
        # A folded DMA shares its tile buffer with its reader.
        depth = PING_PONG if folded else self.start_depth
        name = instance.sym_name.data if instance.sym_name else "stream"
        kind = df.StreamType(df.itensor_of(instance.result), IntAttr(depth))
        stream = df.StreamOp(name, kind, "folded" if folded else "default")
        Rewriter.insert_op(stream, InsertPoint.at_start(kernel.body.block))
        stream.result.name_hint = hint(name)
        instance.result.replace_all_uses_with(stream.result)
        return stream


def _refuse_unnamed_edges(kernel: df.KernelOp) -> None:
    """Raises an InputError where a node reads another without an instance between them."""
    for node in (*all_of(kernel, df.NodeOp), kernel.terminator):
        for operand in node.operands:
            if isinstance(operand.type, df.ITensorType) and not isinstance(operand.owner, df.InstanceOp):
                raise run_first(LowerToStreams.name, f"{node.name} reads a stream without an instance", "name-nodes")


def _push_into_sinks(node: df.NodeOp, streams: Mapping[df.InstanceOp, df.StreamOp]) -> None:
    """Replaces a node by one that writes the streams of its instances."""
    if isinstance(node, df.ConverterOp):
        Rewriter.insert_op(_buffer_of(node), InsertPoint.before(node))
    uses = [use.operation for result in node.streams for use in result.uses]
    instances = [reader for reader in uses if isinstance(reader, df.InstanceOp)]
    if not instances:
        return
    Rewriter.insert_op(node.into([streams[instance].result for instance in instances]), InsertPoint.before(node))
    for dead in (*instances, node):
        Rewriter.erase_op(dead)


def _buffer_of(converter: df.ConverterOp) -> df.BufferOp:
    if converter.buffer is None:
        raise run_first(LowerToStreams.name, "a df.converter has no buffer", "materialize-converters")
    dtype = df.itensor_of(converter.sources[0]).dtype
    name = converter.label.data if converter.label else "buffer"
    return df.BufferOp(name, MemRefType(dtype, converter.buffer.values))
