"""The space: which options there are, what a user may give them, and objectives that make sense."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sttest.compile.options import CompileOptions
from sttest.core.errors import InputError
from sttest.explore.evaluate import Evaluator
from sttest.explore.objectives import OBJECTIVES, dominates, objectives_of, pareto_set
from sttest.explore.proposals import default_point, seeds
from sttest.explore.space import parse_only, space_of, tiling_of
from sttest.frontend.shipped import lowered_text
from tests.explore.tiny_searches import tiny_search


@pytest.fixture(scope="module")
def facts(tmp_path_factory):
    target = tiny_search(tmp_path_factory.mktemp("store") / "search.db").target
    return Evaluator(target, ()).facts(CompileOptions(precision="fp32"))


def test_every_level_has_options_and_every_contraction_a_shift(facts):
    space = {domain.name: domain for domain in space_of(facts, {})}
    assert {domain.level for domain in space.values()} == {"tiling", "fusion", "resources"}
    products = [task.name for task in facts.tasks if task.contraction]
    assert len(products) == 2
    assert {f"shift.{name}" for name in products} < space.keys()


def test_defaults_are_the_compilers(facts):
    default = default_point(space_of(facts, {}))
    tiling = tiling_of(default, CompileOptions())
    assert tiling == CompileOptions()


def test_a_block_with_sums_of_integers_has_an_option_for_what_they_are_made_of(facts, tmp_path):
    target = replace(
        tiny_search(tmp_path / "search.db").target, text=lowered_text("gpt2", "decode", small=True), precision="w4a8"
    )
    evaluator = Evaluator(target, (OBJECTIVES["area"],))
    space = {domain.name: domain for domain in space_of(evaluator.facts(CompileOptions()), {})}
    assert "products" not in {domain.name for domain in space_of(facts, {})}
    assert space["products"].choices == ("pairs", "chains-4", "chains-8", "chains-16", "lut")
    default = default_point(list(space.values()))
    assert tiling_of(default, CompileOptions()) == CompileOptions()
    found = {kind: evaluator.evaluate({**default, "products": kind}).figures for kind in space["products"].choices}
    amounts = {name: [figures[name] for figures in found.values()] for name in ("cycles", "lut", "dsp")}
    # Longer chains save LUTs and cost cycles; products in LUTs save DSPs.
    assert amounts["cycles"][:4] == sorted(amounts["cycles"][:4])
    assert amounts["lut"][:4] == sorted(amounts["lut"][:4], reverse=True)
    assert amounts["dsp"][4] < amounts["dsp"][0] == amounts["dsp"][3]
    assert amounts["lut"][4] > amounts["lut"][0] > amounts["lut"][3]


def test_seeds_cover_ways_and_tiles(facts):
    space = space_of(facts, {"tile_size": ("8", "16")})
    found = seeds(space)
    assert {(each["tile_size"], each["lanes_by"]) for each in found} == {
        (tile, way) for tile in (8, 16) for way in ("chain", "pace", "ia+ca")
    }
    assert all(each[domain.name] in domain.choices for each in found for domain in space)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (["tile_sise=8"], "unknown-option"),
        (["tile_size=big"], "bad-option"),
        (["tile_size=0"], "bad-option"),
        (["lanes_by=luck"], "bad-option"),
        (["tile_size"], "bad-option"),
        (["budget_percent=200"], "bad-option"),
    ],
)
def test_what_an_option_cannot_take_is_refused(facts, given, code):
    with pytest.raises(InputError) as refusal:
        space_of(facts, parse_only(given))
    assert refusal.value.code == code


@pytest.mark.parametrize(
    ("names", "phase", "code"),
    [
        (("speed",), "decode", "unknown-objective"),
        (("ttft",), "decode", "no-ttft"),
        (("ttft", "latency"), "prefill", "same-objective"),
    ],
)
def test_objectives_that_make_no_sense_are_refused(tmp_path, names, phase, code):
    target = replace(tiny_search(tmp_path / "search.db").target, phase=phase)
    with pytest.raises(InputError) as refusal:
        objectives_of(names, target)
    assert refusal.value.code == code


def test_pareto_sets_are_what_nobody_covers():
    import random

    chosen = random.Random(1)
    for _ in range(200):
        points = [tuple(float(chosen.randrange(4)) for _ in range(3)) for _ in range(chosen.randrange(1, 12))]
        found = {points[position] for position in pareto_set(points)}
        assert found == {one for one in points if not any(dominates(other, one) and other != one for other in points)}
