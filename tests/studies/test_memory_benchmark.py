"""Benchmarks of memories as timed graphs, beside arithmetic of their own."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import pytest

from sttest.boards.load import load_board, require_hbm
from sttest.boards.tiers import Tier
from sttest.core.errors import InputError
from sttest.studies.memory.benchmark import Benchmark, Op, alternating, benchmark_graph, measure

CYCLE_NS = 1e3 / 300


@cache
def tier(board: str = "u55c", name: str = "hbm") -> Tier:
    return require_hbm(load_board(board)).tier(name)


@pytest.mark.parametrize(
    "conditions",
    [
        Benchmark("read", burst_bytes=512, outstanding=4, total_bytes=1 << 14),
        Benchmark("write", burst_bytes=256, outstanding=2, total_bytes=1 << 13),
        Benchmark("both", burst_bytes=1024, shared=True, joined=True, total_bytes=1 << 14),
        Benchmark("both", burst_bytes=1024, shared=True, gap=0, kernel_cycles=40, masters=2, total_bytes=1 << 13),
        Benchmark("read", burst_bytes=64, channels=3, pattern="random", kernel_cycles=4, total_bytes=1 << 13),
        Benchmark("read", port_bits=256, burst_bytes=32, channels=4, pattern="random", ids="many", total_bytes=1 << 13),
    ],
    ids=lambda conditions: f"{conditions.op}-{conditions.pattern}-{conditions.masters}",
)
def test_engines_agree_to_the_cycle(conditions: Benchmark) -> None:
    assert measure(conditions, tier(), "simpy") == measure(conditions, tier(), "maxplus")


@pytest.mark.parametrize(("board", "name"), [("u55c", "hbm"), ("u280", "ddr"), ("f2", "hbm"), ("v80", "hbm")])
@pytest.mark.parametrize("op", ["read", "write"])
def test_long_streams_get_what_a_channel_sustains(board: str, name: str, op: Op) -> None:
    memory = tier(board, name)
    sustained = memory.gb_per_s_per_channel * (memory.timing.write_over_read if op == "write" else 1)
    assert measure(Benchmark(op, gap=0), memory).gb_per_s == pytest.approx(sustained, rel=4e-3)  # units of 1/256 cycle


@pytest.mark.parametrize(("bits", "clock_mhz"), [(32, 300), (64, 250), (128, 450)])
def test_a_narrow_port_takes_a_beat_per_cycle_and_leaves_the_channel_to_others(bits: int, clock_mhz: float) -> None:
    beat_gb_per_s = bits / 8 * clock_mhz / 1e3
    one = Benchmark(clock_mhz=clock_mhz, port_bits=bits, outstanding=64, burst_bytes=bits // 8 * 16)
    assert measure(one, tier()).gb_per_s == pytest.approx(beat_gb_per_s, rel=1e-3)
    shared = measure(replace(one, masters=2, shared=True), tier()).gb_per_s
    assert shared == pytest.approx(min(2 * beat_gb_per_s, tier().gb_per_s_per_channel), rel=4e-3)


@pytest.mark.parametrize("burst_bytes", [64, 1024, 4096])
def test_one_burst_in_flight_takes_latency_and_transfer(burst_bytes: int) -> None:
    found = measure(Benchmark(burst_bytes=burst_bytes, outstanding=1), tier()).slowest
    assert found.latency_ns == pytest.approx(tier().latency_ns + CYCLE_NS)  # its first beat is a cycle on the way
    transfer_ns = burst_bytes / tier().gb_per_s_per_channel
    assert found.transaction_ns == pytest.approx(tier().latency_ns + transfer_ns, abs=3 * CYCLE_NS)


@pytest.mark.parametrize("outstanding", [3, 8, 32])
def test_the_latency_of_a_full_window_follows_from_its_length(outstanding: int) -> None:
    """Little's law: so many bursts at the channel's pace, less the one whose first beat comes."""
    found = measure(Benchmark(outstanding=outstanding), tier()).slowest
    assert found.latency_ns == pytest.approx((outstanding - 1) * found.transaction_ns, abs=2 * CYCLE_NS)


@pytest.mark.parametrize("beats", [4, 16, 32])
def test_the_adapter_pauses_after_a_write_burst(beats: int) -> None:
    conditions = Benchmark("write", port_bits=256, burst_bytes=32 * beats, outstanding=32)
    assert measure(conditions, tier("u280", "ddr")).slowest.transaction_ns == pytest.approx((beats + 4) * CYCLE_NS)
    rtl = replace(conditions, gap=0)
    assert measure(rtl, tier("u280", "ddr")).slowest.transaction_ns == pytest.approx(beats * CYCLE_NS, rel=2e-3)


@pytest.mark.parametrize("cycles", [5, 12])
def test_a_kernel_sets_the_pace_where_it_needs_more_cycles(cycles: int) -> None:
    conditions = Benchmark(burst_bytes=64, outstanding=64, kernel_cycles=cycles)
    assert measure(conditions, tier()).slowest.transaction_ns == pytest.approx(cycles * CYCLE_NS)


def test_random_bursts_take_the_time_of_a_row() -> None:
    rtl = Benchmark(port_bits=256, burst_bytes=32, outstanding=64, pattern="random", gap=0)
    assert measure(rtl, tier()).slowest.transaction_ns == pytest.approx(tier().timing.short_access_ns, rel=2e-3)
    longer = replace(rtl, port_bits=512, burst_bytes=64)
    assert measure(longer, tier()).slowest.transaction_ns == pytest.approx(tier().timing.access_ns, rel=2e-3)


def test_one_id_waits_where_it_turns_and_many_do_not() -> None:
    """Half of the bursts go to the other channel, and wait for their own time, a latency and the wait of an ID."""
    one = Benchmark(burst_bytes=64, outstanding=128, channels=2, pattern="random", kernel_cycles=4)
    wait_ns = tier().timing.id_wait_ns
    assert wait_ns is not None
    turning = 4 * CYCLE_NS + (wait_ns - 4 * CYCLE_NS + tier().timing.access_ns) / 2
    assert measure(one, tier()).slowest.transaction_ns == pytest.approx(turning, rel=0.05)
    assert measure(replace(one, ids="many"), tier()).slowest.transaction_ns == pytest.approx(4 * CYCLE_NS)


def test_masters_apart_do_not_meet_and_those_on_a_channel_share_it() -> None:
    one = measure(Benchmark(), tier())
    apart, shared = (measure(Benchmark(masters=4, shared=each), tier()) for each in (False, True))
    assert apart.gb_per_s == pytest.approx(4 * one.gb_per_s)
    assert len(apart.ports) == 4
    assert shared.gb_per_s == pytest.approx(one.gb_per_s, rel=2e-3)
    assert shared.slowest.gb_per_s == pytest.approx(one.gb_per_s / 4, rel=2e-2)


def test_ports_that_a_kernel_joins_go_at_one_pace() -> None:
    copy = measure(Benchmark("both", burst_bytes=1024, joined=True), tier("u280", "ddr"))
    assert copy.of("read").gb_per_s == pytest.approx(copy.of("write").gb_per_s, rel=1e-3)
    assert copy.slowest.transaction_ns == pytest.approx(20 * CYCLE_NS)  # 16 beats and the pause


def test_a_number_of_bytes_counts_from_the_first_request_to_the_end() -> None:
    short = measure(Benchmark(burst_bytes=64, total_bytes=64), tier()).slowest
    cycles = math.ceil(tier().latency_ns / CYCLE_NS) + 4
    assert short.transaction_ns == pytest.approx(cycles * CYCLE_NS, abs=2 * CYCLE_NS)


def test_blocks_by_turns_take_the_time_of_each() -> None:
    conditions = Benchmark(burst_bytes=1024, total_bytes=8192)
    read_ns, write_ns = (8192 / measure(replace(conditions, op=op), tier()).gb_per_s for op in ("read", "write"))
    assert alternating(conditions, 2, tier()) == pytest.approx(3 * 8192 / (2 * read_ns + write_ns))


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        (Benchmark(masters=33), "more channels than the memory has"),
        (Benchmark("both", masters=17), "more channels than the memory has"),
        (Benchmark(burst_bytes=100), "whole beats"),
        (Benchmark(port_bits=12), "whole bytes"),
        (Benchmark(outstanding=0), "outstanding"),
    ],
)
def test_what_cannot_be_is_refused(conditions: Benchmark, told: str) -> None:
    with pytest.raises(InputError, match=told):
        measure(conditions, tier())


def test_the_graph_has_a_port_and_a_kernel_for_each_direction_of_a_master() -> None:
    graph = benchmark_graph(Benchmark("both", masters=3, shared=True, burst_bytes=1024), tier())
    assert [process.name for process in graph.processes[:4]] == ["read0", "write0", "kernel.read0", "kernel.write0"]
    assert (len(graph.processes), len(graph.fifos), len(graph.channels)) == (12, 6, 1)
