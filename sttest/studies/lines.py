"""Figures as most experiments make them, before they are rows of a result: printed as a table, and written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sttest.core.results import Kind, Row
from sttest.core.tables import print_table


@dataclass(frozen=True)
class Line:
    """A figure; ``value`` is None where there is none, and ``note`` says why."""

    metric: str
    value: float | None
    unit: str
    kind: Kind = "simulated"
    note: str = ""
    model: str = ""
    reference: float | None = None
    source: str = ""
    board: str = ""
    engine: str = ""


def print_lines(lines: Sequence[Line | Row], title: str, *, notes: bool = False, **before: str) -> None:
    """Prints figures as a table.

    Args:
        lines: figures.
        title: title of the table.
        notes: a last column with the notes.
        before: columns before the figures, heading and field, as in ``weights="model"``.
    """
    fields = (*before.values(), "metric", "value", "unit", *(["note"] if notes else []))
    print_table(
        (*before, "figure", "value", "unit", *(["note"] if notes else [])),
        [tuple(_shown(getattr(each, field)) for field in fields) for each in lines],
        title=title,
    )


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,.4g}" if isinstance(value, int | float) else str(value)


def rows_of(
    lines: Iterable[Line], experiment: str, engine: str, *, board: str = "", model: str = "", phase: str = ""
) -> Iterator[Row]:
    """Figures as rows.

    Args:
        lines: figures.
        experiment: name of the experiment.
        engine: engine of all that is simulated and names none.
        board: board of those that name none.
        model: model of those that name none.
        phase: phase of all.
    """
    for each in lines:
        yield Row(
            experiment,
            each.metric,
            each.value,
            each.unit,
            each.kind,
            each.model or model,
            each.board or board,
            phase,
            each.engine or (engine if each.kind == "simulated" else ""),
            reference=each.reference,
            source=each.source,
            note=each.note,
        )
