"""Tables for people: text on a terminal, Markdown on pages."""

import sys
from collections.abc import Callable, Iterable, Sequence
from io import StringIO

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text
from tabulate import DataRow, TableFormat, tabulate

_FILE_COLUMNS = 240
"""Wide enough that nothing is folded when the output goes to a file or a pipe."""


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str = "") -> None:
    """Prints a table without frames: as wide as the terminal or, to a file or a pipe, with one line per row.

    Columns in which every cell is a number are aligned to the right.
    """
    rows = list(rows)
    table = Table(box=box.SIMPLE_HEAD, title=Text(title) if title else None, title_justify="left", title_style="bold")
    for number, name in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[number], int | float) for row in rows)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_text(value)) for value in row))
    if sys.stdout.isatty():
        Console(highlight=False, markup=False).print(table)
        return
    page = StringIO()
    Console(file=page, width=_FILE_COLUMNS, highlight=False, markup=False).print(table)
    print("\n".join(line.rstrip() for line in page.getvalue().splitlines() if line.strip()))


def _text(value: object) -> str:
    if isinstance(value, float) and not value.is_integer():
        return f"{value:,.6g}"
    if isinstance(value, float):
        return f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


_ROW = DataRow("|", "|", "|")


def markdown_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, is_right: Callable[[int], bool] = lambda _column: False
) -> str:
    """A Markdown table with cells as they are: nothing is padded, so that a change of one cell changes one line.

    Args:
        columns: names of the columns.
        rows: cells of each line.
        is_right: whether a column, by its number, is aligned to the right.
    """

    def rule(_widths: object, _alignments: object) -> str:
        return f"| {' | '.join('---:' if is_right(number) else '---' for number in range(len(columns)))} |"

    layout = TableFormat(
        lineabove=None, linebelowheader=rule, linebetweenrows=None, linebelow=None, headerrow=_ROW,
        datarow=_ROW, padding=1, with_header_hide=None,
    )  # fmt: skip
    cells = [[str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    text = tabulate(
        cells, list(columns), tablefmt=layout, stralign=None, numalign=None, disable_numparse=True,
        preserve_whitespace=True,
    )  # fmt: skip
    return f"{text}\n"
