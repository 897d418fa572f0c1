"""Windows of weights: between all overlap and none, and what they are in the cases that are done by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.core.errors import InputError
from sttest.sim import simulate
from sttest.studies.weight_window import token_cycles, window_graph

COUNTS = st.integers(1, 12)
TIMES = st.integers(50, 5000)


@settings(max_examples=40, deadline=None)
@given(COUNTS, COUNTS, TIMES, TIMES, st.integers(2, 4))
def test_loads_and_layers_overlap_as_far_as_there_is_room(
    layers: int, streamed: int, layer: int, load: int, room: int
) -> None:
    streamed = min(streamed, layers)
    cycles = token_cycles(layers, streamed, layer, load, room)
    slack = 8 * layers  # a FIFO passes a token a cycle later
    assert max(layers * layer, streamed * load) <= cycles + slack
    assert cycles <= layers * layer + streamed * load + slack
    assert token_cycles(layers, streamed, layer, load, room + 1) <= cycles + slack


def test_without_a_second_place_nothing_overlaps() -> None:
    assert token_cycles(10, 10, 100, 700, room=1) == pytest.approx(10 * 800, rel=0.01)
    assert token_cycles(10, 10, 100, 700, room=2) == pytest.approx(10 * 700, rel=0.01)


def test_layers_that_stay_hide_those_that_come_in() -> None:
    assert token_cycles(10, 0, 100, 700) == 1000
    assert token_cycles(10, 1, 100, 700) == pytest.approx(1000, rel=0.02)
    assert token_cycles(10, 2, 100, 700) == pytest.approx(1400, rel=0.02)


def test_engines_agree_to_the_cycle() -> None:
    graph = window_graph(7, 3, 100, 260, 2, 4)
    assert simulate(graph, engine="simpy").cycles == simulate(graph, engine="maxplus").cycles


@pytest.mark.parametrize(("layers", "streamed", "room"), [(4, 5, 2), (4, 0, 2), (4, 2, 0)])
def test_what_is_no_window_is_refused(layers: int, streamed: int, room: int) -> None:
    with pytest.raises(InputError):
        window_graph(layers, streamed, 10, 10, room, 1)
