"""How many bursts a DMA asks for ahead.

What a port may have in flight is a property of its AXI master (``num_read_outstanding`` of a bundle, UG1399), whichever
of the load units behind it asks, and what is asked for needs a buffer in each.  Small DMAs that share a port hardly ask
at the same time, and each counts with all of it; where slices of large tensors share one with others, and among stores,
it is shared out.
"""

from __future__ import annotations

from collections import Counter

from sttest.compile.dialects.df import DmaReadOp, DmaWriteOp, KernelOp
from sttest.compile.module_walk import all_of
from sttest.compile.processes import process_name

Dma = DmaReadOp | DmaWriteOp


class BurstsAhead:
    """Of the DMAs of a kernel with channels.

    Args:
        kernel: its DMAs have names and channels.
        of_port: bursts that a port has in flight in each direction, at most.
    """

    def __init__(self, kernel: KernelOp, of_port: int) -> None:
        self._of_port = of_port
        dmas = [*all_of(kernel, DmaReadOp), *all_of(kernel, DmaWriteOp)]
        busy = {_port(dma) for dma in dmas if isinstance(dma, DmaWriteOp) or dma.slice is not None}
        named = {(process_name(dma), _port(dma)) for dma in dmas}
        self._sharing = Counter(port for _, port in named if port in busy)

    def of(self, dma: Dma) -> int:
        """At least one."""
        return max(1, self._of_port // max(1, self._sharing[_port(dma)]))


def _port(dma: Dma) -> tuple[int, bool]:
    """Channel and direction; those without a channel yet are behind none."""
    return -1 if dma.channel is None else dma.channel.value.data, isinstance(dma, DmaWriteOp)
