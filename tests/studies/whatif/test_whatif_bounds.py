"""The formulas beside the simulation: they agree where the study ends, and nothing beats the roofline."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from sttest.sim import simulate
from sttest.sim.graph import Channel, Event, Fifo, Loop, MemoryPort, Pipeline, TimedGraph
from sttest.studies.whatif.bounds import chain_cycles
from sttest.studies.whatif.outcome import StudyOutcome
from sttest.studies.whatif.points import Point, key_of, points_of, simulate_block
from sttest.studies.whatif.study import STUDIES, load_study, study_names

AGREEMENT = 0.05
MOST = {"context": 1.07, "batch": 1.1}
"""Formula over simulation, where work overlaps that the formula takes in turn: 1.062 in Qwen's decode step at a context
of 32,752, 1.089 in GPT-2's of 16 sequences."""
SHARED = """
title: shared units
base: {phase: decode, context: 32, board: u55c, options.share: all}
axes: {model: [small-gpt2], board.hbm.bandwidth: [57.6, 460]}
"""
RESULTS = Path(__file__).parents[3] / "results"


@cache
def shipped_points() -> list[Point]:
    return points_of(load_study(STUDIES / "hbm-bandwidth.yaml"), STUDIES)


def outcomes(model: str, bandwidths: slice = slice(None), design: str = "spatial") -> list[StudyOutcome]:
    """Points of a design of the shipped study of bandwidth."""
    own = [point for point in shipped_points() if (point.model, point.axes["design"].value) == (model, design)]
    own = own[bandwidths]
    return [StudyOutcome.of(point, simulate_block(key_of(point.block, "maxplus"))) for point in own]


@pytest.mark.parametrize("model", ["gpt2", "llama", "llama-3.2-1b"])
def test_formula_and_simulation_agree_at_both_ends_of_the_bandwidths(model):
    slow, fast = outcomes(model, slice(None, None, 11))
    assert slow.gains["bandwidth"] > 0.05 > 100 * fast.gains["bandwidth"]
    for each in (slow, fast):
        assert each.bounds.formula_us == pytest.approx(each.block_us, rel=AGREEMENT)
    assert slow.helps_most == "bandwidth" != fast.helps_most


@pytest.mark.parametrize("design", ["spatial", "4096 lanes"])
def test_speed_rises_with_bandwidth_and_stays_below_the_roofline(design):
    found = outcomes("gpt2", design=design)
    speeds = [each.speed for each in found]
    assert speeds == sorted(speeds)
    assert all(each.speed <= each.roofline_speed for each in found)


@pytest.mark.parametrize("place", [1, -1], ids=["fewest that there is a design for", "most"])
def test_formula_and_roofline_hold_for_designs_made_anew(place):
    points = points_of(load_study(STUDIES / "hbm-channels.yaml"), STUDIES)
    point = [point for point in points if (point.model, point.axes["design"].value) == ("gpt2", "spatial")][place]
    outcome = StudyOutcome.of(point, simulate_block(key_of(point.block, "maxplus")))
    assert outcome.speed <= outcome.roofline_speed
    assert outcome.bounds.formula_us == pytest.approx(outcome.block_us, rel=AGREEMENT)


def test_bytes_are_those_of_the_model():
    """W4 weights, an FP16 scale per 128 of them, an int8 cache of 256 tokens with FP16 scales per head; the rest
    (biases, norms, activations) is below 2 %."""
    (outcome,) = outcomes("gpt2", slice(0, 1))
    hidden, context = 1024, 256
    weights = 12 * hidden * hidden
    cache = 2 * context * (hidden + 16 * 2)
    expected = weights / 2 + weights / 128 * 2 + cache
    assert expected < outcome.simulated["moved_bytes"] < 1.02 * expected


def stream(bytes_per_cycle: int, reduces: bool, steps: int = 4000) -> TimedGraph:
    """A port of 8-byte tokens, a pipeline that passes them on or sums them up, and a second one behind it."""
    last = (steps - 1,) if reduces else ()
    first = Loop((steps,), 1, 5, (Event("in", "read", 0), Event("mid", "write", 4, last)))
    count = 1 if reduces else steps
    second = Loop((count,), 1, 3, (Event("mid", "read", 0), Event("out", "write", 2)))
    return TimedGraph(
        "stream",
        250.0,
        tuple(Fifo(name, 16, 64) for name in ("in", "mid", "out")),
        (
            MemoryPort("load", "read", "in", steps, 8, ("hbm",), category="dma"),
            Pipeline("first", (first,), category="compute"),
            Pipeline("second", (second,), category="compute"),
            MemoryPort("store", "write", "out", count, 8, ("hbm2",), category="dma"),
        ),
        (Channel("hbm", 50, 64, bytes_per_cycle, 64), Channel("hbm2", 50, 64)),
    )


@pytest.mark.parametrize("reduces", [False, True])
@pytest.mark.parametrize(("bytes_per_cycle", "cycles"), [(64, 4000), (2, 16000)])
def test_the_chain_of_a_stream_is_its_slowest_link(bytes_per_cycle, cycles, reduces):
    """4000 tokens at one per cycle, or 32000 bytes at 2 per cycle, and a little latency."""
    graph = stream(bytes_per_cycle, reduces)
    assert cycles < chain_cycles(graph) < cycles + 250
    assert chain_cycles(graph) == pytest.approx(simulate(graph).cycles, rel=AGREEMENT)


def test_two_reductions_follow_each_other():
    """The second sum can only begin with the first one's result: 1000 + 500 steps; streamed, 1000 would do."""
    one = Loop((1000,), 1, 5, (Event("in", "read", 0), Event("mid", "write", 4, (999,))))
    other = Loop((500,), 1, 5, (Event("mid", "read", 0, (0,)), Event("out", "write", 4, (499,))))
    base = stream(64, reduces=True, steps=1000)
    graph = TimedGraph(
        "two",
        250.0,
        base.fifos,
        (base.processes[0], Pipeline("first", (one,)), Pipeline("second", (other,)), base.processes[3]),
        base.channels,
    )
    assert chain_cycles(graph) == pytest.approx(simulate(graph).cycles, rel=AGREEMENT)
    assert chain_cycles(graph) > 1500


def test_processes_that_wait_for_each_other_have_no_chain():
    """As a unit that is shared and those that use it do: the walk along the chain once had no end."""
    there = Loop((10,), 1, 3, (Event("asked", "write", 0), Event("given", "read", 2)))
    back = Loop((10,), 1, 2, (Event("asked", "read", 0), Event("given", "write", 1)))
    fifos = (Fifo("asked", 16, 8), Fifo("given", 16, 8))
    assert (
        chain_cycles(TimedGraph("loop", 250.0, fifos, (Pipeline("user", (there,)), Pipeline("unit", (back,))))) is None
    )


def test_a_study_of_designs_with_shared_units_ends(tmp_path):
    path = tmp_path / "shared.yaml"
    path.write_text(SHARED)
    found = [
        StudyOutcome.of(point, simulate_block(key_of(point.block, "maxplus")))
        for point in points_of(load_study(path), tmp_path)
    ]
    assert [each.bounds.chain_us for each in found] == [None, None]
    speeds = [each.speed for each in found]
    assert speeds == sorted(speeds)
    assert all(each.speed <= each.roofline_speed for each in found)


@pytest.mark.parametrize("name", study_names())
def test_committed_points_agree_with_the_formula_and_stay_below_the_roofline(name):
    table = pd.read_csv(RESULTS / name / "table.csv")
    of_points = table[table["metric"] == "block by formula over simulated"]
    # Prompts of a prefill overlap on their way, which the formula does not see.
    of_points = of_points[of_points["phase"] == "decode"]
    ratios = of_points["value"]
    speeds, rooflines = (
        table[table["metric"] == metric]["value"].dropna().tolist() for metric in ("speed", "roofline")
    )
    # The formula knows no turns: of units that tasks share it is a lower bound of the time.
    apart = (
        ratios
        if not load_study(STUDIES / f"{name}.yaml").best_of
        else ratios[of_points["point"].str.contains("spatial")]
    )
    assert apart.between(1 - AGREEMENT, MOST.get(name, 1 + AGREEMENT)).all()
    assert ratios.max() <= max(1.0, apart.max())
    assert len(speeds) == len(rooflines) >= len(ratios) > 0
    assert all(speed < roofline for speed, roofline in zip(speeds, rooflines, strict=True))
