"""How many bursts a DMA asks for ahead.

What a port may have in flight is a property of its AXI master (``num_read_outstanding`` of a bundle, UG1399), whichever
of the load units behind it asks, and what is asked for needs a buffer in each.  Small DMAs that share a port hardly ask
at the same time, and each counts with all of it; where slices of large tensors share one with others, and among stores,
it is shared out.
"""

from __future__ import annotations

from collections import Counter

from sttest.compile.dialects.df import DmaReadOp, DmaWriteOp, KernelOp
from sttest.compile.ir.module_walk import all_of
from sttest.compile.turns.processes import process_name

Dma = DmaReadOp | DmaWriteOp


class BurstsAhead:
    """Of the DMAs of a kernel with channels.

    Args:
        kernel: its DMAs have names and channels.
    """

    def __init__(self, kernel: KernelOp) -> None:
        self.dmas: list[Dma] = [*all_of(kernel, DmaReadOp), *all_of(kernel, DmaWriteOp)]
        busy = {port_of(dma) for dma in self.dmas if isinstance(dma, DmaWriteOp) or dma.slice is not None}
        named = {(process_name(dma), port_of(dma)) for dma in self.dmas}
        self._sharing = Counter(port for _, port in named if port in busy)

    def of(self, dma: Dma, in_flight: int) -> int:
        """What a DMA has of what its port has in flight in its direction (bursts, words), at least one."""
        return max(1, in_flight // max(1, self._sharing[port_of(dma)]))


def port_of(dma: Dma) -> tuple[int, bool]:
    """Channel and direction; those without a channel yet are behind none."""
    return -1 if dma.channel is None else dma.channel.value.data, isinstance(dma, DmaWriteOp)
