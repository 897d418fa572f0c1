"""The curves of processes are their accesses, spelled out."""

from __future__ import annotations

import numpy as np
import pytest
from expanded_fifos import expanded_depths, span_of, spelled_out
from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.compile.timing.fifo_depths import accesses, span, stream_depths
from sttest.core.errors import InputError
from sttest.sim import simulate
from sttest.sim.graph import (
    Actor,
    ActorPhase,
    Channel,
    Event,
    Fifo,
    Loop,
    MemoryPort,
    Pipeline,
    Process,
    TimedGraph,
    Trace,
    When,
)


@st.composite
def whens(draw: st.DrawFn, trip: int) -> When:
    first = draw(st.integers(0, trip - 1))
    last = draw(st.integers(first, trip - 1))
    return draw(st.sampled_from([None, first, (first, last, draw(st.integers(1, 3)))]))


@st.composite
def loops(draw: st.DrawFn, ends: tuple[tuple[str, str], ...]) -> Loop:
    """A nest in which every end has some events, alike or not."""
    trips = tuple(draw(st.lists(st.integers(1, 5), max_size=3)))
    latency = draw(st.integers(1, 9))
    events = [
        Event(fifo, op, draw(st.integers(0, latency - 1)), when, draw(st.integers(1, 2)))
        for fifo, op in ends
        for when in [tuple(draw(whens(trip)) for trip in trips)] * draw(st.integers(1, 2))
    ]
    if draw(st.booleans()):
        fifo, op = ends[0]
        events.append(Event(fifo, op, draw(st.integers(0, latency - 1)), tuple(draw(whens(trip)) for trip in trips)))
    return Loop(trips, draw(st.integers(1, 6)), latency, tuple(events), draw(st.integers(0, 3)))


@st.composite
def pipelines(draw: st.DrawFn, name: str, ends: tuple[tuple[str, str], ...]) -> Pipeline:
    nest = draw(st.lists(loops(ends), min_size=1, max_size=2))
    return Pipeline(name, tuple(nest), repeat=draw(st.integers(1, 4)))


def closing(name: str, fifo: str, op: str, tokens: int = 1, ii: int = 1) -> Pipeline:
    return Pipeline(name, (Loop((tokens,), ii, 5, (Event(fifo, op, 2),)),))


def around(process: Process, tokens_in: int = 1, tokens_out: int = 1, ii_in: int = 1, ii_out: int = 1) -> TimedGraph:
    """A process that reads ``a`` and writes ``b`` between two others."""
    ends = closing("in", "a", "write", tokens_in, ii_in), closing("out", "b", "read", tokens_out, ii_out)
    return TimedGraph("random", 200.0, (Fifo("a", 2, 32), Fifo("b", 2, 600)), (ends[0], process, ends[1]))


@given(pipelines("p", (("a", "read"), ("b", "write"))))
@settings(max_examples=300)
def test_a_pipeline_s_curves_are_its_accesses(pipeline: Pipeline) -> None:
    graph = around(pipeline)
    found = accesses(pipeline, graph)
    expected = spelled_out(pipeline, graph)
    assert {end: curve.at(np.arange(len(curve))).tolist() for end, curve in found.items()} == {
        end: times.tolist() for end, times in expected.items()
    }
    assert span(pipeline, graph) == span_of(pipeline, graph)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=12), st.integers(1, 3))
def test_a_trace_s_curves_are_its_accesses(steps: list[tuple[int, int]], repeat: int) -> None:
    gaps, ops = zip(*steps, (1, 0), (1, 1), strict=True)
    trace = Trace(np.cumsum(gaps, dtype=np.int64), np.array([3 * op for op in ops], np.int32))
    pipeline = Pipeline("p", repeat=repeat, trace=trace)
    graph = around(pipeline)
    expected = spelled_out(pipeline, graph)
    for end, curve in accesses(pipeline, graph).items():
        assert curve.at(np.arange(len(curve))).tolist() == expected[end].tolist()
    assert span(pipeline, graph) == span_of(pipeline, graph)


@st.composite
def port_graphs(draw: st.DrawFn, most_channels: int) -> TimedGraph:
    """A port and a kernel that is quick enough; bursts of whole beats, at most a beat per cycle, enough in flight."""
    op, tokens = draw(st.sampled_from(["read", "write"])), draw(st.integers(1, 200))
    num = draw(st.integers(1, 8))
    found = tuple(
        Channel(
            f"hbm{number}",
            40,
            64,
            num,
            draw(st.integers(num, 12)),
            write_den=draw(st.none() | st.integers(num, 12)),
            busy_latency=draw(st.integers(40, 60)),
            response=draw(st.integers(1, 60)),
            busy_response=60,
        )
        for number in range(draw(st.integers(1, most_channels)))
    )
    port = MemoryPort(
        "port",
        op,
        "a",
        tokens,
        draw(st.sampled_from([1, 16, 64, 100, 256])),
        tuple(channel.name for channel in found),
        burst_bytes=64 * draw(st.integers(1, 64)),
        outstanding=512,
        ids=draw(st.sampled_from(["one", "many"])),
        gap=draw(st.integers(0, 6)) if op == "write" else 0,
    )
    kernel = closing("kernel", "a", "read" if op == "read" else "write", tokens)
    return TimedGraph("port", 200.0, (Fifo("a", 512, 8),), (port, kernel), found)


@given(port_graphs(3))
def test_a_memory_port_s_curve_is_its_tokens(graph: TimedGraph) -> None:
    port = graph.processes[0]
    ((end, curve),) = accesses(port, graph).items()
    assert curve.at(np.arange(len(curve))).tolist() == spelled_out(port, graph)[end].tolist()
    assert span(port, graph) == span_of(port, graph)


@given(port_graphs(1))
@settings(max_examples=200)
def test_a_port_alone_is_not_later_than_its_curve(graph: TimedGraph) -> None:
    """But for once: bursts behind others take the latency of a busy channel, and tokens wait for whole beats."""
    port, (channel,) = graph.processes[0], graph.channels
    assert isinstance(port, MemoryPort)
    found = simulate(graph, record=True)
    times = (found.write_times if port.op == "read" else found.read_times)["a"]
    (curve,) = accesses(port, graph).values()
    late = times - times[0] - (curve.at(np.arange(port.tokens)) - curve[0])
    writes = port.op == "write"
    beat_cycles = -(-channel.units_per_beat(writes=writes) // channel.beats_num)
    assert late.max() <= channel.busy_delay(writes=writes) - channel.delay(writes=writes) + beat_cycles


@given(pipelines("p", (("a", "read"), ("b", "write"))), st.integers(1, 9), st.integers(1, 9))
@settings(max_examples=50)
def test_depths_of_random_programs_are_those_token_by_token(pipeline: Pipeline, ii_in: int, ii_out: int) -> None:
    tokens = {fifo: times.size for (fifo, _), times in spelled_out(pipeline, around(pipeline)).items()}
    graph = around(pipeline, tokens["a"], tokens["b"], ii_in, ii_out)
    for strategy in ("normal", "conservative"):
        assert stream_depths(graph, strategy) == expanded_depths(graph, strategy)


def test_actors_are_refused() -> None:
    actor = Actor("fires", (ActorPhase(1, {"a": 1}, {"b": 1}),), firings=1)
    for ask in (accesses, span):
        with pytest.raises(InputError, match="no actors"):
            ask(actor, around(actor))


def test_a_fifo_that_is_not_emptied_is_refused() -> None:
    ends = closing("in", "a", "write", 4, 1), closing("out", "a", "read", 3, 1)
    with pytest.raises(InputError, match="writes 4 tokens and reads 3"):
        stream_depths(TimedGraph("left", 200.0, (Fifo("a", 2, 32),), ends), "normal")
