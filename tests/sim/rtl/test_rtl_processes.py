"""Processes in hardware on cases that the random graphs seldom reach."""

import numpy as np
import pytest
from rtl_graphs import check, needs
from sim_graphs import graph, reconvergent, sink, source

from sttest.core.errors import InputError
from sttest.sim import Actor, ActorPhase, Channel, Event, Fifo, Loop, MemoryPort, Pipeline, Trace, simulate
from sttest.targets.rtl import compare, emulate, with_iterations

pytestmark = needs("icarus")


def test_when_on_every_loop_dim(tmp_path):
    picks = (Event("a", "write", 2, (None, (1, 5, 2), 0)), Event("a", "write", 0, (2, None, (0, 2, 5)), 2))
    loop = Loop((3, 7, 4), 2, 3, picks)
    count = 3 * 3 + 2 * 7
    check(
        [graph([Fifo("a", 4, 8, "srl")], [Pipeline("p", (loop,), repeat=2), sink("a", 2 * count)])], "icarus", tmp_path
    )


@pytest.mark.nightly
@needs("verilator")
def test_millions_of_iterations_need_no_table(tmp_path):
    """15 million iterations, three of them with accesses: seconds in hardware, and the files stay small."""
    loop = Loop((1000, 5000, 3), 1, 2, (Event("a", "write", 1, (999, 4999, None)),))
    run = emulate(graph([Fifo("a", 3, 8, "srl")], [Pipeline("p", (loop,)), sink("a", 3)]), "verilator", tmp_path)
    assert run.writes["a"].tolist() == [14_999_998, 14_999_999, 15_000_000]
    assert sum(file.stat().st_size for file in (tmp_path / "rtl").glob("*.sv")) < 100_000


def test_processes_without_accesses(tmp_path):
    silent = [Pipeline("p", (Loop((4, 2), 2, 3),), start=7, repeat=2), Pipeline("q", start=3, end=40), Pipeline("r")]
    run = check([graph([], silent)], "icarus", tmp_path)[0]
    assert run.finish == {"p": 7 + 17 + 2 + 17, "q": 43, "r": 0}


def test_a_program_that_ends_late_or_with_its_last_access(tmp_path):
    write = Loop((3,), 1, 1, (Event("a", "write", 0),))
    ends = [graph([Fifo("a", 4, 8)], [Pipeline("p", (write,), repeat=2, end=end), sink("a", 6)]) for end in (3, 9)]
    ends.append(graph([Fifo("a", 4, 8)], [Pipeline("p", (write,), end=2), sink("a", 3)]))
    check(ends, "icarus", tmp_path)


def test_a_trace_that_ends_at_its_last_access(tmp_path):
    trace = Trace(np.array([0, 0, 4, 9], np.int64), np.array([1, 1, 1, 1], np.int32))
    designs = [
        graph([Fifo("a", 4, 8)], [Pipeline("p", end=end, trace=trace, repeat=3), sink("a", 12)])
        for end in (9, None, 20)
    ]
    check(designs, "icarus", tmp_path)


def test_actors_beside_pipelines_and_ports(tmp_path):
    """The actor sees FIFOs of either kind under the FIFO law, in both directions, and overlaps itself."""
    for kind in ("srl", "ram"):
        fifos = [Fifo("a", 3, 8, kind), Fifo("b", 2, 8, kind), Fifo("m", 2, 8, kind), Fifo("w", 2, 8, kind)]
        actor = Actor("x", (ActorPhase(5, {"a": 1}, {"b": 1}), ActorPhase(0, {"m": 2}, {"w": 1})), 12, 2)
        ports = [MemoryPort("r", "read", "m", 12, 4, ("c",), 16), MemoryPort("o", "write", "w", 6, 4, ("c",), 8)]
        design = graph(fifos, [source("a", 6), actor, sink("b", 6, ii=2), *ports], [Channel("c", 4, 4, 2, 3)])
        check([design], "icarus", tmp_path / kind)


def test_endless_actors_run_for_some_iterations(tmp_path):
    x, y = Actor("x", (ActorPhase(2, {}, {"a": 2}),)), Actor("y", (ActorPhase(3, {"a": 3}),))
    design = with_iterations(graph([Fifo("a", 4, 1)], [x, y]), 5)
    assert [process.firings for process in design.processes] == [15, 10]
    check([design], "icarus", tmp_path)


def test_a_burst_without_latency(tmp_path):
    channels = [Channel("c", 0, 4, 3, 2), Channel("d", 9, 8)]
    port = MemoryPort("m", "read", "a", 40, 6, ("c", "d"), 16, 4, ids="many")
    out = MemoryPort("n", "write", "b", 40, 4, ("c",), 16, 2)
    both = Pipeline("p", (Loop((40,), 1, 3, (Event("a", "read", 0), Event("b", "write", 2))),))
    fifos = [Fifo("a", 2, 8, "srl"), Fifo("b", 2, 8, "ram")]
    check([graph(fifos, [port, both, out], channels)], "icarus", tmp_path)


@pytest.mark.parametrize("depth", [4, 19, 20])
def test_a_deadlock_names_who_waits(depth, tmp_path):
    design = reconvergent(depth)
    run = check([design], "icarus", tmp_path)[0]
    assert run.verdict == ("done" if depth == 20 else "deadlock")
    if depth < 20:
        waits = {(b.process, b.waits_to, b.fifo) for b in run.blocked}
        assert {("a", "write", "ac"), ("b", "read", "ab"), ("c", "read", "bc")} == waits


def test_a_place_for_all_bytes_of_a_written_token(tmp_path):
    """docs/reference/timed-graph.md: "while it has a place for all their bytes".

    Token 2 touches bursts 4 and 5, whose places were those of bursts 0 (slow, response at 102) and 1.
    """
    channels = [Channel("slow", 100, 8), Channel("fast", 1, 8)]
    port = MemoryPort("m", "write", "a", 4, 16, ("slow", "fast"), 8, 4, ids="many")
    run = emulate(graph([Fifo("a", 8, 8, "srl")], [source("a", 4), port], channels), "icarus", tmp_path)
    assert run.reads["a"].tolist() == [1, 2, 103, 105]
    assert run.finish["m"] == 206


@pytest.mark.parametrize("engine", ["simpy", "maxplus"])
def test_engines_wait_for_a_place_for_all_bytes(engine):
    channels = [Channel("slow", 100, 8), Channel("fast", 1, 8)]
    port = MemoryPort("m", "write", "a", 4, 16, ("slow", "fast"), 8, 4, ids="many")
    design = graph([Fifo("a", 8, 8, "srl")], [source("a", 4), port], channels)
    assert simulate(design, engine, record=True).read_times["a"].tolist() == [1, 2, 103, 105]


def test_the_clock_limit(tmp_path):
    design = graph([Fifo("a", 2, 8)], [source("a", 1000), sink("a", 1000)])
    run = emulate(design, "icarus", tmp_path, max_clocks=100)
    assert (run.verdict, run.cycles) == ("limit", None)
    first = compare(design, run, "simpy").first
    assert str(first) == "FIFO 'a', write of token 100: never in hardware, cycle 100 in the engine"


def test_refusals(tmp_path):
    overlapping = Pipeline("p", (Loop((3,), 1, 1, (Event("a", "write", 0),), 0),), repeat=2, end=2)
    with pytest.raises(InputError, match="a run is entered in the last stage of the run before"):
        emulate(graph([Fifo("a", 9, 8)], [overlapping, sink("a", 6)]), "icarus", tmp_path)
    deep = graph([Fifo("a", 1 << 30, 8, "ram")], [source("a", 1 << 25), sink("a", 1 << 25)])
    with pytest.raises(InputError, match=r"too much memory .*demand 33554432 places, bound 16777216"):
        emulate(deep, "icarus", tmp_path)
    with pytest.raises(InputError, match="give a number of iterations"):
        emulate(graph([], [Actor("x", (ActorPhase(1),))]), "icarus", tmp_path)
    assert not (tmp_path / "rtl").exists()
