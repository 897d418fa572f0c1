"""`loop-layers`: one launch runs a block for several layers, whose parameters and caches lie one after the other.

What leaves a layer goes round on chip.  DMAs do not wait for it: they read the next
layer's parameters while this one computes, as far as there is room behind them.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.dialects.df import (
    DmaReadOp,
    DmaWriteOp,
    EnterOp,
    KernelOp,
    LeaveOp,
    NodeOp,
    StreamOp,
    StreamType,
    i64_attr,
)
from sttest.compile.module_walk import functions, returned
from sttest.compile.names import hint
from sttest.compile.pass_options import require_positive
from sttest.compile.stream_level import only_kernel
from sttest.compile.value_names import argument_names, result_names
from sttest.errors import InputError

ENTERS, LEAVES = "x", "y"
"""The argument that enters the first layer, and the result that leaves the last."""
_DEPTH = 2


@dataclass(frozen=True)
class LoopLayers(ModulePass):
    """Runs the one kernel of a design at the stream level ``layers`` times."""

    name = "loop-layers"

    layers: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Puts `df.enter` behind the DMA of the block's input and `df.leave` before that of its output.

        Raises:
            InputError: no such input or output, or they are not streamed in one order.
            DoesNotFitError: several kernels.
        """
        require_positive(self.name, layers=self.layers)
        if self.layers == 1:
            return
        kernel = only_kernel(op, self.name, "design")
        function = next(found for found in functions(op) if kernel.parent_op() is found)
        read, write = _load(kernel, function), _store(kernel, function)
        _unfold(read)
        _close(kernel, read, write, self._order(read, write))
        kernel.properties["layers"] = i64_attr(self.layers)

    def _order(self, read: DmaReadOp, write: DmaWriteOp) -> StreamType:
        """How activations are streamed."""
        inside, outside = read.sinks[0].type, write.sources[0].type
        if not isinstance(inside, StreamType) or not isinstance(outside, StreamType):
            raise InputError("pass-order", "the design is not at the stream level", where=self.name)
        if inside.itensor != outside.itensor:
            raise InputError(
                "layer-order", f"a block takes {inside.itensor} and gives {outside.itensor}", where=self.name,
                levers=["take one tile size for both ends"],
            )  # fmt: skip
        return inside


def _unfold(read: DmaReadOp) -> None:
    """Its reader is another now, which has no tile to share."""
    read.properties.pop("folded", None)
    stream = read.sinks[0].owner
    if isinstance(stream, StreamOp):
        stream.properties["sized_by"] = StringAttr("layers")


def _close(kernel: KernelOp, read: DmaReadOp, write: DmaWriteOp, kind: StreamType) -> None:
    """Cuts both streams and joins what is inside by a third."""
    outside_in, outside_out = read.sinks[0], write.sources[0]
    inside_in = _stream(kernel, f"{_name(read)}__layer", kind, _DEPTH)
    inside_out = _stream(kernel, f"layer__{_name(write)}", kind, _DEPTH)
    # The whole activation: a layer takes none of it before the layer before has made its last use of the old one.
    back = _stream(kernel, "layer__layer", kind, kind.itensor.tokens)
    for node in [op for op in kernel.body.block.ops if isinstance(op, NodeOp) and op not in (read, write)]:
        node.operands = [
            {outside_in: inside_in, outside_out: inside_out}.get(operand, operand) for operand in node.operands
        ]
    enter = EnterOp(
        operands=[[outside_in, back], [inside_in]], result_types=[[]], properties={"label": StringAttr("enter_layer")}
    )
    leave = LeaveOp(
        operands=[[inside_out], [back, outside_out]], result_types=[[]], properties={"label": StringAttr("leave_layer")}
    )
    Rewriter.insert_op(enter, InsertPoint.after(read))
    Rewriter.insert_op(leave, InsertPoint.before(write))


def _load(kernel: KernelOp, function: func.FuncOp) -> DmaReadOp:
    """The one DMA of the argument that enters."""
    for argument, name in argument_names(function).items():
        if name == ENTERS and argument in kernel.inputs:
            port = kernel.body.block.args[kernel.inputs.index(argument)]
            readers = [use.operation for use in port.uses if isinstance(use.operation, DmaReadOp)]
            if len(readers) == 1 and readers[0].slice is None:
                return readers[0]
    raise _missing(f"no one DMA that reads the argument '{ENTERS}'")


def _store(kernel: KernelOp, function: func.FuncOp) -> DmaWriteOp:
    """The DMA of the result that leaves."""
    for name, value in zip(result_names(function), returned(function).operands, strict=True):
        root = value
        while root.owner is not kernel and isinstance(root.owner, Operation) and root.owner.operands:
            root = root.owner.operands[0]
        if name == LEAVES and root in kernel.outputs:
            writer = kernel.terminator.arguments[kernel.outputs.index(root)].owner
            if isinstance(writer, DmaWriteOp):
                return writer
    raise _missing(f"no DMA that writes the result '{LEAVES}'")


def _missing(what: str) -> InputError:
    return InputError(
        "no-layer", what, where=LoopLayers.name,
        levers=[f"take a block with an argument '{ENTERS}' and a result '{LEAVES}'"],
    )  # fmt: skip


def _stream(kernel: KernelOp, name: str, like: StreamType, depth: int) -> SSAValue:
    stream = StreamOp(name, StreamType(like.itensor, IntAttr(depth)), "layers")
    Rewriter.insert_op(stream, InsertPoint.at_start(kernel.body.block))
    stream.result.name_hint = hint(name)
    return stream.result


def _name(dma: DmaReadOp | DmaWriteOp) -> str:
    return dma.label.data if dma.label else dma.name
