"""Tables and figures of pages on public solution folders, from ``results/cosimulation``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sttest.core.files import read_csv
from sttest.core.tables import markdown_table

RESULT = Path(__file__).parents[1] / "results" / "cosimulation" / "table.csv"
CLOSE = 0.02
_RAN = ("agrees", "does-not-agree")
_WHY = {
    "bitcode-not-read": "LLVM or the reader refuses the bitcode", "crash": "the importer itself ends",
    "does-not-agree": "contradicts a report or the vectors, and nothing younger measured it",
    "empty-fifo": "a stream is read that is empty: vectors end early, or processes feed back",
    "no-bitcode": "the bitcode is not there", "no-schedule": "a schedule is not there",
    "no-top": "no file says which function is the top",
    "run-crashed": "the code crashes on its inputs", "run-too-long": "it runs too long, or never ends on its inputs",
    "shared-fifo": "a FIFO has several writers or readers",
    "unknown-region": "a dataflow region in a loop entered again",
}  # fmt: skip


@dataclass(frozen=True)
class _Line:
    """A row of the result."""

    row: dict[str, str]

    @property
    def repository(self) -> str:
        return self.row["model"].partition("@")[0]

    @property
    def is_measured(self) -> bool:
        return bool(self.row["reference"])

    @property
    def is_judged(self) -> bool:
        """Whether it ran and its co-simulation is younger than its schedule."""
        return self.row["truth"] == "younger" and self.row["verdict"] in _RAN

    @property
    def has_fifos(self) -> bool:
        return self.row["FIFOs"] not in ("", "0")

    @property
    def miss(self) -> float:
        return abs(float(self.row["error"])) if self.row["error"] else float("inf")


def _lines(metric: str = "cycles") -> list[_Line]:
    return [_Line(row) for row in read_csv(RESULT) if row["metric"] == metric]


def _count(lines: Iterator[_Line] | list[_Line], of: str) -> int:
    found = [each.repository for each in lines]
    return len(found) if of == "folders" else len(set(found))


def folders(which: str = "all", of: str = "folders", *, has_fifos: bool | None = None) -> int:
    """How many folders, or repositories with one, are ``measured``, ``judged``, ``close``, ``exact`` or ``silent``.

    Silent ones are judged, off, and not refused.  ``has_fifos`` asks for designs with FIFOs alone, or without.
    """
    chosen = {
        "all": lambda each: True,
        "measured": lambda each: each.is_measured,
        "judged": lambda each: each.is_judged,
        "close": lambda each: each.is_judged and each.miss <= CLOSE,
        "exact": lambda each: each.is_judged and each.miss == 0,
        "silent": lambda each: each.is_judged and each.miss > CLOSE and each.row["verdict"] == "agrees",
    }[which]
    asked = [each for each in _lines() if has_fifos is None or each.has_fifos == has_fifos]
    return _count([each for each in asked if chosen(each)], of)


def largest_share(count: int) -> int:
    """Folders that are judged of so many repositories, those with the most."""
    found = Counter(each.repository for each in _lines() if each.is_judged)
    return sum(number for _, number in found.most_common(count))


def reported_functions(column: str, *, is_measured: bool | None = None) -> int:
    """Functions of fixed latency: those that equal the report (``value``), all (``reference``), or ``repositories``."""
    measured = {each.row["model"] for each in _lines() if each.is_measured}
    chosen = [
        each
        for each in _lines("functions")
        if is_measured is None or (each.row["model"] in measured) == is_measured
    ]  # fmt: skip
    return _count(chosen, column) if column == "repositories" else int(sum(float(each.row[column]) for each in chosen))


def public_folders() -> str:
    """Latencies of imported solution folders beside a co-simulation that is younger than their schedule."""
    rows: list[tuple[object, ...]] = []
    for each in _lines():
        if each.is_judged:
            row = each.row
            error = f"{float(row['error']):+.2%}" if row["error"] else ""
            cycles = f"{float(row['value']):,.0f}" if row["value"] else "deadlock"
            verdict = "agrees" if row["verdict"] == "agrees" else "refused"
            truth, place = f"{float(row['reference']):,.0f}", row["model"].partition("@")[2]
            design = row["FIFOs"], row["processes"], row["version"], place
            rows.append((each.repository, cycles, truth, error, verdict, *design))
    # What is long and seldom looked for comes last, behind the edge of the page.
    design = "FIFOs", "processes", "tool", "commit and folder"
    head = ("repository", "cycles", "co-simulation", "error", "import", *design)
    return markdown_table(head, rows, is_right=lambda column: column in (1, 2, 3, 5, 6))


def refused_folders() -> str:
    """Folders that the table of judged ones does not have and that give no graph, by the error's code."""
    refused = [each for each in _lines() if not each.is_judged and each.row["verdict"] != "agrees"]
    rows: list[tuple[object, ...]] = []
    for code in sorted({each.row["verdict"] for each in refused}):
        of = [each for each in refused if each.row["verdict"] == code]
        rows.append((f"`{code}`", _WHY.get(code, ""), len(of), _count(of, "repositories")))
    return markdown_table(("error", "why", "folders", "repositories"), rows, is_right=lambda column: column > 1)
