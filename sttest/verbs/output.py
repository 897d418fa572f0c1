"""What verbs write: JSON or plain text on stdout, progress on stderr where that is a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

# Wide enough that nothing is folded when the output goes to a file or a pipe.
_FILE_COLUMNS = 240


def print_json(data: Any) -> None:
    """One JSON document on stdout."""
    print(json.dumps(data, indent=1))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str = "") -> None:
    """A table without frames, on a terminal as wide as that, else with one line per row.

    Columns in which every cell is a number are aligned to the right.
    """

    rows = list(rows)
    table = Table(box=box.SIMPLE_HEAD, title=Text(title) if title else None, title_justify="left", title_style="bold")
    for number, name in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[number], int | float) for row in rows)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    if sys.stdout.isatty():
        Console(highlight=False, markup=False).print(table)
        return
    page = StringIO()
    Console(file=page, width=_FILE_COLUMNS, highlight=False, markup=False).print(table)
    lines = page.getvalue().splitlines()
    print("\n".join(line.rstrip() for line in lines if line.strip()))


def _cell(value: object) -> str:
    if isinstance(value, float) and not value.is_integer():
        return f"{value:,.6g}"
    if isinstance(value, float):
        return f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


@contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """A line on stderr that tells what is going on; nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield lambda _step: None
        return

    with Console(stderr=True).status(what) as status:
        yield lambda step: status.update(f"{what}: {step}")
