"""What a row came to: the design that it stands for, its time with and without launches, what it takes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sttest.boards.load import load_board, require_hbm
from sttest.boards.resources import KINDS
from sttest.core.errors import InputError
from sttest.core.results import Kind, PointStore, Row
from sttest.studies.ablation.form import (
    Ablation,
    Candidate,
    PublishedComparison,
    RowPoint,
    points_of,
    published_figures,
)
from sttest.studies.ablation.measure import measure
from sttest.studies.campaign import StudyRun, campaign_of, refusal_text


@dataclass(frozen=True)
class AblationOutcome:
    """A row with the results of its candidates."""

    point: RowPoint  # the row
    # results of :func:`sttest.studies.ablation.measure.measure`, one per candidate.
    results: tuple[Mapping[str, Any], ...]
    launch_us: float  # cost of one launch, microseconds

    @property
    def chosen(self) -> int | None:
        """The fastest candidate that fits, else the smallest; None if there is no design at all."""
        made = [number for number, result in enumerate(self.results) if "refused" not in result]
        fitting = [number for number in made if self._takes(number) <= 1]
        if fitting:
            return min(fitting, key=lambda number: self.results[number]["cycles"])
        return min(made, key=self._takes, default=None)

    @property
    def fitting(self) -> int:
        """The number of candidates that fit."""
        return sum("refused" not in result and self._takes(number) <= 1 for number, result in enumerate(self.results))

    @property
    def candidate(self) -> Candidate:
        """The design that the row stands for."""
        assert self.chosen is not None
        return self.point.candidates[self.chosen]

    @property
    def result(self) -> Mapping[str, Any]:
        """The result of the chosen design.

        Raises:
            InputError: there is none.
        """
        if self.chosen is None:
            raise InputError("not-simulated", "there is no such design", where=self.point.label)
        return self.results[self.chosen]

    @property
    def shares(self) -> Mapping[str, float]:
        """Shares of the board's budget by resource."""
        return self._shares(self.result)

    @property
    def fits(self) -> bool:
        """Whether no resource exceeds the budget of all SLRs together; SLRs one by one are not asked."""
        return max(self.shares.values()) <= 1

    @property
    def cycles(self) -> float:
        """Per layer and, in a decode step, per token; launches left out."""
        return self.result["cycles"] / self._blocks

    @property
    def us(self) -> float:
        """Time per layer (and token of a decode step), launches included."""
        launches = self.result["kernels"] * self.launch_us / self._blocks
        return self.cycles / self.result["clock_mhz"] + launches

    @property
    def moved_bytes(self) -> float:
        """Through the memory ports per layer, for all tokens of a step."""
        return self.result["moved_bytes"] / (self.point.layers * self.point.generated)

    @property
    def _blocks(self) -> int:
        tokens = self.point.tokens if self.point.part.phase == "decode" else 1
        return self.point.layers * self.point.generated * tokens

    def _takes(self, number: int) -> float:
        return max(self._shares(self.results[number]).values())

    def _shares(self, result: Mapping[str, Any]) -> Mapping[str, float]:
        """One after the other, kernels that have the chip to themselves take what the largest takes."""
        return result["largest" if self.point.line.lanes == "own" else "shares"]


def campaign(ablation: Ablation, engine: str, store: PointStore) -> StudyRun[RowPoint, AblationOutcome]:
    """What an ablation asks for, and how much of it is stored.

    Raises:
        InputError: it asks for what there is not.
    """
    points = points_of(ablation, engine)
    launch_us = require_hbm(load_board(ablation.board)).launch.queued_us.value
    found = campaign_of((each.key for point in points for each in point.candidates), measure, store)

    def outcome(number: int) -> AblationOutcome:
        results = tuple(found.result(candidate.key) for candidate in points[number].candidates)
        return AblationOutcome(points[number], results, launch_us)

    return StudyRun(points, found, outcome)


@dataclass(frozen=True)
class Speedup:
    """A row's time as that of another over it; above 1 is faster. Without launches, and with them."""

    cycles: float
    us: float


def speedup(fast: AblationOutcome, slow: AblationOutcome) -> Speedup | None:
    """The speedup of one row over another, or None if one of them has no design."""
    if fast.chosen is None or slow.chosen is None:
        return None
    return Speedup(slow.cycles / fast.cycles, slow.us / fast.us)


def named(outcomes: Sequence[AblationOutcome], part: str, line: str) -> AblationOutcome:
    """The row of a part and a line that are there."""
    return next(each for each in outcomes if (each.point.part.name, each.point.line.name) == (part, line))


def compared(outcomes: Sequence[AblationOutcome], comparison: PublishedComparison) -> Speedup | None:
    """Our side of a comparison."""
    return speedup(*(named(outcomes, comparison.part, name) for name in (comparison.fast, comparison.slow)))


# --- A finished ablation as rows of the long-format table


def rows_of(name: str, engine: str, ablation: Ablation, outcomes: Sequence[AblationOutcome]) -> Iterator[Row]:
    """Every number of an ablation with unit and kind.

    Args:
        name: name of the ablation.
        engine: simulation engine that computed the times.
        ablation: the form.
        outcomes: its rows.
    """
    for outcome in outcomes:
        if outcome.chosen is None:
            note = f"no such design: {refusal_text(outcome.results[0])}"
            yield _row(name, ablation, outcome, "cycles per layer", None, "cycles", "simulated", note=note)
            continue
        yield from _simulated(name, engine, ablation, outcome)
        if ablation.buffers:
            yield _row(
                name,
                ablation,
                outcome,
                "attention buffers",
                outcome.result["attention_bytes"],
                "bytes",
                "simulated",
                note="FIFOs and converters between scores and mix, as sized",
            )
        reference = named(outcomes, outcome.point.part.name, ablation.reference)
        gained = speedup(outcome, reference)
        if gained is not None:
            note = f"time of '{ablation.reference}' over this one's"
            yield _row(name, ablation, outcome, "speed-up", gained.cycles, "ratio", "derived", note=note)
            yield _row(name, ablation, outcome, "speed-up with launches", gained.us, "ratio", "derived", note=note)
    for comparison in ablation.published:
        yield from _compared(name, engine, ablation, comparison, outcomes)


def published_figure(name: str) -> dict[str, str]:
    """A published figure with its source, by its name."""
    return next(figure for figure in published_figures() if figure["figure"] == name)


def published_range(figure: dict[str, str]) -> str:
    """The published figure as it is printed: ``1.8`` or ``2-13``."""
    low, high = float(figure["low"]), float(figure["high"])
    return f"{low:g}" if low == high else f"{low:g}-{high:g}"


def chosen_note(outcome: AblationOutcome) -> str:
    """Which of several designs a row stands for; empty where there was only one."""
    if len(outcome.results) == 1:
        return ""
    scale = ", ".join(f"{option}={value}" for option, value in outcome.candidate.scale.items())
    which = "the fastest that fits" if outcome.fits else "the smallest, for none fits"
    return f"{scale}: {which}; {outcome.fitting} of {len(outcome.results)} fit"


def _simulated(name: str, engine: str, ablation: Ablation, outcome: AblationOutcome) -> Iterator[Row]:
    per = "layer and token" if outcome.point.tokens > 1 and outcome.point.part.phase == "decode" else "layer"
    notes = (f"per {per}", chosen_note(outcome), outcome.point.line.note)
    yield _row(
        name,
        ablation,
        outcome,
        "cycles per layer",
        outcome.cycles,
        "cycles",
        "simulated",
        engine=engine,
        note="; ".join(filter(None, notes)),
    )
    yield _row(
        name,
        ablation,
        outcome,
        "time per layer with launches",
        outcome.us,
        "us",
        "derived",
        note=f"per {per}; {outcome.launch_us:g} us per launch",
    )
    kernels = float(outcome.result["kernels"])
    yield _row(name, ablation, outcome, "kernels", kernels, "count", "simulated", engine=engine)
    yield _row(
        name, ablation, outcome, "HBM traffic per layer", outcome.moved_bytes, "bytes", "simulated", engine=engine
    )
    whose = "the largest kernel" if outcome.point.line.lanes == "own" else "all kernels" if kernels > 1 else ""
    for kind in KINDS:
        yield _row(
            name,
            ablation,
            outcome,
            f"{kind.upper()} of the budget",
            outcome.shares[kind],
            "ratio",
            "simulated",
            note=f"predicted{', ' if whose else ''}{whose}",
        )
    yield _row(
        name,
        ablation,
        outcome,
        "fits",
        float(outcome.fits),
        "count",
        "derived",
        note="1: no resource above the budget of all SLRs; no SLR is assigned",
    )


def too_large(outcomes: Sequence[AblationOutcome], comparison: PublishedComparison) -> str:
    """Which of the two designs do not fit the board, as in ``fused does not fit``; empty where both do."""
    rows = (named(outcomes, comparison.part, line) for line in (comparison.fast, comparison.slow))
    names = [row.point.line.name for row in rows if row.chosen is not None and not row.fits]
    return "; ".join(f"'{name}' does not fit" for name in names)


def _compared(
    name: str, engine: str, ablation: Ablation, comparison: PublishedComparison, outcomes: Sequence[AblationOutcome]
) -> Iterator[Row]:
    ours = compared(outcomes, comparison)
    figure = published_figure(comparison.figure)
    low, high = float(figure["low"]), float(figure["high"])
    metric = f"{comparison.fast} over {comparison.slow} [{comparison.part}]"
    published = f"published: {published_range(figure)}, {figure['what']} ({figure['note']})"
    note = "; ".join(filter(None, (too_large(outcomes, comparison), published, f"differs: {ablation.differs}")))
    if ours is None:
        yield Row(name, metric, None, "ratio", "derived", note=f"one of the two has no design; {note}")
        return
    for how, value in (("launches left out", ours.cycles), ("with launches", ours.us)):
        # Of a range the nearer end; a value within it has no error to show.
        reference = None if low < value < high else min(max(value, low), high)
        yield Row(
            name,
            f"{metric}, {how}",
            value,
            "ratio",
            "derived",
            board=ablation.board,
            engine=engine,
            reference=reference,
            source=figure["source"],
            note=note,
        )


def _row(
    name: str,
    ablation: Ablation,
    outcome: AblationOutcome,
    metric: str,
    value: float | None,
    unit: str,
    kind: Kind,
    *,
    engine: str = "",
    note: str = "",
) -> Row:
    part = outcome.point.part
    return Row(
        name,
        f"{metric} [{outcome.point.label}]",
        value,
        unit,
        kind,
        model=part.model,
        board=ablation.board,
        phase=part.phase,
        engine=engine,
        note=note,
    )
