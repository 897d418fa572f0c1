import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.compile.spaces.tiling import TilingFacts, allocate_unroll, lane_choices, unroll_factors
from sttest.core.errors import DoesNotFitError, InputError

POWERS = (1, 2, 4, 8, 16)


def test_budget_goes_to_the_slowest_kernel():
    # budget 16, start at 1 + 1 + 1, 13 left
    #   pop ffn    4096 -> 2 lanes 2048 (12 left)
    #   pop ffn    2048 -> 4 lanes 1024 (10 left)
    #   pop scores 1024 (first of two equals) -> 2 lanes 512 (9 left)
    #   pop ffn    1024 -> 8 lanes 512 (5 left)
    #   pop scores  512 -> 4 lanes 256 (3 left)
    #   pop ffn     512 needs 8 more: retired, the pace is 512
    #   pop scores  256 needs 4 more: retired
    #   pop gelu    256 -> 2 lanes 128 (2 left), -> 4 lanes 64 (0 left), then retired
    kernels = [TilingFacts("scores", 1024, POWERS), TilingFacts("ffn", 4096, POWERS), TilingFacts("gelu", 256, POWERS)]
    assert allocate_unroll(kernels, 16) == {"scores": 4, "ffn": 8, "gelu": 4}


def test_kernel_at_its_last_choice_leaves_the_rest_to_others():
    kernels = [TilingFacts("slow", 100, (1, 2)), TilingFacts("fast", 10, POWERS)]
    assert allocate_unroll(kernels, 10) == {"slow": 2, "fast": 8}


def test_lanes_below_the_memory_bound_are_not_bought():
    kernels = [TilingFacts("bound", 100, POWERS, min_cycles=40), TilingFacts("free", 10, POWERS)]
    assert allocate_unroll(kernels, 100) == {"bound": 4, "free": 16}


def test_lanes_that_only_wait_for_a_sum_are_not_bought():
    # 64 steps at 1 lane, 32 at 2; from 4 lanes on the sum comes round too soon: 16 * 4, 8 * 4, 4 * 4 cycles.
    waits = TilingFacts("mix", 64, POWERS, intervals=(1, 1, 4, 4, 4))
    assert allocate_unroll([waits], 8) == {"mix": 2}
    assert allocate_unroll([waits], 16) == {"mix": 16}


def test_a_choice_that_does_not_shorten_is_skipped():
    assert allocate_unroll([TilingFacts("k", 5, (1, 3, 4, 5))], 4) == {"k": 3}
    assert allocate_unroll([TilingFacts("k", 5, (1, 3, 4, 5))], 5) == {"k": 5}


def test_cheap_lanes_are_charged_by_weight():
    cheap = TilingFacts("add", 64, POWERS, cost_lanes_weight=0.1)
    assert allocate_unroll([cheap], 1) == {"add": 8}
    assert allocate_unroll([TilingFacts("free", 64, POWERS, cost_lanes_weight=0)], 0) == {"free": 16}


def test_budget_below_the_first_lanes_says_what_is_missing():
    with pytest.raises(DoesNotFitError) as caught:
        allocate_unroll([TilingFacts("a", 1, (2, 4)), TilingFacts("b", 1, (1,))], 2)
    assert (caught.value.demand, caught.value.bound, caught.value.unit) == (3, 2, "lanes")


@pytest.mark.parametrize(
    "facts",
    [
        TilingFacts("k", 1, ()),
        TilingFacts("k", 1, (0, 1)),
        TilingFacts("k", 1, (2, 2)),
        TilingFacts("k", -1, (1,)),
        TilingFacts("k", 1, (1,), cost_lanes_weight=-1),
        TilingFacts("k", 1, (1,), min_cycles=-1),
        TilingFacts("k", 1, (1, 2), intervals=(1,)),
        TilingFacts("k", 1, (1,), intervals=(0,)),
    ],
)
def test_bad_facts_are_refused(facts):
    with pytest.raises(InputError) as caught:
        allocate_unroll([facts], 4)
    assert caught.value.where == "k"


@st.composite
def allocation_problems(draw):
    choices = st.lists(st.integers(1, 12), min_size=1, max_size=4, unique=True).map(lambda c: tuple(sorted(c)))
    weights = st.sampled_from([0.25, 0.5, 1, 2])
    kernels = [
        TilingFacts(f"k{i}", draw(st.integers(0, 60)), draw(choices), draw(weights), draw(st.integers(0, 10)))
        for i in range(draw(st.integers(1, 4)))
    ]
    start = sum(kernel.choices[0] * kernel.cost_lanes_weight for kernel in kernels)
    return kernels, math.ceil(start) + draw(st.integers(0, 20))


@given(allocation_problems())
def test_pace_is_the_best_that_the_budget_allows(problem):
    kernels, budget = problem

    def cost(lanes):
        return sum(count * kernel.cost_lanes_weight for kernel, count in zip(kernels, lanes, strict=True))

    def pace(lanes):
        return max(kernel.latency_cycles(count) for kernel, count in zip(kernels, lanes, strict=True))

    given_lanes = tuple(allocate_unroll(kernels, budget).values())
    assert all(count in kernel.choices for kernel, count in zip(kernels, given_lanes, strict=True))
    assert cost(given_lanes) <= budget
    affordable = (lanes for lanes in product(*(k.choices for k in kernels)) if cost(lanes) <= budget)
    assert pace(given_lanes) == min(map(pace, affordable))


@pytest.mark.parametrize(
    ("lanes", "trips", "reductions", "factors"),
    [
        (1, [], [], ()),
        (8, [16, 16], [], (1, 8)),
        (32, [16, 16], [], (2, 16)),
        (64, [1, 16, 16], [2], (1, 16, 4)),
        (64, [4, 4, 8, 8], [3, 2], (4, 4, 1, 4)),
        (64, [4, 4, 8, 8], [2, 3], (4, 4, 4, 1)),
        (6, [4, 3], [], (2, 3)),
    ],
)
def test_lanes_fill_parallel_loops_from_the_inside_then_reductions(lanes, trips, reductions, factors):
    assert unroll_factors(lanes, trips, reductions) == factors


@given(st.lists(st.integers(1, 24), max_size=4), st.integers(1, 128), st.data())
def test_a_split_exists_exactly_when_lanes_divide_the_points(trips, lanes, data):
    reductions = data.draw(st.lists(st.integers(0, len(trips) - 1), unique=True)) if trips else []
    if math.prod(trips) % lanes:
        with pytest.raises(InputError, match="cannot be spread"):
            unroll_factors(lanes, trips, reductions)
        return
    factors = unroll_factors(lanes, trips, reductions)
    assert math.prod(factors) == lanes
    assert all(trip % factor == 0 for trip, factor in zip(trips, factors, strict=True))


@given(st.lists(st.integers(1, 24), max_size=4))
def test_every_lane_choice_can_be_spread(trips):
    choices = lane_choices(trips)
    assert choices[0] == 1
    assert all(math.prod(unroll_factors(lanes, trips)) == lanes for lanes in choices)
    assert math.prod(trips) % (2 * choices[-1]) != 0
