"""`loop-tokens`: one launch generates several tokens, each with all layers and the head, without the host.

The chosen token goes back to the DMA of the block's input, which reads its row of the embedding.  The new entries of a
layer go to the DMAs that read its cache, which put them in their places before they read on: one process reads and
writes a buffer, so that the order of both is that of its program.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntAttr, ModuleOp, StringAttr
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.channels.cache_entries import cache_entries
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import functions, only_kernel, require_positive
from sttest.compile.ir.names import ENTERS, argument_names, hint
from sttest.compile.sharing.layers import result_store
from sttest.compile.sharing.processes import node_label
from sttest.core.errors import InputError
from sttest.sim.graph import MIN_DEPTH


@dataclass(frozen=True)
class LoopTokens(ModulePass):
    """Runs the one kernel of a design, its layers looped, for ``tokens`` tokens."""

    name = "loop-tokens"

    tokens: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Closes the loop over tokens on chip, and that over the caches in memory.

        Raises:
            InputError: no loop over layers, no chosen token, or no cache with new entries to go into.
            DoesNotFitError: several kernels.
        """
        require_positive(self.name, tokens=self.tokens)
        if self.tokens == 1:
            return
        kernel = only_kernel(op, self.name, "design")
        function = next(found for found in functions(op) if kernel.parent_op() is found)
        if kernel.layer_count == 1:
            raise InputError(
                "no-layers", "a launch over tokens runs all layers of each", where=self.name, hints=["add --layers"]
            )
        kernel.properties["steps"] = df.i64_attr(self.tokens)
        self._close_tokens(kernel, function)
        for side in ("k", "v"):
            for scale in ("", "_scale"):
                self._close_cache(kernel, function, f"{side}_cache{scale}", f"{side}_new{scale}")

    def _close_tokens(self, kernel: df.KernelOp, function: func.FuncOp) -> None:
        store, columns = result_store(kernel, function, "token"), _columns(kernel, function)
        reads = _reads(kernel, function, ENTERS)
        if store is None or not columns or len(reads) != 1:
            raise InputError(
                "no-token", "nothing chooses a token, or reads what one begins with", where=self.name,
                hints=["compile with --head"],
            )  # fmt: skip
        reads[0].properties["rows"] = df.i64_attr(columns)
        _hand(kernel, store, reads, depth=MIN_DEPTH)

    def _close_cache(self, kernel: df.KernelOp, function: func.FuncOp, cache: str, entry: str) -> None:
        store, reads = result_store(kernel, function, entry), _reads(kernel, function, cache)
        if store is None and not reads:
            return
        if store is None or not reads:
            raise InputError("no-cache", f"not both of '{cache}' and '{entry}'", where=self.name)
        # Room for all of it: the DMA takes it when its reader has all of the layer's cache, which waits for the task
        # that this entry comes from, never for the entry in memory.
        _hand(kernel, store, reads, depth=df.itensor_of(store.sources[0]).tokens)
        for read in _reads(kernel, function, cache):
            cache_entries(kernel, read)


def _hand(kernel: df.KernelOp, store: df.DmaWriteOp, reads: Sequence[df.DmaReadOp], depth: int) -> None:
    """What is stored goes to the DMAs as well."""
    made, label = store.sources[0], node_label(store)
    kind = made.type
    assert isinstance(kind, df.StreamType)
    fork = f"again_{label}"
    own = _stream(kernel, f"{fork}__{label}", kind, MIN_DEPTH)
    others = [_stream(kernel, f"{fork}__{node_label(read)}", kind, max(MIN_DEPTH, depth)) for read in reads]
    copies = df.ForkOp.build(
        operands=[[made], [own, *others]], result_types=[[]], properties={"label": StringAttr(fork)}
    )
    store.operands = [own if operand == made else operand for operand in store.operands]
    Rewriter.insert_op(copies, InsertPoint.before(store))
    for read, other in zip(reads, others, strict=True):
        _wait_for(read, other)


def _wait_for(read: df.DmaReadOp, stream: SSAValue) -> None:
    """Gives a DMA its second source."""
    properties = {name: value for name, value in read.properties.items() if name != "operandSegmentSizes"}
    operands = [[read.sources[0], stream], list(read.sinks)]
    Rewriter.insert_op(
        df.DmaReadOp.build(operands=operands, result_types=[[]], properties=properties), InsertPoint.before(read)
    )
    Rewriter.erase_op(read)


def _columns(kernel: df.KernelOp, function: func.FuncOp) -> int:
    """Tokens that the head chooses from; 0 without a head."""
    store = result_store(kernel, function, "logits")
    return 0 if store is None else df.itensor_of(store.sources[0]).full_shape[-1]


def _reads(kernel: df.KernelOp, function: func.FuncOp, wanted: str) -> list[df.DmaReadOp]:
    """The DMAs of an argument, which may enter the kernel several times."""
    names = argument_names(function)
    ports = zip(kernel.inputs, kernel.body.block.args, strict=True)
    users = [use.operation for outer, port in ports if names.get(outer) == wanted for use in port.uses]
    return [user for user in users if isinstance(user, df.DmaReadOp)]


def _stream(kernel: df.KernelOp, name: str, like: df.StreamType, depth: int) -> SSAValue:
    stream = df.StreamOp(name, df.StreamType(like.itensor, IntAttr(depth)), "tokens")
    Rewriter.insert_op(stream, InsertPoint.at_start(kernel.body.block))
    stream.result.name_hint = hint(name)
    return stream.result
