"""The error of the timing model against published co-simulation."""

import pytest

from experiments import fidelity
from experiments.fidelity import Fidelity, mean_and_worst, measure, published_cycles
from sttest.sim import load, simulate


def test_errors_are_as_small_as_we_say():
    found = []
    for design, cosim in published_cycles().items():
        graph = load(fidelity.DESIGNS / f"{design}.json")
        run = simulate(graph)
        found.append(Fidelity(design, cosim, run.cycles, None, run.fifo_events, True))
    assert len(found) == 12
    mean, worst = mean_and_worst(found)
    assert mean <= 0.0015
    assert worst <= 0.0075


def test_a_design_is_measured_with_both_engines():
    found = measure("9024_dsps_opt5_mvt", 550)
    assert (found.cycles, found.shallow_cycles, found.engines_agree) == (554, 553, True)
    assert found.error == pytest.approx(4 / 550)


def test_a_deadlock_counts_as_an_error():
    found = Fidelity("d", 100, None, None, 8, True)
    assert found.error == 1.0
