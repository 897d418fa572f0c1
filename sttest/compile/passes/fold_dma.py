"""`fold-dma`: a DMA and a task with exactly matching access share one local buffer instead of a FIFO."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of


@dataclass(frozen=True)
class FoldDma(ModulePass):
    """Marks `df.dma_read` ops whose one reader is a task that reads in the DMA's own order.

    Without ``parameters`` those that read parameters stay apart: a FIFO behind them has room to read ahead.
    """

    name = "fold-dma"

    parameters: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Sets ``folded``: the stream becomes the DMA's ping-pong tile buffer and is not sized as a FIFO."""
        for dma in all_of(op, df.DmaReadOp):
            uses = [use for stream in dma.streams for use in stream.uses]
            if dma.packed is not None and not self.parameters:
                continue
            if len(uses) == 1 and isinstance(uses[0].operation, df.TaskOp):
                dma.properties["folded"] = UnitAttr()
