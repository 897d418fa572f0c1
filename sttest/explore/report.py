"""A finished search as tables: its Pareto set and counts in long format, all its points in a file of their own."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sttest.explore.ablation import Ablated
from sttest.explore.objectives import METRICS
from sttest.explore.pareto import pareto_set
from sttest.explore.proposals import Tried
from sttest.explore.record import PLACED, Record
from sttest.explore.search import Search
from sttest.explore.space import Domain
from sttest.results import Kind, Row

REPORT_SCHEMA = "sttest.explore/1"
_ENGINE = "maxplus"
_BEFORE_METRICS = ("status", "refused_for", "demand", "bound", "unit")


@dataclass(frozen=True)
class Report:
    """A finished search.

    Attributes:
        experiment: its name, that of the folder of results.
        search, space, tried: what was searched, and what came of every point.
        placed: cycles with registers on crossings, by point of the Pareto set; None for a deadlock.
        ablated: the ablation, if it was asked for.
    """

    experiment: str
    search: Search
    space: Sequence[Domain]
    tried: Sequence[Tried]
    placed: dict[int, int | None] = field(default_factory=dict)
    ablated: Sequence[Ablated] = ()

    @property
    def pareto(self) -> list[Tried]:
        """The simulated points that no other is better than, in order of their losses."""
        simulated = [each for each in self.tried if each.evaluation.status == "simulated"]
        return [simulated[position] for position in pareto_set([each.evaluation.losses for each in simulated])]

    @property
    def counts(self) -> Counter[str]:
        """Points by what became of them; refused ones by the reason."""
        return Counter(_outcome(each) for each in self.tried)

    def records(self) -> list[Record]:
        """The Pareto set, each point enough to be made again."""
        return [self._record(each) for each in self.pareto]

    def _record(self, tried: Tried) -> Record:
        knobs, figures = tried.evaluation.knobs, dict(tried.evaluation.figures)
        assert knobs is not None
        placed = self.placed.get(tried.slot)
        figures |= {} if placed is None else {PLACED: placed}
        return Record.of(tried.slot, self.search.target, self.search.program, knobs, figures)

    def rows(self) -> Iterator[Row]:
        """The long-format table: the Pareto set with its knobs, counts, and the ablation."""
        for each in self.pareto:
            yield from self._point_rows(each)
        for outcome, count in sorted(self.counts.items()):
            yield self._row(f"points {outcome}", count, "count", "derived")
        for each in self.ablated:
            yield from self._ablation_rows(each)

    def _point_rows(self, tried: Tried) -> Iterator[Row]:
        label = f"[point {tried.slot}]"
        named = {domain.name: tried.point[domain.name] for domain in self.space if domain.unit == ""}
        note = ", ".join(f"{name} {value}" for name, value in named.items())
        for metric, value in tried.evaluation.figures.items():
            known = METRICS[metric]
            yield self._row(f"{metric} {label}", value, known.unit, known.kind, note or known.note)
        if tried.slot in self.placed:
            gone = "" if self.placed[tried.slot] is not None else "deadlock"
            yield self._row(f"{PLACED} {label}", self.placed[tried.slot], "cycles", "simulated", gone)
        for domain in self.space:
            if domain.unit:
                value = int(tried.point[domain.name])
                yield self._row(f"{domain.name} {label}", value, domain.unit, "derived", "chosen by the search")

    def _ablation_rows(self, each: Ablated) -> Iterator[Row]:
        label = f"[{each.way}, budget {each.budget_percent} %]"
        if each.evaluation.status == "refused":
            yield self._row(
                f"cycles {label}", None, "cycles", "simulated", f"refused: {_reason(each.evaluation.refusal)}"
            )
            return
        for metric in ("cycles", "latency", "tokens_per_j", "area"):
            known = METRICS[metric]
            yield self._row(f"{metric} {label}", each.evaluation.figures[metric], known.unit, known.kind, "ablation")

    def _row(self, metric: str, value: float | None, unit: str, kind: Kind, note: str = "") -> Row:
        target = self.search.target
        engine = _ENGINE if kind == "simulated" else ""
        return Row(
            self.experiment, metric, value, unit, kind, model=target.model, board=target.board, phase=target.phase,
            engine=engine, note=note,
        )  # fmt: skip

    def write_points(self, path: Path) -> None:
        """Every point of the search, with its knobs and what became of it, as a CSV file."""
        knobs = [domain.name for domain in self.space]
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("point", *knobs, *_BEFORE_METRICS, *METRICS))
            for each in self.tried:
                refusal = each.evaluation.refusal
                reasons = [refusal.get(key) for key in ("what", "demand", "bound", "unit")]
                figures = [each.evaluation.figures.get(name) for name in METRICS]
                values = [each.point[name] for name in knobs]
                writer.writerow((each.slot, *values, each.evaluation.status, *reasons, *figures))

    def lines(self) -> Iterator[tuple[object, ...]]:
        """The printed table: the Pareto set, one line per point, columns as in :attr:`columns`."""
        for each in self.pareto:
            figures = each.evaluation.figures
            shown = [each.point[name] for name in self._varied]
            yield (each.slot, *(figures[name] for name in _SHOWN), *shown)

    @property
    def columns(self) -> tuple[str, ...]:
        """Of the printed table."""
        units = [f"{name} ({METRICS[name].unit})" if METRICS[name].unit != "count" else name for name in _SHOWN]
        return ("point", *units, *self._varied)

    @property
    def _varied(self) -> list[str]:
        """Knobs with several choices, without the many shifts."""
        return [domain.name for domain in self.space if len(domain.choices) > 1 and "." not in domain.name]

    def to_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "schema": REPORT_SCHEMA, "name": self.search.name, "storage": self.search.storage,
            "points": len(self.tried), "counts": dict(self.counts),
            "pareto": [
                {"point": each.slot, "knobs": dict(each.point), "figures": dict(each.evaluation.figures),
                 PLACED: self.placed.get(each.slot)}
                for each in self.pareto
            ],
            "ablation": [
                {"way": each.way, "budget_percent": each.budget_percent, "figures": dict(each.evaluation.figures),
                 "refused": _reason(each.evaluation.refusal)}
                for each in self.ablated
            ],
        }  # fmt: skip


_SHOWN = ("latency", "cycles", "tokens_per_j", "area", "lut", "dsp", "bram18", "uram")


def _outcome(tried: Tried) -> str:
    evaluation = tried.evaluation
    if evaluation.status != "refused":
        return evaluation.status
    return f"refused: {evaluation.refusal['code']}"


def _reason(refusal: dict[str, Any]) -> str:
    return "" if not refusal else f"{refusal['what']} ({refusal['demand']} of {refusal['bound']} {refusal['unit']})"
