"""What a study leaves behind: table, figure and manifest in a folder, and what is printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from experiments.whatif.figure import draw
from experiments.whatif.outcome import Knee, Outcome, Series, knees, series_of
from experiments.whatif.points import program_hash
from experiments.whatif.resources import RESOURCES
from experiments.whatif.rows import axis_unit, rows_of
from experiments.whatif.study import Study
from sttest.results import ResultFolder

REPORT_SCHEMA = "sttest.whatif/1"
COLUMNS = ("point", "tokens/s", "bound by", *RESOURCES, "roofline tokens/s", "formula tokens/s", "formula/simulated")
"""Of the printed table; resources in shares of the time."""


@dataclass(frozen=True)
class Report:
    """A finished study."""

    name: str
    study: Study
    engine: str
    outcomes: Sequence[Outcome]

    @property
    def series(self) -> list[Series]:
        """Points that differ in x alone."""
        return series_of(self.outcomes, self.study)

    @property
    def knees(self) -> list[Knee]:
        """Of all series."""
        return [knee for each in self.series for knee in knees(each, self.study)]

    @property
    def x_unit(self) -> str:
        """Unit of the x axis."""
        return axis_unit(self.study.x_axis, self.outcomes)

    def write(self, out: Path) -> None:
        """``table.csv``, ``table.md``, ``figure.png``, ``figure.svg`` and a manifest, whole or not at all."""
        config = {"study": self.study.model_dump(mode="json"), "engine": self.engine, "program": program_hash()}
        with ResultFolder(out, config=config) as folder:
            folder.add(*rows_of(self.name, self.engine, self.outcomes, self.knees, self.x_unit))
            for suffix in ("png", "svg"):
                draw(self.study, self.series, self.x_unit, folder.file(f"figure.{suffix}"))

    def lines(self) -> Iterator[tuple[object, ...]]:
        """The printed table, one line per point."""
        for outcome in self.outcomes:
            if outcome.result is None:
                # What the table says in full: why, without the ways out.
                why = outcome.refusal.partition(";")[0]
                yield (outcome.point.label, "not simulated", why, *[""] * (len(COLUMNS) - 3))
                continue
            shares = [f"{outcome.shares[name]:.1%}" for name in RESOURCES]
            yield (
                outcome.point.label, f"{outcome.speed:,.1f}", outcome.binding, *shares,
                f"{outcome.roofline_speed:,.1f}", f"{outcome.formula_speed:,.1f}",
                f"{outcome.bounds.formula_us / outcome.block_us:.3f}",
            )  # fmt: skip

    def knee_lines(self) -> Iterator[str]:
        """The knees in words."""
        for knee in self.knees:
            series = f"{knee.series}: " if knee.series else ""
            at = f", at {knee.at:.4g} {self.x_unit}" if knee.at is not None else ""
            yield f"{series}{knee.before} to {knee.after} between {knee.low} and {knee.high}{at}"

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


def _plain(outcome: Outcome) -> dict[str, Any]:
    settings = {axis: value.value for axis, value in outcome.point.axes.items()}
    if outcome.result is None:
        return {"settings": settings, "refused": outcome.refusal}
    return {
        "settings": settings,
        "tokens_per_s": outcome.speed,
        "block_us": outcome.block_us,
        "binding": outcome.binding,
        "us_by_resource": outcome.us_by_resource,
        "roofline_tokens_per_s": outcome.roofline_speed,
        "formula_tokens_per_s": outcome.formula_speed,
        "bounds_us": asdict(outcome.bounds),
    }
