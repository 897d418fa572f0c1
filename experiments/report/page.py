"""The page: results and schedules put into the templates, and everything written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from experiments.report.gantt import Fill, Gantt, fill, gantt
from experiments.report.ledger import Ledger
from experiments.report.overview import KINDS, Entry, anchor, comparisons, configuration, entry, span, versions
from experiments.report.pivot import tables_of
from experiments.report.read import ResultSet, read_results
from experiments.report.render import render_page
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
from experiments.report.target import check_target, write_whole
from sttest import __version__
from sttest.errors import InputError
from sttest.sim.export import write_trace

GENERATOR = "sttest report"
SCHEMA = "sttest.report/1"
MAX_NUMBERS = 100_000
"""Of a page: with more it would be larger than a browser likes."""


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
    return Report(
        out, out.stat().st_size, list(traces.values()), {each.entry.name: each.entry.numbers for each in sections},
        sum(each.entry.compared for each in sections),
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
        levers = ["name fewer with --experiment"]
        raise InputError("too-many-numbers", "too many numbers for one page", where=str(results), demand=count,
                         bound=MAX_NUMBERS, unit="numbers", levers=levers)  # fmt: skip


def _block(schedule: Schedule, trace: Path, ledger: Ledger) -> _Block:
    ledger.begin(f"schedule of {schedule.name}", schedule.hash)
    tables = [critical_table(schedule, ledger), stall_table(schedule, ledger), fifo_table(schedule, ledger)]
    return _Block(
        schedule, anchor("block", schedule.name), headline(schedule, ledger), gantt(schedule),
        fill(schedule), tables, process_table(schedule, ledger), trace.as_posix(),
    )  # fmt: skip
