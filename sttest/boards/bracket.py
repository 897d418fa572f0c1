"""A quantity that nobody has measured exactly: its low, central and high case."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, model_validator

from sttest.boards.part import Part
from sttest.boards.quantity import Quantity

Case = Literal["low", "central", "high"]
CASES: tuple[Case, ...] = ("low", "central", "high")


class Bracket(Part):
    """Three cases of one quantity, each with its own source."""

    low: Quantity
    central: Quantity
    high: Quantity

    @model_validator(mode="after")
    def _in_order(self) -> Bracket:
        if not self.low.value <= self.central.value <= self.high.value:
            raise ValueError("low, central and high are not in this order")
        return self

    def value(self, case: Case) -> float:
        """The number of one case."""
        return getattr(self, case).value


def bracket_in(unit: str) -> AfterValidator:
    """A check for a field: all three cases are in ``unit``."""

    def check(bracket: Bracket) -> Bracket:
        for case in CASES:
            found = getattr(bracket, case).unit
            if found != unit:
                raise ValueError(f"unit '{found}' where '{unit}' is expected")
        return bracket

    return AfterValidator(check)


WattsBracket = Annotated[Bracket, bracket_in("W")]
PicojoulesPerBit = Annotated[Bracket, bracket_in("pJ/bit")]
PicojoulesPerCycle = Annotated[Bracket, bracket_in("pJ/cycle")]
PicojoulesPerAccess = Annotated[Bracket, bracket_in("pJ/access")]
