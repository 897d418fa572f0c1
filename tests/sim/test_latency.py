"""FIFOs whose ends are apart: every engine has the same times, credits bound what is on the way, files keep them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.core.errors import InputError
from sttest.sim import read_timed_graph, simulate, write_timed_graph
from sttest.sim.checker import require_correct
from sttest.sim.graph import Event, Fifo, Loop, Pipeline, TimedGraph

TOKENS = 24


def link(latency: int, room: int, frame: int) -> TimedGraph:
    """A sender that starts frames with credits for all of their tokens, and a receiver that gives them back."""
    fifos = (
        Fifo("made", 2, 32),
        Fifo("way", room, 32, "ram", latency=latency),
        Fifo("credits", room, 1, initial_tokens=room, latency=latency),
        Fifo("got", 2, 32),
    )
    sends = [Event("credits", "read", 0, tokens=frame)]
    for token in range(frame):
        sends += [Event("made", "read", 2 * token), Event("way", "write", 2 * token + 1)]
    loops = {
        "make": Loop((TOKENS,), 1, 2, (Event("made", "write", 1),)),
        "send": Loop((TOKENS // frame,), 2 * frame, 2 * frame, tuple(sends)),
        "receive": Loop(
            (TOKENS,), 1, 1, (Event("way", "read", 0), Event("got", "write", 0), Event("credits", "write", 0))
        ),
        "use": Loop((TOKENS,), 1, 1, (Event("got", "read", 0),)),
    }
    return TimedGraph("link", 250.0, fifos, tuple(Pipeline(name, (loop,)) for name, loop in loops.items()))


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(1, 30), st.sampled_from([1, 2, 4, 8]))
def test_engines_agree(latency, room, frame):
    graph = link(latency, room, frame)
    simpy, maxplus = (simulate(graph, engine, record=True) for engine in ("simpy", "maxplus"))
    assert simpy.cycles == maxplus.cycles
    assert (simpy.deadlock is None) == (frame <= room) == (maxplus.deadlock is None)
    require_correct(maxplus)


def test_latency_is_paid_once_where_credits_suffice():
    """The first token is as much later, and all others follow at the sender's pace."""
    assert simulate(link(50, 2 * TOKENS, 1)).cycles == simulate(link(0, 2 * TOKENS, 1)).cycles + 50


def test_one_credit_goes_there_and_back_for_every_token():
    cycles = [simulate(link(latency, 1, 1)).cycles for latency in (10, 20)]
    assert None not in cycles
    assert cycles[1] - cycles[0] == 10 * (2 * TOKENS - 1)


def test_more_room_is_never_slower():
    cycles = [simulate(link(40, room, 2)).cycles for room in range(2, 40)]
    assert cycles == sorted(cycles, reverse=True)


def test_a_file_keeps_it(tmp_path):
    graph = link(17, 4, 2)
    write_timed_graph(graph, tmp_path / "graph.json")
    assert read_timed_graph(tmp_path / "graph.json") == graph


def test_no_token_comes_before_it_is_sent():
    with pytest.raises(InputError, match="latency is -1"):
        link(-1, 4, 1)
