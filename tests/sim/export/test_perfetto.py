"""The Perfetto trace: JSON of the known form, real time, and the numbers of the run."""

import json
from collections import Counter, defaultdict

import pytest
from sim_graphs import STREAMHLS, chain, reconvergent

from sttest.core.errors import InputError
from sttest.sim import Channel, Fifo, Loop, MemoryPort, Pipeline, TimedGraph, load, simulate
from sttest.sim.export import write_trace
from sttest.sim.graph import Event
from sttest.testing.corpus import case


def trace_of(simulation, tmp_path):
    write_trace(simulation, tmp_path / "trace.json")
    return json.loads((tmp_path / "trace.json").read_text())["traceEvents"]


def test_a_track_per_process_and_a_counter_per_fifo(tmp_path):
    design = load(case("fork_join_residual").live_path)
    result = simulate(design, record=True)
    events = trace_of(result, tmp_path)
    titles = [event["args"]["name"] for event in events if event["name"] == "thread_name"]
    assert titles == ["fork (fork)", "norm (compute, aten.layer_norm)", "add (compute, aten.add)"]
    counters = defaultdict(list)
    for event in events:
        if event["ph"] == "C":
            counters[event["name"]].append(event["args"]["tokens"])
    assert {name: max(values) for name, values in counters.items()} == result.max_occupancy
    assert all(values[-1] == 0 for values in counters.values())


def test_times_are_microseconds_at_the_clock(tmp_path):
    result = simulate(chain(2), record=True)
    ends = [event["ts"] + event["dur"] for event in trace_of(result, tmp_path) if event["ph"] == "X"]
    assert max(ends) == pytest.approx(result.cycles / 300.0)


def test_slices_have_the_sums_of_the_breakdown(tmp_path):
    design = load(case("shared_memory_port").live_path)
    result = simulate(design, record=True)
    sums = Counter()
    for event in trace_of(result, tmp_path):
        if event["ph"] == "X":
            sums[design.processes[event["tid"]].name, event["name"]] += event["args"]["cycles"]
    for name, part in result.breakdown.items():
        assert sums[name, "compute"] == part.busy_cycles
        assert sums[name, "stall-in"] == part.stall_in_cycles
        assert sums[name, "stall-out"] == part.stall_out_cycles
        assert sums[name, "memory"] == part.memory_wait_cycles


def test_bandwidth_is_that_of_the_channel(tmp_path):
    """A port that never waits for its FIFO moves 32 bytes per cycle: 9.6 GB/s at 300 MHz."""
    port = MemoryPort("m", "read", "a", 4096, 32, ("c",), 4096, 16)
    sink = Pipeline("p", (Loop((4096,), 1, 1, (Event("a", "read", 0),)),))
    design = TimedGraph("g", 300.0, (Fifo("a", 64, 256),), (port, sink), (Channel("c", 10, 32),))
    result = simulate(design, record=True)
    events = [event for event in trace_of(result, tmp_path) if event["ph"] == "C" and event["name"] == "c"]
    ends = [event["ts"] for event in events[1:]] + [result.cycles / 300.0]
    moved_bytes = sum(e["args"]["GB/s"] * (end - e["ts"]) * 1000 for e, end in zip(events, ends, strict=True))
    assert moved_bytes == pytest.approx(4096 * 32, rel=1e-3)


def test_a_long_run_stays_small(tmp_path):
    design = load(STREAMHLS / "transformers_opt5_feedforward.json")
    result = simulate(design, record=True)
    assert result.fifo_events > 1_000_000
    events = trace_of(result, tmp_path)
    assert len(events) < 260_000
    assert (tmp_path / "trace.json").stat().st_size < 30_000_000


def test_a_deadlock_has_a_trace_too(tmp_path):
    events = trace_of(simulate(reconvergent(2), record=True), tmp_path)
    last = {event["tid"]: event["name"] for event in events if event["ph"] == "X"}
    assert last == {0: "stall-out", 1: "stall-in", 2: "stall-in"}


def test_what_has_no_trace_is_refused(tmp_path):
    with pytest.raises(InputError, match="record=True"):
        write_trace(simulate(chain(2)), tmp_path / "t.json")
    with pytest.raises(InputError, match="can't write"):
        write_trace(simulate(chain(2), record=True), tmp_path / "no" / "t.json")
