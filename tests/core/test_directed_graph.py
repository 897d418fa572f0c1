"""Order and strongly connected parts; the parts are read by scipy, the order by the edges themselves."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from sttest.core.directed_graph import strong_parts, topological_order
from sttest.core.errors import InputError

sizes_and_edges = st.integers(1, 12).flatmap(
    lambda size: st.tuples(
        st.just(size), st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=30)
    )
)


@given(sizes_and_edges)
def test_parts_are_those_of_scipy(drawn: tuple[int, list[tuple[int, int]]]) -> None:
    size, edges = drawn
    matrix = np.zeros((size, size))
    for source, target in edges:
        matrix[source, target] = 1
    parts, expected = connected_components(csr_array(matrix), connection="strong")
    found = strong_parts(size, edges)
    assert len(set(found)) == parts
    assert len(set(zip(found, expected, strict=True))) == parts


@given(sizes_and_edges)
def test_a_part_has_a_smaller_number_than_those_that_reach_it(drawn: tuple[int, list[tuple[int, int]]]) -> None:
    size, edges = drawn
    found = strong_parts(size, edges)
    assert all(found[target] <= found[source] for source, target in edges)


def test_a_long_chain_needs_no_recursion() -> None:
    size = 50_000
    ring = [(i, (i + 1) % size) for i in range(size)]
    assert set(strong_parts(size, ring)) == {0}
    assert strong_parts(size, ring[:-1]) == list(range(size))[::-1]


@given(sizes_and_edges)
def test_an_order_has_sources_first_and_else_keeps_what_is_given(drawn: tuple[int, list[tuple[int, int]]]) -> None:
    size, edges = drawn
    names = [f"n{i}" for i in range(size)]
    upward = [(f"n{min(edge)}", f"n{max(edge)}") for edge in edges if edge[0] != edge[1]]
    assert topological_order(names, upward) == names
    order = topological_order(names[::-1], upward)
    assert all(order.index(source) < order.index(target) for source, target in upward)


def test_a_cycle_is_named() -> None:
    with pytest.raises(InputError, match=r"the cycle (a -> b -> a|b -> a -> b)"):
        topological_order("abc", [("a", "b"), ("b", "a"), ("b", "c")])


@pytest.mark.parametrize(
    ("names", "edges", "code", "text"),
    [
        (["a", "b", "a"], [], "duplicate-name", "a: two nodes are named 'a'; rename one of them"),
        (
            ["load", "b"],
            [("b", "laod")],
            "unknown-name",
            "b -> laod: the edge names the unknown node 'laod'; did you mean 'load'?",
        ),
        (
            ["load", "b"],
            [("x", "b")],
            "unknown-name",
            "x -> b: the edge names the unknown node 'x'; choose one of b, load",
        ),
    ],
)
def test_names_are_unique_and_known(names: list[str], edges: list[tuple[str, str]], code: str, text: str) -> None:
    with pytest.raises(InputError) as caught:
        topological_order(names, edges)
    assert (caught.value.code, str(caught.value)) == (code, text)


@given(sizes_and_edges)
def test_a_cycle_that_is_named_is_one(drawn: tuple[int, list[tuple[int, int]]]) -> None:
    size, edges = drawn
    named = [(f"n{source}", f"n{target}") for source, target in edges]
    is_cyclic = len(set(strong_parts(size, edges))) < size or any(source == target for source, target in edges)
    cycle = cycle_of([f"n{i}" for i in range(size)], named)
    assert bool(cycle) == is_cyclic
    assert set(pairwise(cycle)) <= set(named)
    assert cycle[:1] == cycle[-1:]


def cycle_of(names: list[str], edges: list[tuple[str, str]]) -> list[str]:
    """The cycle that the order's error names; empty where there is an order."""
    try:
        topological_order(names, edges)
    except InputError as error:
        return error.what.removeprefix("the graph has the cycle ").split(" -> ")
    return []
