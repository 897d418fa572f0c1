"""How many bursts a DMA asks for ahead.

What a port may have in flight is a property of its AXI master (``num_read_outstanding`` of a bundle, UG1399), whichever
of the load units behind it asks, and what is asked for needs a buffer in each.  Small DMAs that share a port hardly ask
at the same time, and each counts with all of it; where slices of large tensors share one with others, and among stores,
it is shared out.  A DMA with a bound of its own (``ahead``) takes no share.
"""

from collections import Counter
from collections.abc import Sequence
from math import prod

from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import StreamLoop, raw_loops
from sttest.compile.ir.module_walk import all_of
from sttest.compile.sharing.processes import process_name


class BurstsAhead:
    """Bursts that the DMAs of a kernel with channels request ahead.

    Args:
        kernel: its DMAs have names and channels.
    """

    def __init__(self, kernel: df.KernelOp) -> None:
        self.dmas: list[df.DmaOp] = [*all_of(kernel, df.DmaReadOp), *all_of(kernel, df.DmaWriteOp)]
        busy = {port_of(dma) for dma in self.dmas if not isinstance(dma, df.DmaReadOp) or dma.slice is not None}
        named = {(process_name(dma), port_of(dma)) for dma in self.dmas if dma.ahead is None}
        self._sharing = Counter(port for _, port in named if port in busy)

    def of(self, dma: df.DmaOp, in_flight: int) -> int:
        """What a DMA has of what its port has in flight in its direction (bursts, words), at least one."""
        return max(1, in_flight // max(1, self._sharing[port_of(dma)]))


def port_of(dma: df.DmaOp) -> tuple[int, bool]:
    """Channel and direction; those without a channel yet are behind none."""
    return -1 if dma.channel is None else dma.channel.value.data, dma.writes


# --- How far a stream walks memory in one stretch: what a burst may be made of


def contiguous_elements(stream: df.ITensorType, layout: Sequence[int]) -> int:
    """Elements that the stream takes from one stretch of memory, from its first on; at least a token's.

    Args:
        stream: the DMA's stream.
        layout: the DMA's layout: grid of tiles, grid of beats in a tile and elements of a beat, per data dim.
    """
    rank = len(stream.element_shape)
    grid, beats, beat = layout[:rank], layout[rank : 2 * rank], layout[2 * rank :]
    stretch = stream.token_elements
    for loop in reversed(raw_loops(stream)):
        if loop.trip == 1:
            continue
        if _distance(loop, grid, beats, beat) != stretch:
            break
        stretch *= loop.trip
    return stretch


def _distance(loop: StreamLoop, grid: Sequence[int], beats: Sequence[int], beat: Sequence[int]) -> int | None:
    """Elements of memory from one iteration of a loop to the next; None where that is not one number."""
    tile = [count * part for count, part in zip(beats, beat, strict=True)]
    over_tiles = _steps(loop.strides, tile)
    if over_tiles is not None:
        return _row_major(over_tiles, grid) * prod(tile)
    over_beats = _steps(loop.strides, beat)
    return None if over_beats is None else _row_major(over_beats, beats) * prod(beat)


def _steps(strides: Sequence[int], sizes: Sequence[int]) -> list[int] | None:
    """Strides in whole parts, if they are that."""
    if any(stride % size for stride, size in zip(strides, sizes, strict=True)):
        return None
    return [stride // size for stride, size in zip(strides, sizes, strict=True)]


def _row_major(steps: Sequence[int], extents: Sequence[int]) -> int:
    place = 0
    for step, extent in zip(steps, extents, strict=True):
        place = place * extent + step
    return place
