"""The figure of the study, drawn from its rows."""

from collections.abc import Sequence

from sttest.core.results import Row
from sttest.studies.drawn import Drawn, series
from sttest.studies.figures import Lines, Panel


def _panels(rows: Sequence[Row]) -> list[Panel]:
    return [
        Lines(
            f"{size:,} x {size:,}",
            "Cores of a side",
            "Time of a product (1,000 cycles)",
            series(rows, rf"product \[{size}, (?P<x>\d+) x \d+, (?P<name>.+)\]", scale=1e-3),
            "y",
        )
        for size in (2048, 16384)
    ]


FIGURE = Drawn(_panels, "A product on a wafer of cores, by how sums travel", 1)
