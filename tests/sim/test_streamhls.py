"""Designs of the Stream-HLS artifact: the cycles that the FIFO law gives, to the cycle."""

import pytest
from conftest import STREAMHLS, streamhls_rows

from sttest.sim import load, simulate

ROWS = {row["design"]: row for row in streamhls_rows()}


@pytest.mark.parametrize("design", ROWS)
def test_own_depths(design):
    result = simulate(load(STREAMHLS / f"{design}.json"), "des")
    assert result.verdict == ("deadlock" if int(ROWS[design]["law_deadlock"]) else "done")
    assert result.cycles == int(ROWS[design]["law_cycles"])
    assert result.fifo_events == int(ROWS[design]["fifo_events"])


@pytest.mark.parametrize("design", ROWS)
def test_every_depth_two(design):
    result = simulate(load(STREAMHLS / f"{design}.json").with_all_depths(2), "des")
    if int(ROWS[design]["depth2_deadlock"]):
        assert (result.verdict, result.cycles) == ("deadlock", None)
        return
    assert (result.verdict, result.cycles) == ("done", int(ROWS[design]["depth2_cycles"]))


def test_the_fix_of_a_deadlock_lets_it_finish():
    graph = load(STREAMHLS / "mlps_opt5_resmlp.json").with_all_depths(2)
    deadlock = simulate(graph).deadlock
    assert deadlock is not None
    assert deadlock.is_closed
    assert simulate(graph, depths=deadlock.fix).verdict == "done"
    for fifo, depth in deadlock.fix.items():
        assert simulate(graph, depths=deadlock.fix | {fifo: depth - 1}).verdict == "deadlock"


@pytest.mark.parametrize("design", ROWS)
def test_the_law_is_close_to_published_cosimulation(design):
    """What the README of the data says of the model's error holds for the copies here."""
    law, cosim = int(ROWS[design]["law_cycles"]), int(ROWS[design]["cosim_cycles"])
    assert abs(law - cosim) / cosim < 0.0075
