"""Tables for people: text on a terminal, whole in a pipe, CSV where it is asked for, Markdown on pages."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from tabulate import DataRow, TableFormat, tabulate

from sttest.core import terminal
from sttest.core.files import csv_text
from sttest.core.terminal import broken

MOST_COLUMNS = 5
"""Columns of a table on a terminal; ``--wide`` shows all."""
_BELOW = 4
"""Lines of a terminal's page that a long table leaves for what follows."""
_LEAST_LINES = 20
"""Lines of a long table at least, below others, too; the page is cut then."""
_JUDGED = 40
"""Rows by which the widths of columns are chosen."""
_LEAST_TEXT = 14
"""Columns that a text is given at least; longer words are broken at a sign of their spelling."""
_GAP = "   "
_MARGIN = "  "
_NUMBER = re.compile(r"[-+]?(\d[\d,]*(\.\d+)?|\.\d+)(e[-+]?\d+)?( ?%|x)?")


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    title: str = "",
    shown: Sequence[str] = (),
    one_line: bool = False,
    tidy: tuple[Sequence[str], Iterable[Sequence[object]]] | None = None,
) -> None:
    """Prints a table without frames.

    A pipe, a file and ``--wide`` get all columns, with one line per row.  A terminal gets at most five, those ``shown``
    or else the first, in lines that it has room for, and is told what is left out.  Numbers are aligned to the right
    and are never broken.  With ``one_line`` a terminal gets the beginning of long texts of the last text column.
    With ``--csv`` it is CSV with all columns, numbers as they are: those of ``tidy``, columns and rows, if it is given.
    """
    style = terminal.style
    if style.csv is not None and tidy is not None:
        columns, rows = tidy
    rows = [tuple(row) for row in rows]
    if style.csv is not None:
        style.csv.write(csv_text(columns, rows))
        return
    table = [_Column.of(name, [row[number] for row in rows]) for number, name in enumerate(columns)]
    if style.wide or style.columns is None:
        lines = _lines(table, [each.natural for each in table])
    else:
        lines = _short_lines(table, shown, style.columns - 1, one_line=one_line)
    print("\n".join([title, *lines] if title else lines))


@dataclass(frozen=True)
class _Column:
    name: str
    cells: tuple[str, ...]
    is_number: bool

    @classmethod
    def of(cls, name: str, values: Sequence[object]) -> "_Column":
        cells = tuple(_text(value) for value in values)
        told = [cell for cell in cells if cell not in ("", "-")]
        return cls(name, cells, bool(told) and all(_NUMBER.fullmatch(cell) for cell in told))

    @property
    def natural(self) -> int:
        """Width in which nothing is broken."""
        return max(len(self.name), *map(len, self.cells)) if self.cells else len(self.name)

    def least(self, word: int) -> int:
        """Width in which no number is broken, nor a word of a text that is not longer than ``word``."""
        told = (self.name, *(() if self.is_number else self.cells))
        longest = max((len(each) for cell in told for each in cell.split()), default=1)
        if self.is_number:
            return max(longest, *map(len, self.cells))
        return min(self.natural, max(_LEAST_TEXT, min(longest, word)))

    def begun(self, width: int) -> "_Column":
        """The same with the beginning of texts that are longer."""
        cells = (cell if len(cell) <= width else f"{cell[: width - 1].rstrip(' ,')}…" for cell in self.cells)
        return replace(self, cells=tuple(cells))

    def aligned(self, text: str, width: int) -> str:
        return text.rjust(width) if self.is_number else text.ljust(width)


def _short_lines(table: Sequence[_Column], shown: Sequence[str], width: int, *, one_line: bool) -> list[str]:
    """The columns that are shown, as wide as there is room, and what is left out."""
    chosen = [each for each in table if each.name in shown] if shown else list(table)
    chosen = chosen[:MOST_COLUMNS]
    while len(chosen) > 1 and _total(each.least(_LEAST_TEXT) for each in chosen) > width:
        chosen.pop()
    drawn = chosen
    if one_line:
        last = max((number for number, each in enumerate(chosen) if not each.is_number), default=0)
        rest = [each.natural for number, each in enumerate(chosen) if number != last]
        begun = chosen[last].begun(max(width - _total([*rest, 0]), _LEAST_TEXT))
        drawn = [*chosen[:last], begun, *chosen[last + 1 :]]
    widths = _widths(drawn, width)
    lines, kept = _rows_in(drawn, widths, max(terminal.lines_left() - _BELOW, _LEAST_LINES))
    notes = [_more(len(table[0].cells) - kept, "row")] if table and kept < len(table[0].cells) else []
    if drawn != chosen:
        notes.append("texts in full")
    if len(chosen) < len(table):
        names = ", ".join(each.name for each in table if each not in chosen)
        notes.append(f"{_more(len(table) - len(chosen), 'column')} ({names})")
    return [*lines, f"{_MARGIN}… {' and '.join(notes)}: --wide"] if notes else lines


def _more(count: int, what: str) -> str:
    return f"{count:,} more {what}{'s' if count > 1 else ''}"


def _rows_in(chosen: Sequence[_Column], widths: Sequence[int], room: int) -> tuple[list[str], int]:
    """All rows or, where there is no room for so many lines, the first ones; and their number."""
    lines = _head(chosen, widths)
    count = len(chosen[0].cells) if chosen else 0
    ends = list[int]()
    for number in range(count):
        lines += _row(chosen, widths, [each.cells[number] for each in chosen])
        ends.append(len(lines))
        if len(lines) > room:
            kept = sum(end < room for end in ends)
            return lines[: ends[kept - 1] if kept else 2], kept
    return lines, count


def _widths(chosen: Sequence[_Column], width: int) -> list[int]:
    """Natural widths; where there is no room, the texts and headers give way that cost the fewest lines."""
    widths = [each.natural for each in chosen]
    for word in (2 * _LEAST_TEXT, _LEAST_TEXT):
        least = [each.least(word) for each in chosen]
        while _total(widths) > width and (over := [at for at, low in enumerate(least) if widths[at] > low]):
            widths[min(over, key=lambda number: (_height(chosen, widths, number), -widths[number]))] -= 1
    if len(chosen) == 1:
        widths[0] = min(widths[0], max(width - len(_MARGIN), 1))
    return widths


def _height(chosen: Sequence[_Column], widths: Sequence[int], narrower: int) -> int:
    """About how many lines the first rows take if one column has one place less."""
    tried = [width - (number == narrower) for number, width in enumerate(widths)]
    rows = zip(*((each.name, *each.cells[:_JUDGED]) for each in chosen), strict=True)
    return sum(max(-(-len(cell) // width) for cell, width in zip(row, tried, strict=True)) for row in rows)


def _total(widths: Iterable[int]) -> int:
    widths = list(widths)
    return len(_MARGIN) + sum(widths) + len(_GAP) * (len(widths) - 1)


def _lines(table: Sequence[_Column], widths: Sequence[int]) -> list[str]:
    lines = _head(table, widths)
    for number in range(len(table[0].cells) if table else 0):
        lines += _row(table, widths, [each.cells[number] for each in table])
    return lines


def _head(table: Sequence[_Column], widths: Sequence[int]) -> list[str]:
    return [*_row(table, widths, [each.name for each in table]), f" {'─' * (_total(widths))}"]


def _row(table: Sequence[_Column], widths: Sequence[int], cells: Sequence[str]) -> list[str]:
    """A row in as many lines as its longest cell needs."""
    parts = [_folded(cell, width) for cell, width in zip(cells, widths, strict=True)]
    height = max(map(len, parts), default=0)
    filled = [[*part, *[""] * (height - len(part))] for part in parts]
    return [
        f"{_MARGIN}{_GAP.join(map(_Column.aligned, table, line, widths))}".rstrip()
        for line in zip(*filled, strict=True)
    ]


def _folded(text: str, width: int) -> list[str]:
    """A cell in lines of a width."""
    if len(text) <= width:
        return [text]
    lines, current = list[str](), ""
    for word in text.split():
        *parts, rest = broken(word, width)
        if current and (parts or len(current) + 1 + len(rest) > width):
            lines.append(current)
            current = ""
        lines += parts
        current = f"{current} {rest}".strip()
    return [*lines, current]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return ""
    if isinstance(value, float) and not value.is_integer():
        return f"{value:,.6g}"
    if isinstance(value, float):
        return f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else " ".join(str(value).split("\n"))


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
        lineabove=None,
        linebelowheader=rule,
        linebetweenrows=None,
        linebelow=None,
        headerrow=_ROW,
        datarow=_ROW,
        padding=1,
        with_header_hide=None,
    )
    cells = [[str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    text = tabulate(
        cells,
        list(columns),
        tablefmt=layout,
        stralign=None,
        numalign=None,
        disable_numparse=True,
        preserve_whitespace=True,
    )
    return f"{text}\n"
