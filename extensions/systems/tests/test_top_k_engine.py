"""Top-k engines: to the bit as sorting, in C++ and hardware, in the timed graph's cycles."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from top_k_runs import ENGINES, engine_graph, random_jobs, run_csim, run_hardware

from sttest.sim import simulate
from sttest_systems.spatten.top_k import largest, select

needs_verilator = pytest.mark.skipif(shutil.which("verilator") is None, reason="verilator is not installed")
needs_icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog is not installed")
needs_gxx = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
# Source and sink at full pace, slow scores, slow sink.
PACES = ((1, 1), (3, 1), (1, 5))
INPUTS = 300
nightly = pytest.mark.nightly


def check_hardware(engine, jobs, pace, simulator, folder):
    """Places and scores to the bit, in the cycles of the timed graph."""
    searches = [select(scores, k, engine) for scores, k in jobs]
    timed = simulate(engine_graph(searches, *pace), record=True)
    assert timed.cycles is not None
    run = run_hardware(engine, jobs, folder, timed.cycles + 20, simulator, *pace)
    for (scores, k), (places, kept) in zip(jobs, run.kept, strict=True):
        wanted = largest(scores, k)
        assert np.array_equal(places, wanted)
        assert np.array_equal(kept, scores[wanted])
    assert np.array_equal(timed.read_times["jobs"], run.at["job"])
    assert np.array_equal(timed.read_times["rows"], run.at["row"])
    assert np.array_equal(timed.write_times["kept"], run.at["kept"])
    assert np.array_equal(timed.read_times["kept"], run.at["sink"])


@pytest.mark.parametrize("number", [0, *(pytest.param(each, marks=nightly) for each in (1, 2, 3))])
@needs_icarus
def test_hardware_keeps_the_largest_in_the_cycles_of_the_timed_graph(number, tmp_path):
    engine = ENGINES[number]
    check_hardware(engine, random_jobs(engine, 20, number), PACES[number % 3], "icarus", tmp_path)


@pytest.mark.parametrize("number", range(len(ENGINES)))
@pytest.mark.parametrize("pace", PACES)
@needs_verilator
@nightly
def test_verilator_keeps_the_largest_of_300_inputs_in_the_cycles_of_the_timed_graph(number, pace, tmp_path):
    engine = ENGINES[number]
    check_hardware(engine, random_jobs(engine, INPUTS, 10 + number), pace, "verilator", tmp_path)


def check_csim(engine, jobs, folder):
    steps, places, kept = run_csim(engine, jobs, folder)
    wanted = [largest(scores, k) for scores, k in jobs]
    assert np.array_equal(places, np.concatenate(wanted))
    assert np.array_equal(kept, np.concatenate([jobs[n][0][each] for n, each in enumerate(wanted)]))
    assert np.array_equal(steps, [select(scores, k, engine).cycles for scores, k in jobs])


@needs_gxx
def test_emitted_cpp_keeps_the_largest_in_as_many_cycles(tmp_path):
    check_csim(ENGINES[0], random_jobs(ENGINES[0], 20, 1), tmp_path)


@pytest.mark.parametrize("number", range(len(ENGINES)))
@needs_gxx
@nightly
def test_emitted_cpp_keeps_the_largest_of_300_inputs(number, tmp_path):
    engine = ENGINES[number]
    check_csim(engine, random_jobs(engine, INPUTS, 10 + number), tmp_path)


@pytest.mark.parametrize("pace", PACES)
def test_both_engines_time_a_search_alike(pace):
    engine = ENGINES[2]
    design = engine_graph([select(scores, k, engine) for scores, k in random_jobs(engine, 12, 3)], *pace)
    run, oracle = simulate(design), simulate(design, "simpy")
    assert (run.cycles, run.finish, run.max_occupancy) == (oracle.cycles, oracle.finish, oracle.max_occupancy)
