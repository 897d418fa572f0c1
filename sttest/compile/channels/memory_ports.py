"""Which HBM pseudo-channels each DMA uses.

A DMA works on one channel.  Where it moves a fair share of the traffic it has that
channel to itself; the others share one for writes, one for parameters and one for
what else is read: parameters are asked for long before they are used, and inputs
would wait behind them.  A DMA whose tokens can be cut may become several, one per
slice, each with a channel of its own: while channels are left, the DMA whose
transfer that shortens most is cut in twice as many slices, none of less than a
burst.  What is left then goes to small DMAs, so that fewer wait for turns.

Powers of two leave channels half used where one queue of weights is what everybody
waits for.  Then all share all channels (:func:`spread_channels`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, inf

from sttest.boards.board import FpgaBoard
from sttest.boards.tiers import Tier
from sttest.compile.assumptions import DEFAULT_PORT_BITS, SELDOM_BURSTS, SELDOM_SHARE, SMALL_SHARE, WORTH_SHARING
from sttest.compile.dialects import df
from sttest.compile.options import ChannelUse
from sttest.core.errors import DoesNotFitError
from sttest.sim.bursts import HBM, channel_name, memory_and_number
from sttest.sim.graph import MAX_RATE, Channel

# --- What a DMA asks of memory, as far as the choice of its channels goes


@dataclass(frozen=True)
class PortDemand:
    """What one DMA moves in a run."""

    name: str  # the DMA's name
    writes: bool  # whether the DMA writes to memory rather than reads from it
    total_bytes: int  # bytes moved in a run
    busy_cycles: int  # cycles for which the DMA's kernel is busy with these bytes at its own pace
    parameters: bool = False  # whether it reads parameters of the model
    most_slices: int = 1  # largest number of slices of a token, a power of two
    queue: bool = False  # whether it reads what the tasks of an engine take in turn
    turn_bytes: int = 0  # most bytes of one turn

    @property
    def shares_with(self) -> tuple[bool, bool]:
        """Small DMAs with the same value share a channel."""
        return self.writes, self.parameters

    def cycles(self, channels: int, bytes_per_cycle: float) -> float:
        """Cycles of the transfer, or of the kernel where that is slower."""
        return max(self.busy_cycles, self.total_bytes / (channels * bytes_per_cycle))


# --- Channels that all DMAs share, filled evenly


@dataclass(frozen=True)
class Evenness:
    """How evenly DMAs share channels: a slice less saves a DMA."""

    uneven: float = 0.05  # share of an even load that a channel may have beyond it
    slices: int = 3  # slices per channel on average, after which no more are cut


def spread_channels(
    demands: Sequence[PortDemand], channels: int, burst_bytes: int, even: Evenness = Evenness()
) -> dict[str, tuple[int, ...]]:
    """Channel numbers per DMA, one per slice.

    Args:
        demands: demands of all DMAs in program order, which breaks ties.
        channels: pseudo-channels of the board.
        burst_bytes: least number of bytes per slice.
        even: bounds of what is cut.
    """
    slices = {demand.name: 1 for demand in demands}
    most = {demand.name: min(demand.most_slices, demand.total_bytes // burst_bytes, channels) for demand in demands}
    fair = (1 + even.uneven) * sum(demand.total_bytes for demand in demands) / channels
    while True:
        found = _numbered(demands, slices, channels)
        loads = _loads(demands, found, channels)
        able = [
            demand
            for demand in demands
            if loads.index(max(loads)) in found[demand.name] and 2 * slices[demand.name] <= most[demand.name]
        ]
        room = even.slices * channels - sum(slices.values())
        able = [demand for demand in able if slices[demand.name] <= room]
        if max(loads) <= fair or not able:
            return found
        slices[max(able, key=lambda demand: demand.total_bytes / slices[demand.name]).name] *= 2


def cut_over_all(demands: Sequence[PortDemand], channels: int, burst_bytes: int) -> dict[str, tuple[int, ...]]:
    """Channel numbers per DMA where channels are few: what is large comes over all of them, so that no two that work
    at a time wait for one.

    Args:
        demands: demands of all DMAs in program order, which breaks ties.
        channels: channels of the memory.
        burst_bytes: least number of bytes per slice.
    """
    small_bytes = SMALL_SHARE * sum(demand.total_bytes for demand in demands) / len(demands)
    most = {each.name: min(each.most_slices, each.total_bytes // burst_bytes, channels) for each in demands}
    slices = {
        each.name: 1 if each.total_bytes < small_bytes else 2 ** (max(1, most[each.name]).bit_length() - 1)
        for each in demands
    }
    return _numbered(demands, slices, channels)


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


def assign_channels(
    demands: Sequence[PortDemand],
    channels: int,
    bytes_per_cycle: float,
    burst_bytes: int,
    use: ChannelUse = "auto",
    even: Evenness = Evenness(),
) -> dict[str, tuple[int, ...]]:
    """Channel numbers per DMA, one per slice; their count is a power of two.

    Args:
        demands: demands of all DMAs in program order, which breaks ties.
        channels: pseudo-channels of the board.
        bytes_per_cycle: sustained bytes per cycle of one channel.
        burst_bytes: least number of bytes per slice.
        use: how channels are used; with ``auto`` they are shared if there is a weight queue and sharing saves much
            time.
        even: bounds of what is cut where all share all channels.

    Raises:
        DoesNotFitError: more DMAs that need a channel of their own than channels.
    """
    if use == "together":
        return spread_channels(demands, channels, burst_bytes, even)
    own = channels_apart(demands, channels, bytes_per_cycle, burst_bytes)
    if use == "apart" or not any(demand.queue for demand in demands):
        return own
    spread = spread_channels(demands, channels, burst_bytes, even)
    busy = max((demand.busy_cycles for demand in demands), default=0)
    apart, together = (max(busy, most_loaded(demands, found) / bytes_per_cycle) for found in (own, spread))
    return spread if together < WORTH_SHARING * apart else own


def seldom_ports(
    demands: Sequence[PortDemand],
    found: Mapping[str, tuple[int, ...]],
    channels: int,
    beat_bytes: int,
    burst_bytes: int,
) -> frozenset[str]:
    """DMAs of parameters that keep pace with one burst in flight: what they move is little, and comes slowly or early.

    Args:
        demands: demands of all DMAs.
        found: channel numbers per DMA, one per slice.
        channels: pseudo-channels of the board.
        beat_bytes: width of a port.
        burst_bytes: bytes of the longest burst.
    """
    little = SELDOM_SHARE * sum(demand.total_bytes for demand in demands) / channels
    names: set[str] = set()
    for demand in demands:
        slices = len(found[demand.name])
        is_slow = demand.total_bytes <= SELDOM_SHARE * beat_bytes * slices * demand.busy_cycles
        is_early = demand.turn_bytes <= SELDOM_BURSTS * burst_bytes * slices
        if demand.parameters and demand.total_bytes < little * slices and (is_slow or is_early):
            names.add(demand.name)
    return frozenset(names)


def channels_apart(
    demands: Sequence[PortDemand], channels: int, bytes_per_cycle: float, burst_bytes: int
) -> dict[str, tuple[int, ...]]:
    """Channels that DMAs of a fair share of the traffic have to themselves.

    Args:
        demands: demands of all DMAs in program order, which breaks ties.
        channels: pseudo-channels of the board.
        bytes_per_cycle: sustained bytes per cycle of one channel.
        burst_bytes: least number of bytes per slice.

    Raises:
        DoesNotFitError: more DMAs that need a channel of their own than channels.
    """
    small_bytes = SMALL_SHARE * sum(demand.total_bytes for demand in demands) / channels
    small = [demand for demand in demands if demand.total_bytes < small_bytes]
    shared = len({demand.shares_with for demand in small})
    counts = {demand.name: 1 for demand in demands if demand not in small}
    if len(counts) + shared > channels:
        raise DoesNotFitError(
            "hbm-channels",
            "more DMAs than pseudo-channels",
            where="memory ports",
            demand=len(counts) + shared,
            bound=channels,
            unit="channels",
            hints=["fuse fewer kernels into one group", "lower the unroll size", "take a board with more channels"],
        )
    slices = {demand.name: min(demand.most_slices, demand.total_bytes // burst_bytes) for demand in demands}
    _share_out(demands, slices, counts, channels - len(counts) - shared, bytes_per_cycle)
    _separate(small, counts, channels - sum(counts.values()))
    return _number(demands, counts)


def _separate(small: Sequence[PortDemand], counts: dict[str, int], spare: int) -> None:
    """Takes the largest small DMAs out of what they share while there are channels, so that fewer wait in turn."""
    waiting = sorted(small, key=lambda demand: -demand.total_bytes)
    for demand in waiting:
        rest = [other for other in small if other.name not in counts and other is not demand]
        if len({other.shares_with for other in rest}) + 1 > spare:
            return
        counts[demand.name] = 1
        spare -= 1


def _share_out(
    demands: Sequence[PortDemand], most: Mapping[str, int], counts: dict[str, int], spare: int, bytes_per_cycle: float
) -> None:
    """Doubles slices until every DMA keeps pace or no channels are left."""

    def saved_cycles(demand: PortDemand) -> float:
        now = counts[demand.name]
        return demand.cycles(now, bytes_per_cycle) - demand.cycles(2 * now, bytes_per_cycle)

    def may_double(demand: PortDemand) -> bool:
        now = counts.get(demand.name, 0)
        return 0 < now <= spare and 2 * now <= most[demand.name] and saved_cycles(demand) > 0

    while able := [demand for demand in demands if may_double(demand)]:
        best = max(able, key=saved_cycles)
        spare -= counts[best.name]
        counts[best.name] *= 2


def _number(demands: Sequence[PortDemand], counts: dict[str, int]) -> dict[str, tuple[int, ...]]:
    numbers: dict[str, tuple[int, ...]] = {}
    shared: dict[tuple[bool, bool], int] = {}
    used = 0
    for demand in demands:
        if demand.name in counts:
            numbers[demand.name] = tuple(range(used, used + counts[demand.name]))
            used += counts[demand.name]
        elif demand.shares_with not in shared:
            shared[demand.shares_with] = used
            used += 1
        if demand.name not in counts:
            numbers[demand.name] = (shared[demand.shares_with],)
    return numbers


# --- How wide the memory ports of a kernel are, and what that leaves of a channel


def port_bytes(kernel: df.KernelOp) -> int:
    """Bytes of a beat: the width of the kernel's ports."""
    dmas = (node for node in kernel.body.block.ops if isinstance(node, df.DmaOp))
    widths = [dma.beat_bits.value.data for dma in dmas if dma.beat_bits is not None]
    return max(widths, default=DEFAULT_PORT_BITS) // 8


def bytes_per_cycle(tier: Tier, clock_mhz: float, beat_bytes: int) -> float:
    """What a channel sustains behind a port that takes a beat per cycle of the kernel."""
    return min(tier.bytes_per_cycle(clock_mhz), float(beat_bytes))


def tier_channels(tier: Tier, clock_mhz: float, beat_bytes: int, numbers: Iterable[int]) -> tuple[Channel, ...]:
    """The law of a memory: its channels with the rates and the delays that a kernel sees.

    Rates are those of sequential bursts, refresh included, counted in 1/256 of a cycle: bursts of 64 beats are at the
    same place of a cycle again after four.  `sttest.sim.bursts` says what follows for each burst.
    """
    return _channels(tier, clock_mhz, beat_bytes, numbers, most=beat_bytes)


def memory_channels(tier: Tier, clock_mhz: float, numbers: Iterable[int]) -> tuple[Channel, ...]:
    """The same for ports of any widths: a beat is the least that the memory moves, and ports say what they take."""
    beat_bytes = tier.timing.short_access_bytes or DEFAULT_PORT_BITS // 8
    return _channels(tier, clock_mhz, beat_bytes, numbers, most=inf)


def _channels(
    tier: Tier, clock_mhz: float, beat_bytes: int, numbers: Iterable[int], *, most: float
) -> tuple[Channel, ...]:
    """Channels that move ``most`` bytes per cycle at most."""
    timing, sustained = tier.timing, tier.bytes_per_cycle(clock_mhz)

    def units(rate: float) -> int:
        return min(MAX_RATE, max(1, round(beat_bytes / min(rate, most) * UNITS)))

    def cycles(delay_ns: float | None) -> int | None:
        return None if delay_ns is None else ceil(delay_ns * clock_mhz / 1e3)

    law = Channel(
        "", tier.latency_cycles(clock_mhz), beat_bytes, UNITS, units(sustained),
        write_den=units(sustained * timing.write_over_read),
        busy_latency=cycles(timing.busy_read_ns),
        response=cycles(timing.response_ns),
        busy_response=cycles(timing.busy_response_ns),
        random_bytes=timing.short_access_bytes,
        random_short=round(timing.short_access_ns * clock_mhz / 1e3 * UNITS),
        random_long=round(timing.access_ns * clock_mhz / 1e3 * UNITS),
        id_wait=cycles(timing.id_wait_ns),
        read_turns=timing.read_turns,
        write_turns=timing.write_turns,
    )  # fmt: skip
    return tuple(replace(law, name=channel_name(each, tier.name)) for each in numbers)


UNITS = 256
"""Parts of a cycle in which channels count."""


def bank_channels(board: FpgaBoard, beat_bytes: int, numbers: Iterable[int]) -> tuple[Channel, ...]:
    """The channels behind banks of the card (:meth:`~sttest.boards.board.FpgaBoard.bank`), as a kernel sees them."""
    found: list[Channel] = []
    for number in numbers:
        tier, channel = board.bank(number)
        found += tier_channels(board.tier(tier), board.clock_mhz.value, beat_bytes, [channel])
    return tuple(found)


def channels_on(board: FpgaBoard, channels: Iterable[Channel]) -> tuple[Channel, ...]:
    """Channels of compiled designs with the rate and the latency that their memories have on a board."""
    found: list[Channel] = []
    for each in channels:
        memory, number = memory_and_number(each.name)
        found += tier_channels(board.tier(memory), board.clock_mhz.value, each.beat_bytes, [number])
    return tuple(found)


def memory_rates(board: FpgaBoard, channels: Iterable[Channel]) -> dict[str, Fraction]:
    """Beats per cycle that the memory behind each channel sustains, be it more than the kernel's port takes."""
    found: dict[str, Fraction] = {}
    for each in channels:
        per_cycle = board.tier(memory_and_number(each.name)[0]).bytes_per_cycle(board.clock_mhz.value)
        found[each.name] = Fraction(per_cycle / each.beat_bytes).limit_denominator(1000)
    return found


def bank_name(board: FpgaBoard, number: int) -> str:
    """The name of the channel behind a bank of the card."""
    tier, channel = board.bank(number)
    return channel_name(channel, tier)


def bank_number(board: FpgaBoard, name: str) -> int:
    """The bank of the card that a channel's name is of."""
    memory, channel = memory_and_number(name)
    return channel if memory == HBM else board.banks("ddr").start + channel
