"""The critical path covers the run, and is what one finds by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_graphs import STREAMHLS, chain, graph, memory_graphs, pipeline_graphs, sink, source

from sttest.core.errors import InputError
from sttest.sim import Actor, ActorPhase, Channel, Fifo, MemoryPort, load, simulate
from sttest.sim.critical_path import breakdown, critical_path


def parts(result) -> list[tuple[str, str, int, int]]:
    return [(s.process, s.kind, s.start_cycle, s.end_cycle) for s in critical_path(result)]


@settings(max_examples=200, deadline=None)
@given(st.one_of(pipeline_graphs(), memory_graphs()), st.booleans())
def test_it_covers_the_run_without_gap_or_overlap(design, unbounded):
    result = simulate(design, unbounded=unbounded, record=True)
    if result.verdict == "deadlock":
        return
    end = 0
    for segment in critical_path(result):
        assert segment.start_cycle == end
        assert segment.cycles > 0
        end = segment.end_cycle
    assert end == result.cycles
    items = breakdown(result)
    assert sum(items.by_kind.values()) == sum(items.by_process.values()) == result.cycles


def test_a_late_source():
    """src writes its last token at stage 9 + 2 = 11; one cycle through the FIFO; dst's last stage."""
    design = graph([Fifo("a", 2, 8, "srl")], [source("a", 10, latency=3), sink("a", 10)])
    assert parts(simulate(design, record=True)) == [
        ("src", "compute", 0, 2),
        ("dst", "fifo", 2, 3),
        ("dst", "compute", 3, 13),
    ]


def test_a_slow_sink_and_a_shallow_fifo():
    """One place, srl: each token one cycle through the FIFO and its place one cycle back."""
    assert parts(simulate(chain(1, 3), record=True)) == [
        ("dst", "fifo", 0, 1),
        ("src", "stall-out", 1, 2),
        ("dst", "fifo", 2, 3),
        ("src", "stall-out", 3, 4),
        ("dst", "fifo", 4, 5),
        ("dst", "compute", 5, 6),
    ]


def test_a_burst():
    """Two bursts of two beats on one channel of 10 cycles' latency; two tokens each."""
    port = MemoryPort("m", "read", "a", 4, 4, ("c",), burst_bytes=8, start=5, category="dma")
    design = graph([Fifo("a", 8, 32, "srl")], [port, sink("a", 4)], [Channel("c", 10, 4)])
    result = simulate(design, record=True)
    assert parts(result) == [
        ("m", "start", 0, 5),
        ("m", "hbm-latency", 5, 15),
        ("m", "hbm-transfer", 15, 16),
        ("dst", "fifo", 16, 17),
        ("dst", "compute", 17, 21),
    ]
    assert breakdown(result).by_kind["dma", "hbm-latency"] == 10


def test_a_port_that_is_last():
    """A burst of four beats, of which the first is there after cycle 10, a token each; only one of them is read."""
    port = MemoryPort("m", "read", "a", 4, 4, ("c",), burst_bytes=16)
    design = graph([Fifo("a", 8, 32, "srl")], [port, sink("a", 1)], [Channel("c", 10, 4)])
    assert parts(simulate(design, record=True)) == [
        ("m", "hbm-latency", 0, 10),
        ("m", "hbm-transfer", 10, 11),
        ("m", "compute", 11, 15),
    ]


def test_a_write_port_that_starts_late():
    """Four tokens have waited since cycle 4: taken from 50 on, sent with the last, answered 11 cycles later."""
    port = MemoryPort("m", "write", "a", 4, 4, ("c",), burst_bytes=16, start=50)
    design = graph([Fifo("a", 8, 32, "srl")], [source("a", 4), port], [Channel("c", 10, 4)])
    found = parts(simulate(design, record=True))
    assert found[0] == ("m", "start", 0, 50)
    assert found[1:] == [("m", "compute", 50, 53), ("m", "hbm-latency", 53, 64)]


@pytest.mark.parametrize("design", ["synthetic_opt5_k7mmtree_balanced", "transformers_opt5_feedforward"])
def test_of_a_real_design(design):
    result = simulate(load(STREAMHLS / f"{design}.json"), record=True)
    assert sum(breakdown(result).by_process.values()) == result.cycles


def test_it_needs_a_recorded_run_that_finishes():
    with pytest.raises(InputError, match="record=True"):
        critical_path(simulate(chain(2)))
    broken = graph([Fifo("a", 2, 8)], [source("a", 2), sink("a", 3)])
    with pytest.raises(InputError, match="does not finish"):
        critical_path(simulate(broken, record=True))
    taker = graph([Fifo("a", 2, 8)], [source("a", 2), Actor("y", (ActorPhase(1, {"a": 1}, {}),), 2)])
    with pytest.raises(InputError, match="critical paths are of pipelines and memory ports only") as caught:
        critical_path(simulate(taker, record=True))
    assert caught.value.code == "actors"
