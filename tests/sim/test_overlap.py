"""Shares of time in which compute, memory and links are busy at once, against closed forms and cycle by cycle."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from sim_graphs import graph, memory_graphs, sink, source

from sttest.core.errors import InputError
from sttest.sim import Actor, ActorPhase, Channel, Fifo, MemoryPort, Pipeline, simulate
from sttest.sim.bursts import burst_plan
from sttest.sim.overlap import COMPUTE, LINK, MEMORY, overlap


def run(design, engine="maxplus"):
    return simulate(design, engine, record=True)


def test_a_link_behind_a_pipeline_overlaps_in_all_tokens_but_one():
    """A source of latency l writes token i at i + l - 1, the link reads it one later: [0, n + l - 1) and [l, n + l)."""
    n, latency = 30, 7
    link = replace(sink("a", n, name="link"), category="link")
    found = overlap(run(graph([Fifo("a", 64, 8, "srl")], [source("a", n, latency=latency), link])))
    assert found.cycles == n + latency
    assert found.states == {(COMPUTE, LINK): n - 1, (COMPUTE,): latency, (LINK,): 1}
    assert found.together(COMPUTE, LINK) == (n - 1) / (n + latency)
    assert MEMORY not in found.use
    assert found.overlapped is None


@pytest.mark.parametrize("start", [0, 8, 100])
def test_memory_is_busy_for_the_beats_of_its_bursts_and_overlaps_with_what_runs_beside(start):
    """16 tokens of a beat each: busy in [0, 16); a pipeline beside it computes in [start, start + 20)."""
    port = MemoryPort("m", "read", "a", 16, 4, ("c",), burst_bytes=16)
    beside = source("b", 20, name="beside", start=start)
    ends = [replace(sink(fifo, n, name=f"end_{fifo}"), category="dma") for fifo, n in (("a", 16), ("b", 20))]
    design = graph([Fifo(each, 64, 8, "srl") for each in "ab"], [port, beside, *ends], [Channel("c", 10, 4)])
    found = overlap(run(design))
    assert found.use[MEMORY].busy_cycles == 16
    assert found.use[COMPUTE].busy_cycles == 20
    both = max(0, 16 - start)
    assert found.together(COMPUTE, MEMORY) * found.cycles == pytest.approx(both)
    assert found.overlapped == pytest.approx(both / 16)
    assert sum(found.states.values()) == found.cycles


def test_channels_count_each_and_together():
    """Two ports on two channels: 8 beats of two cycles each on either, at the same time."""
    ports = [MemoryPort(f"m{name}", "read", name, 8, 4, (f"c{name}",)) for name in "ab"]
    ends = [replace(sink(name, 8, name=f"end_{name}"), category="dma") for name in "ab"]
    channels = [Channel(f"c{name}", 10, 4, beats_den=2) for name in "ab"]
    found = overlap(run(graph([Fifo(name, 64, 8, "srl") for name in "ab"], [*ports, *ends], channels)))
    use = found.use[MEMORY]
    assert (use.units, use.busy_cycles, use.unit_cycles) == (2, 16, 32)
    assert found.use.keys() == {MEMORY}


@settings(max_examples=30, deadline=None)
@given(memory_graphs())
def test_engines_agree_and_cycles_are_those_counted_one_by_one(design):
    runs = [run(design, engine) for engine in ("maxplus", "simpy")]
    if runs[0].cycles is None:
        return
    found = [overlap(each) for each in runs]
    assert found[0] == found[1]
    assert sum(found[0].states.values()) == found[0].cycles
    busy = np.zeros(found[0].cycles, bool)
    channels = {channel.name: channel for channel in design.channels}
    for port in design.processes:
        if isinstance(port, MemoryPort):
            plan = burst_plan(port, channels)
            for burst, (_, start, rest, _, _) in enumerate(runs[1].record.bursts[port.name].tolist()):
                cycles = -(-(rest + plan.occupancy_units(burst)) // plan.channel(burst).beats_num)
                busy[start : start + cycles] = True
    assert found[0].use[MEMORY].busy_cycles == busy.sum()


def test_what_has_no_times_is_refused():
    design = graph([Fifo("a", 4, 8, "srl")], [source("a", 4), sink("a", 4)])
    with pytest.raises(InputError, match="no access times"):
        overlap(simulate(design))
    dead = graph([Fifo("a", 1, 8, "srl")], [source("a", 4), sink("a", 5)])
    with pytest.raises(InputError, match="a run that does not finish, or takes no time, has no overlap") as caught:
        overlap(run(dead))
    assert caught.value.code == "not-finished"
    taker = Actor("y", (ActorPhase(1, {"a": 1}, {}),), 4)
    with pytest.raises(InputError, match="overlaps are of pipelines and memory ports only") as caught:
        overlap(run(graph([Fifo("a", 4, 8, "srl")], [source("a", 4), taker])))
    assert caught.value.code == "actors"


def test_as_values():
    """16 beats of memory in [0, 16) beside 20 cycles of computing from 8 on: a run of 29 cycles, 8 of them both."""
    port = MemoryPort("m", "read", "a", 16, 4, ("c",), burst_bytes=16)
    beside = source("b", 20, name="beside", start=8)
    ends = [replace(sink(fifo, n, name=f"end_{fifo}"), category="dma") for fifo, n in (("a", 16), ("b", 20))]
    design = graph([Fifo(each, 64, 8, "srl") for each in "ab"], [port, beside, *ends], [Channel("c", 10, 4)])
    told = overlap(run(design)).to_dict()
    assert told["cycles"] == 29
    assert told["use"]["memory"] == {
        "units": 1,
        "busy_cycles": 16,
        "unit_cycles": 16,
        "busy_share": 16 / 29,
        "unit_share": 16 / 29,
    }
    assert told["states"] == [
        {"busy": ["compute"], "cycles": 12},
        {"busy": ["memory"], "cycles": 8},
        {"busy": ["compute", "memory"], "cycles": 8},
        {"busy": [], "cycles": 1},
    ]
    assert told["together"] == [{"classes": ["compute", "memory"], "share": 8 / 29}]
    assert told["overlapped"] == 0.5


def test_a_pipeline_that_does_nothing_is_never_busy():
    port = MemoryPort("m", "read", "a", 16, 4, ("c",), burst_bytes=16)
    idle = Pipeline("idle")
    design = graph(
        [Fifo("a", 64, 8, "srl")], [port, replace(sink("a", 16), category="dma"), idle], [Channel("c", 1, 4)]
    )
    found = overlap(run(design))
    assert found.use[COMPUTE].busy_cycles == 0
    assert found.overlapped is None


@pytest.mark.parametrize(
    ("tokens", "channel", "options", "busy"),
    [
        (3, Channel("c", 10, 4, 2, 3), {}, 5),
        (4, Channel("c", 10, 4, 2, 3), {}, 6),
        (4, Channel("c", 10, 4, 4, 1), {}, 4),
        (4, Channel("c", 10, 4, 2, 3, random_short=5, random_long=5), {"pattern": "random"}, 10),
        (4, Channel("c", 10, 4, 2, 3, write_den=9), {}, 6),
        (4, Channel("c", 10, 4, 2, 3, write_den=9), {"op": "write"}, 18),
    ],
)
def test_bursts_that_end_within_a_cycle(tokens, channel, options, busy):
    """Bursts of one beat, of three half cycles, follow each other: three keep their channel busy for 4.5, in 5 cycles.

    A channel takes one burst per cycle, even of a quarter of a cycle.  Random ones take five half cycles here, and
    those that are written nine, with the tokens in time for all of them.
    """
    port = MemoryPort(**{"name": "m", "op": "read", "fifo": "a", "tokens": tokens, "token_bytes": 4} | options,
                      channels=("c",), burst_bytes=4)  # fmt: skip
    other = sink("a", tokens) if port.op == "read" else source("a", tokens)
    result = run(graph([Fifo("a", 64, 32, "srl")], [port, replace(other, category="dma")], [channel]))
    assert overlap(result).use[MEMORY].busy_cycles == busy


def test_channels_of_one_id_are_busy_one_after_the_other():
    """Four beats on c until 4, then 10 cycles until the burst for d is asked for, whose four beats take two each."""
    port = MemoryPort("m", "read", "a", 8, 4, ("c", "d"), burst_bytes=16)
    channels = [Channel("c", 10, 4), Channel("d", 10, 4, 1, 2)]
    found = overlap(run(graph([Fifo("a", 64, 32, "srl")], [port, replace(sink("a", 8), category="dma")], channels)))
    use = found.use[MEMORY]
    assert (use.units, use.busy_cycles, use.unit_cycles) == (2, 12, 12)
    assert found.cycles == 14 + 10 + 8 + 2
