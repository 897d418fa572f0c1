"""What the page's simulator and both engines say of one graph, and where they differ."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from page_simulator import NEVER, Outcome, simulate_by_the_page

from sttest.sim import Simulation, TimedGraph, simpy_engine, simulate, write_timed_graph
from sttest.sim.maxplus import engine as maxplus


def by_the_page(graph: TimedGraph, places: int | None = None, **options: Any) -> Outcome:
    """The outcome of the document that the graph is written as; ``places``: another ``outstanding`` of its ports."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "g.json"
        write_timed_graph(graph, path)
        document = json.loads(path.read_text())
        traces = {}
        if "traces" in document:
            with np.load(path.parent / document["traces"]) as arrays:
                names = {key.split("/")[0] for key in arrays}
                traces = {name: (arrays[f"{name}/tick"], arrays[f"{name}/op"]) for name in names}
    for port in document["processes"] if places is not None else ():
        port |= {"outstanding": places} if port["kind"] == "memory" else {}
    return simulate_by_the_page(document, traces=traces, **options)


def differences(graph: TimedGraph, **options: Any) -> tuple[str, list[str]]:
    """The verdict by the page; and verdict, cycles, finishes, times and peaks in which an engine differs, in words."""
    page = by_the_page(graph, **options)
    found = []
    for engine in ("maxplus", "simpy"):
        run = simulate(graph, engine, record=True, **options)
        pairs = _pairs(run, page).items()
        found += [f"{engine}, {what}: {said}, by the page {asked}" for what, (said, asked) in pairs if said != asked]
    return page.verdict, found


def record_differences(graph: TimedGraph, **options: Any) -> tuple[str, list[str]]:
    """The same of records of bare runs, also one without jumps: for graphs that may stop with no FIFO in the way."""
    page = by_the_page(graph, **options)
    asked = (_finish(page), page.writes, page.reads, _rows(page))
    found = []
    for engine in (maxplus.run, maxplus.run_by_events, simpy_engine.run):
        run = engine(graph, **options)
        finish = {process.name: cycle for process, cycle in zip(graph.processes, run.finish, strict=True)}
        writes, reads = (
            {fifo.name: each.tolist() for fifo, each in zip(graph.fifos, times, strict=True)}
            for times in (run.writes, run.reads)
        )
        said = (finish, writes, reads, {name: rows.tolist() for name, rows in run.bursts.items()})
        found += [f"{engine}: {a}, by the page {b}" for a, b in zip(said, asked, strict=True) if a != b]
    return page.verdict, found


def _pairs(run: Simulation, page: Outcome) -> dict[str, tuple[Any, Any]]:
    pairs: dict[str, tuple[Any, Any]] = {
        "verdict": (run.verdict, page.verdict),
        "cycles": (run.cycles, page.cycles),
        "throughput": (run.throughput, page.throughput or None),
    }
    if page.throughput is not None:
        return pairs
    assert run.record is not None
    return pairs | {
        "finish": (run.finish, _finish(page)),
        "writes": ({name: times.tolist() for name, times in run.write_times.items()}, page.writes),
        "reads": ({name: times.tolist() for name, times in run.read_times.items()}, page.reads),
        "bursts": ({name: rows.tolist() for name, rows in run.record.bursts.items()}, _rows(page)),
        "peaks": ({name: max(1, peak) for name, peak in run.max_occupancy.items()}, page.peaks),
    }


def _finish(page: Outcome) -> dict[str, int | None]:
    return {name: None if cycle == NEVER else cycle for name, cycle in page.finish.items()}


def _rows(page: Outcome) -> dict[str, list[list[int]]]:
    """The bursts as a run records them: -1 is what never was."""
    return {
        name: [[-1 if value == NEVER else int(value) for value in row] for row in rows]
        for name, rows in page.bursts.items()
    }
