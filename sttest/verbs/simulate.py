"""`sttest simulate`: times of a design package or of any timed graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sttest.errors import DeadlockError, InputError
from sttest.sim import Actor, Simulation, TimedGraph, load, simulate
from sttest.verbs.output import print_json, progress


@dataclass(frozen=True)
class Depths:
    """Which FIFO depths to run with: those of the graph, changed by ``of_all``, then by ``of_some``."""

    of_all: int | None = None
    of_some: Sequence[str] = ()
    unbounded: bool = False

    def applied(self, graph: TimedGraph) -> TimedGraph:
        """The graph with these depths.

        Raises:
            InputError: an assignment that is none, a FIFO that is not there, or a depth that is not possible.
        """
        if self.of_all is not None:
            graph = graph.with_all_depths(self.of_all)
        return graph.with_depths(dict(map(_assignment, self.of_some))) if self.of_some else graph


def run(path: Path, engine: str, depths: Depths, *, as_json: bool) -> int:
    """Simulates and prints the result.

    Returns:
        The exit code: 0 done, 3 deadlock.

    Raises:
        InputError: not a graph, or options that do not fit it.
    """
    graph = depths.applied(load(path))
    with progress(f"simulating {graph.name}") as step:
        result = simulate(
            graph,
            engine,
            unbounded=depths.unbounded,
            record=not as_json,  # only text shows the critical path, which needs the time of every access
            progress=lambda cycle: step(f"cycle {cycle:,}"),
        )
    if as_json:
        print_json(result.to_json())
    else:
        print(result.to_text())
        _print_breakdown(result)
    return 0 if result.verdict == "done" else DeadlockError.exit_code


def _print_breakdown(result: Simulation) -> None:
    """Where the cycles of the critical path went; nothing where there is no such path."""
    from sttest.sim.critical_path import itemise

    if not result.cycles or result.record is None or _has_actors(result):
        return
    items = itemise(result)
    print("  critical path, in cycles:")
    for (category, kind), cycles in sorted(items.by_kind.items(), key=lambda item: -item[1]):
        print(f"  {cycles:>12,}  {cycles / result.cycles:6.1%}  {f'{category} {kind}'.strip()}")


def _has_actors(result: Simulation) -> bool:
    return result.graph is not None and any(isinstance(process, Actor) for process in result.graph.processes)


def _assignment(text: str) -> tuple[str, int]:
    """``FIFO=N`` as a pair."""
    name, equals, depth = text.rpartition("=")
    if not equals or not name or not depth.removeprefix("-").isdecimal():
        raise InputError(
            "bad-depth", f"'{text}' is not FIFO=N", where="--depth", levers=["write it as in --depth qkv=16"]
        )
    return name, int(depth)
