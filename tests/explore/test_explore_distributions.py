"""Lanes are handed out within a share of the board, and the way in which they are makes the difference it should."""

from __future__ import annotations

from functools import cache

import pytest

from sttest.compile.compiler import choose_lanes
from sttest.compile.options import CompileOptions
from sttest.core.errors import DoesNotFitError
from sttest.explore.distributions import WAYS, distribute
from sttest.explore.evaluate import Evaluator
from sttest.explore.facts import BlockFacts, bounds
from sttest.explore.objectives import Target
from sttest.frontend.shipped import lowered_text

TEXT = lowered_text("gpt2", "decode", small=True)


@cache
def facts(share: str = "none") -> BlockFacts:
    target = Target(TEXT, "gpt2", "decode", 1, 32, "u55c", "w4a8", 2, 4.57)
    return Evaluator(target, ()).facts(CompileOptions(share=share))


@pytest.mark.parametrize("share", ["none", "all"])
@pytest.mark.parametrize("way", WAYS)
def test_no_way_takes_more_than_its_share(way, share):
    for budget in (0.1, 0.3):
        lanes = distribute(facts(share), way, budget)
        assert facts(share).share(facts(share).logic(lanes)) <= budget
        assert all(lanes[task.name] in task.choices for task in facts(share).tasks)


@pytest.mark.parametrize("way", WAYS)
def test_much_more_of_the_board_is_faster(way):
    little, much = (bounds(facts(), distribute(facts(), way, budget)).cycles for budget in (0.1, 0.4))
    assert much < little


def test_tasks_that_take_turns_have_the_same_lanes():
    lanes = distribute(facts("all"), "chain", 0.3)
    shared = [engine for engine in facts("all").engines if len(engine.tasks) > 1]
    assert shared
    assert all(len({lanes[task.name] for task in engine.tasks}) == 1 for engine in shared)


def test_intensity_pays_and_connectedness_spares():
    """At one factor for all, work decides; a task that waits for its neighbors does as well with fewer lanes."""
    cycles = {way: bounds(facts(), distribute(facts(), way, 0.2)).cycles for way in WAYS}
    assert cycles["ia"] < cycles["naive"]
    assert cycles["chain"] <= min(cycles.values())
    spared = distribute(facts(), "ia+ca", 0.2)
    assert sum(spared.values()) <= sum(distribute(facts(), "ia", 0.2).values())


def test_lanes_are_those_the_compiler_takes():
    lanes = distribute(facts(), "pace", 0.2)
    given = tuple(f"{name}:{count}" for name, count in lanes.items())
    assert sorted(choose_lanes(TEXT, CompileOptions(lanes=given))) == sorted(given)


def test_a_share_that_is_too_small_is_refused():
    with pytest.raises(DoesNotFitError) as refusal:
        distribute(facts(), "chain", 0.001)
    assert refusal.value.code == "lane-budget-too-small"
    assert refusal.value.demand > refusal.value.bound == 0.1
