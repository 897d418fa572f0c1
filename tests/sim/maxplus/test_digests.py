"""Visits that make the same accesses share a pattern, found by digests, which need not differ where accesses do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from sttest.sim import Event, Fifo, Loop, Pipeline, TimedGraph
from sttest.sim.maxplus import rows
from sttest.sim.maxplus.engine import run
from sttest.sim.maxplus.programs import forget_programs
from sttest.sim.simpy_engine import run as run_des


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    forget_programs()
    yield
    forget_programs()


def test_accesses_are_told_apart_where_their_digests_are_not(monkeypatch):
    """A writer whose loops differ in FIFO, in tokens, and in how many accesses they make at once."""
    loops = (
        (Event("a", "write", 0),),
        (Event("b", "write", 0),),
        (Event("a", "write", 0, tokens=2),),
        (Event("a", "write", 0), Event("b", "write", 0)),
    )
    writer = Pipeline("p", tuple(Loop((5,), 2, 1, events) for events in loops))
    readers = [
        Pipeline(f"r{name}", (Loop((tokens,), 3, 1, (Event(name, "read", 0),)),))
        for name, tokens in (("a", 20), ("b", 10))
    ]
    graph = TimedGraph("unlike", 300.0, (Fifo("a", 3, 8, "srl"), Fifo("b", 3, 8, "srl")), (writer, *readers))
    monkeypatch.setattr(rows, "_digests", lambda op, count, first, sizes: np.zeros(sizes.size, np.uint64))
    found, expected = run(graph), run_des(graph)
    assert found.finish == expected.finish
    assert None not in found.finish
    for one, other in zip((*found.writes, *found.reads), (*expected.writes, *expected.reads), strict=True):
        np.testing.assert_array_equal(one, other)
