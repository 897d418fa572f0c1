"""The front: what each design reaches under its budget, at which clock, and what is in the way of more."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.best.cases import Case
from experiments.best.rows import of_budget
from sttest.core.results import Row
from sttest.sim.critical_path import IN_WORDS

FRONT = (
    "model",
    "phase",
    "budget",
    "cycles",
    "at 250 MHz",
    "MHz (band)",
    "at that clock",
    "of the sustained roofline",
    "fullest",
    "critical path",
)
"""Headings of the front; speeds are tokens/s in decode and ms to the first token in prefill, of the card alone."""


def front_line(case: Case, found: Sequence[Row]) -> tuple[str, ...]:
    """The line of a design; a design that could not be made says so.

    Args:
        case: whose it is.
        found: rows of all designs.
    """
    own = {row.metric: row for row in found if (row.model, row.phase) == (case.model, case.phase)}

    def row(metric: str) -> Row:
        return own[of_budget(metric, case.budget)]

    def shown(metric: str, form: str) -> str:
        value = row(metric).value
        return "" if value is None else format(value, form)

    first = (case.model, case.phase, case.budget)
    if row("cycles per launch").value is None:
        return (*first, *[""] * (len(FRONT) - 4), row("cycles per launch").note)
    metric, form = ("speed of the card", ",.0f") if case.phase == "decode" else ("time to first token", ",.1f")
    reached = (
        ""
        if case.phase == "prefill"
        else " and ".join(
            shown(f"fraction of roofline, sustained bandwidth, {at}", ".1%") for at in ("board's clock", "middle clock")
        )
    )
    most = row("critical path, largest item")
    full = row("fullest share")
    return (
        *first,
        shown("cycles per launch", ",.0f"),
        shown(f"{metric}, board's clock", form),
        f"{shown('clock, middle', '.0f')} ({shown('clock, low', '.0f')} to {shown('clock, high', '.0f')})",
        shown(f"{metric}, middle clock", form),
        reached,
        f"{full.value:.0%} {full.note.partition(':')[0]}",
        f"{most.value:.0%} {_item(most)}",
    )


def _item(row: Row) -> str:
    """As in ``dma: transfer of a burst``."""
    category, _, kind = row.note.partition(": ")[2].partition(";")[0].partition(" ")
    return f"{category}: {IN_WORDS[kind]}"
