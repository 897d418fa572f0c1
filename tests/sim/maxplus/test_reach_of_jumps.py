"""What repeats is jumped over: of runs of many equal periods, few tokens are computed one by one.

Other tests compare results, which are the same without any jump; these notice where one is missed.  Each graph has a
period by construction, so all but the beginning, up to ``BEGINNING`` visits, and the ends of its jumps can be left out.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from sttest.sim import Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph
from sttest.sim.maxplus import kernel
from sttest.sim.maxplus.arrays import build
from sttest.sim.maxplus.engine import run, run_by_events
from sttest.sim.maxplus.periodic import PeriodSearchLimits, run_periodic
from sttest.sim.maxplus.programs import find_programs

TOKENS = 24_000
BEGINNING = 200
"""To see a period of some ten visits takes two of them, a first look at it comes after 64 cycles, some come in vain."""
EAGER = PeriodSearchLimits(first_cycles=64, least_visits=1)


def _pipeline(name: str, trips: tuple[int, ...], ii: int, *events: Event, **options) -> Pipeline:
    return Pipeline(name, (Loop(trips, ii, 4, events),), **options)


def _graph(fifos, processes, channels=()) -> TimedGraph:
    return TimedGraph("reach", 300.0, tuple(fifos), tuple(processes), tuple(channels))


def chain(depth: int, ii: tuple[int, int]) -> TimedGraph:
    """One token per period, that of the slower end."""
    ends = (Event("a", "write", 3), Event("a", "read", 0))
    first, second = (
        _pipeline(name, (TOKENS,), *each) for name, each in zip("pq", zip(ii, ends, strict=True), strict=True)
    )
    return _graph([Fifo("a", depth, 8, "srl")], [first, second])


def filling() -> TimedGraph:
    """The writer is twice as fast, and the FIFO holds all: a period until the writer ends, another one after that."""
    middle = _pipeline("q", (TOKENS,), 2, Event("a", "read", 0), Event("b", "write", 3))
    ends = _pipeline("p", (TOKENS,), 1, Event("a", "write", 3)), _pipeline("r", (TOKENS,), 1, Event("b", "read", 0))
    return _graph([Fifo("a", TOKENS, 8, "srl"), Fifo("b", 2, 8, "srl")], [ends[0], middle, ends[1]])


def rows() -> TimedGraph:
    """A token per row of 12: one period per row."""
    last = (None, 11)
    return _graph(
        [Fifo("a", 2, 8, "srl"), Fifo("b", 2, 8, "ram")],
        [
            _pipeline("p", (TOKENS // 12, 12), 1, Event("a", "write", 3), Event("b", "write", 2, last)),
            _pipeline("q", (TOKENS // 12, 12), 1, Event("a", "read", 0), Event("b", "read", 1, last)),
        ],
    )


def port(op: str, token_bytes: int, burst_bytes: int) -> TimedGraph:
    """A port on a channel of its own: a period per turn of whole bursts of whole tokens."""
    end = Event("a", "write" if op == "write" else "read", 1)
    ports = MemoryPort("m", op, "a", TOKENS, token_bytes, ("x", "y"), burst_bytes, 12, ids="many")
    channels = [Channel(name, 20, 4, 1, 1) for name in "xy"]
    return _graph([Fifo("a", 4, 8, "srl")], [ports, _pipeline("p", (TOKENS,), 2, end)], channels)


def shared() -> TimedGraph:
    """Two read ports and a write port that take turns on one channel of three cycles per burst."""
    ports = [
        MemoryPort(f"m{i}", op, f"f{i}", TOKENS, 4, ("x",), 16, 3) for i, op in enumerate(("read", "read", "write"))
    ]
    events = [Event("f0", "read", 0), Event("f1", "read", 0), Event("f2", "write", 3)]
    fifos = [Fifo(f"f{i}", 4, 8, "srl") for i in range(3)]
    return _graph(fifos, [*ports, _pipeline("p", (TOKENS,), 1, *events)], [Channel("x", 15, 4, 1, 1)])


def drifting() -> TimedGraph:
    """Rows of two lengths that share no short period, and a FIFO that holds neither end back: each part jumps alone."""
    count = TOKENS // 8
    fifos = [Fifo("a", count, 8, "srl"), Fifo("b", 2, 8, "srl")]
    first = Pipeline("p", (Loop((8,), 1, 1, (Event("a", "write", 0, (0,)),), 2),), repeat=count)
    events = (Event("a", "read", 0, (0,)), Event("b", "write", 0, (0,)))
    second = Pipeline("q", (Loop((9,), 1, 1, events, 2),), start=50, repeat=count)
    return _graph(fifos, [first, second, _pipeline("r", (count,), 1, Event("b", "read", 0))])


RUN = 600


def irregular() -> TimedGraph:
    """Loops of two tokens at paces of no order, 600 tokens until they begin anew: only the program says how long.

    512 writes are looked at for a period of their own, and that of a loop is over before it is seen.
    """
    draw = Random(1)
    loops = tuple(
        Loop((2,), draw.randint(1, 9), 1, (Event("a", "write", 0),), draw.randint(0, 5)) for _ in range(RUN // 2)
    )
    first = Pipeline("p", loops, repeat=TOKENS // RUN)
    return _graph([Fifo("a", 2, 8, "srl")], [first, _pipeline("q", (TOKENS,), 1, Event("a", "read", 0))])


GRAPHS = {
    "a chain held back by its writer": chain(4, (3, 1)),
    "a chain held back by its reader": chain(4, (1, 3)),
    "a FIFO that fills": filling(),
    "rows": rows(),
    "bursts of whole tokens read": port("read", 4, 16),
    "bursts of whole tokens written": port("write", 4, 16),
    "tokens over two bursts read": port("read", 6, 16),
    "tokens over two bursts written": port("write", 6, 16),
    "turns": shared(),
    "rows that drift": drifting(),
}


@pytest.fixture
def computed(monkeypatch):
    """Gives the visits that a run of a graph computes one by one, and all."""

    def count(graph: TimedGraph) -> tuple[int, int]:
        programs = find_programs(graph)
        net, counted, run_net = build(graph, programs, unbounded=False), [0], kernel.run_net

        def counting(stamp, net) -> None:
            before = net.processes["visits"].sum()
            run_net(stamp, net)
            counted[0] += int(net.processes["visits"].sum() - before)

        with monkeypatch.context() as patch:
            patch.setattr(kernel, "run_net", counting)
            run_periodic(net, EAGER, lambda: programs.levels)
        return counted[0], int(net.processes["visits"].sum())

    return count


@pytest.mark.parametrize("name", GRAPHS)
def test_what_repeats_is_jumped_over(name, computed):
    one_by_one, every = computed(GRAPHS[name])
    assert every >= TOKENS // 8
    assert one_by_one <= BEGINNING + every // 1000


def test_a_long_run_of_a_program_is_jumped_over(computed):
    """To see a run that recurs takes two of them at most, of 600 tokens at each end."""
    one_by_one, every = computed(irregular())
    assert one_by_one <= 3 * (2 * RUN) < every // 10


@pytest.mark.parametrize("name", GRAPHS)
def test_the_jumps_change_nothing(name):
    graph = GRAPHS[name]
    found, expected = run(graph, patience=EAGER), run_by_events(graph)
    assert (found.finish, found.stalls, found.peaks) == (expected.finish, expected.stalls, expected.peaks)
    for one, other in zip((*found.writes, *found.reads), (*expected.writes, *expected.reads), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("tokens", [(1 << 21) - 1, 1 << 21, 1 << 22])
def test_runs_whose_times_take_much_room(tokens):
    """Times of 2^22 tokens and more lie in pages that are taken when touched; a token per cycle, so all are known."""
    ends = Event("a", "write", 3), Event("a", "read", 0)
    both = [_pipeline(name, (tokens,), 1, end) for name, end in zip("pq", ends, strict=True)]
    graph = _graph([Fifo("a", 4, 8, "srl")], both)
    few = run_by_events(
        _graph([Fifo("a", 4, 8, "srl")], [_pipeline(each.name, (9,), 1, *each.loops[0].events) for each in both])
    )
    found = run(graph)
    assert found.finish == [cycle + tokens - 9 for cycle in few.finish if cycle is not None]
    for one, other in ((found.writes[0], few.writes[0]), (found.reads[0], few.reads[0])):
        np.testing.assert_array_equal(one, other[0] + np.arange(tokens))
