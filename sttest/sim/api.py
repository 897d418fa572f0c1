"""Load a graph, run it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from sttest.errors import InputError, did_you_mean
from sttest.sim.files.timed_graph_json import read_timed_graph
from sttest.sim.graph import Actor, TimedGraph
from sttest.sim.record import RunRecord
from sttest.sim.simulation import Simulation, assemble

GRAPH_FILE = "timed_graph.json"
MANIFEST_FILE = "manifest.json"


def load(path: str | Path) -> TimedGraph:
    """The graph of a timed-graph JSON file, of an SDF3 XML file or of a design package folder.

    Raises:
        InputError: nothing there, a package without its graph, or not a possible graph.
    """
    path = Path(path)
    if path.is_dir():
        missing = [name for name in (MANIFEST_FILE, GRAPH_FILE) if not (path / name).is_file()]
        if GRAPH_FILE in missing:
            raise InputError(
                "truncated-package",
                f"not a whole design package, {' and '.join(missing)} missing",
                where=str(path),
                levers=["compile it again"],
            )
        return read_timed_graph(path / GRAPH_FILE)
    if not path.is_file():
        raise InputError("no-such-file", "no such file or folder", where=str(path))
    if path.suffix.lower() == ".xml":
        from sttest.sim.files.sdf3 import read_sdf3

        return read_sdf3(path)
    return read_timed_graph(path)


def simulate(
    graph: TimedGraph,
    engine: str = "maxplus",
    depths: Mapping[str, int] | None = None,
    *,
    unbounded: bool = False,
    record: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Simulation:
    """Runs a graph to its end, or until it can't go on.

    Args:
        graph: what to run.
        engine: ``maxplus``, compiled, or ``des``, the SimPy oracle; they give the same.
        depths: other depths for some FIFOs.
        unbounded: no FIFO is ever full; each keeps the kind (srl or ram) of its depth.
        record: keep the cycle of every write and read.
        progress: called now and then with the simulated cycle, by ``des``; the other is done before one could look.

    Raises:
        InputError: an engine or FIFO that is not there, or actors that fire for ever beside other processes.
    """
    if depths:
        graph = graph.with_depths(depths)
    engines = _engines()
    if engine not in engines:
        raise InputError("unknown-engine", f"no engine '{engine}'", levers=[did_you_mean(engine, engines)])
    if any(isinstance(process, Actor) and process.firings is None for process in graph.processes):
        from sttest.sim.actors.steady_state import steady_state

        return steady_state(graph, engine, unbounded=unbounded)
    began = time.perf_counter()
    run = engines[engine](graph, unbounded, record, progress)
    solve_s = time.perf_counter() - began
    deadlock = None
    if None in run.finish:
        from sttest.sim.deadlock.fix import explain
        from sttest.sim.flat import flatten

        deadlock = explain(graph, flatten(graph), unbounded=unbounded)
    return assemble(graph, engine, run, solve_s, deadlock, unbounded=unbounded, keep=record)


Engine = Callable[[TimedGraph, bool, bool, "Callable[[int], None] | None"], RunRecord]


def _engines() -> dict[str, Engine]:
    return {"maxplus": _run_maxplus, "des": _run_des}


def _run_maxplus(graph: TimedGraph, unbounded: bool, record: bool, progress: Callable[[int], None] | None) -> RunRecord:
    from sttest.sim.maxplus.engine import run

    return run(graph, unbounded=unbounded, record=record)


def _run_des(graph: TimedGraph, unbounded: bool, record: bool, progress: Callable[[int], None] | None) -> RunRecord:
    from sttest.sim.des.engine import run

    return run(graph, unbounded=unbounded, progress=progress)
