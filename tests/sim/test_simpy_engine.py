"""The SimPy engine against the stepper, and the laws that any engine obeys."""

import numpy as np
import pytest
from hypothesis import event, given, settings
from sim_graphs import chain, graph, pipeline_graphs, sink, source
from stepper import step_through

from sttest.sim import Event, Fifo, Loop, Pipeline, simulate


@pytest.mark.daily
@settings(max_examples=300, deadline=None)
@given(pipeline_graphs())
def test_every_time_is_the_steppers(design):
    result = simulate(design, "simpy", record=True)
    finish, writes, reads = step_through(design)
    event(result.verdict)
    assert result.finish == finish
    assert {name: times.tolist() for name, times in result.write_times.items()} == writes
    assert {name: times.tolist() for name, times in result.read_times.items()} == reads


@settings(max_examples=100, deadline=None)
@given(pipeline_graphs(impls=("srl", "ram")))
def test_a_deeper_fifo_is_never_later(design):
    before = simulate(design, "simpy", record=True)
    for fifo in design.fifos:
        after = simulate(design, "simpy", {fifo.name: fifo.depth + 2}, record=True)
        assert not (before.verdict == "done" and after.verdict == "deadlock")
        for name, times in before.write_times.items():
            assert (after.write_times[name][: times.size] <= times).all()
    if before.verdict == "done":
        assert (simulate(design, "simpy", unbounded=True).cycles or 0) <= (before.cycles or 0)


@settings(max_examples=100, deadline=None)
@given(pipeline_graphs())
def test_tokens_are_neither_lost_nor_made(design):
    result = simulate(design, "simpy", record=True)
    for fifo in design.fifos:
        writes, reads = result.write_times[fifo.name], result.read_times[fifo.name]
        assert 0 <= fifo.initial_tokens + writes.size - reads.size <= fifo.depth
        assert (np.diff(writes) >= 0).all()
        assert (np.diff(reads) >= 0).all()
        assert result.max_occupancy[fifo.name] <= fifo.depth
    if result.verdict == "done":
        assert sum(times.size for times in (*result.write_times.values(), *result.read_times.values())) == (
            result.fifo_events
        )


@settings(max_examples=60, deadline=None)
@given(pipeline_graphs(impls=("srl", "ram")))
def test_depths_at_the_peaks_change_nothing(design):
    result = simulate(design, "simpy")
    again = simulate(design, "simpy", {name: max(1, peak) for name, peak in result.max_occupancy.items()})
    assert again.finish == result.finish


@settings(max_examples=60, deadline=None)
@given(pipeline_graphs())
def test_the_breakdown_adds_up(design):
    result = simulate(design, "simpy")
    for process in design.processes:
        finish = result.finish[process.name]
        if finish is None:
            assert process.name not in result.breakdown
            continue
        part = result.breakdown[process.name]
        stalls = part.stall_in_cycles + part.stall_out_cycles + part.memory_wait_cycles
        assert part.busy_cycles + stalls == finish - process.start
        assert isinstance(process, Pipeline)
        alone = Pipeline(
            "p", tuple(Loop(x.trips, x.ii, x.latency, (), x.entry_gap) for x in process.loops), repeat=process.repeat
        )
        assert part.busy_cycles == simulate(graph([], [alone]), "simpy").cycles


@pytest.mark.parametrize(
    ("impl", "depth", "cycles", "tokens"),
    [("srl", 1, 2, 1), ("srl", 2, 1, 1), ("ram", 1, 3, 1), ("ram", 2, 3, 2), ("ram", 3, 1, 1)],
)
def test_the_rate_of_a_fifo(impl, depth, cycles, tokens):
    """timing.md, section 1: srl of depth 1 gives 2 cycles per token, ram of depth 2 gives 3 per 2 tokens."""
    result = simulate(chain(depth, 40, impl), "simpy", record=True)
    reads = result.read_times["a"]
    assert (reads[20 + 2 * tokens] - reads[20]) * tokens == cycles * 2 * tokens


def test_auto_is_srl_up_to_1024_bits():
    fast, slow = (simulate(chain(depth, 4, "auto", initial_tokens=0), "simpy") for depth in (128, 129))
    assert (fast.cycles, slow.cycles) == (5, 6)


def test_a_chain_by_hand():
    """src writes at 2, 3, 4 (latency 3); dst reads one later and ends one later still."""
    design = graph([Fifo("a", 2, 8, "srl")], [source("a", 3, latency=3), sink("a", 3)])
    result = simulate(design, "simpy", record=True)
    assert result.write_times["a"].tolist() == [2, 3, 4]
    assert result.read_times["a"].tolist() == [3, 4, 5]
    assert (result.cycles, result.finish) == (6, {"src": 5, "dst": 6})
    assert result.breakdown["dst"].stall_in_cycles == 3


def test_a_blocked_read_holds_back_the_writes_in_flight():
    """p's stage 2 needs the third input, so the outputs of iterations 0 and 1, due at stages 3 and 4, wait too."""
    through = Loop((3,), 1, 4, (Event("in", "read", 0), Event("out", "write", 3)))
    late = Loop((3,), 50, 1, (Event("in", "write", 0),))
    fifos = [Fifo("in", 2, 8, "srl"), Fifo("out", 2, 8, "srl")]
    design = graph(fifos, [Pipeline("src", (late,)), Pipeline("p", (through,)), sink("out", 3)])
    result = simulate(design, "simpy", record=True)
    assert result.read_times["in"].tolist() == [1, 51, 101]
    assert result.write_times["out"].tolist() == [102, 103, 104]


def test_a_process_without_accesses_takes_its_time():
    silent = Pipeline("p", (Loop((4, 2), 2, 3),), start=7, repeat=2)
    assert simulate(graph([], [silent]), "simpy").cycles == 7 + (17 + 2) + 17
    assert simulate(graph([], [Pipeline("p", start=3, end=40)]), "simpy").cycles == 43


def test_repeat_enters_again_after_the_gap():
    loop = Loop((2,), 1, 3, (Event("a", "write", 2),), entry_gap=4)
    design = graph([Fifo("a", 9, 8, "srl")], [Pipeline("src", (loop,), repeat=2), sink("a", 4)])
    assert simulate(design, "simpy", record=True).write_times["a"].tolist() == [2, 3, 10, 11]


def test_more_tokens_in_one_stage_than_the_fifo_holds_deadlock():
    wide = Pipeline("src", (Loop((1,), 1, 1, (Event("a", "write", 0, tokens=3),)),))
    assert simulate(graph([Fifo("a", 2, 8)], [wide, sink("a", 3)]), "simpy").verdict == "deadlock"
    assert simulate(graph([Fifo("a", 3, 8)], [wide, sink("a", 3)]), "simpy").verdict == "done"


def test_progress_is_reported():
    cycles: list[int] = []
    simulate(chain(2, 60_000), "simpy", progress=cycles.append)
    assert cycles == sorted(cycles)
    assert len(cycles) >= 2
