"""The figure of the study, drawn from its rows."""

from collections.abc import Sequence

from sttest.core.results import Row
from sttest.studies.drawn import Drawn, series
from sttest.studies.figures import Lines, Panel


def _panels(rows: Sequence[Row]) -> list[Panel]:
    pattern = r"speed-up over all of the cache \[(?P<name>[\d,]+ positions): blocks of (?P<x>\d+)\]"
    return [
        Lines(
            "",
            "Positions of a block",
            "Times as fast as over all of the cache",
            series(rows, pattern),
            "x",
            ticks=(64, 128, 256, 512),
        )
    ]


FIGURE = Drawn(_panels, "A decode step over the blocks that its router chose", 1)
