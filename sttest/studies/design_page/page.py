"""The file: facts and tables put into the template, with the scripts that draw them, and nothing from outside."""

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sttest.boards.resources import KINDS
from sttest.core.program import __version__
from sttest.sim import Fifo
from sttest.sim.graph import MAX_DEPTH
from sttest.sim.simulation import remedy_lines, wait_lines
from sttest.studies.design_page.facts import Facts, facts_of
from sttest.studies.design_page.floorplan import WORDS, Floorplan, floorplan
from sttest.studies.design_page.subject import Subject
from sttest.studies.report.page import check_target, write_whole

__depends__ = ("sttest/studies/design_page/templates/",)

SCHEMA = "sttest.design-report/1"
GENERATOR = "sttest report of a design"
LIBRARIES, SCRIPTS = ("vendor/dagre.min.js", "vendor/panzoom.min.js"), ("model.js", "graph.js", "time.js")
MAX_ROWS = 300
"""Lines of a table; ``sttest simulate --json`` has all."""
TOP_PROCESSES = 15
"""Of the tables of the critical path and of resources; the others are added up in a last line."""
COLUMNS = {"dsp": "DSP", "lut": "LUT", "ff": "FF", "bram18": "BRAM18", "uram": "URAM"}
"""Headings of the resources."""
SPENT = {
    "compute": "computing, or passing a token each cycle", "fifo": "a token on its way through a FIFO",
    "stall-out": "space on its way back through a FIFO", "hbm-latency": "latency of external memory",
    "hbm-transfer": "transfer of a burst", "hbm-issue": "issuing requests, one per cycle",
    "hbm-window": "too many bursts in flight", "start": "before it may begin",
}  # fmt: skip
"""What the critical path can be spent on, in words."""


@dataclass(frozen=True)
class DesignPage:
    """What was written."""

    page: Path
    page_bytes: int
    facts: Facts

    def to_json(self) -> dict[str, Any]:
        """The page as JSON values; ``notes`` say what was left out of it."""
        data = self.facts.data
        return {
            "schema": SCHEMA, "name": data["name"], "verdict": data["verdict"], "cycles": data["cycles"],
            "page": str(self.page), "page_bytes": self.page_bytes, "processes": data["counts"]["processes"],
            "fifos": data["counts"]["fifos"], "notes": self.facts.notes,
        }  # fmt: skip


def write_page(design: Path, out: Path, engine: str = "maxplus", say: Callable[[str], None] = print) -> DesignPage:
    """Simulates a design and writes its page, one file.

    Args:
        design: a design package, a timed-graph JSON, or an SDF3 XML file.
        out: the page; an earlier one of a design may be replaced.
        engine: ``maxplus`` or ``simpy``.
        say: callback that gets a line of progress.

    Raises:
        InputError: no design, or a place that cannot be written.
    """
    check_target(out, GENERATOR)
    subject = Subject.read(design, engine, say)
    facts = facts_of(subject, say)
    text = _text(subject, facts, design)
    write_whole(out, lambda unfinished: unfinished.write_text(text, encoding="utf-8"))
    return DesignPage(out, out.stat().st_size, facts)


def _text(subject: Subject, facts: Facts, design: Path) -> str:
    room = Environment(
        loader=PackageLoader("sttest.studies.design_page"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    # What the page says is painted before anything is drawn.
    own = "\n".join(["requestAnimationFrame(() => setTimeout(() => {", *map(_file, SCRIPTS), "}));"])
    scripts = [Markup(text) for text in (*map(_file, LIBRARIES), own)]
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return room.get_template("design.html").render(
        generator=f"{GENERATOR} {__version__}", design=str(design), facts=facts, data=facts.data,
        figures=_figures(subject), deadlock=_deadlock(subject), kinds=_kind_rows(subject, facts),
        on_path=_path_rows(facts), no_path=subject.no_path, rows=_process_rows(facts),
        resources=_resources(subject), plan=_plan(subject), no_chip=_no_chip(subject), placed=_placed(subject),
        scripts=scripts, hashes=hashes,
        style=Markup(_file("design.css")), max_rows=MAX_ROWS,
        shares=bool(facts.data["end"]) and any(cycles is not None for cycles in facts.data["processes"]["busy"]),
    )  # fmt: skip


def _file(name: str) -> str:
    return (files("sttest.studies.design_page") / "templates" / name).read_text(encoding="utf-8").strip("\n")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


# --- What stands at the top


def _figures(subject: Subject) -> list[tuple[str, str, str, str]]:
    """Label, number, unit and kind of what is said of the whole design."""
    graph, run = subject.graph, subject.run
    found: list[tuple[str, str, str, str]] = []
    if run.cycles is not None:
        found.append(("time", f"{run.cycles / graph.clock_mhz:,.2f}", f"µs at {graph.clock_mhz:g} MHz", "simulated"))
        found.append(("cycles", f"{run.cycles:,}", "", "simulated"))
    if run.throughput is not None:
        found.append(("throughput", str(run.throughput), "iterations per cycle", "simulated"))
    found += [
        ("processes", f"{len(graph.processes):,}", "", "of the design"),
        ("FIFOs", f"{len(graph.fifos):,}", "", "of the design"),
        ("storage of all FIFOs", *_storage(graph.fifos), "depth times width, summed"),
    ]
    return found


def _storage(fifos: Sequence[Fifo]) -> tuple[str, str]:
    if any(fifo.depth >= MAX_DEPTH for fifo in fifos):
        return "no bound", ""
    bits = sum(fifo.depth * fifo.bits for fifo in fifos)
    return (f"{bits / 8192:,.1f}", "KiB") if bits >= 8192 else (f"{bits:,}", "bits")


def _deadlock(subject: Subject) -> dict[str, Any] | None:
    """The certificate in words: a line that says what holds of the waits, the waits, and what would help."""
    deadlock = subject.run.deadlock
    if deadlock is None:
        return None
    head, *waits = wait_lines(deadlock, subject.graph)
    return {"head": head, "waits": waits, "help": remedy_lines(deadlock)}


# --- The critical path


def _kind_rows(subject: Subject, facts: Facts) -> list[tuple[str, str, int, float]]:
    """Category, what it was spent on, cycles and share of the run."""
    sums, cycles = facts.data["critical_path"], subject.run.cycles
    if sums is None or not cycles:
        return []
    return [
        (_word(each["category"]) or "any", SPENT[each["kind"]], each["cycles"], each["cycles"] / cycles)
        for each in sums["by_kind"]
    ]


def _word(kind: object) -> str:
    """The kind of a process as people call it."""
    return WORDS.get(str(kind), str(kind))


def _path_rows(facts: Facts) -> list[tuple[str, int, float]]:
    """Process, cycles and share of the run; the last line is of all others."""
    sums, cycles = facts.data["critical_path"], facts.data["cycles"]
    if sums is None:
        return []
    found = list(sums["by_process"].items())
    rows = [(name, n, n / cycles) for name, n in found[:TOP_PROCESSES]]
    left = cycles - sum(n for _, n, _ in rows)
    others = len(found) - len(rows)
    return [*rows, (f"{others:,} other processes", left, left / cycles)] if left else rows


# --- All processes


def _process_rows(facts: Facts) -> list[dict[str, Any]]:
    """A line per process that is shown, those on the critical path first, then those that stand still longest."""
    columns = facts.data["processes"]
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    rows.sort(key=lambda row: (-row["critical"], -sum(row[kind] or 0 for kind in ("stall_in", "stall_out", "memory"))))
    return rows


# --- On the chip


def _resources(subject: Subject) -> dict[str, Any] | None:
    """Lines of the processes that take most, of all others, of FIFOs, the total and the budget."""
    lines = subject.resources
    if not lines:
        return None
    totals = [row for row in lines if row["kind"] == "total"]
    budgets = [row for row in lines if row["kind"] == "budget" and row["process"] == "all"]
    own = sorted((row for row in lines if row["kind"] not in ("total", "budget", "fifo")), key=_weight(lines))
    fifos = [row for row in lines if row["kind"] == "fifo"]
    rows = [(str(row["process"]), _word(row["kind"]), _amounts([row])) for row in own[:TOP_PROCESSES]]
    for label, rest in ((f"{len(own[TOP_PROCESSES:]):,} other processes", own[TOP_PROCESSES:]),
                        (f"{len(fifos):,} FIFOs in memories", fifos)):  # fmt: skip
        if rest:
            rows.append((label, "", _amounts(rest)))
    facts = subject.package.manifest.resources if subject.package else None
    budget = f"budget '{facts.budget}' of the board" if facts else "budget of the board"
    ends = [("all", "", _amounts(totals)), (budget, "", _amounts(budgets))]
    over = [COLUMNS[kind] for kind in facts.over_budget] if facts else []
    return {"rows": rows, "ends": ends, "kinds": list(COLUMNS.values()), "over": over}


def _weight(lines: Sequence[Any]) -> Callable[[Any], float]:
    """By the largest share of the budget that a process takes of any resource, the largest first."""
    budget = next(row for row in lines if row["kind"] == "budget" and row["process"] == "all")
    return lambda row: -max(float(row[kind]) / (float(budget[kind]) or 1) for kind in KINDS)


def _amounts(rows: Sequence[Any]) -> list[float]:
    return [sum(float(row[kind]) for row in rows) for kind in KINDS]


def _plan(subject: Subject) -> Floorplan | None:
    lines = subject.partition
    if not lines or subject.package is None or subject.package.manifest.partition is None:
        return None
    return floorplan(lines, subject.resources, subject.package.manifest.partition.wires_per_boundary)


def _placed(subject: Subject) -> str:
    """What the way over the boundaries of SLRs costs, in words; empty where the design was not placed."""
    placed = subject.package.manifest.partition if subject.package else None
    if placed is None:
        return ""
    if placed.cycles_with_crossing_registers is None:
        return "With registers on what crosses SLRs, the design deadlocks."
    return f"With registers on what crosses SLRs, it takes {placed.cycles_with_crossing_registers:,} cycles."


def _no_chip(subject: Subject) -> str:
    """Why there is nothing, or no floorplan, of a chip to see."""
    if subject.package is None:
        return "A bare timed graph has no resources and no floorplan; a design package has."
    if subject.package.manifest.partition is None:
        return "The design was not placed: 'sttest compile --check-resources' gives every process an SLR."
    return ""
