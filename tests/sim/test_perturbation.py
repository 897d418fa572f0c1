"""What binds a run, by small graphs whose reason is known."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from sttest.compile.compiler import compile_text
from sttest.core.errors import DeadlockError, InputError
from sttest.frontend.shipped import lowered_text
from sttest.sim import load, simulate
from sttest.sim.graph import Actor, ActorPhase, Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph, Trace
from sttest.sim.perturbation import SLOW, THINGS, _cycles, _told_in_elevenths, gains
from sttest.testing.corpus import cases

STEPS = 2000


def chain(
    beats_den: int = 1, ii: int = 1, latency: int = 5, hbm_latency: int = 20, steps: int = STEPS, work: int = 1
) -> TimedGraph:
    """A load, a pipeline of ``work`` iterations per token, a store."""
    events = (Event("in", "read", 0, (None, 0)), Event("out", "write", latency - 1, (None, work - 1)))
    loop = Loop((steps, work), ii, latency, events)
    return TimedGraph(
        "chain",
        250.0,
        (Fifo("in", 16, 512), Fifo("out", 16, 512)),
        (
            MemoryPort("load", "read", "in", steps, 64, ("a",), category="dma"),
            Pipeline("work", (loop,), category="compute"),
            MemoryPort("store", "write", "out", steps, 64, ("b",), category="dma"),
        ),
        (Channel("a", hbm_latency, 64, 1, beats_den), Channel("b", hbm_latency, 64, 1, 1)),
    )


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (chain(work=4), "lanes"),
        (chain(ii=4), "lanes"),
        (chain(beats_den=5), "bandwidth"),
        (chain(latency=2000, steps=50), "latency"),
        (chain(hbm_latency=900, steps=10), "latency"),
    ],
    ids=["four iterations per token", "an interval of four", "a beat in five cycles", "a deep pipeline", "far memory"],
)
def test_a_tenth_more_of_what_binds_alone_gains_nearly_a_tenth(graph, expected):
    found = gains(graph)
    assert max((thing for thing in THINGS if thing != "clock"), key=lambda thing: found[thing]) == expected
    assert found[expected] == pytest.approx(0.1, abs=0.01)
    assert sum(found[thing] for thing in THINGS if thing != "clock") < 0.105


def with_memory(graph: TimedGraph, ports: dict[str, object], *channels: Channel) -> TimedGraph:
    """The graph with other fields of its memory ports, by name and field, and with channels for those of a name."""
    named = {channel.name: channel for channel in (*graph.channels, *channels)}
    processes = tuple(
        replace(each, **{field: value for place, value in ports.items() for name, field in [place.split(".")]
                         if name == each.name})
        for each in graph.processes
    )  # fmt: skip
    return replace(graph, processes=processes, channels=tuple(named.values()))


WIDE = tuple(f"a{index}" for index in range(8))


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (with_memory(chain(), {}, Channel("b", 20, 64, write_den=5)), "bandwidth"),
        (with_memory(chain(), {}, Channel("b", 20, 64, 5, 1, write_den=30)), "bandwidth"),
        (
            with_memory(
                chain(),
                {"load.pattern": "random", "load.burst_bytes": 64, "load.outstanding": 64},
                Channel("a", 20, 64, 3, 1, random_bytes=64, random_short=18, random_long=1),
            ),
            "bandwidth",
        ),
        (
            with_memory(
                chain(),
                {"load.pattern": "random", "load.burst_bytes": 128, "load.outstanding": 64},
                Channel("a", 20, 64, random_bytes=64, random_short=1, random_long=10),
            ),
            "bandwidth",
        ),
        (with_memory(chain(), {"store.burst_bytes": 64, "store.gap": 3}), "ports"),
        (with_memory(chain(), {"store.burst_bytes": 32, "store.gap": 20}), "ports"),
        (with_memory(chain(ii=1, work=2), {"store.burst_bytes": 1024, "store.gap": 40}), "ports"),
        (
            with_memory(
                chain(steps=16),
                {"load.channels": WIDE, "load.burst_bytes": 128},
                *(Channel(name, 20, 64, id_wait=900) for name in WIDE),
            ),
            "latency",
        ),
        (
            with_memory(
                chain(steps=40), {"load.burst_bytes": 64, "load.outstanding": 1}, Channel("a", 20, 64, busy_latency=900)
            ),
            "latency",
        ),
        (
            with_memory(
                chain(steps=40), {"store.burst_bytes": 64, "store.outstanding": 1}, Channel("b", 20, 64, response=900)
            ),
            "latency",
        ),
    ],
    ids=[
        "a rate of writes",
        "one in parts",
        "short random",
        "long random",
        "gaps",
        "two a token",
        "long gaps",
        "one ID",
        "busy",
        "responses",
    ],
)
def test_a_tenth_more_of_what_memory_is_described_by(graph, expected):
    """Each binds alone: what a channel sustains, what a port takes, or how late memory is."""
    found = gains(graph)
    assert found[expected] == pytest.approx(0.1, abs=0.01)
    others = [thing for thing in THINGS if thing not in (expected, "clock")]
    assert sum(found[thing] for thing in others) == pytest.approx(0, abs=0.01)
    assert found["clock"] == pytest.approx(0.1 if expected == "ports" else 0, abs=0.01)


@pytest.mark.parametrize(
    ("channel", "cycles"),
    [
        (Channel("a", 20, 64, 9, 10), Fraction(10, 9)),
        (Channel("a", 20, 64, 13, 14, write_den=99), Fraction(14, 13)),
        (Channel("a", 20, 64, 7, 30, write_den=1), Fraction(30, 7)),
        (Channel("a", 20, 64, 1, 93), Fraction(93)),
    ],
)
def test_rates_in_parts_of_a_cycle_are_told_in_elevenths(channel, cycles):
    """A beat takes so many cycles, and eleven times as many elevenths, to a thousandth.

    A tenth more of the memory is ten times as many, but not less than the eleven of a port that takes a beat per cycle.
    """
    rates = {"a": Fraction(channel.beats_num, channel.beats_den)}
    graph = with_memory(chain(), {}, channel)
    slow, fast = (
        _told_in_elevenths(graph, rates | {"b": Fraction(1)}, thing).channels[0] for thing in (None, "bandwidth")
    )
    assert Fraction(slow.beats_den, slow.beats_num) == pytest.approx(float(cycles * SLOW), rel=1e-3)
    assert Fraction(fast.beats_den, fast.beats_num) == pytest.approx(float(max(cycles * 10, 11)), rel=1e-3)
    assert _cycles(_told_in_elevenths(graph, rates | {"b": Fraction(1)}, None)) / SLOW == pytest.approx(
        simulate(graph).cycles, rel=0.002
    )


def test_a_port_that_takes_a_beat_per_cycle_hides_the_memory_behind_it():
    """The memory could give three beats: more of it brings nothing, a wider port does where nothing else is as slow."""
    graph = chain(ii=1)
    found = gains(graph, {"a": Fraction(3), "b": Fraction(3)})
    assert found["bandwidth"] == pytest.approx(0, abs=0.002)
    assert found["clock"] == pytest.approx(0.1, abs=0.01)


def test_where_two_things_bind_at_once_only_the_clock_helps():
    """A beat per cycle and an interval of one: neither alone."""
    found = gains(chain(), {"a": Fraction(3), "b": Fraction(3)})
    assert max(found["lanes"], found["ports"], found["bandwidth"]) < 0.01 < found["clock"]


def test_the_clock_does_not_move_memory():
    assert gains(chain(beats_den=5))["clock"] == pytest.approx(0, abs=0.005)


def test_two_stages_one_after_the_other_share_the_gain():
    """The first reduces 600 tokens to one, the second takes 400 iterations for that: 60 and 40 % of the time."""
    first = Loop((600,), 1, 3, (Event("in", "read", 0), Event("mid", "write", 2, (599,))))
    second = Loop((400,), 1, 3, (Event("mid", "read", 0, (0,)), Event("out", "write", 2, (399,))))
    source = Loop((600,), 1, 2, (Event("in", "write", 1),))
    graph = TimedGraph(
        "two",
        250.0,
        tuple(Fifo(name, 8, 32) for name in ("in", "mid", "out")),
        (
            Pipeline("source", (source,), category="dma"),
            Pipeline("first", (first,), category="compute"),
            Pipeline("second", (second,), category="dma"),
            Pipeline("sink", (Loop((1,), 1, 2, (Event("out", "read", 0),)),), category="compute"),
        ),
    )
    found = gains(graph)
    # Source and first go on at one pace, so that of the first 60 % neither gains alone.
    assert found["ports"] == pytest.approx(0.04 / 0.96 * 0.92, rel=0.15)
    assert found["lanes"] < 0.005
    assert found["clock"] == pytest.approx(0.1, abs=0.005)


def test_a_compiled_design_takes_as_long_in_elevenths_of_a_cycle():
    design = compile_text(lowered_text("gpt2", "decode", small=True), "small", "u55c")
    cycles = simulate(design.graph).cycles
    rates = {each.name: Fraction(each.beats_num, each.beats_den) for each in design.graph.channels}
    assert _cycles(_told_in_elevenths(design.graph, rates, None)) / SLOW == pytest.approx(cycles, rel=0.002)


def test_a_graph_that_waits_for_places_is_refused():
    waits = replace(chain(), fifos=(Fifo("in", 1, 512), Fifo("out", 1, 512)))
    with pytest.raises(InputError, match="waits for places"):
        gains(waits)


def test_actors_have_durations():
    phase = (ActorPhase(10, {"back": 1}, {"there": 1}),)
    other = (ActorPhase(20, {"there": 1}, {"back": 1}),)
    graph = TimedGraph(
        "ring",
        250.0,
        (Fifo("there", 1, 8), Fifo("back", 1, 8, initial_tokens=1)),
        (Actor("a", phase, firings=50), Actor("b", other, firings=50)),
    )
    assert gains(graph)["lanes"] == pytest.approx(0.1, abs=0.005)


def test_more_in_flight_gets_the_depth_that_it_takes():
    """40 iterations are in flight between the writes, and 44 once intervals are a tenth shorter."""
    skewed = Loop((400,), 2, 82, (Event("early", "write", 0), Event("late", "write", 80)))
    join = Loop((400,), 2, 2, (Event("early", "read", 0), Event("late", "read", 0)))
    graph = TimedGraph(
        "skew",
        250.0,
        (Fifo("early", 42, 8), Fifo("late", 4, 8)),
        (Pipeline("skewed", (skewed,)), Pipeline("join", (join,))),
    )
    assert simulate(graph).cycles is not None
    assert simulate(_told_in_elevenths(graph, {}, "lanes")).deadlock is not None
    assert gains(graph)["lanes"] == pytest.approx(0.1, abs=0.02)


def sink(tokens: int) -> Pipeline:
    return Pipeline("sink", (Loop((tokens,), 1, 1, (Event("in", "read", 0),)),), category="compute")


def test_all_of_a_trace_is_intervals():
    """A token every fourth stage, and a pause of 400 stages behind the last of 100."""
    trace = Trace(4 * np.arange(100), np.ones(100, np.int32))
    for end in (None, 800):
        traced = Pipeline("traced", trace=trace, end=end, category="compute", repeat=5)
        found = gains(TimedGraph("traced", 250.0, (Fifo("in", 8, 8),), (traced, sink(500))))
        assert found["lanes"] == pytest.approx(0.1, abs=0.005)
        assert found["latency"] == pytest.approx(0, abs=0.005)


def test_a_pause_behind_the_last_loop_is_latency():
    """Runs of 10 stages and a pause of 990: all of the gain, but for a hundredth of it, is that of the pause."""
    loop = Loop((10,), 1, 1, (Event("in", "write", 0),))
    pausing = Pipeline("pausing", (loop,), end=1000, repeat=20, category="compute")
    found = gains(TimedGraph("pausing", 250.0, (Fifo("in", 8, 8),), (pausing, sink(200))))
    assert found["latency"] == pytest.approx(0.099, abs=0.002)
    assert found["lanes"] == pytest.approx(0.001, abs=0.001)


def test_what_deadlocks_has_no_gains():
    with pytest.raises(DeadlockError, match="nothing makes it faster"):
        gains(load(next(iter(cases().values())).path))
