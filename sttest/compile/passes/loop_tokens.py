"""`loop-tokens`: one launch generates several tokens, each with all layers and the head, without the host.

The chosen token goes back to the DMA of the block's input, which reads its row of the embedding.  The new entries of a
layer go to the DMAs that read its cache, which put them in their places before they read on: one process reads and
writes a buffer, so that the order of both is that of its program.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from sttest.compile.channels.cache_entries import cache_entries
from sttest.compile.channels.waiting_reads import hand_tokens, reads_of
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import functions, only_kernel, require_positive
from sttest.compile.ir.names import ENTERS
from sttest.compile.sharing.layers import result_store
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
        reads = reads_of(kernel, function, ENTERS)
        if store is None or not columns or len(reads) != 1:
            raise InputError(
                "no-token",
                "nothing chooses a token, or reads what one begins with",
                where=self.name,
                hints=["compile with --head"],
            )
        reads[0].properties["rows"] = df.i64_attr(columns)
        hand_tokens(kernel, store, reads, depth=MIN_DEPTH)

    def _close_cache(self, kernel: df.KernelOp, function: func.FuncOp, cache: str, entry: str) -> None:
        store, reads = result_store(kernel, function, entry), reads_of(kernel, function, cache)
        if store is None and not reads:
            return
        if store is None or not reads:
            raise InputError("no-cache", f"not both of '{cache}' and '{entry}'", where=self.name)
        # Room for all of it: the DMA takes it when its reader has all of the layer's cache, which waits for the task
        # that this entry comes from, never for the entry in memory.
        hand_tokens(kernel, store, reads, depth=df.itensor_of(store.sources[0]).tokens)
        for read in reads_of(kernel, function, cache):
            cache_entries(kernel, read)


def _columns(kernel: df.KernelOp, function: func.FuncOp) -> int:
    """Tokens that the head chooses from; 0 without a head."""
    store = result_store(kernel, function, "logits")
    return 0 if store is None else df.itensor_of(store.sources[0]).full_shape[-1]
