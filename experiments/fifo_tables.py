"""Tables and figures of the pages on FIFO depths, from ``results/fifo``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from experiments.fifo_blocks import CONTEXT, SIZINGS
from sttest.core.files import read_csv
from sttest.core.results import COLUMNS
from sttest.core.tables import markdown_table

RESULT = Path(__file__).parents[1] / "results" / "fifo" / "table.csv"


def _cells() -> dict[tuple[str, str], float | None]:
    """Values by model and metric; ``None`` for a deadlock."""
    rows = read_csv(RESULT, COLUMNS)
    return {(row["model"], row["metric"]): float(row["value"]) if row["value"] else None for row in rows}


def fifo_cycles(model: str, point: str) -> float:
    """Cycles of a full decode block.

    Raises:
        LookupError: no such row, or the design deadlocks.
    """
    cycles = _cells()[model, f"cycles c={CONTEXT}, {point}"]
    if cycles is None:
        raise LookupError(f"{model}, {point}: deadlock")
    return cycles


def fifo_gain(model: str, speed: float, endless: str) -> float:
    """How much faster a block gets with FIFOs that are never full, as a fraction of its cycles then."""
    at = f"memory at {speed:g}"
    return fifo_cycles(model, at) / fifo_cycles(model, f"{at}, {endless}") - 1


def largest_fifo_gain(endless: str, *models: str, speeds: tuple[float, ...] = (1, 0.5, 0.25)) -> float:
    """The most that any of these models gets faster at any speed of memory."""
    return max(fifo_gain(model, speed, endless) for model in models for speed in speeds)


def fifo_sizings(*models: str) -> str:
    """Cycles and Kbit of FIFOs by model and sizing."""
    cells = _cells()
    shown: tuple[tuple[str, Callable[[float | None], str]], ...] = (
        ("cycles", lambda value: "deadlock" if value is None else f"{value:,.0f}"),
        ("FIFO bits", lambda value: "" if value is None else f"{value / 1000:,.0f}"),
    )
    lines = [
        (model, *(text(cells[model, f"{metric} c={CONTEXT}, {name}"]) for name in SIZINGS for metric, text in shown))
        for model in models
    ]
    columns = ["block", *(column for name in SIZINGS for column in (name, "Kbit"))]
    return markdown_table(columns, lines, is_right=lambda column: column > 0)
