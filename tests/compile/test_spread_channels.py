"""Laws of channels that all DMAs share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from sttest.compile.channels.memory_ports import (
    PortDemand,
    assign_channels,
    channels_apart,
    most_loaded,
    spread_channels,
)
from sttest.compile.ir.module_walk import set_target
from sttest.compile.opt import new_context
from sttest.compile.passes.assign_channels import AssignChannels
from sttest.core.errors import InputError

RATE = 53.0
BURST = 4096
CHANNELS = 32

DEMANDS = st.lists(
    st.tuples(
        st.booleans(),
        st.integers(1, 10_000_000),
        st.integers(1, 200_000),
        st.booleans(),
        st.sampled_from((1, 4, 32)),
        st.booleans(),
    ),
    min_size=1,
    max_size=20,
).map(lambda rows: [PortDemand(f"dma{number}", *row) for number, row in enumerate(rows)])


@given(DEMANDS)
def test_slices_are_powers_of_two_on_channels_of_their_own(demands: list[PortDemand]) -> None:
    found = spread_channels(demands, CHANNELS, BURST)
    for demand in demands:
        numbers = found[demand.name]
        assert len(numbers) in (1, 2, 4, 8, 16, 32)
        assert len(numbers) <= max(1, min(demand.most_slices, demand.total_bytes // BURST))
        assert len(set(numbers)) == len(numbers)
        assert set(numbers) <= set(range(CHANNELS))


@given(DEMANDS)
def test_no_channel_has_more_than_its_share_and_the_largest_slice(demands: list[PortDemand]) -> None:
    found = spread_channels(demands, CHANNELS, BURST)
    largest = max(demand.total_bytes / len(found[demand.name]) for demand in demands)
    share = sum(demand.total_bytes for demand in demands) / CHANNELS
    assert most_loaded(demands, found) <= share + largest + 1e-6


@given(DEMANDS)
def test_channels_are_shared_only_where_that_is_worth_a_fifth(demands: list[PortDemand]) -> None:
    apart, chosen = channels_apart(demands, CHANNELS, RATE, BURST), assign_channels(demands, CHANNELS, RATE, BURST)
    if chosen == apart:
        return
    assert any(demand.queue for demand in demands)
    busy = max(demand.busy_cycles for demand in demands)
    now, before = (max(busy, most_loaded(demands, found) / RATE) for found in (chosen, apart))
    assert now < 0.8 * before


def test_what_everybody_waits_for_has_all_channels() -> None:
    # By hand: apart, 16 channels are the most that a power of two leaves the writes a channel.
    demands = [
        PortDemand("weights", False, 6_300_000, 1536, True, 32, True),
        PortDemand("cache", False, 260_000, 256, False, 16),
        PortDemand("result", True, 4096, 1),
    ]
    assert len(channels_apart(demands, CHANNELS, RATE, BURST)["weights"]) == 16
    found = assign_channels(demands, CHANNELS, RATE, BURST)
    assert found["weights"] == tuple(range(32))
    assert len(found["cache"]) > 1
    assert found == assign_channels(demands, CHANNELS, RATE, BURST, "together")
    apart = assign_channels(demands, CHANNELS, RATE, BURST, "apart")
    assert apart == channels_apart(demands, CHANNELS, RATE, BURST)
    assert most_loaded(demands, found) < 1.06 * (6_300_000 + 260_000 + 4096) / 32


def test_another_way_to_use_channels_is_refused() -> None:
    module = ModuleOp([])
    set_target(module, "u55c")
    with pytest.raises(InputError, match="together") as refused:
        AssignChannels(channels="togeter").apply(new_context(), module)
    assert refused.value.code == "unknown-channels"
