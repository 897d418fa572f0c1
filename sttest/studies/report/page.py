"""The page: results and schedules put into the templates, and everything written whole or not at all."""

import base64
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from sttest.core.errors import InputError
from sttest.core.files import replacing
from sttest.core.program import __version__
from sttest.sim.export import write_trace
from sttest.studies.report.gantt import Drawing, fill, gantt
from sttest.studies.report.ledger import Cell, Ledger, Table
from sttest.studies.report.overview import KINDS, Entry, anchor, comparisons, configuration, entry, span, versions
from sttest.studies.report.pivot import tables_of
from sttest.studies.report.read import ResultSet, read_results
from sttest.studies.report.schedule import (
    BOARD,
    ENGINE,
    Schedule,
    critical_table,
    fifo_table,
    headline,
    process_table,
    simulate_blocks,
    stall_table,
)
from sttest.studies.report.svg import figure_markup

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
    if out.exists():
        with out.open("rb") as file:
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
SCHEMA = "sttest.report/1"
MAX_NUMBERS = 100_000
"""Of a page: with more it would be larger than a browser likes."""


@dataclass(frozen=True)
class ReportPage:
    """What was written."""

    page: Path
    page_bytes: int
    traces: Sequence[Path]
    experiments: Mapping[str, int]
    compared: int
    stale: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """The page as JSON values; ``experiments`` has numbers by name, ``stale`` why some may be others."""
        return {
            "schema": SCHEMA,
            "page": str(self.page),
            "page_bytes": self.page_bytes,
            "traces": [str(path) for path in self.traces],
            "experiments": dict(self.experiments),
            "numbers": sum(self.experiments.values()),
            "compared": self.compared,
            "stale": dict(self.stale),
        }


@dataclass(frozen=True)
class _Section:
    """An experiment as its template takes it; ``numbers``: places of its rows in the ledger."""

    entry: Entry
    configuration: Sequence[tuple[str, str]]
    tables: Sequence[Table]
    numbers: Sequence[int]
    figures: Sequence[tuple[str, Markup]]


@dataclass(frozen=True)
class _Block:
    """A schedule as its template takes it."""

    schedule: Schedule
    anchor: str
    headline: Sequence[tuple[str, str, Cell]]
    gantt: Drawing
    fill: Drawing
    tables: Sequence[Table]
    processes: Table
    trace: str


def build_report(
    results: Path, out: Path, names: Sequence[str] = (), *, blocks: bool = True, say: Callable[[str], None] = print
) -> ReportPage:
    """Reads results, simulates blocks, writes the page and the traces beside it.

    Args:
        results: folder of result folders.
        out: the page; traces go to ``<stem>-traces`` beside it.
        names: names of the experiments that are shown; all if empty.
        blocks: whether blocks are simulated for their schedules.
        say: callback that gets a line of progress.

    Raises:
        InputError: no results, results that are none, or a place that can't be written.
    """
    check_target(out, GENERATOR)
    ledger = Ledger()
    sections = list(_sections(results, names, ledger, say))
    schedules = simulate_blocks(say) if blocks else []
    traces = {schedule.name: _trace_path(out, schedule) for schedule in schedules}
    shown = [_block(schedule, traces[schedule.name].relative_to(out.parent), ledger) for schedule in schedules]
    say("writing the page")
    text = _page_text(sections, shown, ledger)
    for schedule in schedules:
        path = traces[schedule.name]
        path.parent.mkdir(exist_ok=True)
        write_whole(path, lambda unfinished, run=schedule.run: write_trace(run, unfinished))
    write_whole(out, lambda unfinished: unfinished.write_text(text, encoding="utf-8"))
    return ReportPage(
        out, out.stat().st_size, list(traces.values()), {each.entry.name: each.entry.numbers for each in sections},
        sum(each.entry.compared for each in sections),
        {each.entry.name: each.entry.stale for each in sections if each.entry.stale},
    )  # fmt: skip


def _sections(results: Path, names: Sequence[str], ledger: Ledger, say: Callable[[str], None]) -> Iterator[_Section]:
    for number, found in enumerate(read_results(results, names)):
        say(f"reading {found.name}")
        _check_numbers(len(ledger.rows) + len(found.rows), results)
        ledger.begin(found.name, str(found.manifest.get("config_hash", "")))
        first = len(ledger.rows)
        tables = tables_of(found.rows, ledger)
        numbers = range(first, len(ledger.rows))
        about = entry(number, found, ledger)
        yield _Section(about, list(configuration(found.manifest)), tables, numbers, _figures(number, found))


def _page_text(sections: Sequence[_Section], blocks: Sequence[_Block], ledger: Ledger) -> str:
    entries = [section.entry for section in sections]
    compared = comparisons([(section.entry, section.numbers) for section in sections], ledger)
    return render_page(
        generator=f"{GENERATOR} {__version__}", sections=sections, blocks=blocks, entries=entries, comparisons=compared,
        ledger=ledger, kinds=KINDS, span=span(entries), versions=versions(entries), board=BOARD, engine=ENGINE,
    )  # fmt: skip


def _figures(number: int, found: ResultSet) -> list[tuple[str, Markup]]:
    made = []
    for place, path in enumerate(found.figures):
        title = f"{found.name}: {path.stem}"
        made.append((path.name, figure_markup(path, f"f{number}-{place}", title)))
    return made


def _trace_path(out: Path, schedule: Schedule) -> Path:
    return out.parent / f"{out.stem}-traces" / f"{schedule.name}.json"


def _check_numbers(count: int, results: Path) -> None:
    if count > MAX_NUMBERS:
        hints = ["name fewer with --experiment"]
        raise InputError("too-many-numbers", "too many numbers for one page", where=str(results), demand=count,
                         bound=MAX_NUMBERS, unit="numbers", hints=hints)  # fmt: skip


def _block(schedule: Schedule, trace: Path, ledger: Ledger) -> _Block:
    ledger.begin(f"schedule of {schedule.name}", schedule.hash)
    tables = [critical_table(schedule, ledger), stall_table(schedule, ledger), fifo_table(schedule, ledger)]
    return _Block(
        schedule, anchor("block", schedule.name), headline(schedule, ledger), gantt(schedule),
        fill(schedule), tables, process_table(schedule, ledger), trace.as_posix(),
    )  # fmt: skip
