"""Types of weights chosen by the integer program, against trying all of them."""

import random

import pytest

from sttest.core.errors import DoesNotFitError
from sttest_systems.mixed_bits.choice import best_by_trying, choose_types

TYPES = ("int8", "int4", "int2")


def drawn(seed: int):
    draw = random.Random(seed)
    keys = [(layer, kind) for layer in "abcd"[: draw.randint(1, 4)] for kind in TYPES]
    costs = {key: draw.uniform(-5, 5) for key in keys}
    return costs, {key: draw.random() for key in keys}, draw.uniform(-10, 10)


@pytest.mark.parametrize("seed", range(40))
def test_no_other_choice_within_the_budget_is_less_noisy(seed):
    costs, noises, budget = drawn(seed)
    least = sum(min(costs[layer, kind] for kind in TYPES) for layer in {each for each, _ in costs})
    if least > budget:
        with pytest.raises(DoesNotFitError, match="cost more than the budget"):
            choose_types(costs, noises, budget)
        return
    chosen = choose_types(costs, noises, budget)
    assert sum(costs[pair] for pair in chosen.items()) <= budget + 1e-6
    assert sum(noises[pair] for pair in chosen.items()) == pytest.approx(best_by_trying(costs, noises, budget))
