import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from sttest.compile.spaces.fifo_sizing import DelayEdge
from sttest.compile.spaces.paper_fifo_sizing import asap_delays, relaxed_delays, solve_delays
from sttest.core.errors import InputError


def test_worked_example():
    # 0 -> 1 -> 2 and 0 -> 2, with D0 = 3 and D1 = 4: delay02 >= D0 + D1
    edges = [DelayEdge("01", "0", "1", 3), DelayEdge("12", "1", "2", 4), DelayEdge("02", "0", "2", 3)]
    assert solve_delays("012", edges) == {"01": 3, "12": 4, "02": 7}


def test_delay_goes_where_two_fast_paths_share_it():
    # s -> slow -> t takes 10; s -> a -> t and s -> a -> b -> t share s -> a, which alone makes up for both
    edges = [
        DelayEdge("s-slow", "s", "slow", 10),
        DelayEdge("slow-t", "slow", "t", 0),
        DelayEdge("s-a", "s", "a", 0),
        DelayEdge("a-t", "a", "t", 0),
        DelayEdge("a-b", "a", "b", 0),
        DelayEdge("b-t", "b", "t", 0),
    ]
    assert solve_delays(["s", "slow", "a", "b", "t"], edges) == {
        "s-slow": 10,
        "slow-t": 0,
        "s-a": 10,
        "a-t": 0,
        "a-b": 0,
        "b-t": 0,
    }


def test_sources_that_meet_without_parting_need_no_more_than_their_own_delay():
    edges = [DelayEdge("fast", "a", "t", 1), DelayEdge("slow", "b", "t", 100)]
    assert solve_delays("abt", edges) == {"fast": 1, "slow": 100}
    assert asap_delays("abt", edges) == {"fast": 100, "slow": 100}


def test_parallel_edges_take_the_slower_ones_delay():
    edges = [DelayEdge("k", "a", "b", 2), DelayEdge("v", "a", "b", 5)]
    assert solve_delays("ab", edges) == {"k": 5, "v": 5}


def test_a_target_that_reads_late_may_start_before_its_input():
    edges = [DelayEdge("early", "a", "b", 4), DelayEdge("late", "b", "c", -3), DelayEdge("skip", "a", "c", 0)]
    assert solve_delays("abc", edges) == {"early": 4, "late": -3, "skip": 1}


def test_no_edges_no_delays():
    assert solve_delays("ab", []) == {}


def test_a_cycle_is_named():
    edges = [DelayEdge("e", "a", "b", 1), DelayEdge("f", "b", "a", 1)]
    with pytest.raises(InputError, match=r"a -> b -> a"):
        solve_delays("ab", edges)


def test_two_edges_of_one_name_are_refused():
    with pytest.raises(InputError, match="two edges are named 'e'"):
        solve_delays("abc", [DelayEdge("e", "a", "b", 1), DelayEdge("e", "b", "c", 1)])


@st.composite
def graphs(draw):
    count = draw(st.integers(2, 7))
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    chosen = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=12))
    edges = [DelayEdge(f"e{n}", f"k{i}", f"k{j}", draw(st.integers(-3, 20))) for n, (i, j) in enumerate(chosen)]
    return draw(st.permutations([f"k{i}" for i in range(count)])), edges


def all_paths(edges):
    """Every path as a list of edge numbers, with its two ends."""
    paths = [[n] for n in range(len(edges))]
    for path in paths:
        paths += [[*path, n] for n, edge in enumerate(edges) if edge.source == edges[path[-1]].target]
    return [(edges[path[0]].source, edges[path[-1]].target, path) for path in paths]


def path_constraints(edges):
    """One row per path, and its threshold: the definition, path by path."""
    paths = all_paths(edges)
    thresholds = {}
    for source, target, path in paths:
        length = sum(edges[n].min_delay_cycles for n in path)
        thresholds[source, target] = max(length, thresholds.get((source, target), length))
    rows = np.array([[path.count(n) for n in range(len(edges))] for _, _, path in paths])
    return rows, np.array([thresholds[source, target] for source, target, _ in paths])


@settings(deadline=None)
@given(graphs())
def test_against_the_enumeration_of_all_paths(graph):
    nodes, edges = graph
    rows, thresholds = path_constraints(edges)
    enumerated = linprog(np.ones(len(edges)), A_ub=-rows, b_ub=-thresholds, bounds=(None, None))
    relaxed = relaxed_delays(nodes, edges)
    assert relaxed.sum() == pytest.approx(enumerated.fun, abs=1e-5)
    assert (rows @ relaxed >= thresholds - 1e-5).all()


@settings(deadline=None)
@given(graphs())
def test_whole_delays_are_feasible_and_no_worse_than_asap(graph):
    nodes, edges = graph
    rows, thresholds = path_constraints(edges)
    whole, asap = solve_delays(nodes, edges), asap_delays(nodes, edges)
    assert (rows @ np.array(list(whole.values())) >= thresholds).all()
    assert (rows @ np.array(list(asap.values())) >= thresholds).all()
    assert relaxed_delays(nodes, edges).sum() <= sum(asap.values()) + 1e-5
    assert sum(whole.values()) < relaxed_delays(nodes, edges).sum() + len(edges)


def test_a_design_of_150_kernels_takes_no_two_seconds():
    rng = random.Random(0)
    spine = [(i, i + 1) for i in range(0, 149) if i % 6]
    skips = [(i, min(149, i + rng.randint(2, 12))) for i in rng.choices(range(147), k=250 - len(spine))]
    edges = [DelayEdge(f"e{n}", f"{i}", f"{j}", rng.randint(0, 9999)) for n, (i, j) in enumerate([*spine, *skips])]
    nodes = [f"{i}" for i in range(150)]
    began = time.perf_counter()
    total = sum(solve_delays(nodes, edges).values())
    assert time.perf_counter() - began < 2
    assert total < sum(asap_delays(nodes, edges).values())
