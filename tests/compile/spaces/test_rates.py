"""Lanes that keep pace."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sttest.compile.spaces.lane_matching import RateFacts, paced_lanes
from sttest.core.errors import InputError


def task(name: str, *producers: str, busy: dict[int, int], iterations: int = 8, **more: int) -> RateFacts:
    facts = {"burst": 1, "results": iterations, **more}
    lanes, cycles = tuple(busy), tuple(busy.values())
    return RateFacts(name, lanes, cycles, iterations, facts["burst"], facts["results"], producers)


PRODUCT = task("product", busy={32: 2, 64: 1}, iterations=64, burst=4, results=16)
WIDE = {1: 16, 2: 8, 4: 4, 8: 2, 16: 1}


def test_a_task_takes_no_longer_than_its_source_for_a_token() -> None:
    sums = task("sums", "product", busy=WIDE, iterations=16)
    # A token of the product every 4 cycles; at half its lanes every 8.
    assert paced_lanes([PRODUCT, sums], {"product": 64}) == {"sums": 4}
    assert paced_lanes([PRODUCT, sums], {"product": 32}) == {"sums": 2}


def test_the_pace_passes_on() -> None:
    sums = task("sums", "product", busy=WIDE, iterations=16)
    last = task("last", "sums", busy={1: 4, 2: 3, 4: 2}, iterations=16)
    assert paced_lanes([PRODUCT, sums, last], {"product": 64}) == {"sums": 4, "last": 1}


def test_larger_tiles_have_the_time_of_several_tokens() -> None:
    sums = task("sums", "product", busy=WIDE, iterations=4)
    assert paced_lanes([PRODUCT, sums], {"product": 64}) == {"sums": 1}


def test_what_cannot_keep_pace_falls_behind_least_with_the_fewest_lanes() -> None:
    slow = task("slow", "product", busy={1: 9, 2: 7, 4: 7}, iterations=16)
    assert paced_lanes([PRODUCT, slow], {"product": 64}) == {"slow": 2}


def test_a_scalar_that_is_read_again_sets_no_pace() -> None:
    mean = task("mean", "product", busy={1: 1}, iterations=16, results=1)
    centered = task("centered", "mean", busy=WIDE, iterations=16)
    # Nothing comes token by token: its own pace of one cycle.
    assert paced_lanes([PRODUCT, mean, centered], {"product": 64})["centered"] == 16


def test_who_follows_a_task_without_pace_has_none() -> None:
    free = RateFacts("free", (1, 2), (2, 1), 16, 1, 16, ("product",), own_pace_cycles=None)
    after = task("after", "free", busy=WIDE, iterations=16)
    assert paced_lanes([PRODUCT, free, after], {"product": 64}) == {}


def test_a_scale_sets_no_pace_for_what_comes_later() -> None:
    free = RateFacts("free", (1, 2), (2, 1), 16, 1, 16, ("product",), own_pace_cycles=None)
    scale = task("scale", "product", busy={1: 1}, iterations=16)
    scaled = task("scaled", "free", "scale", busy=WIDE, iterations=16)
    assert paced_lanes([PRODUCT, free, scale, scaled], {"product": 64}) == {"scale": 1}


def test_the_fastest_source_counts() -> None:
    quick = RateFacts("quick", (1,), (2,), 16, 1, 16, (), Fraction(2))
    both = task("both", "quick", "product", busy=WIDE, iterations=16)
    assert paced_lanes([PRODUCT, quick, both], {"product": 64})["both"] == 8


def test_facts_that_fit_no_lanes_are_refused() -> None:
    with pytest.raises(InputError, match="every lane count takes one or more cycles"):
        paced_lanes([RateFacts("bad", (1, 2), (1,), 1, 1, 1)], {})
