"""Why a kernel does not get the bandwidth of its channel, from its ports alone.

Its ports are simulated as they are, then with one thing better at a time: what gains most is what is in the way.  Where
two things bind at once neither gains alone, so the best is kept and the rest asked again, in pairs where no single one
helps, until the channel is full.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from sttest.boards.tiers import Tier
from sttest.studies.memory.benchmark import Benchmark, measure

WORTH = 1.02
"""A change that gains less than this is none."""
FULL = 0.97
"""Share of what a channel gives from which on nothing is in the way."""
_WIDEST_BITS = 512
_LONGEST_BYTES = 4096
_MOST_OUTSTANDING = 256


@dataclass(frozen=True)
class Change:
    """One thing of a kernel's ports that could be better."""

    what: str  # the change in words: ``ports of 512 bits``
    cause: str  # what is in the way if it helps
    better: Mapping[str, Any]  # fields of a benchmark

    def of(self, benchmark: Benchmark) -> Benchmark:
        """The benchmark with it."""
        return replace(benchmark, **self.better)


@dataclass(frozen=True)
class Gain:
    """What a change, or several at once, brings."""

    changes: tuple[Change, ...]
    gb_per_s: float
    gain: float  # ratio to what it was without

    @property
    def what(self) -> str:
        """The changes in words."""
        return " and ".join(change.what for change in self.changes)


@dataclass(frozen=True)
class Why:
    """What keeps a kernel from its channel's bandwidth."""

    conditions: Benchmark
    gb_per_s: float  # what one kernel gets, as its ports are
    bound_gb_per_s: float  # what its channels give
    gains: tuple[Gain, ...]  # gains of each change alone, largest first
    steps: tuple[Gain, ...]  # one after the other, each over the one before

    @property
    def causes(self) -> tuple[str, ...]:
        """What is in the way, what costs most first; empty where nothing of its ports is."""
        return tuple(change.cause for step in self.steps for change in step.changes)


def why(conditions: Benchmark, tier: Tier) -> Why:
    """Asks it of a kernel.

    Raises:
        InputError: conditions that cannot be, or more channels than the memory has.
    """
    bound = bound_gb_per_s(conditions, tier)
    now = _gb_per_s(conditions, tier)
    alone = _gains(conditions, now, tier, 1)
    return Why(conditions, now, bound, tuple(alone), tuple(_steps(conditions, now, tier)))


def bound_gb_per_s(conditions: Benchmark, tier: Tier) -> float:
    """What the channels of one kernel give, those of both directions where these have their own."""
    rates = {"read": tier.gb_per_s_per_channel, "write": tier.gb_per_s_per_channel * tier.timing.write_over_read}
    used = [rates[each] * conditions.channels for each in conditions.directions]
    return sum(used) / len(used) if conditions.shared else sum(used)


def _steps(conditions: Benchmark, now: float, tier: Tier) -> Iterator[Gain]:
    """The best change, then the best of what is left, and so on."""
    while now < FULL * bound_gb_per_s(conditions, tier):
        best = next((each for many in (1, 2) for each in _gains(conditions, now, tier, many)[:1] if _helps(each)), None)
        if best is None:
            return
        yield best
        now = best.gb_per_s
        for change in best.changes:
            conditions = change.of(conditions)


def _helps(gain: Gain) -> bool:
    return gain.gain >= WORTH


def _gains(conditions: Benchmark, now: float, tier: Tier, many: int) -> list[Gain]:
    """Of all changes, so many at a time, largest first."""
    found: list[Gain] = []
    for chosen in combinations(possible_changes(conditions, tier), many):
        better = conditions
        for change in chosen:
            better = change.of(better)
        gb_per_s = _gb_per_s(better, tier)
        found.append(Gain(chosen, gb_per_s, gb_per_s / now))
    return sorted(found, key=lambda gain: -gain.gain)


def _gb_per_s(conditions: Benchmark, tier: Tier) -> float:
    return measure(conditions, tier).gb_per_s / conditions.masters


def possible_changes(conditions: Benchmark, tier: Tier) -> Iterator[Change]:
    """What could be better about a kernel's ports."""
    longest = min(_LONGEST_BYTES, tier.burst_bytes)
    if conditions.port_bits < _WIDEST_BITS:
        wide: dict[str, Any] = {"port_bits": _WIDEST_BITS}
        if conditions.gap is None and conditions.pattern == "sequential":  # an adapter counts bursts in beats
            wide["burst_bytes"] = max(conditions.burst_bytes, min(longest, conditions.beats * _WIDEST_BITS // 8))
        yield Change(f"ports of {_WIDEST_BITS} bits", "width of the port", wide)
    if conditions.burst_bytes < longest:
        yield Change(f"bursts of {longest} bytes", "length of bursts", {"burst_bytes": longest})
    enough = enough_outstanding(conditions, tier)
    if enough > conditions.outstanding:
        yield Change(f"{enough} in flight", "bursts in flight", {"outstanding": enough, "write_outstanding": 0})
    if conditions.ids == "one" and conditions.channels > 1:
        yield Change("many IDs", "one ID over several channels", {"ids": "many"})
    if conditions.pattern == "random":
        yield Change("in sequence", "random accesses", {"pattern": "sequential", "kernel_cycles": 0})
    if conditions.kernel_cycles > conditions.beats:
        yield Change("a beat per cycle", "cycles of the kernel per transaction", {"kernel_cycles": 0})
    if conditions.gap is None and tier.timing.write_gap_cycles and "write" in conditions.directions:
        yield Change("no pause after a burst", "pauses of the m_axi adapter", {"gap": 0})
    alone = replace(conditions, shared=False)
    if conditions.shared and conditions.channels_used < alone.channels_used <= tier.channels:
        yield Change("channels of its own", "others on the same channel", {"shared": False})


def enough_outstanding(conditions: Benchmark, tier: Tier) -> int:
    """Bursts in flight that cover the latency at the channels' rate: the next power of two, 256 at most."""
    timing = tier.timing
    latency_ns = max(tier.latency_ns, timing.busy_read_ns or 0.0, timing.busy_response_ns or timing.response_ns or 0.0)
    burst_ns = conditions.burst_bytes / (tier.gb_per_s_per_channel * conditions.channels)
    least = max(2.0, 2 * (latency_ns / burst_ns + 1))
    return min(_MOST_OUTSTANDING, 1 << max(0, (int(least) - 1).bit_length()))
