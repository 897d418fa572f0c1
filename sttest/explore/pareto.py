"""Points that no other is better than."""

from __future__ import annotations

from collections.abc import Sequence

Losses = tuple[float, ...]
"""Per objective, less is better."""


def covers(one: Losses, other: Losses) -> bool:
    """Whether ``one`` is at least as good in everything."""
    return all(mine <= theirs for mine, theirs in zip(one, other, strict=True))


def pareto_set(losses: Sequence[Losses]) -> list[int]:
    """Positions of the points that no other is better than, in order of their losses; of equal ones the first.

    >>> pareto_set([(2, 1), (1, 2), (2, 2), (1, 2)])
    [1, 0]
    """
    kept: list[int] = []
    for position in sorted(range(len(losses)), key=lambda number: (losses[number], number)):
        if not any(covers(losses[each], losses[position]) for each in kept):
            kept.append(position)
    return kept
