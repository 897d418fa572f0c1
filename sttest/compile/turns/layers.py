"""What of a kernel runs once per layer, and what once per token: before the first layer, or behind the last."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.ir import SSAValue

from sttest.compile.dialects.df import DmaReadOp, DmaWriteOp, EnterOp, KernelOp, LeaveOp, NodeOp, StreamOp
from sttest.compile.ir.module_walk import all_of
from sttest.compile.ir.names import argument_kinds
from sttest.compile.ir.stream_level import stream_of
from sttest.compile.ir.value_names import POSITION, argument_names, inputs_per_layer

_HERE = "layers"
_CHANGES = ("mask", "rope", POSITION)
"""Inputs that differ from token to token of a launch."""


def outside_layers(kernel: KernelOp) -> set[NodeOp]:
    """Nodes that run once per token: what fills `df.enter` for the first layer, and all that `df.leave` fills.

    What only they read, such as parameters of a head, is among them.  Empty without a loop over layers.
    """
    streams = [enter.sources[0] for enter in all_of(kernel, EnterOp)]
    streams += [leave.sinks[1] for leave in all_of(kernel, LeaveOp)]
    found: set[NodeOp] = set()
    ahead = [node for stream in streams for node in _ends(stream)]
    while ahead:
        node = ahead.pop()
        if node in found or isinstance(node, EnterOp | LeaveOp):
            continue
        found.add(node)
        ahead += _neighbours(node)
    return found


def _neighbours(node: NodeOp) -> Iterator[NodeOp]:
    # What a DMA has on its other side is memory, in which nothing waits.
    streams = [*(() if isinstance(node, DmaReadOp) else node.sources), *node.sinks]
    for stream in streams:
        yield from _ends(stream)


def _ends(stream: SSAValue) -> tuple[NodeOp, NodeOp]:
    op = stream_of(stream, _HERE)
    return op.writer, op.reader


class LaunchCounts:
    """How often the parts of a kernel work in one launch."""

    def __init__(self, kernel: KernelOp) -> None:
        self._layers, self._outside = kernel.layer_count, outside_layers(kernel)
        self._steps = kernel.step_count

    def of_node(self, node: NodeOp) -> int:
        """For every layer and token, or once per token."""
        return self._steps * (1 if node in self._outside else self._layers)

    def of_stream(self, stream: StreamOp) -> int:
        """As often as both of its ends; what goes round does so between layers."""
        ends = stream.writer, stream.reader
        if isinstance(ends[0], LeaveOp) and isinstance(ends[1], EnterOp):
            return self._steps * (self._layers - 1)
        return min(map(self.of_node, ends))


def has_part_per_layer(kernel: KernelOp, dma: DmaReadOp | DmaWriteOp) -> bool:
    """Whether memory holds a tensor of its own for each layer: parameters, caches, and what goes into them.

    Tables and masks are the same for all layers, but for those that the text names (`inputs_per_layer`).
    """
    if kernel.layer_count == 1 or dma in outside_layers(kernel):
        return False
    if isinstance(dma, DmaWriteOp):
        return True
    outer = kernel.inputs[kernel.body.block.args.index(dma.sources[0])]
    function = kernel.parent_op()
    if not isinstance(function, func.FuncOp):
        return True
    return argument_kinds(function).get(outer, "parameter") != "input" or outer in inputs_per_layer(function)


def has_part_per_step(kernel: KernelOp, dma: DmaReadOp | DmaWriteOp) -> bool:
    """Whether memory holds a tensor of its own for each token of a launch: results, and tables of a position."""
    if kernel.step_count == 1:
        return False
    if isinstance(dma, DmaWriteOp):
        return True
    outer = kernel.inputs[kernel.body.block.args.index(dma.sources[0])]
    function = kernel.parent_op()
    return isinstance(function, func.FuncOp) and argument_names(function).get(outer) in _CHANGES
