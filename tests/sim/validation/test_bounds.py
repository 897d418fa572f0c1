"""Numbers, texts and extents beyond what a graph may have, told by name with the bound; and what a graph may have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sim_graphs import chain, graph, sink, source

from sttest.core.errors import InputError
from sttest.sim import Actor, ActorPhase, Channel, Event, Fifo, Loop, MemoryPort, Pipeline, Trace, simulate
from sttest.sim import graph as limits
from sttest.sim.graph import MAX_ACCESSES_VARIABLE, full_rate_depth, max_accesses, srl_depth

A = Fifo("a", 2, 8)


def refused(make, code):
    with pytest.raises(InputError) as caught:
        make()
    assert caught.value.code == code
    return str(caught.value)


@pytest.mark.parametrize("asked", ["x", "-1", "1.0", "٣", "1" * 13, " 1"])
def test_a_limit_that_is_no_number(monkeypatch, asked):
    monkeypatch.setenv(MAX_ACCESSES_VARIABLE, asked)
    told = refused(max_accesses, "bad-limit")
    assert told == (f"STTEST_MAX_ACCESSES: '{asked}' is no number of FIFO accesses; give up to 12 digits or unset it")


def test_a_limit_of_ones_own(monkeypatch):
    """Both ends of 40 tokens are 80 accesses."""
    monkeypatch.setenv(MAX_ACCESSES_VARIABLE, "79")
    told = refused(lambda: chain(2), "too-large")
    assert told == (
        "g: number of FIFO accesses in all is 80, at most 79 is possible; "
        "set STTEST_MAX_ACCESSES higher, at up to 100 bytes of memory each"
    )
    monkeypatch.setenv(MAX_ACCESSES_VARIABLE, "80")
    assert simulate(chain(2)).verdict == "done"
    monkeypatch.setenv(MAX_ACCESSES_VARIABLE, "")
    assert max_accesses() == 1 << 27


@pytest.mark.parametrize(
    ("value", "code", "told"),
    [
        (2.0, "not-whole", "depth is 2.0, not a whole number"),
        (True, "not-whole", "depth is True, not a whole number"),
        (np.bool_(True), "not-whole", "not a whole number"),
        ("2", "not-whole", "depth is '2', not a whole number"),
        (np.int32(0), "too-small", "depth is 0, at least 1 is needed"),
        (1 << 41, "too-large", f"depth is {1 << 41}, at most {1 << 40} is possible"),
        (1 << 300, "too-large", "depth is 2^300 or more, at most"),
        (-(1 << 300), "too-small", "depth is -2^300 or more, at least 1 is needed"),
    ],
)
def test_numbers(value, code, told):
    assert told in refused(lambda: graph([replace(A, depth=value)], [source("a", 1), sink("a", 1)]), code)


@pytest.mark.parametrize("text", ["two\nlines", "\x1b[2J", "x" * 2001, 3])
def test_texts(text):
    told = refused(lambda: graph([replace(A, origin=text)], [source("a", 1), sink("a", 1)]), "bad-text")
    assert told.startswith("g: FIFO 'a': origin ")
    assert told.endswith("is not up to 2000 printable characters")


def test_another_name_is_checked():
    assert chain(2).with_fifos(chain(3).fifos, "other").name == "other"
    assert "graph name 'a\\tb'" in refused(lambda: chain(2).with_fifos(chain(3).fifos, "a\tb"), "bad-name")


ENDLESS = [Actor(name, (ActorPhase(1), ActorPhase(2))) for name in "xy"]
PORT = MemoryPort("m", "read", "a", 4, 4, ("c", "d", "e"))


@pytest.mark.parametrize(
    ("limit", "make", "told"),
    [
        ("MAX_LOOPS", lambda: graph([], [Pipeline("p", (Loop((1,), 1, 1),) * 3)]), "number of loops in all is 3"),
        (
            "MAX_LOOP_EVENTS",
            lambda: graph([A], [Pipeline("p", (Loop((1,), 1, 1, (Event("a", "read", 0),) * 3),))]),
            "number of events in all loops is 3",
        ),
        ("MAX_PHASES", lambda: graph([], ENDLESS), "number of phases in all is 4"),
        (
            "MAX_RATES",
            lambda: graph([A], [Actor("x", (ActorPhase(1, {"a": 1}, {"a": 1}),) * 2)]),
            "number of rates in all is 4",
        ),
        (
            "MAX_ENDLESS",
            lambda: graph([], [*ENDLESS, replace(ENDLESS[0], name="z")]),
            "number of actors that fire for ever is 3",
        ),
        (
            "MAX_LANES",
            lambda: graph([A], [PORT, sink("a", 4)], [Channel("c", 1, 4)]),
            "number of channels of all ports is 3",
        ),
        ("MAX_FIFOS", lambda: graph([A] * 3, [PORT]), "number of FIFOs is 3"),
        ("MAX_PROCESSES", lambda: graph([], [Pipeline("p")] * 3), "number of processes is 3"),
        ("MAX_CHANNELS", lambda: graph([], [Pipeline("p")], [Channel("c", 1, 4)] * 3), "number of channels is 3"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("MAX") else "",
)
def test_extents(monkeypatch, limit, make, told):
    monkeypatch.setattr(limits, limit, 2)
    assert f"g: {told}, at most 2 is possible" == refused(make, "too-large")


@pytest.mark.parametrize(
    ("trace", "end", "code", "told"),
    [
        (
            Trace(np.zeros((2, 2), np.int64), np.zeros(2, np.int32)),
            None,
            "trace-shape",
            "tick is (2, 2), op is (2,); both must be lists of one length",
        ),
        (Trace(np.arange(2), np.zeros(2, np.int64)), None, "trace-dtype", "tick is int64 and op int64, not int64 and"),
        (Trace(np.arange(2), np.array([-1, 0], np.int32)), None, "trace-op", "op -1 names no FIFO, there are 1"),
        (Trace(np.arange(2), np.array([0, 2], np.int32)), None, "trace-op", "op 2 names no FIFO, there are 1"),
        (Trace(np.arange(9), np.zeros(9, np.int32)), 7, "end-too-early", "end is 7 but its trace runs to stage 8"),
    ],
)
def test_traces(trace, end, code, told):
    assert told in refused(lambda: graph([A], [source("a", 2), Pipeline("p", trace=trace, end=end)]), code)


def test_traces_are_equal_by_what_they_hold():
    one, same, other = (Trace(np.arange(n), np.zeros(n, np.int32)) for n in (3, 3, 4))
    assert one == same != other
    assert hash(one) == hash(same)
    assert one != 3
    assert {one: "x"}[same] == "x"


def test_a_token_wider_than_any_shift_register_needs_a_memory():
    """1,024 bits are the most: of 512 two tokens fit; of 600 one, and a memory's extra cycle takes a third place."""
    assert [srl_depth(bits) for bits in (8, 512, 600, 2000)] == [128, 2, 1, 0]
    assert [full_rate_depth(bits) for bits in (8, 512, 600, 2000)] == [2, 2, 3, 3]
    for bits in (8, 512, 600):
        depth = full_rate_depth(bits)
        full = graph([Fifo("a", depth, bits)], [source("a", 40), sink("a", 40)])
        assert simulate(full).cycles == 40 + full.fifos[0].read_after_write_cycles
        assert simulate(full, depths={"a": depth - 1}).cycles > simulate(full).cycles
