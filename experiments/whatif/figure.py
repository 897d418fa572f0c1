"""The figure of a study: speed by the x axis, the roofline over it, points by what binds them, knees."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.figures import new_figure, save_figure
from experiments.whatif.outcome import Knee, Outcome, Series, knees, x_value
from experiments.whatif.resources import RESOURCES, Resource
from experiments.whatif.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKS: dict[Resource, tuple[str, str]] = {
    "compute": ("o", "#20639b"), "bandwidth": ("s", "#d1495b"), "latency": ("^", "#3caea3"), "launch": ("D", "#f6a13c"),
}  # fmt: skip
_LINES = ("#444444", "#888888", "#6b4c9a", "#8c6d31", "#17806d", "#a23b72")
# Beyond so many, names hide the picture.
_NAMED_SERIES = 12
_NAMED_TICKS = 16


def draw(study: Study, series: Sequence[Series], unit: str, path: Path) -> None:
    """Writes the figure as the suffix of ``path`` says."""
    figure = new_figure(8, 4.6)
    axis = figure.subplots()
    positions = _positions(study, series)
    for number, each in enumerate(series):
        _draw_series(axis, study, each, positions, _LINES[number % len(_LINES)])
    numeric = _is_numeric(study, series)
    if numeric:
        axis.set_xscale("log")
        _name_ticks(axis, sorted(positions.values()))
        _mark_knees(axis, [knee for each in series for knee in knees(each, study)])
    else:
        axis.set_xticks(range(len(positions)), list(positions), rotation=25, ha="right", fontsize=8)
    axis.set_yscale("log")
    axis.set_ylabel("tokens/s")
    axis.set_xlabel(f"{study.x_axis} ({unit})" if numeric else study.x_axis)
    axis.set_title(study.title, fontsize=10)
    _legend(axis, series)
    save_figure(figure, path)


def _draw_series(axis: Axes, study: Study, series: Series, positions: dict[str, float], colour: str) -> None:
    simulated = [outcome for outcome in series.outcomes if outcome.result is not None]
    if not simulated:
        return
    xs = [positions[str(outcome.point.axes[study.x_axis])] for outcome in simulated]
    axis.plot(xs, [outcome.speed for outcome in simulated], "-", color=colour, linewidth=1, zorder=2)
    axis.plot(xs, [outcome.roofline_speed for outcome in simulated], "--", color=colour, linewidth=1, zorder=1)
    axis.plot(xs, [outcome.formula_speed for outcome in simulated], ":", color=colour, linewidth=1, zorder=1)
    for x, outcome in zip(xs, simulated, strict=True):
        marker, fill = _MARKS[outcome.binding]
        axis.plot([x], [outcome.speed], marker, color=fill, markersize=5, zorder=3)


def _mark_knees(axis: Axes, found: Sequence[Knee]) -> None:
    for knee in found:
        if knee.at is not None:
            axis.axvline(knee.at, color="#bbbbbb", linewidth=0.8, linestyle="-.", zorder=0)
            axis.annotate(f"{knee.at:.3g}", (knee.at, 0.01), xycoords=("data", "axes fraction"), fontsize=7,
                          rotation=90, color="#777777", ha="right")  # fmt: skip


def _name_ticks(axis: Axes, xs: Sequence[float]) -> None:
    """Every point's number where they are few, instead of powers of ten."""
    if len(xs) > _NAMED_TICKS:
        return
    axis.set_xticks(xs, [f"{x:g}" for x in xs], rotation=45, ha="right", fontsize=7)
    axis.set_xticks([], minor=True)


def _legend(axis: Axes, series: Sequence[Series]) -> None:
    from matplotlib.lines import Line2D

    shown = {outcome.binding for each in series for outcome in each.outcomes if outcome.result is not None}
    handles = [
        Line2D([], [], marker=_MARKS[name][0], color=_MARKS[name][1], linestyle="", label=f"bound by {name}")
        for name in RESOURCES if name in shown
    ]  # fmt: skip
    handles += [
        Line2D([], [], color="#444444", linestyle="-", label="simulated"),
        Line2D([], [], color="#444444", linestyle="--", label="roofline"),
        Line2D([], [], color="#444444", linestyle=":", label="formula"),
    ]
    drawn = [(each.label, _LINES[number % len(_LINES)]) for number, each in enumerate(series)
             if each.label and any(outcome.result is not None for outcome in each.outcomes)]  # fmt: skip
    if len(drawn) <= _NAMED_SERIES:
        handles += [Line2D([], [], color=colour, label=label) for label, colour in drawn]
    axis.legend(handles=handles, frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _positions(study: Study, series: Sequence[Series]) -> dict[str, float]:
    """Where each value of the x axis stands: at its number, or one after the other."""
    values: dict[str, Outcome] = {}
    for outcome in (outcome for each in series for outcome in each.outcomes):
        values.setdefault(str(outcome.point.axes[study.x_axis]), outcome)
    if not _is_numeric(study, series):
        return {label: float(number) for number, label in enumerate(values)}
    return {label: x_value(outcome, study) or 0.0 for label, outcome in values.items()}


def _is_numeric(study: Study, series: Sequence[Series]) -> bool:
    xs = [x_value(outcome, study) for each in series for outcome in each.outcomes]
    return all(x is not None and x > 0 for x in xs)
