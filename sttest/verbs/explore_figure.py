"""The figure of a search: every simulated design by two of its figures, and the Pareto set."""

from pathlib import Path

from sttest.explore.objectives import METRICS
from sttest.explore.report import SearchReport
from sttest.studies.figures import new_figure, save_figure

_DESIGN, _BEST, _HIDA = "#9aa7b0", "#d1495b", "#20639b"


def draw(report: SearchReport, path: Path) -> None:
    """Writes the figure as the suffix of ``path`` says: latency, or else the first objective, over another one."""
    across, up = _axes(report)
    figure = new_figure(6.4, 4.4)
    axis = figure.subplots()
    designs = [each.evaluation.figures for each in report.tried if each.evaluation.status == "simulated"]
    axis.plot([each[across] for each in designs], [each[up] for each in designs], "o", color=_DESIGN, markersize=3,
              label=f"simulated ({len(designs)})")  # fmt: skip
    best = sorted((each.evaluation.figures for each in report.pareto), key=lambda each: each[across])
    axis.plot([each[across] for each in best], [each[up] for each in best], "o-", color=_BEST, markersize=4,
              linewidth=1, label=f"Pareto set ({len(best)})")  # fmt: skip
    ablated = [each for each in report.ablated if each.evaluation.status == "simulated"]
    for each in ablated:
        figures = each.evaluation.figures
        axis.annotate(each.way, (figures[across], figures[up]), fontsize=5, color=_HIDA)
    axis.set_xscale("log")
    for name, label in ((across, axis.set_xlabel), (up, axis.set_ylabel)):
        label(f"{name} ({METRICS[name].unit})")
    axis.set_title(f"{report.search.target.name} on {Path(report.search.target.board).stem}", fontsize=10)
    axis.legend(frameon=False, fontsize=8)
    save_figure(figure, path)


def _axes(report: SearchReport) -> tuple[str, str]:
    """The first two objectives, or one and the area."""
    metrics = [each.metric for each in report.search.chosen]
    rest = [name for name in (*metrics[1:], "area", "latency") if name != metrics[0]]
    return metrics[0], rest[0]
