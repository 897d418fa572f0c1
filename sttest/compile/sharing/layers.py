"""What of a kernel runs once per layer, and what once per token: before the first layer, or behind the last."""

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, returned, stream_of
from sttest.compile.ir.names import POSITION, argument_kinds, argument_names, inputs_per_layer, result_names
from sttest.compile.sharing.processes import fifos_of

_HERE = "layers"
_CHANGES = ("mask", "rope", POSITION)
"""Inputs that differ from token to token of a launch."""


def outside_layers(kernel: df.KernelOp) -> set[df.NodeOp]:
    """Nodes that run once per token: what fills `df.enter` for the first layer, and all that `df.leave` fills.

    What only they read, such as parameters of a head, is among them.  Empty without a loop over layers.
    """
    streams = [enter.sources[0] for enter in all_of(kernel, df.EnterOp)]
    streams += [leave.sinks[1] for leave in all_of(kernel, df.LeaveOp)]
    found: set[df.NodeOp] = set()
    ahead = [node for stream in streams for node in _ends(stream)]
    while ahead:
        node = ahead.pop()
        if node in found or isinstance(node, df.EnterOp | df.LeaveOp):
            continue
        found.add(node)
        ahead += _neighbors(node)
    return found


def rounds_of(kernel: df.KernelOp) -> list[tuple[df.EnterOp, df.LeaveOp]]:
    """Where activations enter layers and where they leave them, of each card."""
    leaves = {leave.sinks[0]: leave for leave in all_of(kernel, df.LeaveOp)}
    return [(enter, leaves[enter.sources[1]]) for enter in all_of(kernel, df.EnterOp)]


def _neighbors(node: df.NodeOp) -> Iterator[df.NodeOp]:
    # What a DMA has on its other side is memory, in which nothing waits.
    streams = [*(() if isinstance(node, df.DmaReadOp) else node.sources), *node.sinks]
    for stream in streams:
        yield from _ends(stream)


def _ends(stream: SSAValue) -> tuple[df.NodeOp, df.NodeOp]:
    op = stream_of(stream, _HERE)
    return op.writer, op.reader


class LaunchCounts:
    """The number of times that each part of a kernel works in one launch."""

    def __init__(self, kernel: df.KernelOp) -> None:
        self._layers, self._outside = kernel.layer_count, outside_layers(kernel)
        self._steps = kernel.step_count

    def of_node(self, node: df.NodeOp) -> int:
        """The runs of a node in a launch: one per layer and token, or one per token."""
        return self._steps * (1 if node in self._outside else self._layers)

    def of_stream(self, stream: df.StreamOp) -> int:
        """The runs of a stream: those of both of its ends; what goes round does so between layers."""
        ends = stream.writer, stream.reader
        if isinstance(ends[0], df.LeaveOp) and isinstance(ends[1], df.EnterOp):
            return self._steps * (self._layers - 1)
        return min(map(self.of_node, ends))


def has_part_per_layer(kernel: df.KernelOp, dma: df.DmaOp) -> bool:
    """Whether memory holds a tensor of its own for each layer: parameters, caches, and what goes into them.

    Tables and masks are the same for all layers, but for those that the text names (`inputs_per_layer`).
    """
    if kernel.layer_count == 1 or dma in outside_layers(kernel):
        return False
    if isinstance(dma, df.DmaWriteOp):
        return True
    outer = kernel.inputs[kernel.body.block.args.index(dma.sources[0])]
    function = kernel.parent_op()
    if not isinstance(function, func.FuncOp):
        return True
    return argument_kinds(function).get(outer, "parameter") != "input" or outer in inputs_per_layer(function)


def has_part_per_step(kernel: df.KernelOp, dma: df.DmaOp) -> bool:
    """Whether memory holds a tensor of its own for each token of a launch: results, and tables of a position."""
    if kernel.step_count == 1:
        return False
    if isinstance(dma, df.DmaWriteOp):
        return True
    outer = kernel.inputs[kernel.body.block.args.index(dma.sources[0])]
    function = kernel.parent_op()
    return isinstance(function, func.FuncOp) and argument_names(function).get(outer) in _CHANGES


# --- The result of a block and what is made of it in the same kernel, such as the head of a model


LEAVES = "y"
"""The result that leaves a layer."""


def result_store(kernel: df.KernelOp, function: func.FuncOp, wanted: str = LEAVES) -> df.DmaWriteOp | None:
    """The DMA that writes a result, that of a layer if not told; None where the kernel gives no such result."""
    for name, value in zip(result_names(function), returned(function).operands, strict=True):
        root = value
        while root.owner is not kernel and isinstance(root.owner, Operation) and root.owner.operands:
            root = root.owner.operands[0]
        if name == wanted and root in kernel.outputs:
            writer = kernel.terminator.arguments[kernel.outputs.index(root)].owner
            return writer if isinstance(writer, df.DmaWriteOp) else None
    return None


def behind_result(kernel: df.KernelOp) -> set[df.NodeOp]:
    """Nodes between itensors that make something of the block's result, and what only they read.

    The DMA that writes the result itself is none of them.
    """
    function = kernel.parent_op()
    store = result_store(kernel, function) if isinstance(function, func.FuncOp) else None
    if store is None:
        return set()
    root = _before_copies(store.sources[0])
    found: set[df.NodeOp] = set()
    nodes = [node for node in kernel.body.block.ops if isinstance(node, df.NodeOp) and node is not store]
    for node in nodes:
        if any(source == root or source.owner in found for source in node.sources):
            found.add(node)
    for node in (each for each in reversed(nodes) if each is not root.owner):
        readers = [use.operation for result in node.results for use in result.uses]
        if readers and all(reader in found for reader in readers):
            found.add(node)
    return found


def _before_copies(value: SSAValue) -> SSAValue:
    return value.owner.sources[0] if isinstance(value.owner, df.ForkOp) else value


# --- Room for parameters that are read ahead, while the tasks that need them wait for data


KIB_BITS = 8 * 1024


def prefetch_depths(module: ModuleOp, kib: int, least: Mapping[str, int]) -> dict[str, int]:
    """Depths of the FIFOs behind DMAs that read parameters.

    Args:
        module: module at the stream level.
        kib: room for all of them.
        least: depths that they have without; a FIFO is never shallower, and never deeper than what it carries.

    Returns:
        Depth per FIFO in tokens.
    """
    fifos = [fifo for kernel in all_of(module, df.KernelOp) for fifo in fifos_of(kernel).items()]
    filled = {name: streams for name, streams in fifos if carries_parameters(streams[0])}
    all_bits = sum(map(_bits, filled.values()))
    depths: dict[str, int] = {}
    for name, streams in filled.items():
        if name in least:
            tokens = sum(stream.result.type.itensor.tokens for stream in streams)
            share = kib * KIB_BITS * tokens // all_bits
            depths[name] = max(least[name], min(tokens, share))
    return depths


def carries_parameters(stream: df.StreamOp) -> bool:
    """Whether a stream leads from a DMA that reads a parameter."""
    return isinstance(stream.writer, df.DmaReadOp) and stream.writer.packed is not None


def _bits(streams: Sequence[df.StreamOp]) -> int:
    """The bits that go through a FIFO."""
    return sum(kind.tokens * kind.token_bits for kind in (stream.result.type.itensor for stream in streams))
