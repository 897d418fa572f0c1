"""Depths by block memories: beside all depths of small graphs, and beside those of FIFOAdvisor under its own rule."""

from collections.abc import Sequence
from itertools import pairwise, product
from pathlib import Path

import pytest
from fifoadvisor import PUBLISHED, blocks_of_lightningsim
from hypothesis import assume, given
from sim_graphs import pipeline_graphs

from sttest.core.errors import DeadlockError, InputError
from sttest.sim import Event, Fifo, Loop, Pipeline, TimedGraph, load, simulate
from sttest.sim.sizing import block_memory, size_by_simulation
from sttest.sim.sizing.block_memory import BlockSizing, block_front, size_for_blocks
from sttest.studies.fifo_blocks import fifo_blocks

DATA = Path(__file__).parents[2] / "data" / "streamhls"


def coarse(depth: int, bits: int, impl: str) -> int:
    """A rule with steps that small graphs pass: two tokens are free, wide ones take two blocks for every three more."""
    return 0 if depth <= 2 else -(-(depth - 2) // 3) * (2 if bits > 100 else 1)


def sized(graph: TimedGraph, rule=fifo_blocks) -> BlockSizing:
    found = size_by_simulation(graph)
    return size_for_blocks(found, found.cycles, rule)


def total(graph: TimedGraph, depths: Sequence[int], rule) -> int:
    return sum(rule(depth, fifo.bits, fifo.impl) for fifo, depth in zip(graph.fifos, depths, strict=True))


def loop(count: int, *events: Event) -> Loop:
    return Loop((count,), 1, 1, events)


def reconvergent(tokens: int, bits: int = 32) -> TimedGraph:
    """a feeds c directly and through b, which reads all before it writes: the short way holds ``tokens`` tokens."""
    a = Pipeline("a", (loop(tokens, Event("ab", "write", 0), Event("ac", "write", 0)),))
    b = Pipeline("b", (loop(tokens, Event("ab", "read", 0)), loop(tokens, Event("bc", "write", 0))))
    c = Pipeline("c", (loop(tokens, Event("bc", "read", 0), Event("ac", "read", 0)),))
    return TimedGraph("g", 300.0, (Fifo("ab", 4, bits), Fifo("bc", 4, bits), Fifo("ac", tokens, bits)), (a, b, c))


@pytest.mark.parametrize(
    ("depth", "bits", "impl", "blocks"),
    [(32, 32, "auto", 0), (33, 32, "auto", 1), (2, 32, "ram", 1), (4000, 32, "srl", 0), (513, 36, "auto", 2)],
)
def test_a_shift_register_takes_none_and_a_memory_by_its_shape(depth, bits, impl, blocks):
    assert fifo_blocks(depth, bits, impl) == blocks


@given(graph=pipeline_graphs())
def test_it_ends_as_soon_with_no_more_blocks_and_claims_no_bound_that_fewer_pass(graph):
    try:
        found = sized(graph, coarse)
    except DeadlockError:
        assume(False)
        raise
    deep = [max(found.sizing.depths.values(), default=1) + 3] * len(graph.fifos)
    best = simulate(graph.with_depths(dict(zip((fifo.name for fifo in graph.fifos), deep, strict=True)))).cycles
    assert simulate(graph.with_depths(found.sizing.depths), "simpy").cycles == found.sizing.cycles
    assert found.sizing.cycles is not None
    assert best is None or found.sizing.cycles <= max(best, size_by_simulation(graph).cycles or 0)
    assert found.least_blocks <= found.blocks <= found.blocks_before
    assert found.blocks == total(graph, list(found.sizing.depths.values()), coarse)
    if len(graph.fifos) > 3:
        return
    least = [max(1, fifo.initial_tokens) for fifo in graph.fifos]
    for depths in product(*(range(low, low + 6) for low in least)):
        named = dict(zip((fifo.name for fifo in graph.fifos), depths, strict=True))
        if total(graph, depths, coarse) < found.least_blocks:
            cycles = simulate(graph.with_depths(named)).cycles
            assert cycles is None or cycles > found.sizing.cycles


def test_a_deeper_fifo_that_costs_nothing_spares_another_ones_block():
    """ResMLP of Stream-HLS: the fewest tokens take twice the blocks, for they make FIFOs deep elsewhere."""
    found = sized(load(DATA / "mlps_opt5_resmlp.json"), blocks_of_lightningsim)
    assert (found.blocks_before, found.blocks) == (208, 104)
    assert not found.stopped
    assert (found.sizing.cycles or 0) <= (size_by_simulation(found.sizing.graph).cycles or 0)


@pytest.mark.parametrize(
    "published", [each for each in PUBLISHED if (DATA / f"{each.name}.json").is_file()], ids=lambda each: each.name
)
def test_no_more_blocks_than_fifoadvisor_found(published):
    found = sized(load(DATA / f"{published.name}.json"), blocks_of_lightningsim)
    assert found.blocks <= published.no_loss_blocks
    front = block_front(found, blocks_of_lightningsim).points
    assert front[0].blocks == found.blocks
    assert all(a.blocks > b.blocks and a.cycles < b.cycles for a, b in pairwise(front))
    if published.all_two_cycles is not None:
        assert front[-1].blocks == 0
        assert front[-1].cycles == pytest.approx(published.all_two_cycles, rel=0.02)


def test_each_point_of_a_front_is_what_its_depths_give():
    graph = reconvergent(600)
    found = sized(graph)
    front = block_front(found, fifo_blocks).points
    assert found.blocks == 2
    for point in front:
        assert simulate(graph.with_depths(point.depths), "simpy").cycles == point.cycles
        assert total(graph, [point.depths[fifo.name] for fifo in graph.fifos], fifo_blocks) == point.blocks
    assert len(front) == 1  # the short way has to hold all tokens: with fewer blocks it deadlocks


def test_a_search_that_is_too_long_says_so(monkeypatch):
    monkeypatch.setattr(block_memory, "MOST_RUNS", 1)
    found = sized(load(DATA / "mlps_opt5_resmlp.json"), blocks_of_lightningsim)
    assert found.stopped
    assert "ended for its length" in found.told
    assert block_front(found, blocks_of_lightningsim).stopped
    assert found.blocks <= found.blocks_before


def test_actors_that_fire_for_ever_are_refused():
    graph = load(Path(__file__).parents[2] / "data" / "sdf3" / "samplerate.xml")
    with pytest.raises(InputError):
        size_for_blocks(size_by_simulation(reconvergent(4)).__class__(graph, "sim", {}), 1, fifo_blocks)
