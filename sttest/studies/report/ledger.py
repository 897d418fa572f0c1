"""Every number of the page with its provenance, and the sources and notes that they share."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sttest.core.results import COLUMNS, Row
from sttest.studies.figures import in_words


class Ledger:
    """Numbers in the order in which they were added.

    ``origin`` is what the numbers that come next belong to: results, a board or a schedule; ``hashes`` names
    the configuration of each.  ``sources`` and ``notes`` are distinct texts in order of appearance; the page refers to
    them as S1, S2 … and N1, N2 …  ``used`` has the origins that name a source.
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.origin = ""
        self.hashes: dict[str, str] = {}
        self._origins: list[str] = []
        self.sources: dict[str, int] = {}
        self.notes: dict[str, int] = {}
        self.used: dict[str, dict[str, None]] = {}

    def begin(self, origin: str, config_hash: str) -> None:
        """The numbers that come next are of ``origin``."""
        self.origin = origin
        self.hashes[origin] = config_hash

    def add(self, row: Row) -> int:
        """The place of a number."""
        self.rows.append(row)
        self._origins.append(self.origin)
        return len(self.rows) - 1

    def marks(self, row: Row) -> list[str]:
        """Footnotes of a number, as in S3 and N12."""
        found = []
        if row.source:
            self.used.setdefault(row.source, {})[self.origin] = None
        for letter, text, known in (("S", row.source, self.sources), ("N", row.note, self.notes)):
            if text:
                found.append(f"{letter}{known.setdefault(text, len(known) + 1)}")
        return found

    def to_json(self) -> dict[str, Any]:
        """What the page's script reads: texts once each, and per number a list in the order of ``columns``.

        Texts stand as indices into ``texts``, numbers as numbers; ``hashes`` are by origin.
        """
        texts: dict[str, int] = {}

        def plain(value: object) -> object:
            return texts.setdefault(value, len(texts)) if isinstance(value, str) else value

        columns = [column for column in COLUMNS if column != "point"]  # which stands in brackets behind the metric
        numbers = [
            [*(plain(getattr(row, column)) for column in columns), plain(origin)]
            for row, origin in zip(self.rows, self._origins, strict=True)
        ]
        return {"columns": [*columns, "origin"], "texts": list(texts), "numbers": numbers, "hashes": self.hashes}


# --- What metric names are made of: a quantity, and in brackets or after ``n=`` the point that it is of


_BRACKETED = re.compile(r"(?P<quantity>[^\[\]]*\S) \[(?P<point>[^\[\]]*)\](?P<rest>.*)")
_NAMED = re.compile(r"(?P<quantity>[^=]*\S) (?P<point>[a-z]\w*=\S.*)(?P<rest>)")


@dataclass(frozen=True)
class Name:
    """A metric in parts.

    ``latency item: host [32:32]`` is of family ``latency item``, quantity ``host`` and point ``32:32``;
    ``speed [64:64] with launch b`` of quantity ``speed with launch b``; ``cycles n=32`` of point ``n=32``.
    """

    family: str
    quantity: str
    point: str


def name_of(row: Row) -> Name:
    """The parts of a row's metric; what the row's model and board say already is left out of the point."""
    found = _BRACKETED.fullmatch(row.metric) or _NAMED.fullmatch(row.metric)
    quantity, point = (found["quantity"] + found["rest"], found["point"]) if found else (row.metric, "")
    family, colon, rest = quantity.partition(": ")
    parts = [part for part in point.split(", ") if part not in (row.model, row.board)]
    return Name(family if colon else "", rest if colon else quantity, ", ".join(parts))


def point_parts(points: list[str]) -> tuple[list[str], list[list[str]]]:
    """Columns that say the same as the points, and their texts.

    ``a=1, b=2`` is two columns if all points are made alike; else there is one column, ``point``.

    >>> point_parts(["n=32, normal", "n=64, least"])
    (['n', ''], [['32', 'normal'], ['64', 'least']])
    >>> point_parts(["32:32", "context=64"])
    (['point'], [['32:32'], ['context=64']])
    """
    split = [[part.partition("=") for part in point.split(", ")] for point in points]
    names = [[name if equals else "" for name, equals, _ in parts] for parts in split]
    if not names or any(each != names[0] for each in names) or not any(names[0]):
        return ["point"], [[point] for point in points]
    return names[0], [[rest if equals else name for name, equals, rest in parts] for parts in split]


# --- Numbers as text: so many decimals per column that its points stand under each other


SHOWN_DIGITS = 4
LEAST_DIGITS = 2
MOST_DIGITS = 5
_WIDEST = 1e7
_MOST_OFF = 0.05


def decimals_of(values: Iterable[float]) -> int | None:
    """Decimals that show all of ``values``; None where they are too far apart for one number of decimals.

    The lower quartile keeps four digits and the smallest number two, as long as the largest has no more than five.

    >>> decimals_of([193.78, 1517.99]), decimals_of([2, 12000]), decimals_of([1e-9, 1e6])
    (1, 0, None)
    """
    sizes = sorted(abs(value) for value in values if value)
    if all(size.is_integer() for size in map(float, sizes)):
        return 0
    if sizes[-1] / sizes[0] > _WIDEST:
        return None
    wanted = max(SHOWN_DIGITS - _digits(sizes[len(sizes) // 4]), LEAST_DIGITS - _digits(sizes[0]))
    return max(min(wanted, MOST_DIGITS - max(_digits(sizes[-1]), 0)), 0)


def number_text(value: float | None, decimals: int | None) -> str:
    """A number with a comma per thousand; a dash where there is none.

    One that so many decimals would put off by more than 5 % keeps two digits instead.

    >>> number_text(1517.991, 1), number_text(0.01114, 2), number_text(-1.234e-6, None), number_text(None, 0)
    ('1,518.0', '0.011', '−1.234e-06', '–')
    """
    if value is None:
        return "–"
    if not value:
        return "0"
    if decimals is None:
        text = f"{value:.4g}"
    else:
        is_off = abs(round(value, decimals) / value - 1) > _MOST_OFF
        text = f"{value:,.{LEAST_DIGITS - _digits(abs(value)) if is_off else decimals}f}"
    return f"−{text[1:]}" if text.startswith("-") else text


def error_text(error: float | None) -> str:
    """A relative error in percent, with its sign.

    >>> error_text(0.0938), error_text(-8e-7), error_text(1234.5)
    ('+9.4\\u2009%', '−0.0\\u2009%', '+123,450\\u2009%')
    """
    if error is None:
        return ""
    percent = 100 * error
    text = f"{percent:+,.0f}" if abs(percent) >= 1000 else f"{percent:+.1f}"
    return f"{text.replace('-', '−')}\N{THIN SPACE}%"


def _digits(size: float) -> int:
    """Digits before the point; less than 1 where the first digit stands behind it."""
    return math.floor(math.log10(size)) + 1


# --- What a table of the page is made of, whoever made it


@dataclass(frozen=True)
class Cell:
    """One shown number: its place in the ledger, its text, and the footnotes that print needs."""

    number: int
    kind: str
    text: str
    marks: Sequence[str]


@dataclass(frozen=True)
class Column:
    """A column of one quantity; ``is_text`` for words, which stand at the left."""

    label: str
    unit: str
    is_text: bool = False


@dataclass(frozen=True)
class TableLine:
    """One line: what it is about, a text per head, and per column a number, a text, or nothing; ``unit`` if columns
    have none."""

    heads: Sequence[str]
    unit: str
    cells: Sequence[Cell | str | None]
    anchor: str = ""


@dataclass(frozen=True)
class Table:
    """A table of the page; ``facts`` hold for all of its numbers."""

    title: str
    facts: Sequence[str]
    heads: Sequence[str]
    columns: Sequence[Column]
    lines: Sequence[TableLine]

    @property
    def has_units(self) -> bool:
        """Whether the unit stands in the lines."""
        return any(line.unit for line in self.lines)


def cells(rows: Sequence[Row | None], ledger: Ledger) -> list[Cell | None]:
    """Cells of rows that stand in one column (or line) and have one unit."""
    decimals = decimals_of([row.value for row in rows if row is not None and row.value is not None])
    return [None if row is None else cell(row, ledger, decimals) for row in rows]


def cell(row: Row, ledger: Ledger, decimals: int | None) -> Cell:
    """The cell of a row, which joins the ledger."""
    return Cell(ledger.add(row), row.kind, number_text(row.value, decimals), ledger.marks(row))


# --- Numbers beside others': the largest miss first


BESIDE = (Column("reference", ""), Column("ours", ""), Column("error", ""), Column("note", "", is_text=True))
_ABOUT = ("model", "board", "phase", "metric")


def beside_references(
    title: str, rows: Sequence[Row], ledger: Ledger, *, by_error: bool = True, words: Mapping[str, str] | None = None
) -> Table:
    """A table of numbers that have a reference, with what must be known of each; the largest miss comes first.

    Args:
        title: title of the table.
        rows: rows with a reference.
        ledger: ledger of the page.
        by_error: whether the largest miss comes first; else rows keep their order.
        words: what to say in place of a metric.
    """
    order = sorted(rows, key=lambda row: -abs(row.error or 0)) if by_error else rows
    shared = {name for name in (*_ABOUT, "source", "note") if len({getattr(row, name) for row in rows}) == 1}
    texts = {
        row: {
            **{name: in_words(getattr(row, name)) for name in _ABOUT[:3]},
            "metric": (words or {}).get(row.metric) or said(row.metric),
        }
        for row in rows
    }
    lines = []
    for row in order:
        decimals = decimals_of([number for number in (row.value, row.reference) if number is not None])
        about = filter(None, (texts[row][name] for name in _ABOUT if name not in shared))
        own = (
            number_text(row.reference, decimals),
            cell(row, ledger, decimals),
            error_text(row.error) or "–",
            row.note,
        )
        lines.append(TableLine([", ".join(about) or texts[row]["metric"]], row.unit, own[: 4 - ("note" in shared)]))
    facts = [texts[rows[0]][name] for name in _ABOUT if name in shared and len(rows) > 1]
    facts += [f"reference: {rows[0].source}"] if "source" in shared else []
    facts += [rows[0].note] if "note" in shared else []
    return Table(title, list(filter(None, facts)), ["quantity"], BESIDE[: 4 - ("note" in shared)], lines)


_COLUMN = re.compile(r"[a-z]+([._][a-z0-9]+)+")


def said(metric: str) -> str:
    """A metric as people say it."""
    return in_words(metric) if _COLUMN.fullmatch(metric) else re.sub(r"^ttft\b", "time to first token", metric)
