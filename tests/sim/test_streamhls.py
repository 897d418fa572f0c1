"""Designs of the Stream-HLS artifact: the cycles that the FIFO law gives, to the cycle, from both engines."""

import pytest
from sim_graphs import STREAMHLS

from sttest.core.files import read_csv
from sttest.sim import load, simulate
from sttest.sim.deadlock import advance, explain
from sttest.sim.stages import depths_of, flatten

ROWS = {row["design"]: row for row in read_csv(STREAMHLS / "expected.csv")}
LARGE = ("mlps_opt1_autoencoder", "cnns_opt2_depthwiseseparableconvblock")
CASES = [("maxplus", design) for design in ROWS] + [
    pytest.param("simpy", design, marks=pytest.mark.slow) if design in LARGE else ("simpy", design) for design in ROWS
]


@pytest.mark.parametrize(("engine", "design"), CASES)
def test_own_depths(engine, design):
    result = simulate(load(STREAMHLS / f"{design}.json"), engine)
    assert result.verdict == ("deadlock" if int(ROWS[design]["law_deadlock"]) else "done")
    assert result.cycles == int(ROWS[design]["law_cycles"])
    assert result.fifo_events == int(ROWS[design]["fifo_events"])


@pytest.mark.parametrize(("engine", "design"), CASES)
def test_every_depth_two(engine, design):
    result = simulate(load(STREAMHLS / f"{design}.json").with_all_depths(2), engine)
    if int(ROWS[design]["depth2_deadlock"]):
        assert (result.verdict, result.cycles) == ("deadlock", None)
        return
    assert (result.verdict, result.cycles) == ("done", int(ROWS[design]["depth2_cycles"]))


def test_a_fix_is_enough_and_nothing_of_it_is_too_much():
    """ResMLP at depth 2: the sixteen lanes that skip the first layer have to hold what it reads before it writes."""
    graph = load(STREAMHLS / "mlps_opt5_resmlp.json").with_all_depths(2)
    deadlock = explain(graph, flatten(graph))
    assert deadlock.is_closed
    assert simulate(graph, depths=deadlock.fix).verdict == "done"
    flat = flatten(graph)
    for fifo, depth in deadlock.fix.items():
        less = graph.with_depths(deadlock.fix | {fifo: depth - 1})
        assert not advance(flat, depths_of(less)).is_done(flat)


@pytest.mark.parametrize("design", ROWS)
def test_the_law_is_close_to_published_cosimulation(design):
    """What is said of the model's error holds for these designs."""
    law, cosim = int(ROWS[design]["law_cycles"]), int(ROWS[design]["cosim_cycles"])
    assert abs(law - cosim) / cosim < 0.0075
