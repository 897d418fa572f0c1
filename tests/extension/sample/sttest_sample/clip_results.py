"""`clip-results`: what a kernel writes to memory is clipped on its way."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest_sample.dialect import ClipOp


@dataclass(frozen=True)
class ClipResults(ModulePass):
    """Puts a `sample.clip` in front of each DMA that writes."""

    name = "clip-results"

    most: int = 1

    def __post_init__(self) -> None:
        if self.most < 0:
            raise ValueError(f"a bound is at least 0, not {self.most}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrites all kernels."""
        for store in all_of(op, df.DmaWriteOp):
            clip = ClipOp.of(store.sources[0], self.most)
            Rewriter.insert_op(clip, InsertPoint.before(store))
            store.operands[0] = clip.streams[0]
