"""Memory ports and channels on cases small enough to do by hand.

A burst's row is the cycle of its request, the cycle in which its channel takes it, the units of that cycle which the
burst before still needs, and the cycle from which on its beats come (of a write: of its response).
"""

from __future__ import annotations

import numpy as np
import pytest
from sim_graphs import graph, sink, source

from sttest.sim import Channel, Fifo, MemoryPort, Simulation, TimedGraph, simulate


def both(design: TimedGraph) -> Simulation:
    """What SimPy says, once max-plus has said the same."""
    result, other = (simulate(design, engine, record=True) for engine in ("simpy", "maxplus"))
    assert result.record is not None
    assert other.record is not None
    assert result.finish == other.finish
    for port, bursts in result.record.bursts.items():
        np.testing.assert_array_equal(bursts, other.record.bursts[port])
    return result


def reading(tokens, token_bytes, channels, *, depth=64, ii=1, **options) -> Simulation:
    """One read port into a sink of one token per ``ii`` cycles."""
    names = tuple(channel.name for channel in channels)
    port = MemoryPort("m", "read", "a", tokens, token_bytes, names, **options)
    return both(graph([Fifo("a", depth, 8, "srl")], [port, sink("a", tokens, ii=ii)], channels))


def writing(tokens, token_bytes, channels, *, ii=1, **options) -> Simulation:
    """A source of one token per ``ii`` cycles into one write port: token i can be taken in cycle i * ii + 1."""
    names = tuple(channel.name for channel in channels)
    port = MemoryPort("m", "write", "a", tokens, token_bytes, names, **options)
    return both(graph([Fifo("a", 2, 8, "srl")], [source("a", tokens, ii=ii), port], channels))


def bursts_of(result, port="m"):
    assert result.record is not None
    return result.record.bursts[port][:, :4].tolist()


def starts_of(result, port="m"):
    return [start for _, start, _, _ in bursts_of(result, port)]


# --- One port that reads


def test_a_token_is_there_with_its_last_byte():
    """Requested and started at 0; beats of 8 bytes arrive at 11 and 12; two tokens in each; one written per cycle."""
    result = reading(4, 4, [Channel("c", 10, 8)])
    assert bursts_of(result) == [[0, 0, 0, 10]]
    assert result.write_times["a"].tolist() == [11, 12, 13, 14]
    assert result.finish["m"] == 15
    assert result.breakdown["m"].memory_wait_cycles == 11
    assert result.breakdown["m"].busy_cycles == 4


def test_a_token_over_several_beats():
    assert reading(2, 12, [Channel("c", 0, 4)]).write_times["a"].tolist() == [3, 6]


def test_two_beats_in_three_cycles():
    """Beat j arrives ceil((j + 1) * 3 / 2) cycles after the latency."""
    result = reading(4, 4, [Channel("c", 10, 4, beats_num=2, beats_den=3)])
    assert result.write_times["a"].tolist() == [12, 13, 15, 16]


def test_what_a_burst_needs_of_its_last_cycle_is_left_to_the_next():
    """A beat per burst, of 3 half cycles: free at 1.5, 3, 4.5; the beats come as those of one long burst would.

    Burst 1 begins half a cycle into cycle 1, and its beat is there 11 + ceil((1 + 3) / 2).
    """
    result = reading(4, 4, [Channel("c", 10, 4, beats_num=2, beats_den=3)], burst_bytes=4)
    assert bursts_of(result) == [[0, 0, 0, 10], [1, 1, 1, 11], [2, 3, 0, 13], [3, 4, 1, 14]]
    assert result.write_times["a"].tolist() == [12, 13, 15, 16]


def test_several_beats_per_cycle_are_taken_one_token_per_cycle():
    result = reading(4, 4, [Channel("c", 10, 4, beats_num=4)])
    assert result.write_times["a"].tolist() == [11, 12, 13, 14]


def test_bursts_follow_each_other_without_a_gap():
    """Four beats per burst: the latency is paid once, requests go out one per cycle."""
    result = reading(12, 4, [Channel("c", 10, 4)], burst_bytes=16)
    assert bursts_of(result) == [[0, 0, 0, 10], [1, 4, 0, 14], [2, 8, 0, 18]]
    assert result.write_times["a"].tolist() == list(range(11, 23))


def test_one_burst_in_flight_pays_the_latency_every_time():
    """Burst 1 is requested in the cycle after the last token of burst 0 has gone."""
    result = reading(4, 8, [Channel("c", 10, 8)], burst_bytes=16, outstanding=1)
    assert bursts_of(result) == [[0, 0, 0, 10], [13, 13, 0, 23]]
    assert result.write_times["a"].tolist() == [11, 12, 24, 25]


def test_a_full_fifo_holds_back_requests():
    """Reads at 12, 112, 212: token 2 waits for the place until 113, and only then burst 3 may be asked for."""
    result = reading(4, 8, [Channel("c", 10, 8)], burst_bytes=8, outstanding=1, depth=1, ii=100)
    assert bursts_of(result) == [[0, 0, 0, 10], [12, 12, 0, 22], [24, 24, 0, 34], [114, 114, 0, 124]]
    assert result.write_times["a"].tolist() == [11, 23, 113, 213]
    assert result.breakdown["m"].stall_out_cycles == (113 - 35) + (213 - 125)


@pytest.mark.parametrize(("num", "den"), [(1, 1), (9, 10), (13, 14), (2, 3)])
def test_the_rate_of_a_long_stream(num, den):
    """32-byte beats and tokens: the channel's rate, after the latency, rounded up once for all 32 bursts."""
    result = reading(4096, 32, [Channel("c", 100, 32, num, den)])
    assert result.write_times["a"][-1] == 100 + -(-4096 * den // num)


# --- One port over several channels


def test_bursts_alternate_over_channels():
    """Burst 1 is requested a cycle after burst 0, and its beats come from 1 + 20 on."""
    result = reading(8, 4, [Channel("c", 10, 4), Channel("d", 20, 4)], burst_bytes=16, ids="many")
    assert bursts_of(result) == [[0, 0, 0, 10], [1, 1, 0, 21]]
    assert result.write_times["a"].tolist() == [11, 12, 13, 14, 22, 23, 24, 25]


def test_a_fast_channel_does_not_overtake():
    """The beats of burst 1 are there from 3 on, and wait for those of burst 0."""
    result = reading(8, 4, [Channel("c", 20, 4), Channel("d", 1, 4)], burst_bytes=16, ids="many")
    assert bursts_of(result) == [[0, 0, 0, 20], [1, 1, 0, 2]]
    assert result.write_times["a"].tolist() == [21, 22, 23, 24, 25, 26, 27, 28]


@pytest.mark.parametrize(("wait", "asked"), [(None, 14), (3, 7), (0, 4)])
def test_one_id_waits_where_it_turns_to_another_channel(wait, asked):
    """Burst 0 is the range of c, and leaves it at 4; one ID then waits as long as c says, or its latency of 10."""
    channels = [Channel("c", 10, 4, id_wait=wait), Channel("d", 20, 4, id_wait=99)]
    result = reading(8, 4, channels, burst_bytes=16)
    assert bursts_of(result) == [[0, 0, 0, 10], [asked, asked, 0, asked + 20]]
    assert result.write_times["a"].tolist() == [*range(11, 15), *range(asked + 21, asked + 25)]


@pytest.mark.parametrize(
    ("options", "bursts"),
    [
        ({}, {"c": [0, 1, 2], "d": [3, 4], "e": [5, 6]}),
        ({"ids": "many"}, {"c": [0, 3, 6], "d": [1, 4], "e": [2, 5]}),
        ({"pattern": "random"}, {"c": [0, 2, 3], "d": [1, 4, 6], "e": [5]}),
    ],
)
def test_which_bursts_go_to_which_channel(options, bursts):
    """Of 7 bursts over 3 channels: floor(i * 3 / 7) for one ID, i mod 3 for many, and h(i) mod 3 where it is random.

    In hex h is 0, 31251ba7, 66a79298, dfb6d245, cd4f2531, 23531b52 and c3c978e8.

    A channel that takes 1,000 cycles longer than the others tells which bursts are its own.
    """
    for slow, own in bursts.items():
        channels = [Channel(name, 1000 if name == slow else 0, 4, id_wait=0) for name in "cde"]
        rows = bursts_of(reading(7, 4, channels, burst_bytes=4, **options))
        assert [burst for burst, (_, start, _, due) in enumerate(rows) if due == start + 1000] == own


@pytest.mark.parametrize(("outstanding", "times"), [(4, [13, 32, 35, 36]), (2, [13, 32, 35, 45])])
def test_a_token_across_two_bursts_needs_both(outstanding, times):
    """Token 1 has bytes 6 to 11: the last beats of burst 0 and the first of burst 1, which starts at 1 on its channel.

    Tokens 2 and 3 need beats 3 and 4 of it; token 3 the second one of burst 2 as well, which c takes at 5.  Where two
    bursts may be in flight, over both channels, it is requested once token 1 has drained burst 0, at 33.
    """
    channels = [Channel("c", 10, 2), Channel("d", 30, 2)]
    result = reading(4, 6, channels, burst_bytes=10, outstanding=outstanding, ids="many")
    assert bursts_of(result)[2] == ([2, 5, 0, 15] if outstanding == 4 else [33, 33, 0, 43])
    assert result.write_times["a"].tolist() == times


def test_one_burst_of_a_port_waits_at_a_channel():
    """A beat takes ten cycles.  Burst 4 goes where burst 2 waits until 10, and is requested then; so is burst 5 at 11.

    A port of one channel requests as many as may be in flight, wherever they wait.
    """
    channels = [Channel(name, 0, 4, 1, 10) for name in "cd"]
    two = reading(6, 4, channels, burst_bytes=4, ids="many")
    assert [row[:2] for row in bursts_of(two)] == [[0, 0], [1, 1], [2, 10], [3, 11], [10, 20], [11, 21]]
    one = reading(6, 4, channels[:1], burst_bytes=4, ids="many")
    assert [row[:2] for row in bursts_of(one)] == [[i, 10 * i] for i in range(6)]


@pytest.mark.parametrize(
    ("count", "ids", "last"), [(1, "one", 4146), (1, "many", 4146), (4, "many", 1080), (4, "one", 4146 + 3 * 50)]
)
def test_channels_taken_in_turn_add_up(count, ids, last):
    """Tokens as wide as four beats, bursts of two tokens, the first token at 50 + 4.

    One channel takes burst i at 8 i, and the last of 512 ends 50 + 8 later.  Of four the last takes every fourth burst
    from burst 3 on, burst 511 at 3 + 127 * 8, so that its bytes are there at 1077; from token 1 on, at 58, one passes
    per cycle, the last 1022 later.  One ID reads 128 bursts of each, one after the other, and waits 50 cycles at each
    of three changes.
    """
    channels = [Channel(name, 50, 8) for name in "cdef"[:count]]
    times = reading(1024, 32, channels, burst_bytes=64, outstanding=64, ids=ids).write_times["a"]
    assert (times[0], times[-1]) == (54, last)


def test_bursts_in_flight_count_for_all_channels_together():
    """Two bursts of one token on the way at 0 and 1, the third once the first was drained: its token comes at 11."""
    channels = [Channel(name, 10, 4) for name in "cde"]
    result = reading(3, 4, channels, burst_bytes=4, outstanding=2, ids="many")
    assert bursts_of(result) == [[0, 0, 0, 10], [1, 1, 0, 11], [12, 12, 0, 22]]


# --- Random access


def scattered(burst: int) -> int:
    """The hash of a burst's number as the law has it, in numpy's 32 bits."""
    with np.errstate(over="ignore"):
        x, factor, half = np.uint32(burst), np.uint32(0x45D9F3B), np.uint32(16)
        x = (x ^ (x >> half)) * factor
        x = (x ^ (x >> half)) * factor
        return int(x ^ (x >> half))


@pytest.mark.parametrize("lanes", [2, 3, 16])
def test_random_bursts_are_spread_by_their_hash(lanes):
    """Latencies of a thousand cycles more per channel tell where each of 200 bursts went."""
    channels = [Channel(f"c{lane}", 1000 * lane, 4) for lane in range(lanes)]
    rows = bursts_of(reading(200, 4, channels, burst_bytes=4, pattern="random"))
    assert [(due - start) // 1000 for _, start, _, due in rows] == [scattered(burst) % lanes for burst in range(200)]


@pytest.mark.parametrize(
    ("pattern", "burst_bytes", "starts", "free"),
    [("sequential", 8, [0, 2, 4, 6, 8], 21), ("random", 8, [0, 5, 10, 15, 20], 25), ("random", 16, [0, 9, 18], 23)],
)
def test_random_bursts_take_at_least_as_long_as_a_row(pattern, burst_bytes, starts, free):
    """Of 40 bytes, bursts of two beats take 5 units where they are random, and those of more than 8 bytes take 9.

    The last burst of 16 has 8 bytes, and is a short one: the port behind, which asks at 21, comes at 18 + 5.
    """
    channel = Channel("c", 0, 4, random_bytes=8, random_short=5, random_long=9)
    ports = [
        MemoryPort("m", "read", "a", 10, 4, ("c",), burst_bytes, pattern=pattern),
        MemoryPort("behind", "read", "b", 1, 4, ("c",), start=21),
    ]
    fifos = [Fifo(name, 64, 8, "srl") for name in "ab"]
    result = both(graph(fifos, [*ports, sink("a", 10, name="sa"), sink("b", 1, name="sb")], [channel]))
    assert starts_of(result) == starts
    assert starts_of(result, "behind") == [free]


@pytest.mark.parametrize(("burst_bytes", "second"), [(12, 6), (40, 20)])
def test_a_random_burst_may_be_longer_than_the_least(burst_bytes, second):
    """Two units a beat: the 6 of 12 bytes are more than 4, the 20 of 40 bytes, which are long, more than 15."""
    channel = Channel("c", 0, 4, 1, 2, random_bytes=12, random_short=4, random_long=15)
    assert starts_of(reading(20, 4, [channel], burst_bytes=burst_bytes, pattern="random"))[:2] == [0, second]


# --- Ports that share a channel


def sharing(*starts):
    """Read ports of three bursts each on one channel, four beats per burst."""
    ports = [MemoryPort(f"m{i}", "read", f"f{i}", 12, 4, ("c",), 16, start=start) for i, start in enumerate(starts)]
    fifos = [Fifo(f"f{i}", 64, 8, "srl") for i in range(len(starts))]
    sinks = [sink(f"f{i}", 12, name=f"s{i}") for i in range(len(starts))]
    return both(graph(fifos, [*ports, *sinks], [Channel("c", 10, 4)]))


def test_ports_take_turns_on_a_channel():
    result = sharing(0, 0)
    assert bursts_of(result, "m0") == [[0, 0, 0, 10], [1, 8, 0, 18], [2, 16, 0, 26]]
    assert bursts_of(result, "m1") == [[0, 4, 0, 14], [1, 12, 0, 22], [2, 20, 0, 30]]


def test_a_late_port_gets_the_next_turn():
    """m1 asks at 5, while burst 1 of m0 is on the channel until 8; then it is m1's turn, then m0's again."""
    result = sharing(0, 5)
    assert bursts_of(result, "m0") == [[0, 0, 0, 10], [1, 4, 0, 14], [2, 12, 0, 22]]
    assert bursts_of(result, "m1") == [[5, 8, 0, 18], [6, 16, 0, 26], [7, 20, 0, 30]]


def test_three_ports_go_round():
    result = sharing(0, 0, 0)
    assert [starts_of(result, f"m{i}") for i in range(3)] == [[0, 12, 24], [4, 16, 28], [8, 20, 32]]


def test_a_channel_takes_a_burst_per_cycle_however_short():
    """Bursts of a quarter of a cycle: the ports request burst i at i, and both are served in turn, one per cycle."""
    ports = [MemoryPort(f"m{i}", "read", f"f{i}", 3, 4, ("c",), 4) for i in range(2)]
    sinks = [sink(f"f{i}", 3, name=f"s{i}") for i in range(2)]
    result = both(graph([Fifo(f"f{i}", 9, 8, "srl") for i in range(2)], [*ports, *sinks], [Channel("c", 0, 4, 4)]))
    assert [starts_of(result, f"m{i}") for i in range(2)] == [[0, 2, 4], [1, 3, 5]]


def both_ways(channel, *, reads=("r",), write_start=0):
    """Read ports of six bursts of one token, all of them requested in time, and one that writes four, from 1 on."""
    ports = [MemoryPort(name, "read", name, 6, 4, ("c",), 4) for name in reads]
    ports.insert(1, MemoryPort("w", "write", "w", 4, 4, ("c",), 4, start=write_start))
    sinks = [sink(name, 6, name=f"s{name}") for name in reads]
    fifos = [Fifo(name, 64, 8, "srl") for name in (*reads, "w")]
    return both(graph(fifos, [*ports, source("w", 4), *sinks], [channel]))


@pytest.mark.parametrize(
    ("turns", "reads", "writes"),
    [
        ({}, [0, 4, 8, 12, 16, 18], [2, 6, 10, 14]),
        ({"read_turns": 2}, [0, 2, 6, 8, 12, 14], [4, 10, 16, 18]),
        ({"write_turns": 2}, [0, 6, 12, 14, 16, 18], [2, 4, 8, 10]),
        ({"read_turns": 2, "write_turns": 3}, [0, 2, 10, 12, 16, 18], [4, 6, 8, 14]),
    ],
)
def test_reads_and_writes_take_turns(turns, reads, writes):
    """A burst takes 2 cycles, the first is a read, and the direction turns after its turns, where the other waits."""
    result = both_ways(Channel("c", 0, 4, 1, 2, **turns))
    assert (starts_of(result, "r"), starts_of(result, "w")) == (reads, writes)


def test_what_a_direction_took_while_none_waited_counts():
    """Reads at 0, 2 and 4, while no write waits: these are their three turns, and the write of cycle 5 comes at 6."""
    result = both_ways(Channel("c", 0, 4, 1, 2, read_turns=3), write_start=5)
    assert starts_of(result, "r") == [0, 2, 4, 8, 10, 12]
    assert starts_of(result, "w") == [6, 14, 16, 18]


def test_a_direction_goes_on_where_the_other_has_nothing():
    """A late write finds more reads in a row than have turns, and is next."""
    result = both_ways(Channel("c", 0, 4, 1, 2, read_turns=2), write_start=7)
    assert starts_of(result, "r") == [0, 2, 4, 6, 10, 12]
    assert starts_of(result, "w") == [8, 14, 16, 18]


def test_turns_of_a_direction_outlast_those_of_the_other():
    """Graph order q, w, r: q reads first, then w writes, then it is r's turn, not q's, though w was served last."""
    result = both_ways(Channel("c", 0, 4, 1, 2), reads=("q", "r"))
    assert starts_of(result, "w") == [2, 6, 10, 14]
    assert starts_of(result, "q") == [0, 8, 16, 20, 24, 28]
    assert starts_of(result, "r") == [4, 12, 18, 22, 26, 30]


# --- What a channel does sooner or later than its latency


@pytest.mark.parametrize(("start", "row"), [(0, [0, 4, 0, 29]), (15, [15, 15, 0, 29]), (20, [20, 20, 0, 30])])
def test_a_burst_that_finds_a_channel_busy_takes_longer(start, row):
    """Free at 4: 25 cycles later at the earliest its beats come, or 10 after the burst is taken, whichever is later.

    The first burst of a channel found it free.
    """
    ports = [MemoryPort(f"m{i}", "read", f"f{i}", 4, 4, ("c",), 16, start=at) for i, at in enumerate((0, start))]
    sinks = [sink(f"f{i}", 4, name=f"s{i}") for i in range(2)]
    channel = Channel("c", 10, 4, busy_latency=25)
    result = both(graph([Fifo(f"f{i}", 64, 8, "srl") for i in range(2)], [*ports, *sinks], [channel]))
    assert bursts_of(result, "m0") == [[0, 0, 0, 10]]
    assert bursts_of(result, "m1") == [row]


def test_a_write_ends_with_its_response():
    """Tokens taken at 1, 2, 3, 4; the burst asked for at 4, answered latency + 1 later, whatever it still sends."""
    result = writing(4, 4, [Channel("c", 10, 8)])
    assert result.read_times["a"].tolist() == [1, 2, 3, 4]
    assert bursts_of(result) == [[4, 4, 0, 15]]
    assert result.finish["m"] == 15
    assert result.breakdown["m"].memory_wait_cycles == 15 - 5


def test_a_posted_write_is_answered_before_it_is_through():
    """Answered 2 cycles after it was taken, at 6; it keeps the channel until 4 + 40, and the next is taken then."""
    result = writing(8, 4, [Channel("c", 10, 4, 1, 10, response=2)], burst_bytes=16)
    assert bursts_of(result) == [[4, 4, 0, 6], [8, 44, 0, 46]]
    assert result.finish["m"] == 46


def test_a_write_that_finds_a_channel_busy_is_answered_later():
    """The first is answered 3 cycles after it was taken; the second 20 after the channel was free for it, at 8."""
    result = writing(8, 4, [Channel("c", 10, 4, response=3, busy_response=20)], burst_bytes=16)
    assert bursts_of(result) == [[4, 4, 0, 7], [8, 8, 0, 28]]
    assert result.finish["m"] == 28


@pytest.mark.parametrize(("write_den", "second"), [(None, 12), (3, 16)])
def test_writes_have_a_rate_of_their_own(write_den, second):
    """Four beats from 4 on, of two cycles as those that are read, or of three: the second burst comes at 12 or 16."""
    channel = Channel("c", 10, 4, 1, 2, write_den=write_den)
    assert starts_of(writing(8, 4, [channel], burst_bytes=16)) == [4, second]
    assert starts_of(reading(8, 4, [channel], burst_bytes=16)) == [0, 8]


# --- One port that writes


def test_writes_wait_for_a_free_burst():
    """One burst of one token: taken and asked for at 1, response at 1 + 1 + 10, the next token one later."""
    result = writing(3, 8, [Channel("c", 10, 8)], burst_bytes=8, outstanding=1)
    assert result.read_times["a"].tolist() == [1, 13, 25]
    assert result.finish["m"] == 36


@pytest.mark.parametrize(
    ("ids", "rows"),
    [
        ("many", [[1, 1, 0, 7], [2, 2, 0, 8], [3, 3, 0, 9], [4, 4, 0, 10]]),
        ("one", [[1, 1, 0, 7], [2, 2, 0, 8], [8, 8, 0, 14], [9, 9, 0, 15]]),
    ],
)
def test_a_token_of_several_write_bursts_asks_for_one_per_cycle(ids, rows):
    """Each is answered 5 + 1 later.  One ID writes bursts 0 and 1 to c, which is free at 3, and waits for 5 cycles."""
    channels = [Channel("c", 5, 8), Channel("d", 5, 8)]
    result = writing(1, 32, channels, burst_bytes=8, outstanding=4, ids=ids)
    assert bursts_of(result) == rows
    assert result.finish["m"] == rows[-1][3]


def test_a_short_last_burst_takes_fewer_beats():
    """The burst of four beats at 4 leaves at 8, where the one of a single beat is taken; each is answered 11 later."""
    result = writing(5, 4, [Channel("c", 10, 4)], burst_bytes=16)
    assert bursts_of(result) == [[4, 4, 0, 15], [5, 8, 0, 19]]
    assert result.finish["m"] == 19


@pytest.mark.parametrize(
    ("token_bytes", "times"), [(4, [1, 2, 6, 7, 11, 12]), (8, [1, 5, 9, 13, 17, 21]), (16, [1, 8, 15, 22, 29, 36])]
)
def test_a_gap_follows_each_burst(token_bytes, times):
    """Bursts of 8 bytes, 3 cycles of nothing after each: after two tokens, after each one, or twice after each.

    Those are no stalls: the port is busy for its tokens and for all gaps but the one behind the last, and stalls for
    one cycle until the first token comes, and for the memory's answer 11 cycles after the last.
    """
    result = writing(6, token_bytes, [Channel("c", 10, 16)], burst_bytes=8, gap=3)
    assert result.read_times["a"].tolist() == times
    part = result.breakdown["m"]
    assert (part.busy_cycles, part.stall_in_cycles) == (times[-1], 1)
    last = bursts_of(result)[-1]
    assert part.memory_wait_cycles == last[3] - (times[-1] + 1)
    assert last[3] == result.finish["m"] == times[-1] + (11 if token_bytes < 16 else 12)


def test_a_gap_and_a_wait_for_a_place_pass_together():
    """One burst in flight: its response comes 11 after it, and the next token a cycle later, a gap of 3 or not."""
    result = writing(3, 8, [Channel("c", 10, 8)], burst_bytes=8, outstanding=1, gap=3)
    assert result.read_times["a"].tolist() == [1, 13, 25]
    part = result.breakdown["m"]
    assert (part.busy_cycles, part.stall_in_cycles, part.memory_wait_cycles) == (3 + 2 * 3, 1, 8 + 8 + 10)


def early(latency, **options):
    """A token in cycles 1, 4, 7 and 10, four to a burst that is requested with the first."""
    return writing(4, 4, [Channel("c", latency, 4)], ii=3, burst_bytes=16, early=True, **options)


@pytest.mark.parametrize(("latency", "response"), [(10, 12), (2, 11)])
def test_an_early_write_is_asked_for_with_its_first_byte(latency, response):
    """Taken at 1; answered latency + 1 later, but not before the cycle after its last byte, which comes at 10."""
    result = early(latency)
    assert result.read_times["a"].tolist() == [1, 4, 7, 10]
    assert bursts_of(result) == [[1, 1, 0, response]]
    assert result.finish["m"] == response


@pytest.mark.parametrize(("is_early", "read", "written"), [(False, 2, 10), (True, 11, 1)])
def test_an_early_write_holds_its_channel_until_its_last_byte_came(is_early, read, written):
    """The read asked for at 2 waits until 11, the cycle after the last byte; a write that is not early comes at 10."""
    ports = [
        MemoryPort("w", "write", "w", 4, 4, ("c",), 16, early=is_early),
        MemoryPort("r", "read", "r", 4, 4, ("c",), 16, start=2),
    ]
    fifos = [Fifo(name, 9, 8, "srl") for name in "wr"]
    result = both(graph(fifos, [*ports, source("w", 4, ii=3), sink("r", 4)], [Channel("c", 5, 4)]))
    assert starts_of(result, "r") == [read]
    assert starts_of(result, "w") == [written]


def test_an_early_write_whose_bytes_came_in_time_takes_as_long_as_its_beats():
    """Bytes at 1 to 8, a beat takes two cycles: burst 0 from 1 to 9, burst 1, asked for with its first at 5, to 17."""
    result = writing(12, 4, [Channel("c", 0, 4, 1, 2)], burst_bytes=16, early=True)
    assert [row[:2] for row in bursts_of(result)] == [[1, 1], [5, 9], [9, 17]]
