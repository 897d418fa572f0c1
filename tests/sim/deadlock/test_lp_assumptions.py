"""Depths of the linear programs deadlock only where an assumption is broken, and then the check names it."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sim_graphs import memory_graphs, pipeline_graphs

from sttest.compile.spaces.paper_fifo_sizing import Delays, FifoFacts, KernelTiming, size_fifos
from sttest.compile.timing.fifo_depths import stream_depths
from sttest.core.errors import InputError
from sttest.sim import Event, Fifo, Loop, Pipeline, TimedGraph, simulate
from sttest.sim.sizing_assumptions import broken_assumptions


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(pipeline_graphs(), memory_graphs()), st.sampled_from(["normal", "conservative"]))
def test_what_the_program_refuses_or_deadlocks_with_is_named(design: TimedGraph, strategy: str) -> None:
    named = [one for one in broken_assumptions(design) if one.may_deadlock and not one.of_rates]
    try:
        depths = stream_depths(design, strategy)
    except InputError:
        assert named
        return
    assert simulate(design, depths=depths).verdict == "done" or named


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(pipeline_graphs(), st.sampled_from(["normal", "conservative"]))
def test_cycles_that_the_program_loses_have_a_name(design: TimedGraph, strategy: str) -> None:
    try:
        depths = stream_depths(design, strategy)
    except InputError:
        return
    sized, free = simulate(design, depths=depths), simulate(design, unbounded=True)
    if sized.cycles is not None and free.cycles is not None and sized.cycles > free.cycles:
        assert broken_assumptions(design)


Kernels = tuple[TimedGraph, list[KernelTiming], list[FifoFacts]]


def joined(tokens: int, iis: Sequence[int], latencies: Sequence[int], pairs: Sequence[tuple[int, int]]) -> Kernels:
    """Kernels of one rate and one first output each, as the paper sees them, and their FIFOs from writer to reader."""
    events: list[list[Event]] = [[] for _ in iis]
    for index, (writer, reader) in enumerate(pairs):
        events[writer].append(Event(f"f{index}", "write", latencies[writer] - 1))
        events[reader].append(Event(f"f{index}", "read", 0))
    loops = [
        Loop((tokens,), ii, latency, tuple(made)) for ii, latency, made in zip(iis, latencies, events, strict=True)
    ]
    fifos = tuple(Fifo(f"f{index}", 2, 8, "srl") for index in range(len(pairs)))
    design = TimedGraph("k", 300.0, fifos, tuple(Pipeline(f"p{k}", (loop,)) for k, loop in enumerate(loops)))
    timing = [
        KernelTiming(f"p{k}", ii, latency - 1, latency - 1 + (tokens - 1) * ii)
        for k, (ii, latency) in enumerate(zip(iis, latencies, strict=True))
    ]
    return design, timing, [FifoFacts(f"f{i}", f"p{w}", f"p{r}") for i, (w, r) in enumerate(pairs)]


@st.composite
def kernels(draw: st.DrawFn) -> Kernels:
    """Joined without a cycle."""
    number = draw(st.integers(2, 6))
    some = st.lists(st.integers(1, 3), min_size=number, max_size=number)
    iis = draw(st.one_of(st.just([1] * number), some))
    latencies = draw(st.lists(st.integers(1, 12), min_size=number, max_size=number))
    ends = st.tuples(st.integers(0, number - 1), st.integers(0, number - 1)).filter(lambda pair: pair[0] < pair[1])
    return joined(draw(st.integers(2, 24)), iis, latencies, draw(st.lists(ends, min_size=1, max_size=9)))


def by_rates(drawn: Kernels, delays: Delays) -> str:
    """The verdict with depths of the paper's program."""
    design, timing, facts = drawn
    sizes = size_fifos(timing, facts, delays=delays, read_after_write_cycles=1)
    return simulate(design, depths={name: size.depth for name, size in sizes.items()}).verdict


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(kernels(), st.sampled_from(list(Delays)))
def test_one_rate_per_fifo_deadlocks_only_where_it_is_named(drawn: Kernels, delays: Delays) -> None:
    assert by_rates(drawn, delays) == "done" or broken_assumptions(drawn[0])


def test_two_origins_that_meet_twice() -> None:
    """Found at random: p0 and p1 meet in p2 and in p4, all at one rate, and the program over paths deadlocks."""
    pairs = ((0, 2), (3, 4), (1, 4), (4, 5), (0, 3), (0, 5), (1, 2))
    drawn = joined(24, [1] * 6, (11, 8, 4, 12, 6, 8), pairs)
    assert [by_rates(drawn, delays) for delays in (Delays.PATHS, Delays.SCHEDULE)] == ["deadlock", "done"]
    assert [(one.name, one.processes) for one in broken_assumptions(drawn[0])] == [("one meeting", ("p2", "p4"))]
