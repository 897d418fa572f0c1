"""What a study leaves behind: table, figure and manifest in a folder, and what is printed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sttest.compile.resources.fit import NAMES, Fit
from sttest.core.results import Kind, ResultFolder, Row
from sttest.studies.drawing import drawer
from sttest.studies.whatif import outcome as outcome_module
from sttest.studies.whatif.outcome import BEST, LEVERS, Knee, Lever, StudyOutcome, fastest, knees, series_of
from sttest.studies.whatif.settings import BITS, BOARD, phase_of, unit_of
from sttest.studies.whatif.study import Study

# --- A finished study as rows of the long-format table


UNITS = {
    **dict.fromkeys(("tokens", "context", "step_tokens"), "tokens"),
    "acceptance": "ratio",
    "batch": "sequences",
    **dict.fromkeys((*BITS, "options.beat_bits", "options.vector_bits"), "bits"),
    **dict.fromkeys(("launch", "draft", "link_us"), "us"),
}


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
        note = f"{knee.lever} binds {'from' if knee.begins else 'up to'} there, between {knee.low} and {knee.high}"
        if knee.at is None:
            note += "; the axis has no scale"
        label = f" [{knee.series}]" if knee.series else ""
        which = "begins" if knee.begins else "ends"
        yield Row(name, f"knee, {knee.lever} {which}{label}", knee.at, x_unit, "derived", note=note)


def axis_unit(axis: str, outcomes: Sequence[StudyOutcome]) -> str:
    """Unit of the numbers of an axis."""
    boards = [outcome.point.block.board for outcome in outcomes if outcome.point.block]
    if axis.startswith(BOARD) and boards:
        return unit_of(axis, boards[0])
    return UNITS.get(axis, "count")


def _settings(name: str, outcome: StudyOutcome) -> Iterator[Row]:
    """The numbers that the study chose, with where they are from."""
    for axis, value in outcome.point.axes.items():
        if not isinstance(value.value, str):
            unit = axis_unit(axis, [outcome])
            yield _row(name, outcome, axis, float(value.value), unit, value.kind, source=value.source)
    launch = outcome.point.launch
    if launch is not None:
        note = f"per {launch.per}"
        yield _row(name, outcome, "cost of a launch", launch.us, "us", launch.kind, source=launch.source, note=note)


def _simulated(name: str, engine: str, outcome: StudyOutcome) -> Iterator[Row]:
    chosen = [value.source for value in outcome.point.axes.values() if value.value == BEST]
    note = "; ".join([f"helped most by {outcome.helps_most}", f"design: {outcome.simulated['design']}", *chosen])
    yield _row(name, outcome, "speed", outcome.speed, "tokens/s", "simulated", engine=engine, note=note)
    yield _row(name, outcome, "block", outcome.block_us, "us", "simulated", engine=engine)
    if "batch" in outcome.point.axes:
        yield _row(name, outcome, outcome.wait, outcome.total_us / 1e3, "ms", "simulated", engine=engine)
    for percent, latency_ms in outcome.token_ms.items():
        why = "over the tokens that steps make, by how many drafted ones are accepted"
        yield _row(name, outcome, f"time per token, p{percent}", latency_ms, "ms", "derived", engine=engine, note=why)
    yield from _fitting(name, outcome)
    for lever, gain in outcome.gains.items():
        yield _row(name, outcome, f"gain of a tenth more {lever}", gain, "ratio", "simulated", engine=engine)
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
    for kind, share in fit.shares.items():
        if share is not None:
            yield _row(name, outcome, f"share of {NAMES[kind]}", share, "ratio", "derived", note=f"{budget}; predicted")


def _refused(name: str, outcome: StudyOutcome) -> Iterator[Row]:
    yield _row(name, outcome, "speed", None, "tokens/s", "simulated", note=f"not simulated: {outcome.refusal}")


def _row(
    name: str,
    outcome: StudyOutcome,
    metric: str,
    value: float | None,
    unit: str,
    kind: Kind,
    *,
    engine: str = "",
    source: str = "",
    note: str = "",
) -> Row:
    point = outcome.point
    board = point.block.board.name if point.block else ""
    return Row(
        name,
        f"{metric} [{point.label}]",
        value,
        unit,
        kind,
        model=point.model,
        board=board,
        phase=phase_of(point.settings),
        engine=engine,
        source=source,
        note=note,
        axes=outcome.axes,
    )


TIDY = (
    "speed_tokens_per_s",
    "launch_us",
    "roofline_tokens_per_s",
    "formula_tokens_per_s",
    "fits",
    "fullest_resource",
    "fullest_share",
    *(f"gain_of_a_tenth_more_{lever}" for lever in LEVERS),
    "design_origin",
    "refusal",
)
"""The columns of the table for programs, behind the axes."""


_FASTER: Mapping[Lever, str] = {
    "bandwidth": "a tenth more memory bandwidth",
    "ports": "memory ports that take a tenth more",
    "lanes": "a tenth more lanes",
    "latency": "latencies that are a tenth faster",
    "launch": "launches that are a tenth faster",
    "draft": "a tenth faster drafting",
    "clock": "a tenth faster clock",
}
"""What a point is given more of, in words."""


def told_gain(outcome: StudyOutcome) -> str:
    """As in "bandwidth +9.1 %"."""
    return f"{outcome.helps_most} {100 * outcome.gains[outcome.helps_most]:+.1f} %"


REPORT_SCHEMA = "sttest.whatif/2"
COLUMNS = (
    "point",
    "tokens/s",
    "fits",
    "gain from 10 % more",
    "share of roofline",
    *(f"10 % more {lever}" for lever in LEVERS),
    "design from",
    "formula tokens/s",
    "formula/simulated",
)
"""Columns of the printed table, the five that matter most first; then what a tenth more of each thing brings."""


@dataclass(frozen=True)
class StudyReport:
    """A finished study."""

    name: str
    study: Study
    engine: str
    simulated: Sequence[StudyOutcome]
    processor_s: float = 0.0  # seconds of a processor that the simulations took

    @cached_property
    def outcomes(self) -> Sequence[StudyOutcome]:
        """All points, then the fastest designs."""
        return [*self.simulated, *fastest(self.simulated, self.study)]

    @property
    def series(self) -> list[outcome_module.Series]:
        """Points that differ in x alone."""
        return series_of(self.outcomes, self.study)

    @property
    def knees(self) -> list[Knee]:
        """Knees of all series."""
        return [knee for each in self.series for knee in knees(each, self.study)]

    @property
    def x_unit(self) -> str:
        """Unit of the x axis."""
        return axis_unit(self.study.x_axis, self.outcomes)

    def plot(self, path: Path) -> None:
        """The figure alone, as wide as a column of print and with a legend; the suffix says what it is."""
        rows = list(rows_of(self.name, self.engine, self.outcomes, self.knees, self.x_unit))
        drawer("whatif").draw_column(self.study, rows, path)

    def write(self, out: Path, *inputs: str) -> None:
        """``table.csv``, ``table.md``, ``figure.png``, ``figure.svg`` and a manifest, whole or not at all.

        Args:
            out: the folder of results.
            *inputs: files of the program that it was made from, such as that of the study.
        """
        config = {"study": self.study.model_dump(mode="json"), "engine": self.engine}
        with ResultFolder(out, made_by=(__name__, *inputs), config=config) as folder:
            folder.facts["processor_s"] = round(self.processor_s, 1)
            folder.add(*rows_of(self.name, self.engine, self.outcomes, self.knees, self.x_unit))
            drawer("whatif").draw_beside(self.study, folder)

    def lines(self) -> Iterator[tuple[object, ...]]:
        """The printed table, one line per point."""
        for outcome in self.outcomes:
            if outcome.result is None:
                # What the table says in full: why, without the ways out.
                why = outcome.refusal.partition(";")[0]
                yield (outcome.label, "not simulated", why, *[""] * (len(COLUMNS) - 3))
                continue
            gained = [f"{outcome.gains[lever]:+.1%}" for lever in LEVERS]
            yield (
                outcome.label,
                f"{outcome.speed:,.1f}",
                outcome.fit.to_text() if outcome.fit else "",
                told_gain(outcome),
                f"{outcome.speed / outcome.roofline_speed:.1%}",
                *gained,
                outcome.simulated["design"],
                f"{outcome.formula_speed:,.1f}",
                f"{outcome.bounds.formula_us / outcome.block_us:.3f}",
            )

    @property
    def tidy_columns(self) -> tuple[str, ...]:
        """Of the table for programs: one per axis, then one per figure with its unit."""
        return (*self.study.axes, *TIDY)

    def tidy_lines(self) -> Iterator[tuple[object, ...]]:
        """The table for programs, one line per point, nothing rounded."""
        for outcome in self.outcomes:
            axes = tuple(outcome.axes[axis] for axis in self.study.axes)
            if outcome.result is None:
                yield (*axes, *[""] * (len(TIDY) - 1), outcome.refusal)
                continue
            fit = outcome.fit
            yield (
                *axes,
                outcome.speed,
                outcome.block_us,
                outcome.roofline_speed,
                outcome.formula_speed,
                fit.fits if fit else "",
                fit.fullest if fit else "",
                fit.share if fit else "",
                *(outcome.gains[lever] for lever in LEVERS),
                outcome.simulated["design"],
                "",
            )

    def headline(self) -> str:
        """The fastest point, of those that fit if any does, and the slowest; or that none is simulated."""
        found = [outcome for outcome in self.simulated if outcome.result is not None]
        if not found:
            return "No point was simulated."
        best = max([each for each in found if each.fits] or found, key=lambda each: each.speed)
        worst = min(found, key=lambda each: each.speed)
        which = "The fastest point that fits" if best.fits else "No point fits. The fastest"
        gain = f"With {_FASTER[best.helps_most]} it would be {100 * best.gains[best.helps_most]:.1f} % faster."
        told = (
            f'{which} is "{best.label}", with {best.speed:,.1f} tokens/s without the LM head. {gain}{_filled(best.fit)}'
        )
        return told if best is worst else f'{told} The slowest is "{worst.label}", with {worst.speed:,.1f} tokens/s.'

    def fit_lines(self) -> Iterator[str]:
        """How many points fit, and what they are held against."""
        fits = [each.fit for each in self.simulated if each.fit is not None]
        if fits:
            budgets = ", ".join(dict.fromkeys(f"{each.budget} ({each.flow})" for each in fits))
            yield f"{sum(each.fits for each in fits)} of {len(fits)} points are predicted to fit the budget: {budgets}"

    def knee_lines(self) -> Iterator[str]:
        """The knees in words."""
        for knee in self.knees:
            series = f"{knee.series}: " if knee.series else ""
            turn = f"{knee.lever} {'begins' if knee.begins else 'ceases'} to bind"
            at = f" at {knee.at:.4g} {self.x_unit}," if knee.at is not None else ""
            yield f"knee: {series}{turn}{at} between the points {knee.low} and {knee.high}"

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


def _filled(fit: Fit | None) -> str:
    """How much of its budget a design takes, or what it has too little of."""
    if fit is None:
        return ""
    if fit.fits and fit.share is not None:
        return f" It takes {100 * fit.share:.0f} % of the {NAMES[fit.fullest]} in the budget {fit.budget}."
    if fit.short_share is not None:
        return f" It needs {100 * fit.short_share:.0f} % of the {fit.short} in the budget {fit.budget}."
    return f" It has {fit.to_text()}." if not fit.fits else ""


def _plain(outcome: StudyOutcome) -> dict[str, Any]:
    settings = {axis: value.value for axis, value in outcome.point.axes.items()}
    if outcome.result is None:
        return {"settings": settings, "refused": outcome.refusal}
    return {
        "settings": settings,
        "tokens_per_s": outcome.speed,
        "block_us": outcome.block_us,
        "design": outcome.simulated["design"],
        "gains_of_a_tenth_more": outcome.gains,
        "helped_most_by": outcome.helps_most,
        outcome.wait.replace(" ", "_") + "_ms": outcome.total_us / 1e3,
        "time_per_token_percentiles_ms": {f"p{percent}": ms for percent, ms in outcome.token_ms.items()},
        "fits": None if outcome.fit is None else {"fits": outcome.fits, **outcome.fit.to_dict()},
        "fullest": None if outcome.fit is None else {"resource": outcome.fit.fullest, "share": outcome.fit.share},
        "chosen": outcome.chosen,
        "roofline_tokens_per_s": outcome.roofline_speed,
        "formula_tokens_per_s": outcome.formula_speed,
        "bounds_us": asdict(outcome.bounds),
    }
