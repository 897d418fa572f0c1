"""Runs graphs as hardware."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sttest.boards.backends.rtl import RtlRun, find_simulator, run_folder
from sttest.sim.api import load
from sttest.sim.graph import Actor, TimedGraph
from sttest.sim.rtl.emit import emit

MAX_CLOCKS = 2_000_000_000


def emulate(
    graph: TimedGraph | str | Path, simulator: str = "verilator", work_dir: str | Path = "build/rtl", *,
    max_clocks: int = MAX_CLOCKS,
) -> RtlRun:  # fmt: skip
    """Runs a graph as clocked hardware, every FIFO, counter and arbiter a register.

    Args:
        graph: or the package folder or JSON file that holds it.
        simulator: ``verilator``, or ``icarus`` for small graphs.
        work_dir: sources, build and log go into ``rtl`` below it, which is made anew.
        max_clocks: clock edges after which it is stopped, with verdict ``limit``.

    Raises:
        InputError: not a graph, or one that the twin cannot be built for.
        ToolMissingError: the simulator is not installed.
    """
    graph = graph if isinstance(graph, TimedGraph) else load(graph)
    return emulate_all([graph], simulator, work_dir, max_clocks=max_clocks)[0]


def emulate_all(
    graphs: Sequence[TimedGraph], simulator: str, work_dir: str | Path, *, max_clocks: int = MAX_CLOCKS
) -> list[RtlRun]:
    """Runs several graphs side by side, in one build; otherwise as :func:`emulate`."""
    find_simulator(simulator)
    folder = Path(work_dir) / "rtl"
    if folder.is_dir():
        shutil.rmtree(folder)
    return run_folder(emit(graphs, folder), simulator, max_clocks=max_clocks)


def with_iterations(graph: TimedGraph, iterations: int) -> TimedGraph:
    """The graph with actors that fire for ever stopped after so many iterations of its repetition vector.

    Raises:
        InputError: their rates don't balance.
    """
    from sttest.sim.actors.repetition import repetition_vector

    if not any(isinstance(process, Actor) and process.firings is None for process in graph.processes):
        return graph
    counts = repetition_vector(graph)
    actors = [process for process in graph.processes if isinstance(process, Actor)]
    finite = tuple(replace(actor, firings=n * iterations) for actor, n in zip(actors, counts, strict=True))
    return replace(graph, processes=finite)
