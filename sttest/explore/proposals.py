"""Which points a search tries next: seeds first, then what Optuna's samplers make of what is known.

Points are proposed in batches of a fixed size, and a batch is a function of the seed, its number and the results of
all batches before the last one.  So the same seed gives the same points, whatever process proposes them and however
many evaluate them; and while one batch is worked on, the next one is there already.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from sttest.compile.options import CompileOptions
from sttest.explore import assumptions
from sttest.explore.evaluate import Evaluation
from sttest.explore.space import SHIFT, Domain, Point, Value

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.samplers import BaseSampler
    from optuna.trial import FrozenTrial

BATCH = 16
LAG = 2
"""A batch knows the results of all batches up to so many before it."""
_DEFAULTS: dict[str, Value] = dict(CompileOptions())


@dataclass(frozen=True)
class Tried:
    """A point with what became of it."""

    slot: int
    point: Point
    evaluation: Evaluation


def seeds(space: Sequence[Domain]) -> list[Point]:
    """Designs to begin with: every way of handing out lanes, at every tile size, with three budgets.

    Other options go through their choices in turn, so that each of them is seen; lanes are not shifted.
    """
    domains = {domain.name: domain for domain in space}
    budgets = domains["budget_percent"].choices
    chosen = dict.fromkeys(budgets[int(where * (len(budgets) - 1))] for where in assumptions.SEED_BUDGETS)
    turns = [domain for domain in space if not domain.name.startswith(SHIFT)]
    default = default_point(space)
    found: list[Point] = []
    for budget, tile, way in product(chosen, domains["tile_size"].choices, domains["lanes_by"].choices):
        in_turn = {domain.name: _in_turn(domain, default, len(found)) for domain in turns}
        found.append({**default, **in_turn, "budget_percent": budget, "tile_size": tile, "lanes_by": way})
    return found


def _in_turn(domain: Domain, default: Point, number: int) -> Value:
    """The compiler's default first, then the other choices."""
    ordered = sorted(domain.choices, key=lambda choice: choice != default[domain.name])
    return ordered[number % len(ordered)]


def default_point(space: Sequence[Domain]) -> dict[str, Value]:
    """What the compiler does by default, where the space has it: else the first choice of an option."""
    return {domain.name: _DEFAULTS.get(domain.name, 0) for domain in space} | {
        domain.name: domain.choices[0] for domain in space if _DEFAULTS.get(domain.name, 0) not in domain.choices
    }


def propose(space: Sequence[Domain], objectives: int, seed: int, batch: int, tried: Sequence[Tried]) -> list[Point]:
    """The points of a batch.

    Args:
        space: the options.
        objectives: their number: TPE for one, NSGA-II for several.
        seed: seed of the search.
        batch: its number, from 0.
        tried: all points of batches up to ``batch - LAG``.
    """
    import optuna
    from optuna.study import StudyDirection

    first = seeds(space)[batch * BATCH : (batch + 1) * BATCH]
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = _sampler(objectives, seed, batch)
    study = optuna.create_study(directions=[StudyDirection.MINIMIZE] * objectives, sampler=sampler)
    distributions = {domain.name: _distribution(domain) for domain in space}
    study.add_trials([_as_trial(each, space, distributions, sampler) for each in tried])
    asked = [study.ask(distributions).params for _ in range(BATCH - len(first))]
    return [*first, *(_point(space, params) for params in asked)]


def _sampler(objectives: int, seed: int, batch: int) -> "BaseSampler":
    """A sampler of this batch alone: its random numbers do not depend on who proposed the others."""
    from optuna.samplers import NSGAIISampler, TPESampler

    own = int(np.random.SeedSequence((seed, batch)).generate_state(1)[0])
    if objectives > 1:
        return NSGAIISampler(population_size=BATCH, seed=own)
    return TPESampler(seed=own, n_startup_trials=BATCH, multivariate=True)


def _is_named(domain: Domain) -> bool:
    return isinstance(domain.choices[0], str)


def _distribution(domain: Domain) -> "BaseDistribution":
    """Numbers are known by their position, so that a sampler sees which are neighbors."""
    from optuna.distributions import CategoricalDistribution, IntDistribution

    if _is_named(domain):
        return CategoricalDistribution(domain.choices)
    return IntDistribution(0, len(domain.choices) - 1)


def _point(space: Sequence[Domain], params: Mapping[str, Any]) -> Point:
    return {
        domain.name: params[domain.name] if _is_named(domain) else domain.choices[params[domain.name]]
        for domain in space
    }


def _as_trial(
    tried: Tried, space: Sequence[Domain], distributions: "Mapping[str, BaseDistribution]", sampler: "BaseSampler"
) -> "FrozenTrial":
    """A result as a sampler takes it: what was not simulated counts with its bounds, what was refused as infeasible."""
    from optuna.samplers import NSGAIISampler
    from optuna.trial import create_trial

    params = {
        domain.name: tried.point[domain.name] if _is_named(domain) else domain.choices.index(tried.point[domain.name])
        for domain in space
    }
    generation = {}
    if isinstance(sampler, NSGAIISampler):
        # The attribute by which Optuna's genetic samplers know a generation (optuna.samplers.BaseGASampler).
        generation = {f"{type(sampler).__name__}:generation": tried.slot // BATCH}
    return create_trial(
        params=params, distributions=dict(distributions), values=list(tried.evaluation.losses),
        constraints={"refused": float(tried.evaluation.status == "refused")}, system_attrs=generation,
    )  # fmt: skip
