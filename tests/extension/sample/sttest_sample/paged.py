"""A kind of memory: DRAM of which every burst opens a page, behind a switch that it crosses."""

from sttest.boards.memories import MemoryKind, Tier, TierName
from sttest.boards.part import Bytes, Channels, Count, GigabytesPerSecond, Nanoseconds


class Paged(MemoryKind):
    """Channels that are alike; a burst is a page."""

    channels: Channels
    bytes_per_channel: Bytes
    peak_gb_per_s_per_channel: GigabytesPerSecond
    page_bytes: Bytes
    page_open_ns: Nanoseconds  # time in which a channel sends nothing
    access_ns: Nanoseconds  # time from a request to the first byte of an open page
    switch_ns: Nanoseconds  # each way
    outstanding_bursts: Count

    def tier(self, name: TierName) -> Tier:
        """A page takes the time to open it and to send it; a read crosses the switch twice."""
        page, peak, opened = self.page_bytes.value, self.peak_gb_per_s_per_channel.value, self.page_open_ns.value
        latency_ns = 2 * self.switch_ns.value + opened + self.access_ns.value
        return Tier(
            name,
            self.channels.count,
            self.bytes_per_channel.count,
            peak,
            page / (page / peak + opened),
            latency_ns,
            self.page_bytes.count,
            self.outstanding_bursts.count,
            ports=self.channels.count,
        )
