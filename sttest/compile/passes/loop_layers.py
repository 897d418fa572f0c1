"""`loop-layers`: one launch runs a block for several layers, whose parameters and caches lie one after the other.

What leaves a layer goes round on chip.  DMAs do not wait for it: they read the next
layer's parameters while this one computes, as far as there is room behind them.  What
else reads the block's result, such as a head, has that of the last layer, and runs once.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, card_count, functions, only_kernel, require_positive, stream_of
from sttest.compile.ir.names import ENTERS, POSITION, argument_names, hint
from sttest.compile.sharing.layers import LEAVES, outside_layers, result_store
from sttest.compile.sharing.processes import node_label
from sttest.core.errors import InputError
from sttest.models.cards import on_card
from sttest.sim.graph import MIN_DEPTH


@dataclass(frozen=True)
class LoopLayers(ModulePass):
    """Runs the one kernel of a design at the stream level ``layers`` times."""

    name = "loop-layers"

    layers: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Puts `df.enter` behind the DMA of the block's input and `df.leave` behind what makes its output.

        Raises:
            InputError: no such input or output, or they are not streamed in one order, or a block shares what it
                reads with what is behind the last one.
            DoesNotFitError: several kernels.
        """
        require_positive(self.name, layers=self.layers)
        if self.layers == 1:
            return
        kernel = only_kernel(op, self.name, "design")
        function = next(found for found in functions(op) if kernel.parent_op() is found)
        for card in range(card_count(kernel)):
            read = _load(kernel, function, on_card(ENTERS, card))
            stored = stream_of(_store(kernel, function, on_card(LEAVES, card)), self.name)
            enters, leaves = _entering(read, function), _result(stored)
            _unfold(read)
            _close(kernel, enters, leaves, self._order(enters, leaves), card)
        kernel.properties["layers"] = df.i64_attr(self.layers)
        self._check_inside(kernel)

    def _check_inside(self, kernel: df.KernelOp) -> None:
        """A layer waits for nothing that is read once, and the other way round."""
        outside = outside_layers(kernel)
        leaves = all_of(kernel, df.LeaveOp)
        if any(stream_of(leave.sources[0], self.name).writer in outside for leave in leaves):
            raise InputError(
                "shared-stream",
                "a block shares what it reads with what is behind the last one",
                where=self.name,
                hints=["read it twice: give what is behind the last block an argument of its own"],
            )

    def _order(self, enters: df.StreamOp, leaves: df.StreamOp) -> df.StreamType:
        """The stream type of the activations."""
        inside, outside = enters.result.type, leaves.result.type
        if inside.itensor != outside.itensor:
            raise InputError(
                "layer-order",
                f"a block takes {inside.itensor} and gives {outside.itensor}",
                where=self.name,
                hints=["take one tile size for both ends"],
            )
        return inside


def _unfold(read: df.DmaReadOp) -> None:
    """Its reader is another now, which has no tile to share."""
    read.properties.pop("folded", None)
    stream = read.sinks[0].owner
    if isinstance(stream, df.StreamOp):
        stream.properties["sized_by"] = StringAttr("layers")


def _entering(read: df.DmaReadOp, function: func.FuncOp) -> df.StreamOp:
    """What the first layer begins with: the input, or the sum of that and its position."""
    stream = stream_of(read.sinks[0], LoopLayers.name)
    is_sum = POSITION in argument_names(function).values()
    return stream_of(stream.reader.sinks[0], LoopLayers.name) if is_sum else stream


def _result(stored: df.StreamOp) -> df.StreamOp:
    """The stream of the block's result, before it is copied to what is behind the last layer."""
    writer = stored.writer
    return stream_of(writer.sources[0], LoopLayers.name) if isinstance(writer, df.ForkOp) else stored


def _close(kernel: df.KernelOp, enters: df.StreamOp, leaves: df.StreamOp, kind: df.StreamType, card: int) -> None:
    """Cuts both streams of a card and joins what is inside by a third."""
    outside_in, outside_out = enters.result, leaves.result
    first, last, behind = enters.reader, leaves.writer, leaves.reader
    inside_in = _stream(kernel, f"{node_label(enters.writer)}__layer", kind, MIN_DEPTH)
    layer, where = on_card("layer", card), {} if last.card is None else {"card": last.card}
    inside_out = _stream(kernel, f"{layer}__{node_label(behind)}", kind, MIN_DEPTH)
    # The whole activation: a layer takes none of it before the layer before has made its last use of the old one.
    back = _stream(kernel, f"{layer}__{layer}", kind, kind.itensor.tokens)
    first.operands = [inside_in if operand == outside_in else operand for operand in first.operands]
    last.operands = [inside_out if operand == outside_out else operand for operand in last.operands]
    enter = df.EnterOp(
        operands=[[outside_in, back], [inside_in]],
        result_types=[[]],
        properties={"label": StringAttr(f"enter_{layer}"), **where},
    )
    leave = df.LeaveOp(
        operands=[[inside_out], [back, outside_out]],
        result_types=[[]],
        properties={"label": StringAttr(f"leave_{layer}"), **where},
    )
    Rewriter.insert_op(enter, InsertPoint.after(enters.writer))
    Rewriter.insert_op(leave, InsertPoint.before(behind))


def _load(kernel: df.KernelOp, function: func.FuncOp, argument: str) -> df.DmaReadOp:
    """The one DMA of the argument that enters."""
    names = argument_names(function)
    ports = zip(kernel.inputs, kernel.body.block.args, strict=True)
    entering = [port for outer, port in ports if names.get(_argument(outer)) == argument]
    readers = [use.operation for port in entering for use in port.uses if isinstance(use.operation, df.DmaReadOp)]
    if len(readers) > 1:
        # Only one of them would have what the layer before made; the others read the first layer's again.
        raise InputError(
            "layer-order",
            f"{len(readers)} DMAs read the argument '{argument}', in different orders",
            where=LoopLayers.name,
            demand=len(readers),
            bound=1,
            unit="DMAs",
            hints=["take one tile size for all tasks that read it"],
        )
    if readers and readers[0].slice is None:
        return readers[0]
    raise _missing(f"no one DMA that reads the argument '{argument}'")


def _argument(value: SSAValue) -> SSAValue:
    """The function's argument behind views of it."""
    while isinstance(value.owner, Operation) and len(value.owner.operands) == 1:
        value = value.owner.operands[0]
    return value


def _store(kernel: df.KernelOp, function: func.FuncOp, result: str) -> SSAValue:
    """The stream of the result that leaves, before its DMA."""
    writer = result_store(kernel, function, result)
    if writer is None:
        raise _missing(f"no DMA that writes the result '{result}'")
    return writer.sources[0]


def _missing(what: str) -> InputError:
    return InputError(
        "no-layer",
        what,
        where=LoopLayers.name,
        hints=[f"take a block with an argument '{ENTERS}' and a result '{LEAVES}'"],
    )


def _stream(kernel: df.KernelOp, name: str, like: df.StreamType, depth: int) -> SSAValue:
    stream = df.StreamOp(name, df.StreamType(like.itensor, IntAttr(depth)), "layers")
    Rewriter.insert_op(stream, InsertPoint.at_start(kernel.body.block))
    stream.result.name_hint = hint(name)
    return stream.result
