"""A number that says what it is: value, unit, source and kind."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from sttest.results import Kind


class Quantity(BaseModel):
    """One physical quantity with its provenance.

    Attributes:
        value: a finite number, never negative.
        unit: unit of ``value``, for example ``GB/s``; ``count`` and ``ratio`` have no dimension.
        source: the public document, log or reasoning that it comes from.
        kind: how far to trust it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
    unit: Annotated[str, Field(min_length=1)]
    source: Annotated[str, Field(min_length=1)]
    kind: Kind

    @property
    def count(self) -> int:
        """The value as a whole number; fields declared as such are checked when they are loaded."""
        return int(self.value)

    def __str__(self) -> str:
        """Short rendering: ``14.375 GB/s (datasheet)``."""
        shown = f"{self.count:,}" if self.value.is_integer() else f"{self.value:g}"
        unit = "" if self.unit in ("count", "ratio") else f" {self.unit}"
        return f"{shown}{unit} ({self.kind})"


def in_unit(unit: str, *, whole: bool = False, positive: bool = True) -> AfterValidator:
    """A check for a field: the quantity is in ``unit`` and, on request, whole and above zero."""

    def check(quantity: Quantity) -> Quantity:
        if quantity.unit != unit:
            raise ValueError(f"unit '{quantity.unit}' where '{unit}' is expected")
        if whole and not quantity.value.is_integer():
            raise ValueError(f"{quantity.value:g} {unit} is not a whole number")
        if positive and quantity.value == 0:
            raise ValueError("must be greater than 0")
        return quantity

    return AfterValidator(check)


Count = Annotated[Quantity, in_unit("count", whole=True)]
Bytes = Annotated[Quantity, in_unit("bytes", whole=True)]
Bits = Annotated[Quantity, in_unit("bits", whole=True)]
Ratio = Annotated[Quantity, in_unit("ratio")]
Megahertz = Annotated[Quantity, in_unit("MHz")]
GigabytesPerSecond = Annotated[Quantity, in_unit("GB/s")]
Megabytes = Annotated[Quantity, in_unit("MB")]
Gigabytes = Annotated[Quantity, in_unit("GB")]
Nanoseconds = Annotated[Quantity, in_unit("ns")]
Microseconds = Annotated[Quantity, in_unit("us")]
Nanometres = Annotated[Quantity, in_unit("nm")]
Watts = Annotated[Quantity, in_unit("W")]
TeraOpsPerSecond = Annotated[Quantity, in_unit("TOPS")]
