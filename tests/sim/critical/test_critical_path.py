"""The critical path covers the run, and is what one finds by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_graphs import STREAMHLS, chain, graph, memory_graphs, pipeline_graphs, sink, source

from sttest.core.errors import DeadlockError, InputError
from sttest.sim import Actor, ActorPhase, Channel, Fifo, MemoryPort, load, simulate
from sttest.sim.critical_path import breakdown, critical_path


def parts(result) -> list[tuple[str, str, int, int]]:
    return [(s.process, s.kind, s.start_cycle, s.end_cycle) for s in critical_path(result)]


@settings(max_examples=400, deadline=None)
@given(st.one_of(pipeline_graphs(), memory_graphs(), memory_graphs(held=True)), st.booleans())
def test_it_covers_the_run_without_gap_or_overlap(design, unbounded):
    """Every segment begins where the one before ends, the first at 0, whatever of channels and ports bound the run."""
    try:
        result = simulate(design, unbounded=unbounded, record=True)
    except DeadlockError:  # at a channel that an early burst holds
        return
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
    """Four tokens of a beat have waited since cycle 4: taken from 50 on, sent at 53, answered 10 + 1 cycles later."""
    port = MemoryPort("m", "write", "a", 4, 4, ("c",), burst_bytes=16, start=50)
    design = graph([Fifo("a", 8, 32, "srl")], [source("a", 4), port], [Channel("c", 10, 4)])
    assert parts(simulate(design, record=True)) == [
        ("m", "start", 0, 50),
        ("m", "compute", 50, 53),
        ("m", "hbm-latency", 53, 64),
    ]


def reading(tokens, channels, **options):
    """A read port of tokens of 4 bytes into a sink."""
    port = MemoryPort("m", "read", "a", tokens, 4, tuple(channel.name for channel in channels), **options)
    return simulate(graph([Fifo("a", 64, 32, "srl")], [port, sink("a", tokens)], channels), record=True)


def writing(tokens, channel, *, ii=1, token_bytes=4, **options):
    """A source of a token each ``ii`` cycles into a write port."""
    port = MemoryPort("m", "write", "a", tokens, token_bytes, (channel.name,), **options)
    return simulate(graph([Fifo("a", 8, 32, "srl")], [source("a", tokens, ii=ii), port], [channel]), record=True)


def test_one_id_that_goes_on_to_another_channel():
    """Burst 0 leaves c at 4, burst 1 is asked for 10 later, and has beats 20 after that, which are read at once."""
    assert parts(reading(8, [Channel("c", 10, 4), Channel("d", 20, 4)], burst_bytes=16)) == [
        ("m", "hbm-transfer", 0, 4),
        ("m", "hbm-turn", 4, 14),
        ("m", "hbm-latency", 14, 34),
        ("m", "hbm-transfer", 34, 35),
        ("dst", "fifo", 35, 36),
        ("dst", "compute", 36, 40),
    ]


def test_a_request_after_one_that_waited_for_its_channel():
    """Beats of c take ten cycles.  Burst 4 is asked for at 10, as c takes burst 2; burst 5 to d a cycle later."""
    channels = [Channel("c", 0, 4, 1, 10), Channel("d", 30, 4)]
    assert parts(reading(6, channels, burst_bytes=4, ids="many")) == [
        ("m", "hbm-transfer", 0, 10),
        ("m", "hbm-issue", 10, 11),
        ("m", "hbm-latency", 11, 41),
        ("m", "hbm-transfer", 41, 42),
        ("dst", "fifo", 42, 43),
        ("dst", "compute", 43, 44),
    ]


def test_bursts_that_wait_at_their_channel():
    """Of three bursts on each, beats of ten cycles: the last of them ends c's 30, a cycle before d's."""
    channels = [Channel(name, 0, 4, 1, 10) for name in "cd"]
    assert parts(reading(5, channels, burst_bytes=4, ids="many")) == [
        ("m", "hbm-transfer", 0, 30),
        ("dst", "fifo", 30, 31),
        ("dst", "compute", 31, 32),
    ]


def test_a_channel_that_was_busy_until_long_ago():
    """Free at 4, it adds 25 cycles to that: burst 0 of m1, asked for at 15, has beats from 29 on."""
    ports = [MemoryPort(f"m{i}", "read", f"f{i}", 4, 4, ("c",), 16, start=at) for i, at in enumerate((0, 15))]
    sinks = [sink(f"f{i}", 4, name=f"s{i}") for i in range(2)]
    fifos = [Fifo(f"f{i}", 64, 8, "srl") for i in range(2)]
    result = simulate(graph(fifos, [*ports, *sinks], [Channel("c", 10, 4, busy_latency=25)]), record=True)
    assert parts(result) == [
        ("m0", "hbm-transfer", 0, 4),
        ("m1", "hbm-latency", 4, 29),
        ("m1", "hbm-transfer", 29, 30),
        ("s1", "fifo", 30, 31),
        ("s1", "compute", 31, 35),
    ]


def test_gaps_are_work_of_the_port():
    """Tokens at 1, 5 and 9, three cycles behind the burst of each; the last is answered 10 + 1 later."""
    assert parts(writing(3, Channel("c", 10, 8), token_bytes=8, burst_bytes=8, gap=3)) == [
        ("m", "fifo", 0, 1),
        ("m", "compute", 1, 9),
        ("m", "hbm-latency", 9, 20),
    ]


@pytest.mark.parametrize(
    ("latency", "expected"),
    [
        (10, [("m", "fifo", 0, 1), ("m", "hbm-latency", 1, 12)]),
        (2, [("src", "compute", 0, 9), ("m", "fifo", 9, 10), ("m", "hbm-transfer", 10, 11)]),
    ],
)
def test_an_early_write(latency, expected):
    """Asked for with its first token at 1, answered after the latency, or with its last token, which comes at 10."""
    assert parts(writing(4, Channel("c", latency, 4), ii=3, burst_bytes=16, early=True)) == expected


def test_a_read_behind_an_early_write():
    """The write holds the channel until 11, as its last token is written at 9; then the read of cycle 2 comes."""
    ports = [
        MemoryPort("w", "write", "w", 4, 4, ("c",), 16, early=True),
        MemoryPort("r", "read", "r", 4, 4, ("c",), 16, start=2),
    ]
    fifos = [Fifo(name, 9, 8, "srl") for name in "wr"]
    result = simulate(graph(fifos, [*ports, source("w", 4, ii=3), sink("r", 4)], [Channel("c", 5, 4)]), record=True)
    assert parts(result) == [
        ("src", "compute", 0, 9),
        ("w", "fifo", 9, 10),
        ("w", "hbm-transfer", 10, 11),
        ("r", "hbm-latency", 11, 16),
        ("r", "hbm-transfer", 16, 17),
        ("dst", "fifo", 17, 18),
        ("dst", "compute", 18, 22),
    ]


def test_one_id_behind_an_early_write():
    """Tokens at 1, 4, 7 and 10 are a burst for each channel.  The first ends with its last byte, at 5; 6 cycles later

    the second is asked for, and answered.
    """
    port = MemoryPort("m", "write", "a", 4, 4, ("c", "d"), 8, early=True)
    channels = [Channel("c", 0, 4, id_wait=6), Channel("d", 3, 4)]
    result = simulate(graph([Fifo("a", 8, 32, "srl")], [source("a", 4, ii=3), port], channels), record=True)
    assert parts(result) == [
        ("src", "compute", 0, 3),
        ("m", "fifo", 3, 4),
        ("m", "hbm-transfer", 4, 5),
        ("m", "hbm-turn", 5, 11),
        ("m", "hbm-latency", 11, 15),
    ]


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
