"""What keeps a kernel from its channel's bandwidth: public questions, and ports made bad in one way."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from sttest.boards.load import load_board, require_hbm
from sttest.boards.tiers import Tier
from sttest.studies.memory.benchmark import Benchmark, measure
from sttest.studies.memory.families import Asked, measure_like
from sttest.studies.memory.why import FULL, Why, bound_gb_per_s, why


@cache
def tier(board: str = "u55c", name: str = "hbm") -> Tier:
    return require_hbm(load_board(board)).tier(name)


def asked(board: str = "u55c", name: str = "hbm", **conditions: Any) -> Why:
    return why(Asked(**conditions).of(Benchmark(burst_bytes=1024)), tier(board, name))


# --- Public questions


def test_floats_read_one_by_one_wait_for_the_width_of_their_port() -> None:
    """UCLA-VAST/tapa issue 158: 1,000,000 floats in sequence through one HBM channel of a U280 take 3.5 ms (mmap).

    That is 1.14 of 14.4 GB/s.  Clock, bursts and reads in flight are not told: Vitis' 300 MHz, 16 beats, 16 reads.
    Somebody who reads 16 floats at a time gets the channel.
    """
    found = asked("u280", port_bits=32, burst_bytes=64)
    assert found.gb_per_s == pytest.approx(4e6 / 3.5e-3 / 1e9, rel=0.06)
    assert found.causes == ("width of the port",)
    assert found.gains[0].what == "ports of 512 bits"
    assert found.gains[0].gb_per_s > FULL * found.bound_gb_per_s
    assert all(gain.gain < 1.01 for gain in found.gains[1:])


def test_ports_are_not_why_an_example_hangs_on_a_card_of_75_w() -> None:
    """Xilinx/SDAccel_Examples issue 55: hbm_bandwidth, eight units of two ports that read and two that write, hangs
    on a U50.  The answer there: it takes more power than a U50 may; take fewer units.  Every port has a channel of its
    own, which it fills, so that nothing about ports would help.
    """
    copies = Benchmark("both", burst_bytes=1024, joined=True, masters=16)
    found = why(copies, tier("u50"))
    assert copies.channels_used == tier("u50").channels == 32
    assert found.causes == ()
    assert all(gain.gain < 1.02 for gain in found.gains)
    u50, u280 = (require_hbm(load_board(name)) for name in ("u50", "u280"))
    assert u50.power.tdp_w.value < u280.power.tdp_w.value / 2, "on which all eight run at 421 GB/s"


def test_a_write_that_waits_for_its_response_lacks_bursts_in_flight() -> None:
    """Xilinx/Vitis-HLS-Introductory-Examples issue 6: the next burst is not prepared until the last is answered."""
    found = asked(op="write", outstanding=1)
    assert found.causes[0] == "bursts in flight"
    assert found.gb_per_s < 0.5 * found.bound_gb_per_s
    assert found.steps[-1].gb_per_s > FULL * found.bound_gb_per_s


# --- Ports made bad in one way


@pytest.mark.parametrize(
    ("conditions", "cause"),
    [
        ({"port_bits": 64}, "width of the port"),
        ({"outstanding": 1, "burst_bytes": 4096}, "bursts in flight"),
        ({"masters": 4}, "others on the same channel"),
        ({"kernel_cycles": 64}, "cycles of the kernel per transaction"),
        ({"channels": 2, "pattern": "random", "burst_bytes": 4096, "outstanding": 64}, "one ID over several channels"),
        ({"pattern": "random", "burst_bytes": 64, "master": "rtl", "outstanding": 256}, "random accesses"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_is_bad_is_found(conditions: dict[str, Any], cause: str) -> None:
    found = asked(**conditions)
    assert found.causes[0] == cause
    assert found.steps[0].gain > 1.1


def test_pauses_of_the_adapter_are_found_where_bursts_cannot_be_longer() -> None:
    short = Benchmark("write", burst_bytes=64 * 4, outstanding=64)
    gains = {gain.what: gain.gain for gain in why(short, tier()).gains}
    assert gains["no pause after a burst"] == pytest.approx(13.2 / 9.6, rel=0.01)


def test_steps_build_on_each_other_and_fill_the_channel() -> None:
    found = asked(port_bits=32, burst_bytes=64, outstanding=1)
    assert set(found.causes) >= {"width of the port", "bursts in flight"}
    speeds = [found.gb_per_s, *(step.gb_per_s for step in found.steps)]
    assert speeds == sorted(speeds)
    assert speeds[-1] > FULL * found.bound_gb_per_s
    for before, step in zip(speeds, found.steps, strict=False):
        assert step.gain == pytest.approx(step.gb_per_s / before)


def test_each_gain_is_that_of_its_ports_simulated() -> None:
    found = asked(port_bits=128, outstanding=2, burst_bytes=256)
    gains = [gain.gain for gain in found.gains]
    assert gains == sorted(gains, reverse=True)
    for gain in found.gains:
        better = gain.changes[0].of(found.conditions)
        assert gain.gb_per_s == pytest.approx(measure(better, tier()).gb_per_s)


def test_a_full_channel_has_nothing_in_the_way() -> None:
    found = asked(burst_bytes=4096)
    assert (found.causes, found.steps) == ((), ())
    assert found.gb_per_s == pytest.approx(found.bound_gb_per_s, rel=5e-3)


def test_the_bound_is_of_the_directions_that_are_asked_for() -> None:
    ddr = tier("u280", "ddr")
    assert bound_gb_per_s(Benchmark("write"), ddr) == pytest.approx(18.07 * 0.902)
    apart, shared = Benchmark("both"), replace(Benchmark("both"), shared=True)
    assert bound_gb_per_s(apart, ddr) == pytest.approx(18.07 * 1.902)
    assert bound_gb_per_s(shared, ddr) == pytest.approx(18.07 * 1.902 / 2)


# --- Public benchmarks with other conditions


def test_conditions_that_are_asked_for_take_the_place_of_the_benchmarks() -> None:
    rows = measure_like("random-access", "u50", tier("u50"), Asked(channels=4, ids="one", burst_bytes=64, master="hls"))
    (row,) = rows
    assert (row.conditions.channels, row.conditions.kernel_cycles, row.conditions.gap) == (4, 4, None)
    # three in four turn to another channel, and wait there for the ID
    assert row.measured.slowest.transaction_ns == pytest.approx(13.3 + 0.75 * 141, rel=0.03)


def test_published_figures_stand_beside_the_conditions_that_they_are_of() -> None:
    rows = measure_like("axi-burst", "u280", tier("u280", "ddr"))
    assert len(rows) == 24
    assert all(row.of("port") for row in rows)
    assert [row.of("port") for row in measure_like("axi-burst", "v80", tier("v80", "ddr"))] == [None] * 24


def test_a_memory_of_few_channels_has_fewer_rows() -> None:
    rows = measure_like("random-access", "u280", tier("u280", "ddr"))
    assert {row.conditions.channels for row in rows} == {1, 2}
