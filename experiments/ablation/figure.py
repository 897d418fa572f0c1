"""The figure of an ablation: per part a bar for every row's speed-up, grey where the design does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.ablation.form import Ablation, Part
from experiments.ablation.outcome import Outcome, named, speedup
from experiments.figures import new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FITS, _TOO_LARGE = "#20639b", "#b0b0b0"
_ROW_IN, _HEAD_IN = 0.22, 0.75


def draw(ablation: Ablation, outcomes: Sequence[Outcome], path: Path) -> None:
    """Writes the figure as the suffix of ``path`` says."""
    counts = [len(ablation.lines_of(part)) for part in ablation.parts]
    figure = new_figure(8, _ROW_IN * sum(counts) + _HEAD_IN * (len(counts) + 1))
    axes = figure.subplots(len(counts), 1, height_ratios=counts, squeeze=False)[:, 0]
    for axis, part in zip(axes, ablation.parts, strict=True):
        _draw_part(axis, ablation, part, [each for each in outcomes if each.point.part == part])
    axes[-1].set_xlabel(f"speed-up over '{ablation.reference}', launches left out; grey: does not fit")
    figure.suptitle(ablation.title, fontsize=10)
    save_figure(figure, path)


def _draw_part(axis: Axes, ablation: Ablation, part: Part, outcomes: Sequence[Outcome]) -> None:
    reference = named(outcomes, part.name, ablation.reference)
    for place, outcome in enumerate(outcomes):
        gained = speedup(outcome, reference)
        if gained is None:
            axis.text(0, place, " no such design", fontsize=7, va="center")
            continue
        axis.barh(place, gained.cycles, color=_FITS if outcome.fits else _TOO_LARGE)
        axis.text(gained.cycles, place, f" {gained.cycles:.2f}", fontsize=7, va="center")
    axis.axvline(1, color="#444444", linewidth=0.8)
    axis.set_yticks(range(len(outcomes)), [outcome.point.line.name for outcome in outcomes], fontsize=7)
    axis.invert_yaxis()
    axis.margins(x=0.08, y=0.01)
    axis.set_title(part.name, fontsize=8, loc="left")
