"""DMAs that wait: what a kernel stores goes to DMAs that read by it, too."""

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.dialects import df
from sttest.compile.ir.names import argument_names, hint
from sttest.compile.sharing.processes import node_label
from sttest.sim.graph import MIN_DEPTH


def hand_tokens(
    kernel: df.KernelOp,
    store: df.DmaWriteOp,
    reads: Sequence[df.DmaReadOp],
    depth: int,
    *,
    fork: str = "again",
    sized_by: str | None = "tokens",
) -> list[df.DmaReadOp]:
    """Gives what is stored to DMAs as well, each of which gets it as its second source.

    Args:
        kernel: kernel at the stream level.
        store: DMA of what they wait for.
        reads: DMAs.
        depth: least depth of the FIFO to each, tokens.
        fork: beginning of the name of the node that copies.
        sized_by: who chose the depths; None where they are still to be chosen.

    Returns:
        The DMAs with their second source.
    """
    made, label = store.sources[0], node_label(store)
    kind = made.type
    assert isinstance(kind, df.StreamType)
    fork = f"{fork}_{label}"
    names = [f"{fork}__{node_label(each)}" for each in (store, *reads)]
    depths = [MIN_DEPTH, *[max(MIN_DEPTH, depth)] * len(reads)]
    own, *others = (
        _stream(kernel, df.StreamOp(name, df.StreamType(kind.itensor, IntAttr(least)), sized_by))
        for name, least in zip(names, depths, strict=True)
    )
    copies = df.ForkOp.build(
        operands=[[made], [own, *others]], result_types=[[]], properties={"label": StringAttr(fork)}
    )
    store.operands = [own if operand == made else operand for operand in store.operands]
    Rewriter.insert_op(copies, InsertPoint.before(store))
    return [_wait_for(read, other) for read, other in zip(reads, others, strict=True)]


def _wait_for(read: df.DmaReadOp, stream: SSAValue) -> df.DmaReadOp:
    """Gives a DMA its second source."""
    properties = {name: value for name, value in read.properties.items() if name != "operandSegmentSizes"}
    operands = [[read.sources[0], stream], list(read.sinks)]
    waiting = df.DmaReadOp.build(operands=operands, result_types=[[]], properties=properties)
    Rewriter.insert_op(waiting, InsertPoint.before(read))
    Rewriter.erase_op(read)
    return waiting


def reads_of(kernel: df.KernelOp, function: func.FuncOp, wanted: str) -> list[df.DmaReadOp]:
    """The DMAs of an argument, which may enter the kernel several times."""
    names = argument_names(function)
    ports = zip(kernel.inputs, kernel.body.block.args, strict=True)
    users = [use.operation for outer, port in ports if names.get(outer) == wanted for use in port.uses]
    return [user for user in users if isinstance(user, df.DmaReadOp)]


def _stream(kernel: df.KernelOp, stream: df.StreamOp) -> SSAValue:
    Rewriter.insert_op(stream, InsertPoint.at_start(kernel.body.block))
    stream.result.name_hint = hint(stream.sym_name.data)
    return stream.result
