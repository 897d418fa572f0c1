"""What a study leaves behind: table, figure and manifest in a folder, and what is printed."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sttest.boards.board import FpgaBoard
from sttest.core.program import program_hash
from sttest.core.results import Kind, ResultFolder, Row
from sttest.studies.figures import new_figure, save_figure
from sttest.studies.whatif.axis_names import axis_label, axis_name, axis_unit
from sttest.studies.whatif.fit import NAMES
from sttest.studies.whatif.outcome import BEST, Knee, Series, StudyOutcome, fastest, knees, series_of, x_value
from sttest.studies.whatif.points import RESOURCES, Resource
from sttest.studies.whatif.settings import phase_of
from sttest.studies.whatif.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# --- A finished study as rows of the long-format table


def rows_of(
    name: str, engine: str, outcomes: Sequence[StudyOutcome], knees: Sequence[Knee], x_unit: str
) -> Iterator[Row]:
    """Every number of a study, with unit and kind.

    Args:
        name: name of the study.
        engine: simulation engine that computed the times.
        outcomes: outcomes of its points.
        knees: knees of its series.
        x_unit: unit of the x axis.
    """
    for outcome in outcomes:
        yield from _settings(name, outcome)
        yield from _simulated(name, engine, outcome) if outcome.result else _refused(name, outcome)
    for knee in knees:
        note = f"{knee.before} to {knee.after}, between {knee.low} and {knee.high}"
        if knee.at is None:
            note += "; the axis has no scale"
        label = f" [{knee.series}]" if knee.series else ""
        yield Row(name, f"knee, {knee.before} to {knee.after}{label}", knee.at, x_unit, "derived", note=note)


def _board_of(outcomes: Sequence[StudyOutcome]) -> FpgaBoard | None:
    return next((outcome.point.block.board for outcome in outcomes if outcome.point.block), None)


def _settings(name: str, outcome: StudyOutcome) -> Iterator[Row]:
    """The numbers that the study chose, with where they are from."""
    for axis, value in outcome.point.axes.items():
        if not isinstance(value.value, str):
            unit = axis_unit(axis, _board_of([outcome]))
            yield _row(name, outcome, axis, float(value.value), unit, value.kind, source=value.source)
    launch = outcome.point.launch
    if launch is not None:
        note = f"per {launch.per}"
        yield _row(name, outcome, "cost of a launch", launch.us, "us", launch.kind, source=launch.source, note=note)


def _simulated(name: str, engine: str, outcome: StudyOutcome) -> Iterator[Row]:
    chosen = [value.source for value in outcome.point.axes.values() if value.value == BEST]
    note = "; ".join([f"bound by {outcome.binding}", *chosen])
    yield _row(name, outcome, "speed", outcome.speed, "tokens/s", "simulated", engine=engine, note=note)
    yield _row(name, outcome, "block", outcome.block_us, "us", "simulated", engine=engine)
    if "batch" in outcome.point.axes:
        yield _row(name, outcome, outcome.wait, outcome.total_us / 1e3, "ms", "simulated", engine=engine)
    for percent, latency_ms in outcome.token_ms.items():
        why = "over the tokens that steps make, by how many drafted ones are accepted"
        yield _row(name, outcome, f"time per token, p{percent}", latency_ms, "ms", "derived", engine=engine, note=why)
    yield from _fitting(name, outcome)
    for resource, share in outcome.shares.items():
        yield _row(name, outcome, f"share of {resource}", share, "ratio", "simulated", engine=engine)
    bounds = outcome.bounds
    formulas = (
        ("bytes over bandwidth", bounds.memory_us, "us"),
        ("MACs over rate", bounds.compute_us, "us"),
        ("dependence chain", bounds.chain_us, "us"),
        ("roofline", outcome.roofline_speed, "tokens/s"),
        ("speed by formula", outcome.formula_speed, "tokens/s"),
        ("block by formula over simulated", bounds.formula_us / outcome.block_us, "ratio"),
        ("bytes moved", float(outcome.simulated["moved_bytes"]), "bytes"),
    )
    for metric, value, unit in formulas:
        if value is not None:
            yield _row(name, outcome, metric, value, unit, "derived")


def _fitting(name: str, outcome: StudyOutcome) -> Iterator[Row]:
    """Whether it fits, and the resource that the budget has least left of."""
    fit = outcome.fit
    if fit is None:
        return
    budget = f"budget {fit.budget}, flow {fit.flow}"
    note = "; ".join(filter(None, (f"1 yes, 0 no; {budget}", fit.why)))
    yield _row(name, outcome, "fits", float(fit.fits), "count", "derived", note=note)
    note = f"{NAMES[fit.fullest]}; {budget}; predicted"
    if fit.share is None:
        note += "; the board has none"
    yield _row(name, outcome, "fullest resource", fit.share, "ratio", "derived", note=note)


def _refused(name: str, outcome: StudyOutcome) -> Iterator[Row]:
    yield _row(name, outcome, "speed", None, "tokens/s", "simulated", note=f"not simulated: {outcome.refusal}")


def _row(
    name: str, outcome: StudyOutcome, metric: str, value: float | None, unit: str, kind: Kind, *,
    engine: str = "", source: str = "", note: str = "",
) -> Row:  # fmt: skip
    point = outcome.point
    board = point.block.board.name if point.block else ""
    return Row(
        name, f"{metric} [{point.label}]", value, unit, kind, model=point.model, board=board,
        phase=phase_of(point.settings), engine=engine, source=source, note=note,
    )  # fmt: skip


# --- The figure of a study: speed by the x axis, the roofline over it, points by what binds them, knees


_MARKS: dict[Resource, tuple[str, str]] = {
    "compute": ("o", "#20639b"), "bandwidth": ("s", "#d1495b"), "latency": ("^", "#3caea3"), "launch": ("D", "#f6a13c"),
    "draft": ("v", "#5f4690"),
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
    axis.set_ylabel("Speed (tokens/s)")
    axis.set_xlabel(axis_label(study.x_axis, unit) if numeric else axis_name(study.x_axis))
    axis.set_title(study.title, fontsize=10)
    _legend(axis, series)
    save_figure(figure, path)


def _draw_series(axis: "Axes", study: Study, series: Series, positions: dict[str, float], colour: str) -> None:
    simulated = [outcome for outcome in series.outcomes if outcome.result is not None]
    if not simulated:
        return
    xs = [positions[str(outcome.point.axes[study.x_axis])] for outcome in simulated]
    axis.plot(xs, [outcome.speed for outcome in simulated], "-", color=colour, linewidth=1, zorder=2)
    axis.plot(xs, [outcome.roofline_speed for outcome in simulated], "--", color=colour, linewidth=1, zorder=1)
    axis.plot(xs, [outcome.formula_speed for outcome in simulated], ":", color=colour, linewidth=1, zorder=1)
    for x, outcome in zip(xs, simulated, strict=True):
        marker, colour = _MARKS[outcome.binding]
        inside = colour if outcome.fits else "white"
        axis.plot([x], [outcome.speed], marker, color=colour, markerfacecolor=inside, markersize=5, zorder=3)


def _mark_knees(axis: "Axes", found: Sequence[Knee]) -> None:
    for knee in found:
        if knee.at is not None:
            axis.axvline(knee.at, color="#bbbbbb", linewidth=0.8, linestyle="-.", zorder=0)
            axis.annotate(f"{knee.at:.3g}", (knee.at, 0.01), xycoords=("data", "axes fraction"), fontsize=7,
                          rotation=90, color="#777777", ha="right")  # fmt: skip


def _name_ticks(axis: "Axes", xs: Sequence[float]) -> None:
    """Every point's number where they are few, instead of powers of ten."""
    if len(xs) > _NAMED_TICKS:
        return
    axis.set_xticks(xs, [f"{x:g}" for x in xs], rotation=45, ha="right", fontsize=7)
    axis.set_xticks([], minor=True)


def _legend(axis: "Axes", series: Sequence[Series]) -> None:
    from matplotlib.lines import Line2D

    shown = {outcome.binding for each in series for outcome in each.outcomes if outcome.result is not None}
    handles = [
        Line2D([], [], marker=_MARKS[name][0], color=_MARKS[name][1], linestyle="", label=f"bound by {name}")
        for name in (*RESOURCES, "draft") if name in shown
    ]  # fmt: skip
    if any(not outcome.fits for each in series for outcome in each.outcomes if outcome.result is not None):
        label = "hollow: does not fit"
        handles.append(Line2D([], [], marker="o", color="#444444", markerfacecolor="white", linestyle="", label=label))
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
    """The position of each value on the x axis: its number, or its rank if it has none."""
    values: dict[str, StudyOutcome] = {}
    for outcome in (outcome for each in series for outcome in each.outcomes):
        values.setdefault(str(outcome.point.axes[study.x_axis]), outcome)
    if not _is_numeric(study, series):
        return {label: float(number) for number, label in enumerate(values)}
    return {label: x_value(outcome, study) or 0.0 for label, outcome in values.items()}


def _is_numeric(study: Study, series: Sequence[Series]) -> bool:
    xs = [x_value(outcome, study) for each in series for outcome in each.outcomes]
    return all(x is not None and x > 0 for x in xs)


REPORT_SCHEMA = "sttest.whatif/1"
COLUMNS = (
    "point", "tokens/s", "bound by", "fits", "of roofline", *RESOURCES, "formula tokens/s", "formula/simulated"
)  # fmt: skip
"""Of the printed table, the five that matter most first; resources in shares of the time."""


@dataclass(frozen=True)
class StudyReport:
    """A finished study."""

    name: str
    study: Study
    engine: str
    simulated: Sequence[StudyOutcome]
    processor_s: float = 0.0  # that the simulations took

    @cached_property
    def outcomes(self) -> Sequence[StudyOutcome]:
        """All points, then the fastest designs."""
        return [*self.simulated, *fastest(self.simulated, self.study)]

    @property
    def series(self) -> list[Series]:
        """Points that differ in x alone."""
        return series_of(self.outcomes, self.study)

    @property
    def knees(self) -> list[Knee]:
        """Knees of all series."""
        return [knee for each in self.series for knee in knees(each, self.study)]

    @property
    def x_unit(self) -> str:
        """Unit of the x axis."""
        return axis_unit(self.study.x_axis, _board_of(self.outcomes))

    @property
    def drawn(self) -> list[Series]:
        """The series of the figure: of designs, the first and whichever is the fastest."""
        shown = {design.value for design in self.study.designs[:1]} | {BEST}
        axis = self.study.best_of
        kept = [each for each in self.outcomes if not axis or each.point.axes[axis].value in shown]
        return series_of(kept, self.study)

    def write(self, out: Path) -> None:
        """``table.csv``, ``table.md``, ``figure.png``, ``figure.svg`` and a manifest, whole or not at all."""
        config = {"study": self.study.model_dump(mode="json"), "engine": self.engine, "program": program_hash()}
        with ResultFolder(out, config=config) as folder:
            folder.facts["processor_s"] = round(self.processor_s, 1)
            folder.add(*rows_of(self.name, self.engine, self.outcomes, self.knees, self.x_unit))
            for suffix in ("png", "svg"):
                draw(self.study, self.drawn, self.x_unit, folder.file(f"figure.{suffix}"))

    def lines(self) -> Iterator[tuple[object, ...]]:
        """The printed table, one line per point."""
        for outcome in self.outcomes:
            if outcome.result is None:
                # What the table says in full: why, without the ways out.
                why = outcome.refusal.partition(";")[0]
                yield (outcome.label, "not simulated", why, *[""] * (len(COLUMNS) - 3))
                continue
            shares = [f"{outcome.shares[name]:.1%}" for name in RESOURCES]
            yield (
                outcome.label, f"{outcome.speed:,.1f}", outcome.binding, outcome.fit.to_text() if outcome.fit else "",
                f"{outcome.speed / outcome.roofline_speed:.1%}", *shares, f"{outcome.formula_speed:,.1f}",
                f"{outcome.bounds.formula_us / outcome.block_us:.3f}",
            )  # fmt: skip

    def fit_lines(self) -> Iterator[str]:
        """How many points fit, and what they are held against."""
        fits = [each.fit for each in self.simulated if each.fit is not None]
        if fits:
            budgets = ", ".join(dict.fromkeys(f"{each.budget} ({each.flow})" for each in fits))
            yield f"fits: {sum(each.fits for each in fits)} of {len(fits)} points; predicted; budget {budgets}"

    def knee_lines(self) -> Iterator[str]:
        """The knees in words."""
        for knee in self.knees:
            series = f"{knee.series}: " if knee.series else ""
            at = f", at {knee.at:.4g} {self.x_unit}" if knee.at is not None else ""
            yield f"knee: {series}{knee.before} to {knee.after} between {knee.low} and {knee.high}{at}"

    def to_dict(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "schema": REPORT_SCHEMA,
            "name": self.name,
            "title": self.study.title,
            "note": self.study.note,
            "points": [_plain(outcome) for outcome in self.outcomes],
            "knees": [asdict(knee) for knee in self.knees],
        }


def _plain(outcome: StudyOutcome) -> dict[str, Any]:
    settings = {axis: value.value for axis, value in outcome.point.axes.items()}
    if outcome.result is None:
        return {"settings": settings, "refused": outcome.refusal}
    return {
        "settings": settings,
        "tokens_per_s": outcome.speed,
        "block_us": outcome.block_us,
        "binding": outcome.binding,
        outcome.wait.replace(" ", "_") + "_ms": outcome.total_us / 1e3,
        "us_by_resource": outcome.us_by_resource,
        "time_per_token_percentiles_ms": {f"p{percent}": ms for percent, ms in outcome.token_ms.items()},
        "fits": None if outcome.fit is None else {"fits": outcome.fits, **outcome.fit.to_dict()},
        "fullest": None if outcome.fit is None else {"resource": outcome.fit.fullest, "share": outcome.fit.share},
        "chosen": outcome.chosen,
        "roofline_tokens_per_s": outcome.roofline_speed,
        "formula_tokens_per_s": outcome.formula_speed,
        "bounds_us": asdict(outcome.bounds),
    }
