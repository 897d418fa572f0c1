"""What the JSON tests can't reach: ports, actors, and graphs made in Python."""

from dataclasses import replace

import numpy as np
import pytest
from sim_graphs import chain, graph, sink, source

from sttest.core.errors import InputError
from sttest.sim import Actor, ActorPhase, Channel, Event, Fifo, Loop, MemoryPort, Pipeline, Trace, simulate

A = Fifo("a", 2, 8)
C = Channel("c", 10, 32)
TAKER = Actor("y", (ActorPhase(1, {"a": 1}, {}),), 1)


def port(**changes):
    return MemoryPort(
        **({"name": "m", "op": "read", "fifo": "a", "tokens": 4, "token_bytes": 32, "channels": ("c",)} | changes)
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: graph([A], [port(channels=("d",)), sink("a", 4)], [C]), "no channel 'd'; choose one of c"),
        (lambda: graph([A], [port(channels=("d",)), sink("a", 4)]), "no channel 'd'; declare it under channels"),
        (lambda: graph([A], [port(channels=()), sink("a", 4)], [C]), "number of channels is 0"),
        (lambda: graph([A], [port(op="reed"), sink("a", 4)], [C]), "unknown op 'reed'; did you mean 'read'?"),
        (lambda: graph([A], [port(tokens=0), sink("a", 4)], [C]), "tokens is 0, at least 1 is needed"),
        (lambda: graph([A], [port(outstanding=0), sink("a", 4)], [C]), "outstanding is 0"),
        (lambda: graph([A], [port(burst_bytes=1, tokens=1 << 30), sink("a", 4)], [C]), "number of bursts is"),
        (
            lambda: graph([A], [port(token_bytes=4096, outstanding=1, burst_bytes=64), sink("a", 4)], [C]),
            "a token lies in more bursts than may be in flight, so the port could never finish it "
            "(demand 64 bursts, bound 1 bursts); make the token smaller or raise outstanding",
        ),
        (
            lambda: graph([replace(A, latency=3)], [Actor("x", (ActorPhase(1, {}, {"a": 1}),), 1), TAKER]),
            "FIFO 'a': latency 3 between two actors, which pass tokens within a cycle; put an actor that takes so long",
        ),
        (lambda: graph([A], [source("a", 1), sink("a", 1)], [Channel("c", -1, 32)]), "latency is -1"),
        (lambda: graph([A], [source("a", 1), sink("a", 1)], [Channel("c", 0, 0)]), "beat_bytes is 0"),
        (lambda: graph([A], [source("a", 1), sink("a", 1)], [C, C]), "two channel entries are called 'c'"),
        (lambda: graph([A], [source("a", 1)]), "FIFO 'a': no process is its reader; connect it or remove it"),
        (lambda: graph([A], [sink("a", 1)]), "FIFO 'a': no process is its writer"),
        (lambda: graph([A], [source("a", 1), source("a", 1, name="s2"), sink("a", 1)]), "two writers, 'src' and 's2'"),
        (lambda: graph([A, A], [source("a", 1), sink("a", 1)]), "two FIFO entries are called 'a'"),
        (lambda: graph([], [Actor("x", ())]), "number of phases is 0"),
        (lambda: graph([], [Actor("x", (ActorPhase(-1),))]), "time is -1"),
        (lambda: graph([], [Actor("x", (ActorPhase(1),), -1)]), "firings is -1"),
        (lambda: graph([A], [Actor("x", (ActorPhase(1, {"b": 1}, {"a": 1}),))]), "no FIFO 'b'"),
        (lambda: graph([], [Pipeline("", ())]), "process name '' is not 1 to 200 printable characters"),
        (lambda: graph([], [Pipeline("a\nb", ())]), "is not 1 to 200 printable characters"),
        (lambda: graph([], [Pipeline("p", start=-1)]), "start is -1"),
        (lambda: graph([], [Pipeline("p", (Loop((1,), 1, 1),), trace=TRACE)]), "both loops and a trace"),
        (lambda: graph([], [Pipeline("p", (Loop((1,), 1, 1, entry_gap=-1),))]), "entry_gap is -1"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(InputError) as caught:
        make()
    assert message in str(caught.value)


def written(**changes):
    """A graph whose port writes, with some of its fields changed."""
    return graph([A], [source("a", 4), port(op="write", **changes)], [C])


def described(**changes):
    """A graph whose port reads a channel with some of its fields changed."""
    return graph([A], [port(), sink("a", 4)], [replace(C, **changes)])


@pytest.mark.parametrize(
    ("make", "code", "told"),
    [
        (lambda: written(pattern="randm"), "unknown-value", "unknown pattern 'randm'; did you mean 'random'?"),
        (lambda: written(ids="two"), "unknown-value", "unknown ids 'two'; choose one of many, one"),
        (lambda: written(ids=2), "unknown-value", "unknown ids '2'"),
        (lambda: written(gap=-1), "too-small", "gap is -1, at least 0 is needed"),
        (lambda: written(gap=(1 << 20) + 1), "too-large", "gap is 1048577, at most 1048576 is possible"),
        (lambda: written(gap=0.5), "not-whole", "gap is 0.5, not a whole number"),
        (
            lambda: graph([A], [port(gap=1), sink("a", 4)], [C]),
            "gap-read",
            "process 'm': 'gap' is of ports that write; leave it out",
        ),
        (
            lambda: graph([A], [port(early=True), sink("a", 4)], [C]),
            "early-read",
            "process 'm': 'early' is of ports that write; leave it out",
        ),
        (
            lambda: graph([A], [port(channels=("d", "c", "c")), sink("a", 4)], [C]),
            "repeated-channel",
            "process 'm': channel 'c' is listed twice; list each channel once",
        ),
        (lambda: described(beats_num=0), "too-small", "channel 'c': beats_num is 0, at least 1 is needed"),
        (lambda: described(beats_den=(1 << 20) + 1), "too-large", "beats_den is 1048577, at most 1048576 is possible"),
        (lambda: described(write_den=0), "too-small", "write_den is 0, at least 1 is needed"),
        (lambda: described(write_den=(1 << 20) + 1), "too-large", "write_den is 1048577, at most 1048576 is possible"),
        (lambda: described(busy_latency=9), "too-small", "busy_latency is 9, at least 10 is needed"),
        (lambda: described(busy_latency=(1 << 50) + 1), "too-large", "busy_latency is 1125899906842625, at most"),
        (lambda: described(response=0), "too-small", "response is 0, at least 1 is needed"),
        (lambda: described(response=7, busy_response=6), "too-small", "busy_response is 6, at least 7 is needed"),
        (lambda: described(busy_response=10), "too-small", "busy_response is 10, at least 11 is needed"),
        (lambda: described(random_bytes=-1), "too-small", "random_bytes is -1, at least 0 is needed"),
        (lambda: described(random_short=-1), "too-small", "random_short is -1, at least 0 is needed"),
        (lambda: described(random_long=(1 << 30) + 1), "too-large", "random_long is 1073741825, at most 1073741824"),
        (lambda: described(id_wait=-1), "too-small", "id_wait is -1, at least 0 is needed"),
        (lambda: described(read_turns=0), "too-small", "read_turns is 0, at least 1 is needed"),
        (lambda: described(write_turns=1.5), "not-whole", "write_turns is 1.5, not a whole number"),
    ],
)
def test_refusals_of_what_memory_does(make, code, told):
    with pytest.raises(InputError) as caught:
        make()
    assert told in str(caught.value)
    assert caught.value.code == code


def test_what_stands_empty_is_as_it_says():
    """The figures that have defaults may be as small as what they are by default, or zero."""
    least = replace(C, busy_latency=10, response=1, busy_response=1, id_wait=0, write_den=1)
    design = graph([A], [port(), sink("a", 4)], [least])
    assert simulate(design).cycles == simulate(described()).cycles
    assert [C.delay(writes=writes) for writes in (False, True)] == [10, 11]
    assert [C.busy_delay(writes=writes) for writes in (False, True)] == [10, 11]
    assert (C.turn_cycles, C.units_per_beat(writes=True), replace(C, response=7).busy_delay(writes=True)) == (10, 1, 7)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_outstanding_counts_for_all_channels_together(count):
    """A token of 4 bursts needs 4 in flight, over however many channels."""
    channels = [Channel(f"c{i}", 10, 32) for i in range(count)]
    names = tuple(channel.name for channel in channels)
    wide = {"token_bytes": 256, "burst_bytes": 64, "channels": names, "ids": "many"}
    assert simulate(graph([A], [port(outstanding=4, **wide), sink("a", 4)], channels)).verdict == "done"
    with pytest.raises(InputError, match="demand 4 bursts, bound 3 bursts"):
        graph([A], [port(outstanding=3, **wide), sink("a", 4)], channels)


TRACE = Trace(np.zeros(0, np.int64), np.zeros(0, np.int32))


def test_depths_are_checked_again():
    with pytest.raises(InputError, match=r"no FIFO 'b'; choose one of a"):
        simulate(chain(2), depths={"b": 3})
    with pytest.raises(InputError, match="depth is 0, at least 1 is needed"):
        simulate(chain(2), depths={"a": 0})
    with pytest.raises(InputError, match="initial_tokens is 2, at most 1 is possible"):
        simulate(chain(2, initial_tokens=2), depths={"a": 1})


def test_numpy_numbers_are_numbers():
    loop = Loop((np.int64(4),), np.int64(1), 1, (Event("a", "write", 0),))
    assert simulate(graph([A], [Pipeline("p", (loop,)), sink("a", 4)])).verdict == "done"


def test_an_unknown_engine():
    with pytest.raises(InputError, match=r"no engine 'simpi'; did you mean 'simpy'\?"):
        simulate(chain(2), "simpi")


def test_a_port_has_as_many_places_as_a_token_lies_in_bursts():
    """Tokens of 20 bytes begin at multiples of 4: each lies in two bursts of 16, and two places do."""
    two = graph([A], [port(token_bytes=20, burst_bytes=16, outstanding=2), sink("a", 4)], [C])
    assert simulate(two).verdict == "done"
    with pytest.raises(InputError, match="demand 2 bursts, bound 1 bursts"):
        graph([A], [port(token_bytes=20, burst_bytes=16, outstanding=1), sink("a", 4)], [C])
    alone = graph([A], [port(tokens=1, token_bytes=6, burst_bytes=16, outstanding=1), sink("a", 1)], [C])
    assert simulate(alone).verdict == "done"
