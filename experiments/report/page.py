"""The page: results and schedules put into the templates, and everything written whole or not at all."""

from __future__ import annotations

import base64
import hashlib
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from experiments.report.gantt import Fill, Gantt, fill, gantt
from experiments.report.ledger import Ledger
from experiments.report.overview import KINDS, Entry, anchor, comparisons, configuration, entry, span, versions
from experiments.report.pivot import tables_of
from experiments.report.read import ResultSet, read_results
from experiments.report.schedule import (
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
from experiments.report.svg import figure_markup
from experiments.report.table import Cell, Table
from sttest import __version__
from sttest.errors import InputError
from sttest.sim.export import write_trace

GENERATOR = "sttest report"
SCHEMA = "sttest.report/1"
_URL = re.compile(r"https?://[^\s<>\"')\]]+[^\s<>\"')\].,;]")
_BYTES_READ = 4096


@dataclass(frozen=True)
class Report:
    """What was written."""

    page: Path
    page_bytes: int
    traces: Sequence[Path]
    experiments: Mapping[str, int]
    compared: int

    def to_json(self) -> dict[str, Any]:
        """For programs; ``experiments``: numbers by name."""
        return {
            "schema": SCHEMA,
            "page": str(self.page),
            "page_bytes": self.page_bytes,
            "traces": [str(path) for path in self.traces],
            "experiments": dict(self.experiments),
            "numbers": sum(self.experiments.values()),
            "compared": self.compared,
        }


@dataclass(frozen=True)
class _Section:
    """An experiment as its template takes it."""

    entry: Entry
    configuration: Sequence[tuple[str, str]]
    tables: Sequence[Table]
    figures: Sequence[tuple[str, Markup]]


@dataclass(frozen=True)
class _Block:
    """A schedule as its template takes it."""

    schedule: Schedule
    anchor: str
    headline: Sequence[tuple[str, str, Cell]]
    gantt: Gantt
    fill: Fill
    tables: Sequence[Table]
    processes: Table
    trace: str


def build_report(
    results: Path, out: Path, names: Sequence[str] = (), *, blocks: bool = True, say: Callable[[str], None] = print
) -> Report:
    """Reads results, simulates blocks, writes the page and the traces beside it.

    Args:
        results: folder of result folders.
        out: the page; traces go to ``<stem>-traces`` beside it.
        names: of the experiments that are shown; all if empty.
        blocks: whether blocks are simulated for their schedules.
        say: called with what is being done.

    Raises:
        InputError: no results, results that are none, or a place that can't be written.
    """
    _check_out(out)
    ledger = Ledger()
    sections, dots = [], []
    for number, found in enumerate(read_results(results, names)):
        say(f"reading {found.name}")
        first = len(ledger.rows)
        tables = tables_of(found.rows, ledger)
        numbers = range(first, len(ledger.rows))
        section = _Section(entry(number, found, ledger), list(configuration(found.manifest)), tables,
                           _figures(number, found))  # fmt: skip
        sections.append(section)
        dots.append((section.entry, numbers))
    schedules = simulate_blocks(say) if blocks else []
    traces = {schedule.name: _trace_path(out, schedule) for schedule in schedules}
    shown = [_block(schedule, traces[schedule.name].relative_to(out.parent), ledger) for schedule in schedules]
    entries = [section.entry for section in sections]
    say("writing the page")
    text = _render(
        sections=sections, blocks=shown, entries=entries, comparisons=comparisons(dots, ledger), ledger=ledger,
        kinds=KINDS, span=span(entries), versions=versions(entries), board=BOARD, engine=ENGINE,
        hashes={each.name: each.hash for each in entries} | {each.name: each.hash for each in schedules},
    )  # fmt: skip
    for schedule in schedules:
        path = traces[schedule.name]
        path.parent.mkdir(exist_ok=True)
        _write_whole(path, lambda unfinished, run=schedule.run: write_trace(run, unfinished))
    _write_whole(out, lambda unfinished: unfinished.write_text(text, encoding="utf-8"))
    return Report(
        out, out.stat().st_size, list(traces.values()), {each.name: each.numbers for each in entries},
        sum(each.compared for each in entries),
    )  # fmt: skip


def _figures(number: int, found: ResultSet) -> list[tuple[str, Markup]]:
    made = []
    for place, path in enumerate(found.figures):
        title = f"{found.name}: {path.stem}"
        made.append((path.stem, figure_markup(path, f"f{number}-{place}", title)))
    return made


def _trace_path(out: Path, schedule: Schedule) -> Path:
    return out.parent / f"{out.stem}-traces" / f"{schedule.name}.json"


def _block(schedule: Schedule, trace: Path, ledger: Ledger) -> _Block:
    tables = [critical_table(schedule, ledger), stall_table(schedule, ledger), fifo_table(schedule, ledger)]
    return _Block(
        schedule, anchor(0, schedule.name).replace("e0", "block"), headline(schedule, ledger), gantt(schedule),
        fill(schedule), tables, process_table(schedule, ledger), trace.as_posix(),
    )  # fmt: skip


def _render(**shown: Any) -> str:
    room = Environment(
        loader=PackageLoader("experiments.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    room.filters["linked"] = _linked
    room.filters["format_count"] = "{:,}".format
    script = Markup(_without_blank_lines(room.get_template("page.js").render()))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = room.get_template("page.html").render(
        generator=f"{GENERATOR} {__version__}", script=script, script_hash=f"sha256-{digest}", **shown
    )
    return _without_blank_lines(page) + "\n"


def _without_blank_lines(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line.strip())


def _linked(text: str) -> Markup:
    """Text with its addresses as links."""
    made, end = Markup(""), 0
    for found in _URL.finditer(text):
        made += escape(text[end : found.start()])
        made += Markup('<a href="{0}" rel="noreferrer noopener">{0}</a>').format(found[0])
        end = found.end()
    return made + escape(text[end:])


def _check_out(out: Path) -> None:
    """Refuses what would be overwritten by mistake, and folders that are not there."""
    levers = ["name another file with -o"]
    if not out.parent.is_dir():
        raise InputError("no-such-folder", "no such folder", where=str(out.parent), levers=[*levers, "make the folder"])
    if out.is_dir():
        raise InputError("not-a-file", "is a folder", where=str(out), levers=["name a file, as in -o report.html"])
    if out.exists():
        with out.open("rb") as file:
            is_ours = f'content="{GENERATOR} '.encode() in file.read(_BYTES_READ)
        if not is_ours:
            raise InputError("foreign-file", "is no earlier report", where=str(out), levers=[*levers, "remove it"])


def _write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Writes to a temporary name beside ``path`` and renames."""
    unfinished = path.with_name(f".{path.name}.new-{uuid.uuid4().hex[:8]}")
    try:
        write(unfinished)
        unfinished.replace(path)
    except OSError as error:
        levers = ["name another file with -o"]
        raise InputError("unwritable", f"can't be written ({error.strerror})", where=str(path), levers=levers) from error
    finally:
        unfinished.unlink(missing_ok=True)
