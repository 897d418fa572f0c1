"""What a table of the page is made of, whoever made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from experiments.report.digits import decimals_of, error_text, number_text
from experiments.report.ledger import Ledger
from sttest.results import Row


@dataclass(frozen=True)
class Cell:
    """One shown number: its place in the ledger, its text, and the footnotes that print needs."""

    number: int
    kind: str
    text: str
    reference: str
    error: str
    marks: Sequence[str]


@dataclass(frozen=True)
class Column:
    """Numbers of one quantity; ``is_compared`` if any has a reference beside it."""

    label: str
    unit: str
    is_compared: bool


@dataclass(frozen=True)
class Line:
    """One line: what it is about, a text per head, and a cell (or None) per column; ``unit`` if columns have none."""

    heads: Sequence[str]
    unit: str
    cells: Sequence[Cell | None]


@dataclass(frozen=True)
class Table:
    """A table of the page; ``facts`` hold for all of its numbers."""

    title: str
    facts: Sequence[str]
    heads: Sequence[str]
    columns: Sequence[Column]
    lines: Sequence[Line]

    @property
    def width(self) -> int:
        """Columns as they are drawn."""
        has_units = any(line.unit for line in self.lines)
        return len(self.heads) + has_units + sum(3 if column.is_compared else 1 for column in self.columns)

    @property
    def has_units(self) -> bool:
        """Whether the unit stands in the lines."""
        return any(line.unit for line in self.lines)


def cells(rows: Sequence[Row | None], ledger: Ledger) -> list[Cell | None]:
    """Cells of rows that stand in one column (or line) and have one unit."""
    shown = [number for row in rows if row is not None for number in (row.value, row.reference) if number is not None]
    decimals = decimals_of(shown)
    return [None if row is None else _cell(row, decimals, ledger) for row in rows]


def _cell(row: Row, decimals: int | None, ledger: Ledger) -> Cell:
    reference = "" if row.reference is None else number_text(row.reference, decimals)
    return Cell(
        ledger.add(row), row.kind, number_text(row.value, decimals), reference, error_text(row.error),
        ledger.marks(row),
    )  # fmt: skip
