"""The memory law in hardware: every access in the same cycle as in SimPy, and the law's corners by hand."""

import pytest
from memory_law_graphs import law_graphs
from rtl_graphs import check, drawn, needs
from sim_graphs import graph, memory_graphs, sink, source

from sttest.sim import Channel, Fifo, MemoryPort, simulate
from sttest.sim.simpy_engine import run
from sttest.targets.rtl import emulate_all


def reading(tokens: int, channels: list[Channel], *, ports: int = 1, **options):
    """Read ports of 4-byte tokens over all channels, each into a sink that takes one per cycle."""
    names = tuple(channel.name for channel in channels)
    processes = [MemoryPort(f"m{n}", "read", f"f{n}", tokens, 4, names, **options) for n in range(ports)]
    sinks = [sink(f"f{n}", tokens, name=f"s{n}") for n in range(ports)]
    return graph([Fifo(f"f{n}", 64, 8, "srl") for n in range(ports)], [*processes, *sinks], channels)


def writing(tokens: int, channel: Channel, *, ii: int = 1, **options):
    """A source of a 4-byte token every ``ii`` cycles, the first there in cycle 1, into a write port."""
    port = MemoryPort("m", "write", "f", tokens, 4, (channel.name,), **options)
    return graph([Fifo("f", 64, 8, "srl")], [source("f", tokens, ii=ii), port], [channel])


def leaving():
    """Three bursts of 8 bytes, written early in tokens of 6 that come in 1, 11, 21 and 31, the last to channel d."""
    port = MemoryPort("m", "write", "f", 4, 6, ("c", "d"), 8, early=True)
    channels = [Channel(name, 0, 4, response=50, id_wait=5) for name in "cd"]
    return graph([Fifo("f", 64, 8, "srl")], [source("f", 4, ii=10), port], channels)


def first_come():
    """A read and a write port that ask in the same cycle, 1, for the first burst of a channel."""
    ports = [MemoryPort("w", "write", "a", 1, 4, ("c",)), MemoryPort("r", "read", "b", 1, 4, ("c",), start=1)]
    fifos = [Fifo("a", 2, 8, "srl"), Fifo("b", 2, 8, "srl")]
    return graph(fifos, [*ports, source("a", 1), sink("b", 1)], [Channel("c", 3, 4)])


def late():
    """A burst of 3 beats at 2 per cycle, and in cycle 3 one of another port, of 2 beats that are one token."""
    ports = [MemoryPort("m0", "read", "a", 3, 4, ("c",), 12), MemoryPort("m1", "read", "b", 1, 8, ("c",), 8, start=3)]
    fifos = [Fifo("a", 4, 8, "srl"), Fifo("b", 2, 8, "srl")]
    return graph(
        fifos, [*ports, sink("a", 3), sink("b", 1, name="dst1")], [Channel("c", 2, 4, beats_num=2, busy_latency=4)]
    )


@needs("icarus")
def test_corners_of_the_law_by_hand(tmp_path):
    designs = [
        # Bursts of 3 beats at 2 per cycle: the second begins at 1.5, and its first beat comes with the last one of the
        # first, in cycle 2.
        reading(3, [Channel("c", 0, 4, beats_num=2)], ports=2, burst_bytes=12),
        # The read is taken in 1, its beat comes in 1 + 3 + 1; the write in 2, its response in 2 + 4.
        first_come(),
        # Two beats of the first burst pass until 2, and one ID waits 7 cycles until it asks the other channel.
        reading(4, [Channel("c", 5, 4, id_wait=7), Channel("d", 0, 4)], burst_bytes=8),
        # The burst asked for in 8 passes until 16; its response does not wait for that.
        writing(8, Channel("c", 9, 4, response=3)),
        # The channel is free for the second burst in 2, takes it then, and its beat comes in 2 + 20 + 1.
        reading(3, [Channel("c", 5, 4, busy_latency=20)], burst_bytes=8),
        # A token per burst, each 3 cycles later than it could be.
        writing(3, Channel("c", 0, 4), burst_bytes=4, gap=3),
        # Taken with its first token, in 1; the second one comes in 11, and no response before 12.
        writing(2, Channel("c", 0, 4, response=2), ii=10, early=True),
        # Channel c is left 5 cycles after the second burst, which holds it through 21, and d answers 50 after 27.
        leaving(),
        # The channel was free at 1.5, so that the first beats of the burst of cycle 3 come from 5.5 on, not from 3 + 2.
        late(),
    ]
    runs = check(designs, "icarus", tmp_path)
    together, first, ids, posted, busy, gaps, early, left, later = runs
    assert [together.writes[name].tolist() for name in ("f0", "f1")] == [[1, 2, 3], [2, 3, 4]]
    assert (first.writes["b"].tolist(), first.finish["w"]) == ([5], 6)
    assert ids.writes["f0"].tolist() == [6, 7, 10, 11]
    assert posted.finish["m"] == 11
    assert busy.writes["f0"].tolist() == [6, 7, 23]
    assert gaps.reads["f"].tolist() == [1, 5, 9]
    assert (early.reads["f"].tolist(), early.finish["m"]) == ([1, 11], 12)
    assert left.finish["m"] == 77
    assert later.writes["b"].tolist() == [7]


SHORT = law_graphs().filter(lambda design: (simulate(design, "simpy").cycles or 0) <= 800)
"""Three of four graphs: all are clocked until the longest is through."""


@pytest.mark.daily
@needs("icarus")
def test_random_graphs(tmp_path):
    check(drawn(SHORT, 20, 1), "icarus", tmp_path)


@pytest.mark.daily
@needs("icarus")
def test_a_channel_that_is_held_for_ever(tmp_path):
    """The hardware stands still, and every access until then is in the same cycle as in SimPy."""
    designs = drawn(memory_graphs(held=True).filter(lambda design: None in run(design).finish), 15, 1)
    for design, found in zip(designs, emulate_all(designs, "icarus", tmp_path), strict=True):
        expected = run(design)
        assert found.verdict == "deadlock"
        assert [found.finish[process.name] for process in design.processes] == expected.finish
        for number, fifo in enumerate(design.fifos):
            assert found.writes[fifo.name].tolist() == expected.writes[number].tolist()
            assert found.reads[fifo.name].tolist() == expected.reads[number].tolist()


@pytest.mark.nightly
@needs("icarus")
@pytest.mark.parametrize("number", range(2, 8))
def test_300_random_graphs(number, tmp_path):
    check(drawn(SHORT, 50, number), "icarus", tmp_path)


@pytest.mark.slow
@pytest.mark.nightly
@needs("verilator")
@pytest.mark.usefixtures("quick_build")
def test_random_graphs_in_verilator(tmp_path):
    check(drawn(SHORT, 25, 8), "verilator", tmp_path)
