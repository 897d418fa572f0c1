"""A finished study as rows of the long-format table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from experiments.whatif.board_settings import BOARD, unit_of
from experiments.whatif.outcome import Knee, Outcome
from experiments.whatif.precision import BITS
from experiments.whatif.settings import phase_of
from sttest.results import Kind, Row

_UNITS = {
    **dict.fromkeys(("tokens", "context"), "tokens"),
    **dict.fromkeys((*BITS, "knobs.beat_bits", "knobs.vector_bits"), "bits"),
    "launch": "us",
}


def rows_of(name: str, engine: str, outcomes: Sequence[Outcome], knees: Sequence[Knee], x_unit: str) -> Iterator[Row]:
    """Every number of a study, with unit and kind.

    Args:
        name: of the study.
        engine: that computed the times.
        outcomes: of its points.
        knees: of its series.
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


def axis_unit(axis: str, outcomes: Sequence[Outcome]) -> str:
    """Unit of the numbers of an axis."""
    boards = [outcome.point.block.board for outcome in outcomes if outcome.point.block]
    if axis.startswith(BOARD) and boards:
        return unit_of(axis, boards[0])
    return _UNITS.get(axis, "count")


def _settings(name: str, outcome: Outcome) -> Iterator[Row]:
    """The numbers that the study chose, with where they are from."""
    for axis, value in outcome.point.axes.items():
        if not isinstance(value.value, str):
            unit = axis_unit(axis, [outcome])
            yield _row(name, outcome, axis, float(value.value), unit, value.kind, source=value.source)
    launch = outcome.point.launch
    if launch is not None:
        note = f"per {launch.per}"
        yield _row(name, outcome, "cost of a launch", launch.us, "us", launch.kind, source=launch.source, note=note)


def _simulated(name: str, engine: str, outcome: Outcome) -> Iterator[Row]:
    note = f"bound by {outcome.binding}"
    yield _row(name, outcome, "speed", outcome.speed, "tokens/s", "simulated", engine=engine, note=note)
    yield _row(name, outcome, "block", outcome.block_us, "us", "simulated", engine=engine)
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
        yield _row(name, outcome, metric, value, unit, "derived")


def _refused(name: str, outcome: Outcome) -> Iterator[Row]:
    yield _row(name, outcome, "speed", None, "tokens/s", "simulated", note=f"not simulated: {outcome.refusal}")


def _row(
    name: str, outcome: Outcome, metric: str, value: float | None, unit: str, kind: Kind, *,
    engine: str = "", source: str = "", note: str = "",
) -> Row:  # fmt: skip
    point = outcome.point
    board = point.block.board.name if point.block else ""
    return Row(
        name, f"{metric} [{point.label}]", value, unit, kind, model=point.model, board=board,
        phase=phase_of(point.settings), engine=engine, source=source, note=note,
    )  # fmt: skip
