"""Which layer's weights have which type, by an integer linear program over simulated cost and measured noise.

The idea of OHQ (arXiv 2309.01945): the cost of a type in a layer is measured on the hardware, here simulated, and so is
the noise that it adds; one type per layer is chosen so that the noise is least within a budget.  Costs and noises are
taken to add up over layers, which whoever uses the result has to check.
"""

from collections.abc import Mapping
from itertools import product

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from sttest.core.errors import DoesNotFitError

Table = Mapping[tuple[str, str], float]
"""A number for each layer and type."""


def choose_types(costs: Table, noises: Table, budget: float) -> dict[str, str]:
    """The type of each layer with the least sum of noises whose costs stay within the budget.

    Args:
        costs: by layer and type, in the unit of the budget.
        noises: by layer and type, of noise power relative to the signal.
        budget: the most that all costs may be.

    Raises:
        DoesNotFitError: the cheapest types cost more.

    >>> choose_types({("a", "int8"): 2, ("a", "int4"): 1}, {("a", "int8"): 0.1, ("a", "int4"): 0.3}, 1.5)
    {'a': 'int4'}
    """
    keys, layers = list(costs), list(dict.fromkeys(layer for layer, _ in costs))
    least = sum(min(cost for (each, _), cost in costs.items() if each == layer) for layer in layers)
    if least > budget:
        raise DoesNotFitError(
            "budget-too-small",
            "the cheapest types cost more than the budget",
            where="mixed types",
            demand=least,
            bound=budget,
            hints=["raise the budget"],
        )
    one_each = np.array([[float(layer == each) for layer, _ in keys] for each in layers])
    cost = np.array([[costs[key] for key in keys]])
    found = milp(
        np.array([noises[key] for key in keys]),
        integrality=np.ones(len(keys)),
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(one_each, 1, 1), LinearConstraint(cost, -np.inf, budget)],
    )
    assert found.success, found.message
    return {layer: kind for (layer, kind), chosen in zip(keys, found.x, strict=True) if chosen > 0.5}


def best_by_trying(costs: Table, noises: Table, budget: float) -> float:
    """The least noise by trying all: what the program is held against, for few layers."""
    layers = list(dict.fromkeys(layer for layer, _ in costs))
    kinds = [[kind for each, kind in costs if each == layer] for layer in layers]
    sums = (
        (sum(costs[pair] for pair in pairs), sum(noises[pair] for pair in pairs))
        for chosen in product(*kinds)
        for pairs in [list(zip(layers, chosen, strict=True))]
    )
    return min(noise for cost, noise in sums if cost <= budget)
