"""Laws of the assignment of DMAs to channels."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.compile.channels.memory_ports import PortDemand, channels_apart
from sttest.core.errors import DoesNotFitError

RATE = 32.0
BURST = 4096

SLICES = st.sampled_from((1, 2, 4, 16))
DEMANDS = st.lists(
    st.tuples(st.booleans(), st.integers(1, 10_000_000), st.integers(1, 200_000), st.booleans(), SLICES),
    min_size=1,
    max_size=20,
).map(lambda rows: [PortDemand(f"dma{number}", *row) for number, row in enumerate(rows)])


@given(DEMANDS, st.integers(22, 40))
def test_every_dma_has_channels_of_the_board(demands: list[PortDemand], channels: int) -> None:
    given_channels = channels_apart(demands, channels, RATE, BURST)
    assert set(given_channels) == {demand.name for demand in demands}
    for demand in demands:
        numbers = given_channels[demand.name]
        assert len(numbers) in (1, 2, 4, 8, 16)
        assert len(numbers) <= max(1, min(demand.most_slices, demand.total_bytes // BURST))
        assert len(set(numbers)) == len(numbers)
        assert all(0 <= number < channels for number in numbers)


@given(DEMANDS, st.integers(22, 40))
def test_only_small_dmas_of_one_direction_and_kind_share(demands: list[PortDemand], channels: int) -> None:
    given_channels = channels_apart(demands, channels, RATE, BURST)
    small = 0.25 * sum(demand.total_bytes for demand in demands) / channels
    for demand in demands:
        for other in demands:
            if demand is not other and set(given_channels[demand.name]) & set(given_channels[other.name]):
                assert (demand.writes, demand.parameters) == (other.writes, other.parameters)
                assert max(demand.total_bytes, other.total_bytes) < small


@given(DEMANDS, st.integers(22, 40))
def test_no_spare_channel_is_left_while_one_would_help(demands: list[PortDemand], channels: int) -> None:
    given_channels = channels_apart(demands, channels, RATE, BURST)
    used = {number for numbers in given_channels.values() for number in numbers}
    small = 0.25 * sum(demand.total_bytes for demand in demands) / channels
    for demand in demands:
        width = len(given_channels[demand.name])
        most = min(demand.most_slices, demand.total_bytes // BURST)
        if demand.total_bytes >= small and 2 * width <= most and len(used) + width <= channels:
            assert demand.cycles(width, RATE) == demand.cycles(2 * width, RATE)


@given(st.integers(1, 20), st.integers(1, 200_000), st.integers(22, 39))
def test_a_channel_more_never_slows_the_slowest_of_equal_dmas(dmas: int, busy_cycles: int, channels: int) -> None:
    # Of different ones it may: what one more doubles may leave the slowest too few for its next step.
    even = [PortDemand(f"dma{number}", False, 1_000_000, busy_cycles, True, 16) for number in range(dmas)]

    def slowest_cycles(count: int) -> float:
        found = channels_apart(even, count, RATE, BURST)
        return max(demand.cycles(len(found[demand.name]), RATE) for demand in even)

    assert slowest_cycles(channels + 1) <= slowest_cycles(channels)


def test_spare_channels_go_where_they_save_most() -> None:
    # By hand: 8 and 3 MB.  One each; then halves of 8 MB (they save 125 000 cycles); then its quarters (62 500) come
    # before halves of 3 MB (46 875), if there are two channels for them.
    demands = [PortDemand("large", False, 8_000_000, 1, True, 16), PortDemand("less", False, 3_000_000, 1, True, 16)]
    assert channels_apart(demands, 4, RATE, BURST) == {"large": (0, 1), "less": (2, 3)}
    assert channels_apart(demands, 5, RATE, BURST) == {"large": (0, 1, 2, 3), "less": (4,)}


def test_what_cannot_be_cut_stays_on_one_channel() -> None:
    demands = [PortDemand("large", False, 8_000_000, 1), PortDemand("short", False, 2 * BURST, 1, True, 16)]
    assert channels_apart(demands, 32, RATE, BURST) == {"large": (0,), "short": (1,)}


def test_small_reads_share_one_channel_and_small_writes_another() -> None:
    demands = [
        PortDemand("weights", False, 8_000_000, 1, True, 4),
        PortDemand("bias", False, 64, 1),
        PortDemand("result", True, 128, 1),
        PortDemand("scale", False, 64, 1),
    ]
    found = channels_apart(demands, 6, RATE, BURST)
    assert found["bias"] == found["scale"] != found["result"]
    assert len(found["weights"]) == 4


def test_too_many_dmas_name_the_gap() -> None:
    demands = [PortDemand(f"dma{number}", False, 1000, 1) for number in range(5)]
    with pytest.raises(DoesNotFitError) as refused:
        channels_apart(demands, 4, RATE, BURST)
    assert (refused.value.demand, refused.value.bound, refused.value.unit) == (5, 4, "channels")


@given(DEMANDS, st.integers(22, 40))
def test_small_dmas_share_only_where_channels_run_out(demands: list[PortDemand], channels: int) -> None:
    given_channels = channels_apart(demands, channels, RATE, BURST)
    users = Counter(number for numbers in given_channels.values() for number in numbers)
    small = 0.25 * sum(demand.total_bytes for demand in demands) / channels
    shared = [demand for demand in demands if users[given_channels[demand.name][0]] > 1]
    assert not shared or len(users) == channels
    apart = [demand for demand in demands if demand.total_bytes < small and demand not in shared]
    kinds = Counter(demand.shares_with for demand in demands if demand.total_bytes < small)
    for demand in apart:
        if kinds[demand.shares_with] > 1:
            assert all(
                other.total_bytes <= demand.total_bytes for other in shared if other.shares_with == demand.shares_with
            )
