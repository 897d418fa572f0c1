"""Annealing finds what one pass over the processes misses."""

from __future__ import annotations

from random import Random

import pytest

from sttest.boards.resources import Resources
from sttest.compile.spaces.partition import Die, ProcessFacts, WireFacts, annealed_slrs, assess, fits, greedy_slrs

DIE = Die((Resources(100, 1000, 2000, 100, 30),) * 3, 500)


def tight_pair() -> tuple[list[ProcessFacts], list[WireFacts]]:
    """Small ones come first and fill the SLR that a large pair must have: more wires join it than a boundary has."""
    small = [ProcessFacts(f"s{number}", Resources(dsp=12)) for number in range(16)]
    large = [ProcessFacts(name, Resources(dsp=48)) for name in ("a", "b")]
    return [*small, *large], [WireFacts("wide", "a", "b", 600)]


def test_it_finds_what_one_pass_does_not() -> None:
    processes, wires = tight_pair()
    passed = greedy_slrs(processes, wires, DIE)
    assert passed is None or not fits(assess(passed, processes, wires, DIE), DIE)
    for found in annealed_slrs(processes, wires, DIE):
        assert fits(assess(found, processes, wires, DIE), DIE)
        assert found["a"] == found["b"]


@pytest.mark.parametrize("seed", range(2))
def test_pinned_processes_stay_and_the_same_seed_gives_the_same(seed: int) -> None:
    choose = Random(seed)
    processes = [
        ProcessFacts(f"p{n}", Resources(dsp=choose.randrange(30), lut=choose.randrange(200)), 1 if n < 2 else None)
        for n in range(12)
    ]
    wires = [WireFacts(f"f{n}", f"p{n}", f"p{choose.randrange(12)}", choose.randrange(1, 200)) for n in range(12)]
    every = [*annealed_slrs(processes, wires, DIE, starts=3)]
    assert all(found["p0"] == found["p1"] == 1 for found in every)
    assert every == [*annealed_slrs(processes, wires, DIE, starts=3)]


def test_nothing_to_place_is_placed() -> None:
    assert [*annealed_slrs([], [], DIE)] == [{}]


def test_one_that_nearly_fills_an_slr_moves_away_from_the_first() -> None:
    """It starts in the first, where most of its neighbours must be: single moves away from there make things worse."""
    ports = [ProcessFacts(f"p{number}", Resources(lut=80), pinned=0) for number in range(8)]
    parts = [ProcessFacts(f"q{number}", Resources(lut=100)) for number in range(8)]
    engine = ProcessFacts("engine", Resources(lut=900))
    wires = [WireFacts(f"w{number}", f"p{number}", "engine", 55) for number in range(8)]
    wires += [WireFacts(f"v{number}", "engine", f"q{number}", 40) for number in range(8)]
    processes = [*ports, *parts, engine]
    assert any(fits(assess(found, processes, wires, DIE), DIE) for found in annealed_slrs(processes, wires, DIE))


def test_the_first_that_fits_is_found_where_the_best_is() -> None:
    fitting: list[bool] = []
    for seed in range(6):
        choose = Random(seed)
        processes = [ProcessFacts(f"p{n}", Resources(lut=choose.randrange(100, 250))) for n in range(15 + seed)]
        names = [each.name for each in processes]
        wires = [WireFacts(f"f{n}", *choose.sample(names, 2), choose.randrange(20, 120)) for n in range(20)]
        first, best = (
            [
                fits(assess(slrs, processes, wires, DIE), DIE)
                for slrs in annealed_slrs(processes, wires, DIE, 3, any_will_do=any_will_do)
            ]
            for any_will_do in (True, False)
        )  # fmt: skip
        assert first == best
        fitting += best
    assert {*fitting} == {True, False}
