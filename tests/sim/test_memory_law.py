"""What memory ports reach in the long run, as closed forms that both engines meet."""

from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from sim_graphs import graph, sink, source

from sttest.sim import Channel, Fifo, MemoryPort, Simulation, simulate

DEEP = 1 << 16
"""Places of the FIFOs, more than any port here fills."""


@pytest.fixture(params=["maxplus", "simpy"])
def run(request):
    """Simulates one port with a pipeline at the other end of its FIFO that moves a token per cycle."""

    def of(op, tokens, token_bytes, channels, **options) -> Simulation:
        names = tuple(channel.name for channel in channels)
        port = MemoryPort("m", op, "a", tokens, token_bytes, names, **options)
        other = (sink if op == "read" else source)("a", tokens)
        return simulate(graph([Fifo("a", DEEP, 8, "srl")], [port, other], channels), request.param, record=True)

    return of


def starts(simulation: Simulation, port="m") -> np.ndarray:
    """Cycles in which a port's bursts were taken."""
    assert simulation.record is not None
    return simulation.record.bursts[port][:, 1]


def dues(simulation: Simulation) -> np.ndarray:
    """Cycles from which on beats come, or those of responses."""
    assert simulation.record is not None
    return simulation.record.bursts["m"][:, 3]


def lasts(channel: Channel, beats: int, *, writes=False) -> Fraction:
    """Cycles that a burst occupies its channel."""
    return Fraction(beats * channel.units_per_beat(writes=writes), channel.beats_num)


# --- Fractions of cycles


BEATS = 1_000_000
"""Of a long stream: it takes so long that a loss of a thousandth of a cycle per burst would show."""


@pytest.mark.parametrize("beats", [64, 100, 999])
@pytest.mark.parametrize(("num", "den"), [(3, 4), (13, 14), (7, 5), (449, 450), (1, 1)])
def test_no_cycle_of_a_million_beats_is_lost_to_rounding(run, num, den, beats):
    """A token per burst, so that only the channel binds: the last byte comes when the sum of all beats is over."""
    bursts = BEATS // beats
    result = run("read", bursts, 32 * beats, [Channel("c", 100, 32, num, den)], burst_bytes=32 * beats, outstanding=64)
    assert result.write_times["a"][-1] == 100 + ceil(Fraction(bursts * beats * den, num))


def test_nor_of_a_million_bursts_of_one_beat():
    """In the compiled engine; SimPy takes most of a minute."""
    port = MemoryPort("m", "read", "a", BEATS, 4, ("c",), 4, outstanding=64)
    channel = Channel("c", 40, 4, 3, 4)
    result = simulate(graph([Fifo("a", DEEP, 8, "srl")], [port, sink("a", BEATS)], [channel]), record=True)
    assert result.write_times["a"][-1] == 40 + ceil(Fraction(BEATS * 4, 3))


def test_bursts_shorter_than_a_cycle_are_taken_one_per_cycle(run):
    """Of one beat, four of which fit into a cycle: what they leave of it is not used by the next."""
    result = run("read", 50, 4, [Channel("c", 10, 4, 4)], burst_bytes=4, outstanding=64)
    assert starts(result).tolist() == list(range(50))
    assert result.write_times["a"][-1] == 49 + 10 + 1


@pytest.mark.parametrize(("num", "den", "write_den"), [(3, 4, 5), (2, 1, 3)])
def test_writes_have_a_rate_of_their_own(run, num, den, write_den):
    """Tokens of a whole burst of eight beats: the channel binds, and begins each burst where the last one left it."""
    channel = Channel("c", 10, 4, num, den, write_den)
    times = starts(run("write", 400, 32, [channel], burst_bytes=32, outstanding=64))
    each = lasts(channel, 8, writes=True)
    assert times.tolist() == [1 + int(number * each) for number in range(400)]


# --- What bursts in flight hide


@pytest.mark.parametrize(("latency", "beats", "outstanding"), [(200, 4, 1), (200, 4, 8), (97, 16, 5), (0, 1, 1)])
def test_reads_bound_by_latency_move_the_window_in_a_round_trip(run, latency, beats, outstanding):
    """Requested, ``latency`` until the beats come, the beats, and the cycle after the last of them the next request."""
    trip = latency + beats + 1
    assert outstanding * beats <= trip
    channel = Channel("c", latency, 4)
    result = run("read", 40 * beats, 4, [channel], burst_bytes=4 * beats, outstanding=outstanding)
    assert starts(result).tolist() == [i // outstanding * trip + i % outstanding * beats for i in range(40)]


def test_more_in_flight_than_the_latency_takes_gives_the_rate_of_the_channel(run):
    result = run("read", 1600, 4, [Channel("c", 100, 4, 1, 2)], burst_bytes=16, outstanding=16)
    assert np.unique(np.diff(starts(result))).tolist() == [8]


@pytest.mark.parametrize(("beats", "gap"), [(8, 0), (8, 5), (1, 3), (64, 17)])
def test_writes_move_a_burst_in_its_beats_and_a_gap(run, beats, gap):
    """Taken at a token per cycle from cycle 1 on; enough places for all responses."""
    result = run("write", 30 * beats, 4, [Channel("c", 50, 4)], burst_bytes=4 * beats, outstanding=64, gap=gap)
    assert result.read_times["a"][::beats].tolist() == [1 + i * (beats + gap) for i in range(30)]
    assert result.breakdown["m"].busy_cycles == 30 * beats + 29 * gap
    assert result.breakdown["m"].memory_wait_cycles == 50


@pytest.mark.parametrize(("beats", "outstanding", "response"), [(4, 1, 20), (4, 3, 40), (16, 2, 100)])
@pytest.mark.parametrize("gap", [0, 2])
def test_writes_bound_by_responses_move_the_window_in_a_round_trip(run, beats, outstanding, response, gap):
    """The beats of a burst and its response, in the cycle after which its place is taken again."""
    trip = beats + response
    assert outstanding * (beats + gap) <= trip
    channel = Channel("c", 7, 4, response=response)
    options = {"burst_bytes": 4 * beats, "outstanding": outstanding, "gap": gap}
    result = run("write", 30 * beats, 4, [channel], **options)
    first = [1 + i // outstanding * trip + i % outstanding * (beats + gap) for i in range(30)]
    assert result.read_times["a"][::beats].tolist() == first


def test_a_response_does_not_wait_for_the_channel(run):
    """Each burst occupies the channel for 800 cycles and is answered three after it was taken."""
    result = run("write", 5, 4, [Channel("c", 10, 4, 1, 800, response=3)], burst_bytes=4)
    assert starts(result).tolist() == [1, 801, 1601, 2401, 3201]
    assert result.finish["m"] == 3204


# --- Idle and busy channels


def test_only_a_busy_channel_has_its_longer_delay(run):
    """The first burst finds an idle channel. The rest follow without a cycle between them."""
    saturated = run("read", 400, 4, [Channel("c", 30, 4, busy_latency=90)], burst_bytes=16, outstanding=64)
    assert (dues(saturated) - starts(saturated)).tolist() == [30, *[90] * 99]


@pytest.mark.parametrize(("busy", "paid"), [(30, 30), (61, 30), (62, 31), (90, 59)])
def test_a_burst_that_comes_later_has_less_of_the_delay_left(run, busy, paid):
    """One in flight: it is taken 31 cycles after the channel became free, when so much of the delay is over."""
    result = run("read", 2, 4, [Channel("c", 30, 4, busy_latency=busy)], burst_bytes=4, outstanding=1)
    assert starts(result).tolist() == [0, 32]
    assert dues(result).tolist() == [30, 32 + paid]


def test_responses_of_a_busy_channel(run):
    channel = Channel("c", 30, 4, 1, 2, response=5, busy_response=40)
    result = run("write", 400, 4, [channel], burst_bytes=16, outstanding=64)
    assert (dues(result) - starts(result)).tolist() == [5, *[40] * 99]


# --- Several channels


def together(count: int, **options) -> list[Channel]:
    """``count`` channels that are alike."""
    return [Channel(f"c{number}", 20, 4, 1, 2, **options) for number in range(count)]


@pytest.mark.parametrize("count", [1, 2, 4])
def test_ranges_have_the_bandwidth_of_one_channel(run, count):
    """64 bursts of 8 cycles, and what one ID waits between two channels."""
    result = run("read", 64, 16, together(count, id_wait=50), burst_bytes=16, outstanding=64)
    turned = [i * count // 64 for i in range(64)]
    assert starts(result).tolist() == [8 * i + 50 * turned[i] for i in range(64)]


@pytest.mark.parametrize("count", [1, 2, 4])
def test_channels_in_turn_have_the_bandwidth_of_all(run, count):
    """A request per cycle reaches the channels one after the other; each takes a burst in 8 cycles."""
    result = run("read", 64, 16, together(count, id_wait=50), burst_bytes=16, outstanding=64, ids="many")
    assert starts(result).tolist() == [i // count * 8 + i % count for i in range(64)]


@pytest.mark.parametrize(("num", "den", "wait"), [(1, 2, None), (1, 2, 0), (3, 4, 17), (7, 5, 90)])
@pytest.mark.parametrize("op", ["read", "write"])
def test_one_id_waits_for_each_change_of_channel(run, op, num, den, wait):
    """A burst on each of 32 channels: what it occupies there and the wait, to less than a cycle per burst."""
    channels = [Channel(f"c{number}", 25, 4, num, den, id_wait=wait) for number in range(32)]
    times = starts(run(op, 32, 32, channels, burst_bytes=32, outstanding=32))
    each = lasts(channels[0], 8) + channels[0].turn_cycles
    first = int(op == "write")
    assert [int(time) - first for time in times] == [i * ceil(each) for i in range(32)]
    assert times[-1] - first - 31 * each < 31


SCATTERED = (0, 3, 0, 1, 1, 2, 0, 3, 3, 3, 0, 0, 0, 2, 3, 1)
"""Channels, of four, of the first random bursts, by the hash that docs/reference/timed-graph.md gives."""


def test_scattered_bursts_of_one_id_wait_where_they_change_channel(run):
    """Each of them occupies its channel for 8 cycles, and waits 11 more where the next goes to another one."""
    channels = together(4, id_wait=11)
    result = run("read", 16, 16, channels, burst_bytes=16, outstanding=16, pattern="random")
    changes = np.cumsum([a != b for a, b in zip(SCATTERED[1:], SCATTERED, strict=False)])
    assert starts(result).tolist() == [0, *(8 * np.arange(1, 16) + 11 * changes).tolist()]


# --- Random bursts


@pytest.mark.parametrize(("size", "units"), [(4, 5), (8, 5), (12, 13), (64, 32)])
def test_a_random_burst_takes_at_least_what_opening_a_row_does(run, size, units):
    """Short ones up to 8 bytes, long ones beyond, unless their beats of two units take longer; three units a cycle."""
    channel = Channel("c", 20, 4, 3, 2, random_bytes=8, random_short=5, random_long=13)
    options = {"burst_bytes": size, "outstanding": 64, "pattern": "random"}
    times = starts(run("read", 300, size, [channel], **options))
    assert times.tolist() == [i * units // 3 for i in range(300)]


# --- Directions


@pytest.mark.parametrize(("read_turns", "write_turns"), [(1, 1), (4, 1), (3, 2)])
@pytest.mark.parametrize("engine", ["maxplus", "simpy"])
def test_directions_share_a_channel_by_their_turns(engine, read_turns, write_turns):
    """Reads of 4 cycles and writes of 6, both always there: each round has the turns of either."""
    count = 120
    ports = [MemoryPort(op, op, op, count, 8, ("c",), 8, 64) for op in ("read", "write")]
    ends = [sink("read", count), source("write", count, name="src")]
    fifos = [Fifo(op, DEEP, 8, "srl") for op in ("read", "write")]
    channel = Channel("c", 3, 4, 1, 2, 3, read_turns=read_turns, write_turns=write_turns)
    result = simulate(graph(fifos, [*ports, *ends], [channel]), engine, record=True)
    rounds = 20
    reads, writes = (starts(result, op) for op in ("read", "write"))
    trip = 4 * read_turns + 6 * write_turns
    assert reads[: rounds * read_turns : read_turns].tolist() == [i * trip for i in range(rounds)]
    assert writes[: rounds * write_turns : write_turns].tolist() == [4 * read_turns + i * trip for i in range(rounds)]
