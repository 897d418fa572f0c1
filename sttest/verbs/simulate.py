"""`sttest simulate`: times of a design package or of any timed graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sttest.core.errors import DeadlockError, InputError
from sttest.package import load_graph
from sttest.sim import Actor, Simulation, TimedGraph, simulate
from sttest.sim.checker import require_correct
from sttest.sim.critical_path import breakdown
from sttest.sim.export import write_trace
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


@dataclass(frozen=True)
class Extras:
    """What is done beside simulating: a Perfetto trace, an independent check."""

    trace: Path | None = None
    check: bool = False


def run(path: Path, engine: str, depths: Depths, *, as_json: bool, extras: Extras | None = None) -> int:
    """Simulates and prints the result.

    Returns:
        The exit code: 0 done, 3 deadlock.

    Raises:
        InputError: not a graph, or options that do not fit it.
        EnginesDisagreeError: the independent check finds a fault.
    """
    extras = extras or Extras()
    graph = depths.applied(load_graph(path))
    with progress(f"simulating {graph.name}") as step:
        result = simulate(
            graph,
            engine,
            unbounded=depths.unbounded,
            # text shows the critical path, which needs the time of every access
            record=not as_json or extras.check or extras.trace is not None,
            progress=lambda cycle: step(f"cycle {cycle:,}"),
        )
    more = _more(result, extras)
    if as_json:
        print_json(result.to_json() | {name: data for name, (data, _) in more.items()})
    else:
        print(result.to_text())
        _print_breakdown(result)
        print("".join(f"  {text}\n" for _, text in more.values()), end="")
    return DeadlockError.exit_code if result.verdict != "done" else 0


def _more(result: Simulation, extras: Extras) -> dict[str, tuple[Any, str]]:
    """What was done beside: by key of the JSON, its value there and its text."""
    more: dict[str, tuple[Any, str]] = {}
    if extras.check:
        require_correct(result)
        more["checked"] = True, "checked: an independent checker finds no fault"
    if extras.trace is not None:
        write_trace(result, extras.trace)
        more["trace"] = str(extras.trace), f"trace: {extras.trace}, to be opened in ui.perfetto.dev"
    return more


def _print_breakdown(result: Simulation) -> None:
    """Where the cycles of the critical path went; nothing where there is no such path."""

    if not result.cycles or result.record is None or _has_actors(result):
        return
    items = breakdown(result)
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
            "bad-depth", f"'{text}' is not FIFO=N", where="--depth", hints=["write it as in --depth qkv=16"]
        )
    return name, int(depth)
