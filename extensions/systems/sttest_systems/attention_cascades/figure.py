"""The figure of the study, drawn from its rows."""

from collections.abc import Sequence

from sttest.core.results import Row
from sttest.studies.drawn import Drawn, series
from sttest.studies.figures import Lines, Panel


def _panels(rows: Sequence[Row]) -> list[Panel]:
    shares = series(rows, r"busy share of multiplying lanes \[(?P<x>[\d,]+) positions: (?P<name>.+)\]")
    held = series(rows, r"attention buffers \[(?P<x>[\d,]+) positions: (?P<name>.+)\]", scale=2**-20)
    return [
        Lines("Lanes at work", "Positions", "Busy share of multiplying lanes", shares, "x"),
        Lines("Memory", "Positions", "On the chip between scores and mix (MiB)", held, "xy"),
    ]


FIGURE = Drawn(_panels, "FLAT and FuseMax as cascades of attention alone", 1)
