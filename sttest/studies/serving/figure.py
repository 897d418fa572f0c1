"""The figure of served requests: waits as distributions, queue and memory over time."""

from pathlib import Path

import numpy as np

from sttest.core.results import ResultFolder
from sttest.studies.figures import new_figure, save_figure
from sttest.studies.serving.outcome import Outcome

_MOST_DRAWN = 4000


def draw_beside(outcome: Outcome, folder: ResultFolder) -> None:
    """Draws the figure in a folder of results."""
    for suffix in ("png", "svg"):
        _draw(outcome, folder.file(f"figure.{suffix}"))


def _draw(outcome: Outcome, path: Path) -> None:
    """Waits as distributions, queue and memory over time."""
    figure = new_figure(8, 6)
    waits, queue, memory = figure.subplots(3, 1, height_ratios=(2, 1, 1))
    shown = (("to first token", outcome.first_ms), ("per token", outcome.token_ms))
    for label, values in shown:
        if len(values):
            ordered = np.sort(values)
            waits.plot(ordered, np.linspace(0, 1, len(ordered)), label=f"time {label}", linewidth=1.2)
    waits.set_xscale("log")
    waits.set_xlabel("Wait (ms)")
    waits.set_ylabel("Share of requests")
    waits.legend(frameon=False, fontsize=8)
    picked = outcome.steps[:: max(1, len(outcome.steps) // _MOST_DRAWN)]
    times = [step.begin_s for step in picked]
    queue.step(times, [step.waiting for step in picked], where="post", linewidth=0.8)
    queue.set_ylabel("Requests waiting")
    memory.step(times, [step.pages / outcome.limits.pages for step in picked], where="post", linewidth=0.8)
    memory.set_ylabel("Share of the cache in use")
    memory.set_xlabel("Time (s)")
    save_figure(figure, path)
