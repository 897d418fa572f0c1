"""Which HBM pseudo-channels the ports of a kernel are linked to.

A port works on one pseudo-channel at a time: what is spread over several is the room for its buffers, not its
traffic.  So the busiest channel can never carry less than the busiest port.  The compiler has chosen channels as it
timed the design; others are looked for only where the board that is linked for has no room for them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sttest.core.errors import DoesNotFitError

BALANCED = 1.2
"""The busiest channel carries at most so many times the mean of those used, unless a single port carries more."""


@dataclass(frozen=True)
class PortLoad:
    """An AXI port, with all arguments behind it."""

    port: str  # its name
    run_bytes: int  # bytes that one launch moves
    resident_bytes: int  # bytes of its buffers, all layers together


@dataclass(frozen=True)
class ChannelPlacement:
    """The banks that ports are linked to."""

    banks: Mapping[str, tuple[int, ...]]  # banks per port, a range in ascending order
    run_bytes: Mapping[int, int]  # bytes per bank in use, moved by one launch
    resident_bytes: Mapping[int, int]  # bytes per bank in use
    busiest_port: tuple[str, int]  # the port that moves most, and how much

    @property
    def busiest_over_mean(self) -> float:
        """Traffic of the busiest bank over the mean of those in use."""
        total = sum(self.run_bytes.values())
        return max(self.run_bytes.values()) * len(self.run_bytes) / total if total else 1.0

    @property
    def crowded(self) -> tuple[int, ...]:
        """The banks that carry more than `BALANCED` times the mean."""
        mean = sum(self.run_bytes.values()) / len(self.run_bytes)
        return tuple(bank for bank, moved in self.run_bytes.items() if moved > BALANCED * mean)


def place_as(
    loads: Sequence[PortLoad], channel_of: Mapping[str, int], banks: int, bank_bytes: int
) -> ChannelPlacement | None:
    """Every port on a channel of its own choice; None where there is no such channel, or no room on it.

    Args:
        loads: the ports.
        channel_of: number per port.
        banks: number of banks of the board.
        bank_bytes: bytes per bank.
    """
    traffic: dict[int, int] = {}
    resident: dict[int, int] = {}
    for load in sorted(loads, key=lambda each: channel_of[each.port]):
        bank = channel_of[load.port]
        traffic[bank] = traffic.get(bank, 0) + load.run_bytes
        resident[bank] = resident.get(bank, 0) + load.resident_bytes
    if max(traffic) >= banks or max(resident.values()) > bank_bytes:
        return None
    return ChannelPlacement({load.port: (channel_of[load.port],) for load in loads}, traffic, resident, _busiest(loads))


def beside(near: ChannelPlacement, below: ChannelPlacement | None, first: int) -> ChannelPlacement:
    """Ports in the HBM and ports in the memory whose banks are numbered from ``first``, as one placement."""
    if below is None:
        return near
    shifted = {port: tuple(first + bank for bank in banks) for port, banks in below.banks.items()}
    moved, kept = (
        {first + bank: count for bank, count in each.items()} for each in (below.run_bytes, below.resident_bytes)
    )
    return ChannelPlacement(
        {**near.banks, **shifted},
        {**near.run_bytes, **moved},
        {**near.resident_bytes, **kept},
        max(near.busiest_port, below.busiest_port, key=lambda each: each[1]),
    )


def place(loads: Sequence[PortLoad], banks: int, bank_bytes: int) -> ChannelPlacement:
    """Shares ports out so that the busiest bank carries as little as possible, over at most ``banks`` banks.

    The port with the most traffic first, each to the bank that carries least so far (Graham's LPT rule).  What is
    larger than a bank gets neighboring banks of its own.

    Raises:
        DoesNotFitError: the buffers have no room.
    """
    traffic, resident = [0] * banks, [0] * banks
    placed: dict[str, tuple[int, ...]] = {}
    free_from = 0
    large = [load for load in loads if load.resident_bytes > bank_bytes]
    for load in large:
        count = -(-load.resident_bytes // bank_bytes)
        chosen = tuple(range(free_from, free_from + count))
        free_from += count
        if free_from > banks:
            raise _no_room(load, banks, bank_bytes)
        placed[load.port] = chosen
        for bank in chosen:
            traffic[bank] += -(-load.run_bytes // count)
            resident[bank] = bank_bytes
    small = [load for load in loads if load.resident_bytes <= bank_bytes]
    for load in sorted(small, key=lambda each: (-each.run_bytes, -each.resident_bytes, each.port)):
        fitting = [bank for bank in range(banks) if resident[bank] + load.resident_bytes <= bank_bytes]
        if not fitting:
            raise _no_room(load, banks, bank_bytes)
        bank = min(fitting, key=lambda each: (traffic[each], resident[each], each))
        placed[load.port] = (bank,)
        traffic[bank] += load.run_bytes
        resident[bank] += load.resident_bytes
    used = sorted({bank for chosen in placed.values() for bank in chosen})
    return ChannelPlacement(
        {load.port: placed[load.port] for load in loads},
        {bank: traffic[bank] for bank in used},
        {bank: resident[bank] for bank in used},
        _busiest(loads),
    )


def placements(loads: Sequence[PortLoad], banks: int, bank_bytes: int) -> list[ChannelPlacement]:
    """Those worth simulating, from the fewest banks that keep the busiest no busier than its least, up to all.

    More banks than that leave the busiest as it is and some nearly idle, but keep ports out of each other's way.

    Raises:
        DoesNotFitError: the buffers have no room in all banks together.
    """
    widest = place(loads, banks, bank_bytes)
    least = max(widest.run_bytes.values())
    found = [widest]
    for count in range(len(widest.run_bytes) - 1, 0, -1):
        try:
            narrower = place(loads, count, bank_bytes)
        except DoesNotFitError:
            break
        if max(narrower.run_bytes.values()) > least:
            break
        found.append(narrower)
    return found[::-1]


def _busiest(loads: Sequence[PortLoad]) -> tuple[str, int]:
    busiest = max(loads, key=lambda each: each.run_bytes)
    return busiest.port, busiest.run_bytes


def _no_room(load: PortLoad, banks: int, bank_bytes: int) -> DoesNotFitError:
    return DoesNotFitError(
        "hbm-capacity",
        "no room for the buffers of a port",
        where=f"port '{load.port}'",
        demand=load.resident_bytes,
        bound=banks * bank_bytes,
        unit="bytes",
        hints=["put fewer layers on a card", "take a board with more HBM"],
    )
