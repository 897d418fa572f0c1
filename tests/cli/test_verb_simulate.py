"""`sttest simulate`: the contract of its JSON, its exit codes and its words."""

import json
from pathlib import Path

import pytest

from sttest.sim import Actor, ActorPhase, Event, Fifo, Loop, Pipeline, TimedGraph, write_timed_graph

CONTRACT = {
    *("schema", "name", "engine", "verdict", "cycles", "fifo_events", "solve_s", "throughput", "deadlock"),
    *("clock_mhz", "us", "unbounded", "finish", "breakdown", "max_occupancy", "notes"),
    "critical_path",
}
TOKENS = 8


def pipeline(name, *events):
    return Pipeline(name, (Loop((TOKENS,), 1, 2, events),))


def chain(depth: int) -> TimedGraph:
    fifos = (Fifo("words", depth, 32),)
    writer, reader = pipeline("writer", Event("words", "write", 1)), pipeline("reader", Event("words", "read", 0))
    return TimedGraph("chain", 100.0, fifos, (writer, reader))


def chain_cycles(interval: int) -> int:
    """Write at stage 1, one cycle in the FIFO, a read per interval, and the last read's iteration of two stages."""
    return 1 + 1 + interval * (TOKENS - 1) + 2


def late_reader() -> TimedGraph:
    """`fork` writes both FIFOs in each iteration; `join` wants all of `first` before any of `second`."""
    fork = pipeline("fork", Event("first", "write", 1), Event("second", "write", 1))
    loops = tuple(Loop((TOKENS,), 1, 1, (Event(name, "read", 0),)) for name in ("first", "second"))
    return TimedGraph("late", 100.0, (Fifo("first", 2, 32), Fifo("second", 2, 32)), (fork, Pipeline("join", loops)))


def ring() -> TimedGraph:
    """Two actors for ever, one token between them: an iteration takes 2 + 3 cycles."""
    actors = (
        Actor("a", (ActorPhase(2, {"back": 1}, {"on": 1}),)),
        Actor("b", (ActorPhase(3, {"on": 1}, {"back": 1}),)),
    )
    return TimedGraph("ring", 1.0, (Fifo("on", 1, 1), Fifo("back", 1, 1, initial_tokens=1)), actors)


@pytest.fixture
def file(tmp_path):
    def written(graph: TimedGraph):
        write_timed_graph(graph, tmp_path / "graph.json")
        return tmp_path / "graph.json"

    return written


@pytest.mark.parametrize("engine", ["maxplus", "simpy"])
@pytest.mark.parametrize(("depth", "interval"), [(1, 2), (2, 1)])
def test_json_is_the_contract_and_nothing_else(engine, depth, interval, file, sttest):
    outcome = sttest("simulate", file(chain(2)), "--engine", engine, "--all-depths", depth, "--json")
    told = json.loads(outcome.stdout)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert told.keys() == CONTRACT
    assert told["schema"] == "sttest.simulation/1"
    assert (told["engine"], told["verdict"], told["fifo_events"]) == (engine, "done", 2 * TOKENS)
    assert told["cycles"] == chain_cycles(interval)
    assert told["throughput"] is told["deadlock"] is None


def test_depths_of_single_fifos_go_over_the_depth_of_all(file, sttest):
    path = file(late_reader())
    done = sttest("simulate", path, "--all-depths", 2, "--depth", f"second={TOKENS}", "--json")
    assert (done.exit_code, json.loads(done.stdout)["verdict"]) == (0, "done")


def test_a_deadlock_leaves_with_3_and_names_cycle_and_fix(file, sttest):
    path = file(late_reader())
    told = json.loads(sttest("simulate", path, "--json").stdout)
    assert (told["verdict"], told["cycles"]) == ("deadlock", None)
    waits = {(wait["process"], wait["waits_to"], wait["fifo"]) for wait in told["deadlock"]["cycle"]}
    assert waits == {("fork", "write", "second"), ("join", "read", "first")}
    plain = sttest("simulate", path)
    assert plain.exit_code == 3
    assert "fork waits to write" in plain.stdout
    fixes = [f"{fix['fifo']}={fix['depth']}" for fix in told["deadlock"]["fix"]]
    assert all(fix in plain.stdout for fix in fixes)
    mended = sttest("simulate", path, *[part for fix in fixes for part in ("--depth", fix)])
    assert mended.exit_code == 0


def test_unbounded_fifos_never_block_a_writer(file, sttest):
    assert sttest("simulate", file(late_reader()), "--unbounded").exit_code == 0


def test_text_itemizes_the_critical_path(file, sttest):
    text = sttest("simulate", file(chain(2))).stdout
    itemized = [line.split() for line in text.partition("critical path")[2].splitlines()[1:]]
    assert f"done after {chain_cycles(1)} cycles" in text
    assert sum(int(words[0]) for words in itemized) == chain_cycles(1)


def test_graphs_that_run_for_ever_have_a_throughput(file, sttest):
    path = file(ring())
    assert json.loads(sttest("simulate", path, "--json").stdout)["throughput"] == [1, 5]
    assert "1/5 iterations per cycle" in sttest("simulate", path).stdout


def test_actors_that_end_have_no_critical_path_but_a_time(file, sttest):
    graph = ring()
    ended = [Actor(a.name, a.phases, firings=3) for a in graph.processes if isinstance(a, Actor)]
    outcome = sttest("simulate", file(TimedGraph("ended", 1.0, graph.fifos, tuple(ended))))
    assert outcome.exit_code == 0
    assert "done after 15 cycles" in outcome.stdout


def test_sdf3_graphs_are_read_too(sttest):
    modem = Path(__file__).parents[1] / "data" / "sdf3" / "modem.xml"
    told = json.loads(sttest("simulate", modem, "--json").stdout)
    assert (told["verdict"], told["throughput"]) == ("done", [1, 16])
