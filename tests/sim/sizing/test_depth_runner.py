"""Many depth vectors of one graph: the same as one simulation each, for less work."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.sim import Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph, simulate
from sttest.sim.maxplus.engine import run_by_events
from sttest.sim.sizing import depth_runner, simulate_many, size_by_simulation
from sttest.sim.sizing.depth_runner import DepthRunner
from sttest.sim.sizing.finite import least_live_depths

WIDTH = 3


def lanes(name: str) -> tuple[str, ...]:
    return tuple(f"{name}{number}" for number in range(WIDTH))


def events(names: tuple[str, ...], op: str, stage: int, when: tuple[int, ...] = ()) -> tuple[Event, ...]:
    return tuple(Event(name, op, stage, when) for name in names)


@st.composite
def wide_graphs(draw: st.DrawFn) -> TimedGraph:
    """A head, a body and a tail with three FIFOs each between them, and a short way round the body."""
    tokens, block = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    paces, latencies = st.integers(1, 3), st.integers(1, 5)
    latency = draw(latencies)
    made = (*events(lanes("a"), "write", 0), *events(lanes("c"), "write", draw(st.integers(0, latency - 1))))
    head = Pipeline("head", (Loop((tokens, block), draw(paces), latency, made),))
    if draw(st.booleans()):
        passed = (*events(lanes("a"), "read", 0), *events(lanes("b"), "write", latency - 1))
        body = Pipeline("body", (Loop((tokens, block), draw(paces), latency, passed),))
    else:
        reads, writes = (
            Loop((block,), draw(paces), 2, events(lanes(name), op, 0)) for name, op in (("a", "read"), ("b", "write"))
        )
        body = Pipeline("body", (reads, writes), repeat=tokens)
    taken = (*events(lanes("b"), "read", 0), *events(lanes("c"), "read", 0))
    tail = Pipeline("tail", (Loop((tokens, block), draw(paces), 2, taken),))
    kinds, bits = st.sampled_from(["auto", "auto", "srl", "ram"]), st.sampled_from([8, 8, 300, 600])
    fifos = [Fifo(name, 99, draw(bits), draw(kinds)) for names in map(lanes, "abc") for name in names]
    return TimedGraph("wide", 300.0, tuple(fifos), (head, body, tail))


def cycles_with(graph: TimedGraph, depths: np.ndarray) -> int | None:
    names = [fifo.name for fifo in graph.fifos]
    return simulate(graph, "simpy", dict(zip(names, depths.tolist(), strict=True))).cycles


@given(wide_graphs(), st.lists(st.lists(st.integers(1, 5), min_size=9, max_size=9), min_size=1, max_size=8))
@settings(deadline=None, max_examples=60)
def test_every_run_is_a_simulation(graph: TimedGraph, vectors: list[list[int]]) -> None:
    runner = DepthRunner(graph)
    for depths in np.array(vectors, np.int64):
        assert runner.run(depths) == cycles_with(graph, depths)
    assert runner.run(np.array(vectors[0])) == cycles_with(graph, np.array(vectors[0]))


@given(wide_graphs())
@settings(deadline=None, max_examples=40)
def test_peaks_are_enough(graph: TimedGraph) -> None:
    runner = DepthRunner(graph)
    latencies = runner.latencies(np.array([fifo.depth for fifo in graph.fifos]))
    cycles, peaks = runner.run_unbounded(latencies)
    assert runner.run(peaks, latencies) == cycles
    free = simulate(graph, "simpy", unbounded=True)
    assert cycles == free.cycles
    assert (peaks >= [free.max_occupancy[fifo.name] for fifo in graph.fifos]).all()


@given(wide_graphs())
@settings(deadline=None, max_examples=40)
def test_no_depth_of_a_wide_graph_can_be_lowered(graph: TimedGraph) -> None:
    sizing = size_by_simulation(graph)
    depths = list(sizing.depths.values())
    less = [[*depths[:at], fewer, *depths[at + 1 :]] for at, depth in enumerate(depths) for fewer in range(1, depth)]
    cycles = simulate_many(graph, np.array(less, np.int64).reshape(-1, len(depths)))
    assert sizing.cycles is not None
    assert ((cycles < 0) | (cycles > sizing.cycles)).all()


@given(wide_graphs(), st.sampled_from(["no-loss", "no-deadlock"]))
@settings(deadline=None, max_examples=20)
def test_wide_graphs_are_sized_as_by_the_other_engine(graph: TimedGraph, target: str) -> None:
    found, other = size_by_simulation(graph, target), size_by_simulation(graph, target, engine="simpy")
    assert (found.depths, found.cycles) == (other.depths, other.cycles)


@given(wide_graphs())
@settings(deadline=None, max_examples=30)
def test_lower_bounds_hold_and_one_less_does_not(graph: TimedGraph) -> None:
    for number, least in enumerate(least_live_depths(graph)):
        depths = np.full(len(graph.fifos), 99)
        depths[number] = least
        assert cycles_with(graph, depths) is not None
        depths[number] = least - 1
        assert least == 1 or cycles_with(graph, depths) is None


def test_fifos_of_a_lane_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[int] = []
    build = depth_runner.build
    monkeypatch.setattr(
        depth_runner,
        "build",
        lambda *args, leads, **named: computed.append(leads.size) or build(*args, leads=leads, **named),
    )
    made, taken = (Loop((8,), 1, 2, events(lanes("a"), op, 0)) for op in ("write", "read"))
    fifos = tuple(Fifo(name, 4, 8) for name in lanes("a"))
    runner = DepthRunner(TimedGraph("g", 300.0, fifos, (Pipeline("x", (made,)), Pipeline("y", (taken,)))))
    for depths in ([4, 4, 4], [5, 5, 5], [4, 2, 4], [4, 1, 4], [1, 2, 3]):
        runner.run(np.array(depths))
    assert computed == [1, 2, 3]


@pytest.mark.parametrize("depths", [(2, 2), (40, 3), (1, 300)])
def test_what_repeats_is_jumped_over(monkeypatch: pytest.MonkeyPatch, depths: tuple[int, int]) -> None:
    rows, row = 4000, 100
    port = MemoryPort("load", "read", "a", rows * row, 64, ("hbm0",))
    work = Loop((rows, row), 2, 9, (Event("a", "read", 0), Event("b", "write", 8, (None, row - 1))))
    take = Loop((rows,), 190, 3, (Event("b", "read", 0),))
    graph = TimedGraph(
        "long",
        300.0,
        (Fifo("a", depths[0], 512, "srl"), Fifo("b", depths[1], 32, "srl")),
        (port, Pipeline("work", (work,)), Pipeline("take", (take,))),
        (Channel("hbm0", 60, 64, 2, 3),),
    )
    jumps: list[int] = []
    run_periodic = depth_runner.run_periodic

    def watched(*args: object) -> None:
        jumps.extend(int(splice.periods.max()) for splice in run_periodic(*args))  # type: ignore[arg-type]

    monkeypatch.setattr(depth_runner, "run_periodic", watched)
    finishes = run_by_events(graph).finish
    assert DepthRunner(graph).run(np.array(depths)) == max(cycle for cycle in finishes if cycle is not None)
    assert None not in finishes
    assert sum(jumps) > 0
