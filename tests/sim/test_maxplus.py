"""The compiled engine gives what the SimPy oracle gives, time by time."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_graphs import STREAMHLS, actor_graphs, graph, memory_graphs, pipeline_graphs, reconvergent, sink, source

from sttest.sim import Actor, ActorPhase, Fifo, MemoryPort, TimedGraph, load, simulate
from sttest.sim.maxplus import kernel


def assert_same(design: TimedGraph, **options) -> None:
    fast = simulate(design, "maxplus", record=True, **options)
    slow = simulate(design, "simpy", record=True, **options)
    assert fast.to_json() | {"engine": "", "solve_s": 0} == slow.to_json() | {"engine": "", "solve_s": 0}
    assert fast.finish == slow.finish
    assert fast.breakdown == slow.breakdown
    assert fast.max_occupancy == slow.max_occupancy
    assert fast.deadlock == slow.deadlock
    assert fast.record is not None
    assert slow.record is not None
    for name in ("visits", "stalls"):
        assert getattr(fast.record, name) == getattr(slow.record, name)
    for name in ("writes", "reads"):
        for one, other in zip(getattr(fast.record, name), getattr(slow.record, name), strict=True):
            np.testing.assert_array_equal(one, other)
    for name in ("claims", "bursts"):
        ones, others = getattr(fast.record, name), getattr(slow.record, name)
        assert ones.keys() == others.keys()
        for key in ones:
            np.testing.assert_array_equal(ones[key], others[key])


@pytest.mark.daily
@settings(max_examples=300, deadline=None)
@given(pipeline_graphs(), st.booleans())
def test_pipelines(design, unbounded):
    assert_same(design, unbounded=unbounded)


@settings(max_examples=300, deadline=None)
@given(memory_graphs(), st.booleans())
def test_memory_ports(design, unbounded):
    assert_same(design, unbounded=unbounded)


@settings(max_examples=200, deadline=None)
@given(actor_graphs())
def test_actors(design):
    assert_same(design)


@settings(max_examples=60, deadline=None)
@given(memory_graphs(), actor_graphs())
def test_everything_in_one_graph(memory, actors):
    renamed = {fifo.name: f"x{fifo.name}" for fifo in actors.fifos}
    fifos = [dataclasses.replace(fifo, name=renamed[fifo.name]) for fifo in actors.fifos]
    assert_same(
        graph(
            [*memory.fifos, *fifos],
            [*(_renamed(a, renamed) for a in actors.processes), *memory.processes],
            memory.channels,
        )
    )


def _renamed(actor: Actor, names: dict[str, str]) -> Actor:
    phases = tuple(
        ActorPhase(p.time, {names[f]: n for f, n in p.reads.items()}, {names[f]: n for f, n in p.writes.items()})
        for p in actor.phases
    )
    return dataclasses.replace(actor, name=f"a{actor.name}", phases=phases)


@pytest.mark.parametrize(
    "design",
    ["220_dsps_opt5_atax", "synthetic_opt5_k7mmtree_balanced", "transformers_opt5_feedforward", "mlps_opt5_resmlp"],
)
def test_designs(design):
    own = load(STREAMHLS / f"{design}.json")
    assert_same(own)
    assert_same(own.with_all_depths(2))


def test_firings_that_overtake_each_other():
    """The second firing of x ends at 1, before the first at 5; its token is the first one there."""
    x = Actor("x", (ActorPhase(5, {}, {"a": 1}), ActorPhase(1, {}, {"a": 1})), 2)
    y = Actor("y", (ActorPhase(1, {"a": 1}, {}),), 2)
    design = graph([Fifo("a", 4, 8)], [x, y])
    assert simulate(design, "maxplus", record=True).write_times["a"].tolist() == [1, 5]
    assert_same(design)


def test_a_port_that_starves():
    """The write port waits for a token that never comes."""
    design = memory_design(tokens=5)
    assert simulate(design).verdict == "deadlock"
    assert_same(design)


def memory_design(tokens: int) -> TimedGraph:
    from sttest.sim import Channel

    port = MemoryPort("m", "write", "a", tokens, 4, ("c",), 8, 2)
    return graph([Fifo("a", 2, 8)], [source("a", 4), port], [Channel("c", 7, 4)])


def test_depths_are_not_mixed_up_between_runs():
    """Graphs that differ in depths only share arrays; the results must not."""
    design = reconvergent(20)
    first = simulate(design)
    assert simulate(design, depths={"ac": 2}).verdict == "deadlock"
    assert simulate(design).finish == first.finish
    other = graph([Fifo("a", 2, 8, initial_tokens=1)], [source("a", 3), sink("a", 4)])
    assert simulate(other).verdict == "done"
    fewer = dataclasses.replace(other, fifos=(Fifo("a", 2, 8),))
    assert simulate(fewer).verdict == "deadlock"


def test_compiled_code_is_kept_per_content_of_the_kernels():
    assert kernel.sources_stamp().dtype.names[0].startswith("sources_")
