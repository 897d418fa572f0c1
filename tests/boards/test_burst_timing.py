"""Delays, rates and floors of boards' files as whole cycles and units of channels."""

import pytest

from sttest.boards.bursts import BurstTiming, Timing
from sttest.boards.load import load_board
from sttest.compile.channels.memory_ports import tier_channels


def channel(board: str, tier: str = "hbm", clock_mhz: float = 250, beat_bytes: int = 64):
    return tier_channels(load_board(board).tier(tier), clock_mhz, beat_bytes, [0])[0]


def test_a_channel_of_the_u55c_at_250_mhz():
    """Delays round up to cycles of 4 ns; 13.2 GB/s are 52.8 bytes a cycle, 64/52.8 of a cycle 310 of 256 units."""
    found = channel("u55c")
    assert (found.latency, found.busy_latency, found.response, found.busy_response) == (50, 70, 36, 51)
    assert (found.beats_num, found.beats_den, found.units_per_beat(writes=True)) == (256, 310, 310)
    assert (found.random_bytes, found.random_short, found.random_long) == (32, round(6.8 * 64), round(10.5 * 64))
    assert (found.turn_cycles, found.read_turns, found.write_turns) == (36, 2, 3)


def test_ddr_writes_slower_than_it_reads():
    """At 300 MHz a beat of 64 bytes takes 64 / (18.07 / 0.3) cycles to read, 1/0.902 of that to write."""
    found = channel("u280", "ddr", 300)
    assert found.beats_den / 256 == pytest.approx(64 / (18.07 / 0.3), abs=1 / 256)
    assert found.units_per_beat(writes=True) / 256 == pytest.approx(64 / (18.07 * 0.902 / 0.3), abs=1 / 256)
    assert (found.latency, found.response) == (68, 50)


def test_no_faster_than_the_port():
    """A port of 256 bits takes a beat a cycle at most, whatever the memory sustains."""
    found = channel("u280", "ddr", 300, 32)
    assert (found.beats_den, found.units_per_beat(writes=True)) == (256, 256)


def test_a_memory_that_says_nothing_answers_writes_as_late_as_reads():
    flash = channel("u55c", "flash")
    assert flash.response is None
    assert flash.delay(writes=True) == flash.latency + 1
    assert BurstTiming().plain() == Timing()


@pytest.mark.parametrize("board", ["u55c", "u280", "u50", "f2", "v80", "vhk158"])
def test_what_is_fitted_is_at_most_five_per_memory_and_names_its_rows(board):
    timing = load_board(board).memory.hbm.timing
    fitted = [name for name in BurstTiming.model_fields if (each := getattr(timing, name)) and each.kind == "fitted"]
    assert len(fitted) <= 5
    assert all(len(getattr(timing, name).source) > 40 for name in fitted)
