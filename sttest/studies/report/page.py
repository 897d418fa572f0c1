"""The page: results put into the templates, and everything written whole or not at all."""

import base64
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from sttest.boards.load import board_names, load_board, quantities
from sttest.core.errors import InputError
from sttest.core.files import replacing
from sttest.core.plain_files import check_replaceable, open_to_read
from sttest.core.program import __version__
from sttest.core.results import Row
from sttest.studies.figures import in_words
from sttest.studies.report.front import headlines, picture
from sttest.studies.report.hypotheses import Hypothesis, is_rejected, tested_by
from sttest.studies.report.ledger import (
    Column,
    Ledger,
    Table,
    TableLine,
    beside_references,
    cell,
    decimals_of,
    error_text,
)
from sttest.studies.report.overview import KINDS, ResultEntry, anchor, configuration, entry, span, versions
from sttest.studies.report.pivot import tables_of
from sttest.studies.report.read import ResultSet, read_results
from sttest.studies.report.svg import figure_markup

__depends__ = ("sttest/studies/report/templates/",)

# --- Where a page goes: what may be replaced, and files that appear whole or not at all


_BYTES_READ = 4096


def check_target(out: Path, generator: str) -> None:
    """Refuses what would be overwritten by mistake, and folders that are not there.

    Args:
        out: path of the page.
        generator: generator that an earlier page names; such a page may be replaced.

    Raises:
        InputError: the request cannot be met; the hints say what would help.
    """
    hints = ["name another file with -o"]
    if not out.parent.is_dir():
        raise InputError("no-such-folder", "no such folder", where=str(out.parent), hints=[*hints, "make the folder"])
    if out.is_dir():
        raise InputError("not-a-file", "is a folder", where=str(out), hints=["name a file, as in -o report.html"])
    check_replaceable(out)
    if out.exists():
        with open_to_read(out) as file:
            is_ours = f'content="{generator} '.encode() in file.read(_BYTES_READ)
        if not is_ours:
            raise InputError("foreign-file", "is no earlier report", where=str(out), hints=[*hints, "remove it"])


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Has ``write`` write to a temporary name beside ``path``, then renames.

    Raises:
        InputError: it can't be written.
    """
    try:
        with replacing(path) as unfinished:
            write(unfinished)
    except OSError as error:
        hints = ["name another file with -o"]
        raise InputError("unwritable", f"can't be written ({error.strerror})", where=str(path), hints=hints) from error


# --- Templates to text: everything from files is escaped, and one page holds its style and script


_JOINT = re.compile(r"(?<=[/._])(?=\w)")
_URL = re.compile(r"https?://[^\s<>\"')\]]+[^\s<>\"')\].,;]")


def render_page(**shown: Any) -> str:
    """The page as text.

    The only script is our own; the page's policy names its hash, so that nothing that
    came in with a result could run, and nothing is loaded from anywhere.
    """
    room = Environment(
        loader=PackageLoader("sttest.studies.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    room.filters["linked"] = _linked
    room.filters["words"] = in_words
    room.filters["breakable"] = _breakable
    room.filters["format_count"] = "{:,}".format
    script = Markup(_without_blank_lines(room.get_template("page.js").render()))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = room.get_template("page.html").render(script=script, script_hash=f"sha256-{digest}", **shown)
    return _without_blank_lines(page) + "\n"


def _without_blank_lines(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line.strip())


def _breakable(text: str) -> Markup:
    """Text that may be broken behind the marks that hold paths and names together."""
    return Markup("<wbr>").join(_JOINT.split(text))


def _linked(text: str) -> Markup:
    """Text with its addresses as links."""
    made, end = Markup(""), 0
    for found in _URL.finditer(text):
        made += escape(text[end : found.start()])
        made += Markup('<a href="{0}" rel="noreferrer noopener">{0}</a>').format(found[0])
        end = found.end()
    return made + escape(text[end:])


GENERATOR = "sttest report"
SCHEMA = "sttest.report/2"
MAX_NUMBERS = 100_000
"""Numbers of a page: with more it would be larger than a browser likes."""


@dataclass(frozen=True)
class ReportPage:
    """What was written."""

    page: Path
    page_bytes: int
    experiments: Mapping[str, int]
    compared: int
    stale: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """The page as JSON values; ``experiments`` has numbers by name, ``stale`` why some may be others."""
        return {
            "schema": SCHEMA,
            "page": str(self.page),
            "page_bytes": self.page_bytes,
            "experiments": dict(self.experiments),
            "numbers": sum(self.experiments.values()),
            "compared": self.compared,
            "stale": dict(self.stale),
        }


@dataclass(frozen=True)
class _Section:
    """An experiment as its template takes it."""

    entry: ResultEntry
    configuration: Sequence[tuple[str, str]]
    tables: Sequence[Table]
    figures: Sequence[tuple[str, Markup]]


@dataclass(frozen=True)
class _Tried:
    """A rejected hypothesis, and its numbers."""

    hypothesis: Hypothesis
    anchor: str
    worst: str
    table: Table


@dataclass(frozen=True)
class _Board:
    """A data sheet."""

    name: str
    anchor: str
    title: str
    table: Table


def build_report(
    results: Path, out: Path, names: Sequence[str] = (), *, say: Callable[[str], None] = print
) -> ReportPage:
    """Reads results and writes the page.

    Args:
        results: folder of result folders.
        out: the page; an earlier one may be replaced.
        names: names of the experiments that are shown; all if empty.
        say: callback that gets a line of progress.

    Raises:
        InputError: no results, results that are none, or a place that can't be written.
    """
    check_target(out, GENERATOR)
    ledger = Ledger()
    found: dict[str, ResultSet] = {}
    for each in read_results(results, names):
        say(f"reading {each.name}")
        found[each.name] = each
        _check_numbers(sum(len(own.rows) for own in found.values()), results)
    sections = [_section(number, each, ledger) for number, each in enumerate(found.values())]
    tried = list(_tried(found, ledger))
    fronts = list(headlines(found, ledger))
    boards = list(_boards(ledger))
    say("writing the page")
    entries = [section.entry for section in sections]
    text = render_page(
        generator=f"{GENERATOR} {__version__}",
        sections=sections,
        entries=entries,
        headlines=fronts,
        picture=picture(found),
        tried=tried,
        boards=boards,
        ledger=ledger,
        kinds=KINDS,
        span=span(entries),
        versions=versions(entries),
        anchors={each.name: each.anchor for each in entries} | {f"board {each.name}": each.anchor for each in boards},
    )
    write_whole(out, lambda unfinished: unfinished.write_text(text, encoding="utf-8"))
    return ReportPage(
        out,
        out.stat().st_size,
        {each.name: each.numbers for each in entries},
        sum(each.compared + each.rejected for each in entries),
        {each.name: each.stale for each in entries if each.stale},
    )


def _section(number: int, found: ResultSet, ledger: Ledger) -> _Section:
    """Numbers with a reference first, the largest miss at the top; those of rejected hypotheses stand elsewhere."""
    ledger.begin(found.name, found.config_hash)
    beside = [row for row in found.rows if row.reference is not None and not is_rejected(row)]
    tables = [beside_references("Beside references, the largest miss first", beside, ledger)] if beside else []
    tables += tables_of([row for row in found.rows if row.reference is None], ledger)
    return _Section(entry(number, found), list(configuration(found.manifest)), tables, list(_figures(number, found)))


def _tried(found: Mapping[str, ResultSet], ledger: Ledger) -> Iterator[_Tried]:
    for name, results in found.items():
        ledger.begin(name, results.config_hash)
        for number, (hypothesis, rows) in enumerate(tested_by(results.rows)):
            off = max(rows, key=lambda row: abs(row.error or 0))
            table = beside_references("The largest miss first", rows, ledger)
            yield _Tried(hypothesis, anchor(f"h{number}", name), error_text(off.error), table)


def _boards(ledger: Ledger) -> Iterator[_Board]:
    """Every quantity of every board: value, unit, kind and source."""
    columns = (Column("value", ""), Column("kind", "", is_text=True), Column("source", "", is_text=True))
    for name in board_names():
        board = load_board(name)
        ledger.begin(f"board {name}", "")
        lines = []
        for key, each in quantities(board):
            row = Row(f"board {name}", key, each.value, each.unit, each.kind, board=name, source=each.source)
            lines.append(
                TableLine([key], each.unit, (cell(row, ledger, decimals_of([each.value])), each.kind, each.source))
            )
        yield _Board(name, anchor("b", name), board.title, Table(board.title, [], ["quantity"], columns, lines))


def _figures(number: int, found: ResultSet) -> Iterator[tuple[str, Markup]]:
    for place, path in enumerate(found.figures):
        title = f"{found.name}: {path.stem}"
        yield path.name, figure_markup(path, f"f{number}-{place}", title)


def _check_numbers(count: int, results: Path) -> None:
    if count > MAX_NUMBERS:
        hints = ["name fewer with --experiment"]
        raise InputError(
            "too-many-numbers",
            "too many numbers for one page",
            where=str(results),
            demand=count,
            bound=MAX_NUMBERS,
            unit="numbers",
            hints=hints,
        )
