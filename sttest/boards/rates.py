"""What a memory's channel sustains and what its port carries, where a board's peak is overridden.

A peak alone sets no time: designs get what a channel sustains, and no more than its AXI port carries.  So whoever
overrides the peak gets both with it, unless they are given as well.
"""

from collections.abc import Mapping
from typing import Any

from sttest.boards.base import DataSheet
from sttest.boards.memories import Tier, TierName, ports_per_channel
from sttest.boards.tiers import TIERS

PEAK = "peak_gb_per_s_per_channel"
SUSTAINED = "sustained_gb_per_s_per_channel"
PORT_MHZ, PORT_BITS = "axi_port_mhz", "axi_port_bits"
RATES = (PEAK, SUSTAINED, PORT_MHZ, PORT_BITS)
PORTS, CHANNELS = "axi_ports", "pseudo_channels"
KNOWN = (*RATES, PORTS, CHANNELS)
"""What says what follows from another peak."""


def following_rates(memory: Mapping[str, float], peak: float) -> dict[str, float]:
    """What follows from another peak of a channel.

    Args:
        memory: the numbers of :data:`KNOWN` that the memory has so far.
        peak: peak of a channel, GB/s.

    Returns:
        What it sustains, the same share of the peak as before, and the clock that its AXI ports need, if it has them.
    """
    found = {SUSTAINED: peak * memory[SUSTAINED] / memory[PEAK]} if SUSTAINED in memory else {}
    if PORT_MHZ in memory:
        ports = ports_per_channel(memory.get(PORTS, 1), memory.get(CHANNELS, 1))
        ports_gb_per_s = ports * memory[PORT_BITS] / 8 * memory[PORT_MHZ] / 1e3
        found[PORT_MHZ] = max(memory[PORT_MHZ], memory[PORT_MHZ] * peak / ports_gb_per_s)
    return found


def with_rates_of_peaks(base: Mapping[str, Any], merged: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """A board's keys, in which what follows from an overridden peak is overridden, too.

    Args:
        base: keys of the board that is extended.
        merged: the same with ``over`` laid over them.
        over: keys of the file that extends it.
    """
    memories = {tier: _followed(*(_memory(keys, tier) for keys in (base, merged, over))) for tier in TIERS}
    changed = {tier: memory for tier, memory in memories.items() if memory}
    return {**merged, "memory": {**merged["memory"], **changed}} if changed else merged


def _followed(base: Mapping[str, Any], merged: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """A memory with what follows from its overridden peak; empty where nothing does."""
    before, after = _numbers(base), _numbers(merged)
    if PEAK not in over or not before.get(PEAK) or not after.get(PEAK):
        return {}
    known = {**before, **{key: after[key] for key in (PORT_MHZ, PORT_BITS, PORTS, CHANNELS) if key in after}}
    follow = following_rates(known, after[PEAK])
    rates = {key: value for key, value in follow.items() if key in merged and key not in over}
    changed = {key: value for key, value in rates.items() if value != before[key]}
    return {**merged, **{key: _follows(merged[key], value) for key, value in changed.items()}}


def _follows(quantity: Mapping[str, Any], value: float) -> dict[str, Any]:
    before = f"before: {quantity['value']:g} {quantity['unit']} ({quantity['source']})"
    return {**quantity, "value": value, "source": f"follows from {PEAK}; {before}", "kind": "assumed"}


def limit_notes(before: DataSheet, after: DataSheet, over: Mapping[str, Any]) -> list[str]:
    """Memories whose rate was overridden, but which give designs less than they sustain, or the same as before."""
    touched: list[TierName] = [tier for tier in TIERS if any(key in RATES for key in _memory(over, tier))]
    return [text for tier in touched if (text := _limit_note(before.tiers.get(tier), after.tiers.get(tier)))]


def _limit_note(before: Tier | None, after: Tier | None) -> str:
    if after is None:
        return ""
    place, rate, sustained = f"memory.{after.name}", after.gb_per_s_per_channel, after.sustained_gb_per_s_per_channel
    if before is not None and rate == before.gb_per_s_per_channel:
        by = after.limit if rate < sustained else SUSTAINED
        return f"{place}: the override changes no speed, a channel gives {rate:g} GB/s as before, by {by}"
    if rate < sustained:
        return f"{place}: a channel gives {rate:g} of the {sustained:g} GB/s that it sustains, by {after.limit}"
    return ""


def _memory(keys: Mapping[str, Any], tier: str) -> Mapping[str, Any]:
    memory = keys.get("memory")
    found = memory.get(tier) if isinstance(memory, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _numbers(memory: Mapping[str, Any]) -> dict[str, float]:
    """The rates and counts of a memory that are numbers; whatever else stands there is refused later."""
    values = {key: memory[key].get("value") for key in KNOWN if isinstance(memory.get(key), Mapping)}
    return {key: float(value) for key, value in values.items() if isinstance(value, int | float)}
