"""What an ablation leaves behind: table, figure and manifest in a folder, and what is printed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sttest.core.results import ResultFolder
from sttest.studies.ablation.form import Ablation
from sttest.studies.ablation.outcome import (
    AblationOutcome,
    chosen_note,
    compared,
    named,
    published_figure,
    published_range,
    rows_of,
    speedup,
    too_large,
)
from sttest.studies.campaign import refusal_text
from sttest.studies.drawing import drawer

REPORT_SCHEMA = "sttest.ablation/1"
COLUMNS = (
    "row",
    "cycles per layer",
    "speed-up",
    "with launches",
    "kernels",
    "HBM MB per layer",
    "LUT",
    "DSP",
    "fits",
    "design",
)
"""The columns of the printed table; LUT and DSP as shares of the budget."""
BUFFERS = "attention KiB"
"""A column more, where the form asks for it."""
PUBLISHED_COLUMNS = ("ours", "launches left out", "with launches", "published", "source", "remark")


@dataclass(frozen=True)
class AblationReport:
    """A finished ablation."""

    name: str
    ablation: Ablation
    engine: str
    outcomes: Sequence[AblationOutcome]

    def write(self, out: Path, *inputs: str) -> None:
        """Writes the folder of results, whose makers are this module and files of the program that it was made from.

        Raises:
            OSError: it can't be written.
        """
        config = {"ablation": self.ablation.model_dump(mode="json"), "engine": self.engine}
        with ResultFolder(out, made_by=(__name__, *inputs), config=config) as folder:
            folder.add(*rows_of(self.name, self.engine, self.ablation, self.outcomes))
            drawer("ablation").draw_beside(self.ablation, folder)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the printed table."""
        return (*COLUMNS, BUFFERS) if self.ablation.buffers else COLUMNS

    def lines(self) -> Iterator[tuple[object, ...]]:
        """The printed table, one line per row."""
        for outcome in self.outcomes:
            if outcome.chosen is None:
                why = refusal_text(outcome.results[0]).partition(";")[0]
                yield (outcome.point.label, "no such design", *[""] * (len(COLUMNS) - 3), why)
                continue
            gained = speedup(outcome, named(self.outcomes, outcome.point.part.name, self.ablation.reference))
            ratios = (f"{gained.cycles:.2f}", f"{gained.us:.2f}") if gained else ("", "")
            shares = outcome.shares
            yield (
                outcome.point.label,
                f"{outcome.cycles:,.0f}",
                *ratios,
                outcome.result["kernels"],
                f"{outcome.moved_bytes / 1e6:.2f}",
                f"{shares['lut']:.0%}",
                f"{shares['dsp']:.0%}",
                "yes" if outcome.fits else "no",
                chosen_note(outcome),
                *([f"{outcome.result['attention_bytes'] / 1024:,.1f}"] if self.ablation.buffers else []),
            )

    def headline(self) -> str:
        """The fastest row."""
        found = [outcome for outcome in self.outcomes if outcome.chosen is not None]
        if not found:
            return "there is no such design"
        best = min(found, key=lambda each: each.cycles)
        return f"{best.cycles:,.0f} cycles at best, {best.point.label}"

    def published_lines(self) -> Iterator[tuple[object, ...]]:
        """Our ratios beside the published ones."""
        for comparison in self.ablation.published:
            ours, figure = compared(self.outcomes, comparison), published_figure(comparison.figure)
            values = (f"{ours.cycles:.2f}", f"{ours.us:.2f}") if ours else ("no such design", "")
            what = f"{comparison.part}: {comparison.fast} over {comparison.slow}"
            remark = too_large(self.outcomes, comparison)
            yield (what, *values, published_range(figure), figure["source"], remark)

    def to_dict(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "schema": REPORT_SCHEMA,
            "name": self.name,
            "title": self.ablation.title,
            "note": self.ablation.note,
            "rows": [self._plain(outcome) for outcome in self.outcomes],
            "published": [dict(zip(PUBLISHED_COLUMNS, line, strict=True)) for line in self.published_lines()],
            "differs": self.ablation.differs,
        }

    def _plain(self, outcome: AblationOutcome) -> dict[str, Any]:
        who = {"part": outcome.point.part.name, "line": outcome.point.line.name}
        if outcome.chosen is None:
            return {**who, "refused": refusal_text(outcome.results[0])}
        gained = speedup(outcome, named(self.outcomes, outcome.point.part.name, self.ablation.reference))
        return {
            **who,
            "cycles_per_layer": outcome.cycles,
            "us_per_layer_with_launches": outcome.us,
            "speedup": gained.cycles if gained else None,
            "speedup_with_launches": gained.us if gained else None,
            "kernels": outcome.result["kernels"],
            "hbm_bytes_per_layer": outcome.moved_bytes,
            "attention_bytes": outcome.result["attention_bytes"],
            "shares_of_budget": dict(outcome.shares),
            "fits": outcome.fits,
            "scale": dict(outcome.candidate.scale),
        }
