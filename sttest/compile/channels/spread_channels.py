"""Channels that all DMAs share, filled evenly.

A DMA is cut in slices, a power of two of them, each on another channel; largest slices first, each goes to the channel
with the fewest bytes so far.  While one channel has more than its share, the DMA with the largest slice on it is cut
in twice as many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sttest.compile.channels.port_demand import PortDemand

# A channel may have this much more than an even share of the bytes: a slice less saves a DMA.
_UNEVEN = 1.05
# A slice costs a DMA: with so many per channel, no more are cut.
_MOST_PER_CHANNEL = 3


def spread_channels(demands: Sequence[PortDemand], channels: int, burst_bytes: int) -> dict[str, tuple[int, ...]]:
    """Channel numbers per DMA, one per slice.

    Args:
        demands: in program order, which breaks ties.
        channels: pseudo-channels of the board.
        burst_bytes: that a slice moves at least.
    """
    slices = {demand.name: 1 for demand in demands}
    most = {demand.name: min(demand.most_slices, demand.total_bytes // burst_bytes, channels) for demand in demands}
    fair = _UNEVEN * sum(demand.total_bytes for demand in demands) / channels
    while True:
        found = _numbered(demands, slices, channels)
        loads = _loads(demands, found, channels)
        able = [
            demand
            for demand in demands
            if loads.index(max(loads)) in found[demand.name] and 2 * slices[demand.name] <= most[demand.name]
        ]
        room = _MOST_PER_CHANNEL * channels - sum(slices.values())
        able = [demand for demand in able if slices[demand.name] <= room]
        if max(loads) <= fair or not able:
            return found
        slices[max(able, key=lambda demand: demand.total_bytes / slices[demand.name]).name] *= 2


def most_loaded(demands: Sequence[PortDemand], found: Mapping[str, tuple[int, ...]]) -> float:
    """Bytes of the channel that has most of them."""
    return max(_loads(demands, found, 1 + max((max(numbers) for numbers in found.values()), default=0)))


def _loads(demands: Sequence[PortDemand], found: Mapping[str, tuple[int, ...]], channels: int) -> list[float]:
    loads = [0.0] * channels
    for demand in demands:
        for number in found[demand.name]:
            loads[number] += demand.total_bytes / len(found[demand.name])
    return loads


def _numbered(demands: Sequence[PortDemand], slices: Mapping[str, int], channels: int) -> dict[str, tuple[int, ...]]:
    loads = [0.0] * channels
    found: dict[str, tuple[int, ...]] = {}
    for demand in sorted(demands, key=lambda demand: -demand.total_bytes / slices[demand.name]):
        emptiest = sorted(range(channels), key=lambda number: (loads[number], number))[: slices[demand.name]]
        found[demand.name] = tuple(sorted(emptiest))
        for number in emptiest:
            loads[number] += demand.total_bytes / slices[demand.name]
    return found
