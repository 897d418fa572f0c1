"""The figure of a design-space search: every simulated design by two of its figures, and the Pareto set."""

from collections.abc import Sequence

from sttest.explore.objectives import METRICS
from sttest.studies.figures import Lines, Panel, Series, in_words

Place = tuple[float, float]


def panels(tried: Sequence[Place], pareto: Sequence[Place], across: str = "latency", up: str = "area") -> list[Panel]:
    """One figure of merit over another.

    Args:
        tried: the two figures of every simulated design.
        pareto: those of the Pareto set.
        across: name of the figure of the x axis.
        up: name of the figure of the y axis.
    """
    x, y = (f"{in_words(name)} ({METRICS[name].unit})" for name in (across, up))
    series = [
        Series(f"{len(tried)} designs", tried, "bound", joined=False, markers="." * len(tried)),
        Series(f"Pareto set, {len(pareto)}", sorted(pareto)),
    ]
    return [Lines("", x, y, series, "x")]
