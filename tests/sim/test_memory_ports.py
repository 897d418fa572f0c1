"""Memory ports and channels on cases small enough to do by hand."""

import pytest
from sim_graphs import graph, sink, source

from sttest.sim import Channel, Fifo, MemoryPort, simulate


def reading(tokens, token_bytes, channels, *, depth=64, names=None, ii=1, **options):
    """One read port into a sink of one token per ``ii`` cycles."""
    names = names or tuple(channel.name for channel in channels)
    port = MemoryPort("m", "read", "a", tokens, token_bytes, names, **options)
    design = graph([Fifo("a", depth, 8, "srl")], [port, sink("a", tokens, ii=ii)], channels)
    return simulate(design, "simpy", record=True)


def writing(tokens, token_bytes, channels, **options):
    """A source of one token per cycle into one write port."""
    names = tuple(channel.name for channel in channels)
    port = MemoryPort("m", "write", "a", tokens, token_bytes, names, **options)
    return simulate(graph([Fifo("a", 2, 8, "srl")], [source("a", tokens), port], channels), "simpy", record=True)


def requests_and_starts(result, port="m"):
    assert result.record is not None
    return result.record.bursts[port].tolist()


def test_a_token_is_there_with_its_last_byte():
    """Requested and started at 0; beats of 8 bytes arrive at 11 and 12; two tokens in each; one written per cycle."""
    result = reading(4, 4, [Channel("c", 10, 8)])
    assert requests_and_starts(result) == [[0, 0]]
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


def test_several_beats_per_cycle_are_taken_one_token_per_cycle():
    result = reading(4, 4, [Channel("c", 10, 4, beats_num=4)])
    assert result.write_times["a"].tolist() == [11, 12, 13, 14]


def test_bursts_follow_each_other_without_a_gap():
    """Four beats per burst: the latency is paid once, requests go out one per cycle."""
    result = reading(12, 4, [Channel("c", 10, 4)], burst_bytes=16)
    assert requests_and_starts(result) == [[0, 0], [1, 4], [2, 8]]
    assert result.write_times["a"].tolist() == list(range(11, 23))


def test_bursts_alternate_over_channels():
    result = reading(8, 4, [Channel("c", 10, 4), Channel("d", 20, 4)], burst_bytes=16)
    assert requests_and_starts(result) == [[0, 0], [1, 1]]
    assert result.write_times["a"].tolist() == [11, 12, 13, 14, 22, 23, 24, 25]


def test_a_fast_channel_does_not_overtake():
    result = reading(8, 4, [Channel("c", 20, 4), Channel("d", 1, 4)], burst_bytes=16)
    assert result.write_times["a"].tolist() == [21, 22, 23, 24, 25, 26, 27, 28]


def test_a_token_across_two_bursts_needs_both():
    """Token 1 has bytes 6 to 11: the last beats of burst 0 and the first of burst 1, which starts at 1 on its channel.

    Tokens 2 and 3 need beats 3 and 4 of it.
    """
    result = reading(4, 6, [Channel("c", 10, 2), Channel("d", 30, 2)], burst_bytes=10, outstanding=2)
    assert result.write_times["a"].tolist() == [13, 32, 35, 36]


def test_one_burst_in_flight_pays_the_latency_every_time():
    """Burst 1 is requested in the cycle after the last token of burst 0 has gone."""
    result = reading(4, 8, [Channel("c", 10, 8)], burst_bytes=16, outstanding=1)
    assert requests_and_starts(result) == [[0, 0], [13, 13]]
    assert result.write_times["a"].tolist() == [11, 12, 24, 25]


def test_a_full_fifo_holds_back_requests():
    """Reads at 12, 112, 212: token 2 waits for the place until 113, and only then burst 3 may be asked for."""
    result = reading(4, 8, [Channel("c", 10, 8)], burst_bytes=8, outstanding=1, depth=1, ii=100)
    assert requests_and_starts(result) == [[0, 0], [12, 12], [24, 24], [114, 114]]
    assert result.write_times["a"].tolist() == [11, 23, 113, 213]
    assert result.breakdown["m"].stall_out_cycles == (113 - 35) + (213 - 125)


@pytest.mark.parametrize(("num", "den"), [(1, 1), (9, 10), (13, 14), (2, 3)])
def test_the_rate_of_a_long_stream(num, den):
    """32-byte beats and tokens: the channel's rate, after the latency, rounded up once per burst."""
    result = reading(4096, 32, [Channel("c", 100, 32, num, den)])
    per_burst = -(-128 * den // num)
    assert result.write_times["a"][-1] == 100 + 31 * per_burst + -(-128 * den // num)


def test_channels_add_up():
    """Tokens as wide as four beats: four channels reach one token per cycle."""
    channels = [Channel(name, 50, 8) for name in "abcd"]
    one, four = (reading(1024, 32, channels[:count], burst_bytes=64, outstanding=64) for count in (1, 4))
    rates = [1023 / (result.write_times["a"][-1] - result.write_times["a"][0]) for result in (one, four)]
    assert rates == pytest.approx([0.25, 1.0], rel=0.02)


def sharing(*orders):
    """Read ports of three bursts each on one channel, four beats per burst."""
    ports = [MemoryPort(f"m{i}", "read", f"f{i}", 12, 4, ("c",), 16, start=start) for i, start in enumerate(orders)]
    fifos = [Fifo(f"f{i}", 64, 8, "srl") for i in range(len(orders))]
    sinks = [sink(f"f{i}", 12, name=f"s{i}") for i in range(len(orders))]
    return simulate(graph(fifos, [*ports, *sinks], [Channel("c", 10, 4)]), "simpy", record=True)


def test_ports_take_turns_on_a_channel():
    result = sharing(0, 0)
    assert requests_and_starts(result, "m0") == [[0, 0], [1, 8], [2, 16]]
    assert requests_and_starts(result, "m1") == [[0, 4], [1, 12], [2, 20]]


def test_a_late_port_gets_the_next_turn():
    """m1 asks at 5, while burst 1 of m0 is on the channel until 8; then it is m1's turn, then m0's again."""
    result = sharing(0, 5)
    assert requests_and_starts(result, "m0") == [[0, 0], [1, 4], [2, 12]]
    assert requests_and_starts(result, "m1") == [[5, 8], [6, 16], [7, 20]]


def test_three_ports_go_round():
    result = sharing(0, 0, 0)
    starts = [[start for _, start in requests_and_starts(result, f"m{i}")] for i in range(3)]
    assert starts == [[0, 12, 24], [4, 16, 28], [8, 20, 32]]


def test_a_write_ends_with_its_response():
    """Tokens taken at 1, 2, 3, 4; the burst asked for at 4; two beats until 6; the response 10 later."""
    result = writing(4, 4, [Channel("c", 10, 8)])
    assert result.read_times["a"].tolist() == [1, 2, 3, 4]
    assert requests_and_starts(result) == [[4, 4]]
    assert result.finish["m"] == 4 + 2 + 10
    assert result.breakdown["m"].memory_wait_cycles == 16 - 5


def test_writes_wait_for_a_free_burst():
    """One burst of one token: taken and asked for at 1, response at 1 + 1 + 10, the next token one later."""
    result = writing(3, 8, [Channel("c", 10, 8)], burst_bytes=8, outstanding=1)
    assert result.read_times["a"].tolist() == [1, 13, 25]
    assert result.finish["m"] == 36


def test_a_token_of_several_write_bursts_asks_for_one_per_cycle():
    result = writing(1, 32, [Channel("c", 5, 8), Channel("d", 5, 8)], burst_bytes=8, outstanding=2)
    assert requests_and_starts(result) == [[1, 1], [2, 2], [3, 3], [4, 4]]
    assert result.finish["m"] == 4 + 1 + 5


def test_a_short_last_burst_takes_fewer_beats():
    result = writing(5, 4, [Channel("c", 10, 4)], burst_bytes=16)
    assert requests_and_starts(result) == [[4, 4], [5, 8]]
    assert result.finish["m"] == 8 + 1 + 10
