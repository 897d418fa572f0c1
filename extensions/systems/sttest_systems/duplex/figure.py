"""The figure of the study, drawn from its rows."""

from collections.abc import Sequence

from sttest.core.results import Row
from sttest.studies.drawn import Drawn, matching, series
from sttest.studies.figures import Lines, Panel, in_words


def _panels(rows: Sequence[Row]) -> list[Panel]:
    models = list(dict.fromkeys(row.model for row, _ in matching(rows, r"over the xPU alone \[batch.*")))
    pattern = r"over the xPU alone \[batch (?P<x>\d+), 1024 tokens, (?P<name>.+)\]"
    return [
        Lines(
            in_words(model),
            "Sequences of a batch",
            "Times as fast as the xPU alone",
            series([row for row in rows if row.model == model], pattern),
            "x",
        )
        for model in models
    ]


FIGURE = Drawn(_panels, "Two processors on a memory, 1,024 tokens in the cache", 1)
