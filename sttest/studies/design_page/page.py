"""The file: facts and tables put into the template, with the scripts that draw them, and nothing from outside."""

import base64
import gzip
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
from sttest.sim.critical_path import IN_WORDS
from sttest.sim.graph import MAX_DEPTH
from sttest.sim.simulation import remedy_lines, wait_lines
from sttest.studies.design_page.facts import Facts, facts_of
from sttest.studies.design_page.floorplan import WORDS, DrawnFloorplan, floorplan
from sttest.studies.design_page.subject import Subject
from sttest.studies.report.page import check_target, write_whole

__depends__ = ("sttest/studies/design_page/templates/",)

SCHEMA = "sttest.design-report/1"
GENERATOR = "sttest report of a design"
LIBRARIES = ("vendor/d3.min.js", "vendor/elk.bundled.js")
SCRIPTS = ("start.js", "model.js", "graph.js", "table.js", "time.js", "end.js")
TOP_PROCESSES = 15
"""Lines of the tables of the critical path and of resources; the others are added up in a last line."""
HEADS = {
    "fifos": {
        "name": "FIFO", "note": "deadlock", "depth": "depth", "held": "peak", "live": "least to finish",
        "lossless": "least to lose no cycle", "bits": "bits", "total": "bits in all", "full": "cycles full",
        "initial": "tokens at the start", "from": "writer", "to": "reader", "kind": "kind",
    },
    "processes": {
        "name": "process", "note": "deadlock", "critical": "critical path", "busy": "busy", "first": "first wait",
        "stall_in": "waits for data", "stall_out": "waits for space", "memory": "waits for memory",
        "start": "start", "finish": "finish", "kind": "kind", "category": "category", "origin": "operation",
    },
}  # fmt: skip
"""Columns of the tables of FIFOs and processes."""
COLUMNS = {"dsp": "DSP", "lut": "LUT", "ff": "FF", "bram18": "BRAM18", "uram": "URAM"}
"""Headings of the resources."""


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
            "schema": SCHEMA,
            "name": data["name"],
            "verdict": data["verdict"],
            "cycles": data["cycles"],
            "page": str(self.page),
            "page_bytes": self.page_bytes,
            "processes": data["counts"]["processes"],
            "fifos": data["counts"]["fifos"],
            "notes": self.facts.notes,
        }


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
    write_whole(out, lambda unfinished: unfinished.write_text(text, encoding="utf-8", errors="backslashreplace"))
    return DesignPage(out, out.stat().st_size, facts)


def _text(subject: Subject, facts: Facts, design: Path) -> str:
    room = Environment(
        loader=PackageLoader("sttest.studies.design_page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    own, libraries = "\n".join(map(_file, SCRIPTS)), [_file(name) for name in LIBRARIES]
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in (own, *libraries))
    return room.get_template("design.html").render(
        generator=f"{GENERATOR} {__version__}",
        design=str(design),
        facts=facts,
        data=facts.data,
        about=_about(subject),
        verdict=_verdict(subject),
        fit=_fit(subject),
        waits=_waits(subject),
        kinds=_kind_rows(subject, facts),
        on_path=_path_rows(facts),
        no_path=subject.no_path,
        no_least=subject.least if isinstance(subject.least, str) else "",
        resources=_resources(subject),
        plan=_plan(subject),
        no_chip=_no_chip(subject),
        placed=_placed(subject),
        columns={kind: _columns(facts.data[kind], heads) for kind, heads in HEADS.items()},
        script=Markup(own),
        libraries=[_packed(text) for text in libraries],
        hashes=hashes,
        style=Markup(_file("design.css")),
        shares=bool(facts.data["end"]) and any(cycles is not None for cycles in facts.data["processes"]["busy"]),
    )


def _file(name: str) -> str:
    return (files("sttest.studies.design_page") / "templates" / name).read_text(encoding="utf-8").strip("\n")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _columns(values: dict[str, list[Any]], heads: dict[str, str]) -> list[tuple[str, str, bool]]:
    """Key, heading and whether it is of numbers, of the columns that say something."""
    texts = ("name", "note", "from", "to", "kind", "category", "origin")

    def is_told(key: str) -> bool:
        always, seldom = key in ("name", "depth", "total", "from"), key in (*texts, "initial", "start")
        return always or any(value if seldom else value is not None for value in values[key])

    return [(key, head, key not in texts) for key, head in heads.items() if is_told(key)]


def _packed(script: str) -> str:
    """As the page holds it, a third of its size: ``start.js`` unpacks it."""
    return base64.b64encode(gzip.compress(script.encode(), mtime=0)).decode()


# --- What stands at the top


def _about(subject: Subject) -> str:
    """What it is, of how much, and who simulated it."""
    graph = subject.graph
    kind = "Timed graph"
    if subject.package is not None:
        configuration = subject.package.manifest.configuration
        work = configuration.workload
        size = f"context {work.context}" if work.phase == "decode" else f"{work.tokens} tokens" if work.tokens else ""
        what = ", ".join(part for part in (work.model, work.phase, size) if part)
        kind = f"Design package for the {configuration.board}{f': {what}' if what else ''}"
    return (
        f"{kind}; {len(graph.processes):,} processes, {_fifos(graph.fifos)}; simulated by engine {subject.run.engine}"
    )


def _fifos(fifos: Sequence[Fifo]) -> str:
    """How many there are, and what they hold together."""
    bits, count = sum(fifo.depth * fifo.bits for fifo in fifos), f"{len(fifos):,} FIFOs"
    if not fifos or any(fifo.depth >= MAX_DEPTH for fifo in fifos):
        return f"{count} that are never full" if fifos else "no FIFOs"
    return f"{count} of {f'{bits / 8192:,.1f} KiB' if bits >= 8192 else f'{bits:,} bits'} in all"


def _verdict(subject: Subject) -> tuple[str, str, list[str]]:
    """Whether it finishes, in a word; how; and of a deadlock, the least fix and what that costs."""
    run, clock = subject.run, subject.graph.clock_mhz
    if run.deadlock is not None:
        count, for_whom = len(run.deadlock.cycle), "for each other" if run.deadlock.is_closed else "in a row"
        waiting = f"{count:,} processes wait {for_whom}." if count > 1 else "a process waits for ever."
        return "Deadlocks:", waiting, remedy_lines(run.deadlock)
    if run.throughput is not None:
        return "Runs for ever:", f"{run.throughput} iterations per cycle.", []
    return "Finishes", f"after {run.cycles:,} cycles = {(run.cycles or 0) / clock:,.2f} µs at {clock:g} MHz.", []


def _fit(subject: Subject) -> tuple[bool, str] | None:
    """Whether a package fits its budget, and how full that gets; None of a bare graph."""
    if subject.package is None:
        return None
    facts, board = subject.package.manifest.resources, subject.package.manifest.configuration.board
    fits, shares = not facts.over_budget, facts.share_of_budget
    kinds = facts.over_budget or [max(shares, key=lambda kind: shares[kind])]
    budget = f"the {facts.budget} budget of {'the fullest card' if facts.cards else f'the {board}'}"
    return fits, f"{', '.join(f'{COLUMNS[kind]} {100 * shares[kind]:.0f} %' for kind in kinds)} of {budget}."


def _waits(subject: Subject) -> tuple[str, list[str]]:
    """The certificate of a deadlock in words: what holds of the waits, and the waits."""
    if subject.run.deadlock is None:
        return "", []
    head, *waits = wait_lines(subject.run.deadlock, subject.graph)
    return head, waits


# --- The critical path


def _kind_rows(subject: Subject, facts: Facts) -> list[tuple[str, str, int, float]]:
    """Category, what it was spent on, cycles and share of the run."""
    sums, cycles = facts.data["critical_path"], subject.run.cycles
    if sums is None or not cycles:
        return []
    return [
        (_word(each["category"]) or "any", IN_WORDS[each["kind"]], each["cycles"], each["cycles"] / cycles)
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
    for label, rest in (
        (f"{len(own[TOP_PROCESSES:]):,} other processes", own[TOP_PROCESSES:]),
        (f"{len(fifos):,} FIFOs in memories", fifos),
    ):
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


def _plan(subject: Subject) -> DrawnFloorplan | None:
    lines = subject.partition
    if not lines or subject.package is None or subject.package.manifest.partition is None:
        return None
    placed = subject.package.manifest.partition
    return floorplan(lines, subject.resources, placed.wires_per_boundary, placed.hbm_slr)


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
