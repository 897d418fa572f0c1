"""The clock that a placed design may reach, from what published designs of its kind reached.

Few reports give both LUTs and a clock, and what they give is scattered: a form with more freedom than a clock that does
not rise with the share of LUTs has nothing to stand on.  So the middle case is the antitonic regression (least squares,
Barlow et al. 1972) of the clock over the kernels' share of the chip's LUTs; the low case is below it by the worst
leave-one-out error; the high case is the median of designs with a floorplan, whose shares nobody published.  Crossings
and shares beyond every routed row are told and not priced, and fan-out is in no report at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from sttest.core.files import read_csv
from sttest.core.results import Kind
from sttest.core.validation import validated

__depends__ = ("sttest/boards/data/routed.csv",)

ROUTED_FILE = Path(__file__).parent / "data" / "routed.csv"
LEAST_ROWS = 2


class RoutedDesign(BaseModel):
    """A row of ``data/routed.csv``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    design: str
    board: str
    luts: float | None = Field(default=None, gt=0)  # LUTs of its kernels
    of_luts: float | None = Field(default=None, gt=0)  # LUTs of the chip
    share_percent: float | None = Field(default=None, gt=0, le=100)  # the share, where that alone is known
    mhz: float | None = Field(default=None, gt=0)  # clock reached
    floorplan: Literal["yes", "no"]
    sll_percent: float | None = None  # super long lines of the fuller boundary in use
    # what the model takes of it: the clock by its share, the clock of a floorplan, that it failed, or nothing
    used: Literal["share", "floorplan", "failed", ""] = ""
    kind: Kind
    source: str

    @property
    def share(self) -> float:
        """The kernels' share of the chip's LUTs; a row that is used by its share has one."""
        if self.luts and self.of_luts:
            return self.luts / self.of_luts
        return (self.share_percent or 0.0) / 100

    @property
    def clock_mhz(self) -> float:
        """The clock; 0 where the design failed."""
        return self.mhz or 0.0


@dataclass(frozen=True)
class ClockBand:
    """Clocks of a kernel, MHz, and what of the design no routed one has shown to work."""

    low: float
    middle: float
    high: float
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class HeldOut:
    """A row predicted from all others."""

    row: RoutedDesign
    predicted_mhz: float

    @property
    def error(self) -> float:
        """Relative to the clock that it reached; positive where the prediction is too fast."""
        return self.predicted_mhz / self.row.clock_mhz - 1


@cache
def routed_designs(path: Path = ROUTED_FILE) -> tuple[RoutedDesign, ...]:
    """The rows.

    Raises:
        InputError: the file does not hold them.
    """
    rows = ({name: cell for name, cell in row.items() if cell != ""} for row in read_csv(path))
    return tuple(validated(RoutedDesign, row, str(path)) for row in rows)


def clock_of_share(share: float, rows: Sequence[RoutedDesign]) -> float:
    """The antitonic regression over rows with a share, in MHz; between two rows on the line that joins them."""
    from scipy.optimize import isotonic_regression  # takes long to import

    ordered = sorted(rows, key=lambda row: (row.share, row.design))
    fitted = isotonic_regression([row.clock_mhz for row in ordered], increasing=False).x
    return float(np.interp(share, [row.share for row in ordered], fitted))


def leave_one_out(rows: Sequence[RoutedDesign] | None = None) -> tuple[HeldOut, ...]:
    """Every row that is used by its share, predicted from the others, in ascending order of the share."""
    known = sorted(_used("share") if rows is None else rows, key=lambda row: row.share)
    if len(known) <= LEAST_ROWS:
        return ()
    return tuple(
        HeldOut(row, clock_of_share(row.share, [other for other in known if other is not row])) for row in known
    )


def clock_band(lut_share: float, sll_share: float = 0.0) -> ClockBand:
    """The clocks of a placed design.

    Args:
        lut_share: LUTs of the design in the fullest SLR over all that the SLR has, shell included.
        sll_share: share of the super long lines that the fuller boundary carries.
    """
    rows = _used("share")
    middle = clock_of_share(lut_share, rows)
    # A prediction that was too fast by so much of itself would have had to be lower by that.
    worst = max(0.0, *(1 - held.row.clock_mhz / held.predicted_mhz for held in leave_one_out()))
    high = max(middle, median(row.clock_mhz for row in _used("floorplan")))
    return ClockBand(round((1 - worst) * middle, 1), round(middle, 1), round(high, 1), _beyond(lut_share, sll_share))


def _beyond(lut_share: float, sll_share: float) -> tuple[str, ...]:
    """What is more than any routed row has."""
    most = max(row.share for row in _used("share"))
    failed = min(row.share for row in _used("failed"))
    lines = max((row.sll_percent or 0.0) / 100 for row in _used("share"))
    remarks: list[str] = []
    if lut_share >= failed:
        remarks.append(f"{lut_share:.0%} of the LUTs of an SLR, and a design of {failed:.0%} failed to route")
    elif lut_share > most:
        remarks.append(f"{lut_share:.0%} of the LUTs of an SLR, more than the {most:.0%} of any routed design known")
    if sll_share > lines:
        remarks.append(
            f"{sll_share:.0%} of a boundary's long lines, more than the {lines:.0%} of the one routed report"
        )
    return tuple(remarks)


def _used(how: str) -> list[RoutedDesign]:
    return [row for row in routed_designs() if row.used == how]
