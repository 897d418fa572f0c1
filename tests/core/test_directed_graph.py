"""Order and strongly connected parts; the parts are read by scipy, the order by the edges themselves."""

from __future__ import annotations

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
