"""HIDA's ablation on this compiler: lanes handed out without and with intensity and connectedness, all else equal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sttest.explore.evaluate import Evaluation, Evaluator
from sttest.explore.proposals import default_point
from sttest.explore.space import Domain

HIDA_WAYS = ("naive", "ia", "ca", "ia+ca")
OUR_WAYS = ("pace", "chain")


@dataclass(frozen=True)
class Ablated:
    """What a way of handing out lanes came to with one budget."""

    way: str
    budget_percent: int
    evaluation: Evaluation


def ablation(evaluator: Evaluator, space: Sequence[Domain]) -> Iterator[Ablated]:
    """Every way with every budget of the space; other knobs are what the compiler does by default.

    The budget is the share of the board that the lanes may take, the same for all ways.
    """
    point = default_point(space)
    budgets = next(domain.choices for domain in space if domain.name == "budget_percent")
    for budget in budgets:
        for way in (*HIDA_WAYS, *OUR_WAYS):
            found = evaluator.evaluate({**point, "budget_percent": budget, "lanes_by": way})
            yield Ablated(way, int(budget), found)
