"""Board power as XRT reports it, and the energy of a run: readings under load less readings at rest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean


def watts_of(electrical: str) -> float | None:
    """Power of the whole board out of the text of ``xrt_info_device.electrical``; None where there is no reading."""
    try:
        reading = json.loads(electrical)
        return float(reading["power_consumption_watts"])
    except (ValueError, KeyError, TypeError):
        # "N/A" stands where the card management controller gives no reading.
        return None


@dataclass(frozen=True)
class Energy:
    """What a run took.

    Attributes:
        idle_w: mean of the readings at rest.
        load_w: mean of the readings while a kernel ran.
        busy_s: time that kernels ran.
        readings: under load.
    """

    idle_w: float
    load_w: float
    busy_s: float
    readings: int

    @property
    def above_idle_j(self) -> float:
        """Energy that the run took beyond what the board takes anyway."""
        return (self.load_w - self.idle_w) * self.busy_s


def energy(idle_w: Sequence[float], load_w: Sequence[float], busy_s: float) -> Energy | None:
    """Energy out of readings; None where one of the two kinds is missing."""
    if not idle_w or not load_w:
        return None
    return Energy(fmean(idle_w), fmean(load_w), busy_s, len(load_w))
