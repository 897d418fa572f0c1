"""Every design of the corpus gets the diagnosis that is written beside it, from both engines."""

from dataclasses import replace

import pytest

from sttest.core.errors import InputError
from sttest.sim import Loop, Pipeline, TimedGraph, load, simulate
from sttest.testing.corpus import FOLDER, case, cases, differences


@pytest.mark.parametrize("engine", ["maxplus", "simpy"])
@pytest.mark.parametrize("name", cases())
def test_the_diagnosis_is_the_expected_one(name, engine):
    assert differences(case(name), engine) == []


@pytest.mark.parametrize("name", cases())
def test_the_fix_finishes_and_adds_no_token_too_much(name):
    design, told = load(case(name).path), case(name)
    if not told.fix:
        assert simulate(design, unbounded=True).verdict == "deadlock"
        return
    assert simulate(design, depths=told.fix).cycles == told.live_cycles
    for fifo, depth in told.fix.items():
        assert simulate(design, depths=told.fix | {fifo: depth - 1}).verdict == "deadlock"


def test_every_file_belongs_to_a_design():
    files = {path.name for path in (FOLDER / "designs").iterdir()}
    assert files == {path.name for told in cases().values() for path in (told.path, told.live_path)}


@pytest.mark.parametrize("name", cases())
def test_graphs_say_their_own_name(name):
    assert load(case(name).path).name == name
    assert load(case(name).live_path).name == f"{name}_live"


def test_one_invocation_alone_finishes():
    """`overlapping_invocations` deadlocks in its second invocation only."""
    design = load(case("overlapping_invocations").path)
    assert simulate(_with_trips(design, (1, 8))).verdict == "done"
    assert simulate(_with_trips(design, (3, 8))).verdict == "deadlock"


def test_without_the_gate_the_skewed_design_would_finish():
    """`stage_skew` with the filter's results written as soon as each is ready, whatever the next token does."""
    design = load(case("stage_skew").path)
    reads_waits_writes = [
        replace(p, loops=tuple(_drained(p.loops[0]) for _ in range(20))) if p.name == "filter" else p
        for p in design.processes
        if isinstance(p, Pipeline)
    ]
    assert simulate(replace(design, processes=tuple(reads_waits_writes))).verdict == "done"


def _drained(loop: Loop) -> Loop:
    return replace(loop, trips=(1,))


def _with_trips(design: TimedGraph, trips: tuple[int, ...]) -> TimedGraph:
    pipelines = [p for p in design.processes if isinstance(p, Pipeline)]
    changed = [replace(p, loops=tuple(replace(loop, trips=trips) for loop in p.loops)) for p in pipelines]
    return replace(design, processes=tuple(changed))


def test_an_unknown_design_is_refused():
    with pytest.raises(InputError, match="did you mean 'stage_skew'"):
        case("stage_skw")


def test_a_wrong_expectation_is_noticed():
    told = case("stage_skew")
    assert differences(replace(told, fix={"skip": 9})) == ["the fix is {'skip': 8}"]
    assert differences(replace(told, cycle=told.cycle[1:])) != []
    assert differences(replace(told, is_closed=False)) == ["the cycle is closed"]
    assert "the live twin" in differences(replace(told, live_cycles=1))[0]
    assert differences(replace(told, name="stage_skew_live")) == ["stage_skew_live finishes"]
