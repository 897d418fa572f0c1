"""What no design means is refused by name, or told in a note beside the verdict."""

import numpy as np
import pytest

from sttest.boards.load import load_board
from sttest.boards.part import MOST_CHANNELS
from sttest.compile.options import MOST_LANES, MOST_TOKEN_BITS, CompileOptions
from sttest.core.errors import InputError
from sttest.sim import Actor, ActorPhase, Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph, simulate
from sttest.sim import graph as limits
from sttest.sim.graph import Trace

H = Channel("h", latency=1, beat_bytes=64)


def loop(fifo, op, trips, **more):
    return Pipeline(f"{op}_{fifo}", (Loop((trips,), 1, 1, (Event(fifo, op, 0, **more),)),))


def notes(fifos, processes, channels=(H,)):
    result = simulate(TimedGraph("g", 300.0, tuple(fifos), tuple(processes), tuple(channels)))
    assert result.to_json()["notes"] == result.notes
    assert result.to_text().count("  note: ") == len(result.notes)
    return result.notes


@pytest.mark.parametrize("op", ["read", "write"])
@pytest.mark.parametrize(
    ("token_bytes", "bits", "told"), [(4000, 32, True), (64, 512, False), (65, 512, True), (1, 1, False)]
)
def test_a_token_that_its_fifo_cannot_carry(op, token_bytes, bits, told):
    port = MemoryPort("p", op, "a", 4, token_bytes, ("h",))
    found = notes([Fifo("a", 4, bits)], [port, loop("a", op, 4)])
    said = f"port 'p' moves tokens of {token_bytes:,} bytes, of which FIFO 'a' carries {bits:,} bits"
    assert found == ([said] if told else [])


LEFT = "FIFO 'a' keeps 3 tokens that are written and never read"


@pytest.mark.parametrize(
    "writer",
    [
        loop("a", "write", 7),
        loop("a", "write", 1, tokens=7),
        loop("a", "write", 14, when=((1, 13, 2),)),
        Pipeline("w", loop("a", "write", 1).loops, repeat=7),
        Pipeline("w", trace=Trace(np.arange(7), np.ones(7, np.int32))),
        MemoryPort("w", "read", "a", 7, 4, ("h",)),
        Actor("w", (ActorPhase(1, writes={"a": 3}), ActorPhase(1, writes={"a": 1})), 3),
    ],
    ids=lambda writer: type(writer).__name__,
)
def test_tokens_that_are_written_and_never_read(writer):
    fifos = [Fifo("a", 9, 32)]
    assert notes(fifos, [writer, loop("a", "read", 4)]) == [LEFT]
    assert notes(fifos, [writer, loop("a", "read", 7)]) == []


def test_initial_tokens_that_stay_are_no_doubt():
    assert notes([Fifo("a", 9, 32, initial_tokens=2)], [loop("a", "write", 4), loop("a", "read", 4)]) == []


def test_a_deadlock_says_nothing_of_tokens_that_wait():
    fifos = [Fifo("a", 1, 32), Fifo("b", 1, 32)]
    first = Pipeline("w", (loop("a", "write", 4).loops[0], loop("b", "write", 1).loops[0]))
    second = Pipeline("r", (loop("b", "read", 1).loops[0], loop("a", "read", 4).loops[0]))
    assert notes(fifos, [first, second]) == []


def test_many_doubts_are_counted():
    names = [f"f{number}" for number in range(9)]
    fifos = [Fifo(name, 4, 8) for name in names]
    found = notes(fifos, [process for name in names for process in (loop(name, "write", 2), loop(name, "read", 1))])
    assert (len(found), found[-1]) == (6, "4 more like this")


# --- Refused


@pytest.mark.parametrize("clock", [1e-300, 1e300, 9e-4, 1.1e6, 0, -1, float("nan"), float("inf")])
def test_clocks_that_nothing_has(clock):
    with pytest.raises(InputError, match=r"clock_mhz is .*, not 0\.001 to 1e\+06") as refusal:
        TimedGraph("g", clock, (), (Pipeline("p", end=1),))
    assert refusal.value.code == "bad-clock"


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("clock_mhz", 1e-300, "where anything real has 0.001 to 1e+06"),
        ("clock_mhz", 1e300, "where anything real has 0.001 to 1e+06"),
        ("memory.hbm.peak_gb_per_s_per_channel", 1e30, "1e+30 GB/s where"),
        ("memory.hbm.sustained_gb_per_s_per_channel", 1e-9, "1e-09 GB/s where"),
        ("memory.hbm.pseudo_channels", 100000, "100000 count where anything real has 0 to 256"),
        ("memory.hbm.axi_ports", 257, "257 count"),
        ("memory.hbm.bytes_per_channel", 1e30, "bytes where"),
        ("launch.queued_us", 1e30, "us where"),
        ("fabric.lut", 1e30, "count where"),
    ],
)
def test_boards_that_nobody_has(key, value, told, tmp_path):
    text = f"{{value: {value!r}}}".replace("e+", "e+").replace("1e", "1.0e")
    for part in reversed(key.split(".")):
        text = f"{{{part}: {text}}}"
    path = tmp_path / "b.yaml"
    path.write_text(f"extends: u55c\nname: b\n{text[1:-1]}\n")
    with pytest.raises(InputError, match=key.rpartition(".")[2]) as refusal:
        load_board(path)
    assert told in str(refusal.value)


def test_limits_of_boards_and_options_are_those_of_graphs():
    assert (MOST_CHANNELS, MOST_TOKEN_BITS) == (limits.MAX_CHANNELS, limits.MAX_BITS)


@pytest.mark.parametrize("name", ["overall_unroll", "gemv_lanes", "first_lanes", "most_lanes", "tile_size"])
def test_lanes_that_no_card_has(name):
    CompileOptions(**{name: MOST_LANES})
    with pytest.raises(InputError, match=name):
        CompileOptions(**{name: 999_999_999})
