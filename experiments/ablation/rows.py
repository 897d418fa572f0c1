"""A finished ablation as rows of the long-format table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from experiments.ablation.form import FIGURES, Ablation, Comparison
from experiments.ablation.outcome import Outcome, compared, named, speedup
from experiments.published import published_table
from experiments.whatif.campaign import told
from sttest.boards.resources import KINDS
from sttest.results import Kind, Row


def rows_of(name: str, engine: str, ablation: Ablation, outcomes: Sequence[Outcome]) -> Iterator[Row]:
    """Every number of an ablation with unit and kind.

    Args:
        name: of the ablation.
        engine: that computed the times.
        ablation: the form.
        outcomes: its rows.
    """
    for outcome in outcomes:
        if outcome.chosen is None:
            note = f"no such design: {told(outcome.results[0]['refused'])}"
            yield _row(name, ablation, outcome, "cycles per layer", None, "cycles", "simulated", note=note)
            continue
        yield from _simulated(name, engine, ablation, outcome)
        if ablation.buffers:
            yield _row(name, ablation, outcome, "attention buffers", outcome.result["attention_bytes"], "bytes",
                       "simulated", note="FIFOs and converters between scores and mix, as sized")  # fmt: skip
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
    (found,) = (row for row in published_table(FIGURES).to_dict("records") if row["figure"] == name)
    return {str(key): str(value) for key, value in found.items()}


def published_range(figure: dict[str, str]) -> str:
    """As it is printed: ``1.8`` or ``2-13``."""
    low, high = float(figure["low"]), float(figure["high"])
    return f"{low:g}" if low == high else f"{low:g}-{high:g}"


def chosen_note(outcome: Outcome) -> str:
    """Which of several designs a row stands for; empty where there was only one."""
    if len(outcome.results) == 1:
        return ""
    scale = ", ".join(f"{knob}={value}" for knob, value in outcome.candidate.scale.items())
    which = "the fastest that fits" if outcome.fits else "the smallest, for none fits"
    return f"{scale}: {which}; {outcome.fitting} of {len(outcome.results)} fit"


def _simulated(name: str, engine: str, ablation: Ablation, outcome: Outcome) -> Iterator[Row]:
    per = "layer and token" if outcome.point.tokens > 1 and outcome.point.part.phase == "decode" else "layer"
    notes = (f"per {per}", chosen_note(outcome), outcome.point.line.note)
    yield _row(name, ablation, outcome, "cycles per layer", outcome.cycles, "cycles", "simulated",
               engine=engine, note="; ".join(filter(None, notes)))  # fmt: skip
    yield _row(name, ablation, outcome, "time per layer with launches", outcome.us, "us", "derived",
               note=f"per {per}; {outcome.launch_us:g} us per launch")  # fmt: skip
    kernels = float(outcome.result["kernels"])
    yield _row(name, ablation, outcome, "kernels", kernels, "count", "simulated", engine=engine)
    yield _row(name, ablation, outcome, "HBM traffic per layer", outcome.moved_bytes, "bytes", "simulated",
               engine=engine)  # fmt: skip
    whose = "the largest kernel" if outcome.point.line.lanes == "own" else "all kernels" if kernels > 1 else ""
    for kind in KINDS:
        yield _row(name, ablation, outcome, f"{kind.upper()} of the budget", outcome.shares[kind], "ratio", "simulated",
                   note=f"predicted{', ' if whose else ''}{whose}")  # fmt: skip
    yield _row(name, ablation, outcome, "fits", float(outcome.fits), "count", "derived",
               note="1: no resource above the budget of all SLRs; no SLR is assigned")  # fmt: skip


def too_large(outcomes: Sequence[Outcome], comparison: Comparison) -> str:
    """Which of the two designs do not fit the board, as in ``fused does not fit``; empty where both do."""
    rows = (named(outcomes, comparison.part, line) for line in (comparison.fast, comparison.slow))
    names = [row.point.line.name for row in rows if row.chosen is not None and not row.fits]
    return "; ".join(f"'{name}' does not fit" for name in names)


def _compared(
    name: str, engine: str, ablation: Ablation, comparison: Comparison, outcomes: Sequence[Outcome]
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
        # Of a range the nearest of its points.
        reference = min(max(value, low), high)
        yield Row(
            name, f"{metric}, {how}", value, "ratio", "derived", board=ablation.board, engine=engine,
            reference=reference, source=figure["source"], note=note,
        )  # fmt: skip


def _row(
    name: str, ablation: Ablation, outcome: Outcome, metric: str, value: float | None, unit: str, kind: Kind, *,
    engine: str = "", note: str = "",
) -> Row:  # fmt: skip
    part = outcome.point.part
    return Row(
        name, f"{metric} [{outcome.point.label}]", value, unit, kind, model=part.model, board=ablation.board,
        phase=part.phase, engine=engine, note=note,
    )  # fmt: skip
