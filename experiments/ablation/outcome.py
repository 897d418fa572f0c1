"""What a row came to: the design that it stands for, its time with and without launches, what it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.ablation.form import Comparison
from experiments.ablation.points import Candidate, RowPoint
from sttest.errors import InputError


@dataclass(frozen=True)
class Outcome:
    """A row with the results of its candidates.

    Attributes:
        point: the row.
        results: of :func:`experiments.ablation.measure.measure`, one per candidate.
        launch_us: what one launch costs.
    """

    point: RowPoint
    results: tuple[Mapping[str, Any], ...]
    launch_us: float

    @property
    def chosen(self) -> int | None:
        """The fastest candidate that fits, else the smallest; None if there is no design at all."""
        made = [number for number, result in enumerate(self.results) if "refused" not in result]
        fitting = [number for number in made if self._takes(number) <= 1]
        if fitting:
            return min(fitting, key=lambda number: self.results[number]["cycles"])
        return min(made, key=self._takes, default=None)

    @property
    def fitting(self) -> int:
        """How many candidates fit."""
        return sum("refused" not in result and self._takes(number) <= 1 for number, result in enumerate(self.results))

    @property
    def candidate(self) -> Candidate:
        """The design that the row stands for."""
        assert self.chosen is not None
        return self.point.candidates[self.chosen]

    @property
    def result(self) -> Mapping[str, Any]:
        """Of that design.

        Raises:
            InputError: there is none.
        """
        if self.chosen is None:
            raise InputError("not-simulated", "there is no such design", where=self.point.label)
        return self.results[self.chosen]

    @property
    def shares(self) -> Mapping[str, float]:
        """Of the board's budget."""
        return self._shares(self.result)

    @property
    def fits(self) -> bool:
        """Whether no resource exceeds the budget of all SLRs together; SLRs one by one are not asked."""
        return max(self.shares.values()) <= 1

    @property
    def cycles(self) -> float:
        """Per layer and, in a decode step, per token; launches left out."""
        return self.result["cycles"] / self._blocks

    @property
    def us(self) -> float:
        """Time per layer (and token of a decode step), launches included."""
        launches = self.result["kernels"] * self.launch_us / self._blocks
        return self.cycles / self.result["clock_mhz"] + launches

    @property
    def moved_bytes(self) -> float:
        """Through the memory ports per layer, for all tokens of a step."""
        return self.result["moved_bytes"] / (self.point.layers * self.point.generated)

    @property
    def _blocks(self) -> int:
        tokens = self.point.tokens if self.point.part.phase == "decode" else 1
        return self.point.layers * self.point.generated * tokens

    def _takes(self, number: int) -> float:
        return max(self._shares(self.results[number]).values())

    def _shares(self, result: Mapping[str, Any]) -> Mapping[str, float]:
        """One after the other, kernels that have the chip to themselves take what the largest takes."""
        return result["largest" if self.point.line.lanes == "own" else "shares"]


@dataclass(frozen=True)
class Speedup:
    """A row's time as that of another over it; above 1 is faster. Without launches, and with them."""

    cycles: float
    us: float


def speedup(fast: Outcome, slow: Outcome) -> Speedup | None:
    """How much faster one row is than another; None where one of them has no design."""
    if fast.chosen is None or slow.chosen is None:
        return None
    return Speedup(slow.cycles / fast.cycles, slow.us / fast.us)


def named(outcomes: Sequence[Outcome], part: str, line: str) -> Outcome:
    """The row of a part and a line that are there."""
    return next(each for each in outcomes if (each.point.part.name, each.point.line.name) == (part, line))


def compared(outcomes: Sequence[Outcome], comparison: Comparison) -> Speedup | None:
    """Our side of a comparison."""
    return speedup(*(named(outcomes, comparison.part, name) for name in (comparison.fast, comparison.slow)))
