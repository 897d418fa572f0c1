"""What binds a run, by small graphs whose reason is known."""

from __future__ import annotations

import pytest

from sttest.sim import simulate
from sttest.sim.graph import Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph
from sttest.studies.whatif.points import binding, cycles_by_resource

STEPS = 1000


def chain(
    beats_den: int = 1, ii: int = 1, latency: int = 5, hbm_latency: int = 20, steps: int = STEPS, work: int = 1
) -> TimedGraph:
    """A load, a pipeline of ``work`` iterations per token, a store."""
    events = (Event("in", "read", 0, (None, 0)), Event("out", "write", latency - 1, (None, work - 1)))
    loop = Loop((steps, work), ii, latency, events)
    return TimedGraph(
        "chain", 250.0, (Fifo("in", 16, 512), Fifo("out", 16, 512)),
        (
            MemoryPort("load", "read", "in", steps, 64, ("a",), category="dma"),
            Pipeline("work", (loop,), category="compute"),
            MemoryPort("store", "write", "out", steps, 64, ("b",), category="dma"),
        ),
        (Channel("a", hbm_latency, 64, 1, beats_den), Channel("b", hbm_latency, 64, 1, 1)),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (chain(work=4), "compute"),
        (chain(beats_den=5), "bandwidth"),
        (chain(ii=4), "latency"),
        (chain(latency=900, steps=50), "latency"),
        (chain(hbm_latency=900, steps=50), "latency"),
    ],
    ids=["four iterations per token", "a beat in five cycles", "a recurrence", "a deep pipeline", "a far memory"],
)
def test_the_binding_resource_is_the_one_that_the_graph_is_short_of(graph, expected):
    run = simulate(graph, record=True)
    found = cycles_by_resource(run, {})
    assert binding(found) == expected
    assert sum(found.values()) == pytest.approx(run.cycles)


def test_an_interval_is_work_as_far_as_lanes_account_for_it():
    """Of four cycles per token, lanes need three and a running sum the fourth."""
    run = simulate(chain(ii=4), record=True)
    found = cycles_by_resource(run, {"work": 3})
    assert found["compute"] / sum(found.values()) == pytest.approx(0.75, abs=0.02)
    assert binding(found) == "compute"


def test_launch_binds_where_it_takes_most():
    assert binding({"compute": 1.0, "bandwidth": 2.0, "latency": 1.0, "launch": 3.0}) == "launch"
