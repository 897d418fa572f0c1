"""`sttest simulate`, `sttest dot` and `sttest corpus`: times, pictures and deadlocks of designs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from sttest.boards.load import load_board, require_hbm
from sttest.cli.common import DESIGN, Engine, Json, print_json, progress
from sttest.cli.verbs import without_table
from sttest.core.errors import DeadlockError, EnginesDisagreeError, InputError
from sttest.core.numbers import whole
from sttest.core.tables import print_table
from sttest.package import DesignPackage, load_graph
from sttest.package.group_package import SCHEMA as GROUPS_SCHEMA
from sttest.package.group_package import GroupPackage
from sttest.sim import Actor, Simulation, TimedGraph, load, simulate
from sttest.sim.checker import require_correct
from sttest.sim.critical_path import IN_WORDS, breakdown
from sttest.sim.export import to_dot, write_trace
from sttest.sim.overlap import COMPUTE, MEMORY, Overlap, overlap
from sttest.targets.vitis.calibration import calibrated_graph
from sttest.testing.corpus import CorpusDesign, case, cases, differences


def simulate_verb(
    path: Annotated[Path, typer.Argument(help=DESIGN)],
    engine: Annotated[Engine, typer.Option(help="maxplus is compiled, simpy is the oracle; they agree.")] = "maxplus",
    depth: Annotated[list[str] | None, typer.Option(metavar="FIFO=N", help="Another depth; may be repeated.")] = None,
    all_depths: Annotated[int | None, typer.Option(metavar="N", help="One depth for all FIFOs.")] = None,
    unbounded: Annotated[bool, typer.Option("--unbounded", help="No FIFO is ever full.")] = False,
    trace: Annotated[Path | None, typer.Option(help="Write a trace for ui.perfetto.dev.")] = None,
    calibrated: Annotated[
        bool, typer.Option("--calibrated", help="Take intervals and depths that sttest calibrate found.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Check all times, or the deadlock, independently.")] = False,
    overlaps: Annotated[
        bool, typer.Option("--overlap", help="Tell how long compute, memory and links are busy at once.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Simulate a design cycle by cycle; exit code 3 on a deadlock, which is explained.

    Examples:

      sttest simulate build/gpt2-decode-u55c

      sttest simulate graph.json --engine simpy --depth a=4 --depth b=8

      sttest simulate graph.json --all-depths 2 --json

      sttest simulate graph.json --check --trace run.json

      sttest simulate build/gpt2-decode-u55c --overlap

      sttest simulate build/gpt2-decode-u55c --calibrated
    """
    if GroupPackage.is_there(path):
        _simulate_groups(GroupPackage.read(path), engine, as_json=as_json)
        return
    depths = DepthOptions(all_depths, depth or (), unbounded)
    graph, changed = _calibrated(path) if calibrated else (load_graph(path), 0)
    graph = depths.applied(graph)
    told = {"calibrated": {"processes": changed, "of": len(graph.processes)}} if calibrated else {}
    with progress(f"simulating {graph.name}") as step:
        result = simulate(
            graph,
            engine,
            unbounded=unbounded,
            record=True,  # the critical path needs the time of every access
            progress=lambda cycle: step(f"cycle {cycle:,}"),
        )
    if check:
        require_correct(result)
    if trace is not None:
        write_trace(result, trace)
    if as_json:
        print_json(
            result.to_json()
            | {"critical_path": _path_json(result)}
            | told
            | ({"overlap": overlap(result).to_dict() if result.cycles else None} if overlaps else {})
            | ({"checked": True} if check else {})
            | ({"trace": str(trace)} if trace else {})
        )
    else:
        print(result.to_text())
        if calibrated:
            synthesized = f"{changed} of {len(graph.processes)} processes have the intervals of their synthesis"
            print(f"  calibrated: {synthesized}, the others those of the compiler")
        _print_breakdown(result)
        if overlaps and result.cycles:
            _print_overlap(overlap(result))
        if check:
            print("  checked: an independent checker found no fault")
        if trace is not None:
            print(f"  trace: {trace}; open it in ui.perfetto.dev")
    raise typer.Exit(DeadlockError.exit_code if result.verdict != "done" else 0)


def _simulate_groups(package: GroupPackage, engine: Engine, *, as_json: bool) -> None:
    """Group by group, and the time of all on one card or on a card each."""
    runs = {each.name: simulate(each.timed_graph, engine) for each in package.groups}
    dead = [name for name, run in runs.items() if run.cycles is None]
    if dead:
        if as_json:
            print_json({**runs[dead[0]].to_json(), "group": dead[0]})
        else:
            print(runs[dead[0]].to_text())
        raise typer.Exit(DeadlockError.exit_code)
    board = require_hbm(load_board(package.groups[0].board))
    cycles = sum(run.cycles or 0 for run in runs.values())
    shared_us, on_cards_us = package.shared_us(board, cycles), package.on_cards_us(board, cycles)
    if as_json:
        print_json(
            {
                "schema": GROUPS_SCHEMA,
                "name": package.content.name,
                "cycles": cycles,
                "shared_us": shared_us,
                "on_cards_us": on_cards_us,
                "groups": {name: run.cycles for name, run in runs.items()},
            }
        )
        return
    time = f"{cycles:,} cycles = {cycles / board.clock_mhz.value:,.1f} us"
    print(f"{package.content.name}: {time}, one group after the other")
    print(f"  on one card that is reconfigured for each group: {shared_us / 1e6:,.1f} s")
    print(f"  on one card per group, with tensors sent over links: {on_cards_us:,.1f} us")
    print_table(["group", "cycles"], [(name, run.cycles) for name, run in runs.items()])


@without_table
def dot_verb(
    path: Annotated[Path, typer.Argument(help=DESIGN)],
    depth: Annotated[list[str] | None, typer.Option(metavar="FIFO=N", help="Another depth; may be repeated.")] = None,
    all_depths: Annotated[int | None, typer.Option(metavar="N", help="One depth for all FIFOs.")] = None,
    as_json: Json = False,
) -> None:
    """Print a design as Graphviz text; where it deadlocks, the cycle of waits is red.

    Examples:

      sttest dot graph.json --all-depths 2 | dot -Tsvg > graph.svg
    """
    graph = DepthOptions(all_depths, depth or ()).applied(load_graph(path))
    deadlock = simulate(graph).deadlock
    text = to_dot(graph, deadlock)
    if as_json:
        told = None if deadlock is None else deadlock.to_json()
        print_json({"schema": "sttest.dot/1", "name": graph.name, "dot": text, "deadlock": told})
        return
    print(text, end="")


def corpus_verb(
    name: Annotated[str | None, typer.Argument(help="One design; without it, a list of all.")] = None,
    engine: Annotated[Engine, typer.Option(help="Who is to find the deadlock.")] = "maxplus",
    as_json: Json = False,
) -> None:
    """Small designs that deadlock, each with its diagnosis; exit code 6 where it is another now.

    Examples:

      sttest corpus

      sttest corpus stage_skew
    """
    if name is None and as_json:
        print_json({"schema": "sttest.corpus/1", "designs": [_design_json(told) for told in cases().values()]})
        return
    if name is None:
        columns = ("design", "members of the cycle", "fix or remedy")
        rows = [(told.name, " -> ".join(wait[0] for wait in told.cycle), _help(told)) for told in cases().values()]
        print_table(columns, rows)
        return
    told = case(name)
    result, faults = simulate(load(told.path), engine), differences(told, engine)
    if as_json and not faults:
        print_json({"schema": "sttest.corpus-design/1", **_design_json(told), "simulation": result.to_json()})
        return
    print(result.to_text())
    print(told.what)
    print(f"  deadlocks: {told.path}")
    print(f"  finishes:  {told.live_path}")
    if faults:
        raise EnginesDisagreeError("corpus", faults[0], where=name)
    print("  as expected")


@dataclass(frozen=True)
class DepthOptions:
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


def _calibrated(path: Path) -> tuple[TimedGraph, int]:
    """The graph of a package with the intervals that a synthesis tool achieved, and how many processes have one."""
    if not path.is_dir():
        raise InputError(
            "no-package",
            "no design package, so there is nothing that was synthesized",
            where=f"--calibrated {path}",
            hints=["name a package that 'sttest calibrate' was run on"],
        )
    package = DesignPackage.read(path)
    return calibrated_graph(package.emitted_graph, package.achieved)


def _print_breakdown(result: Simulation) -> None:
    """Prints where the cycles of the critical path went, if there is such a path."""
    if not result.cycles or result.record is None or _has_actors(result):
        return
    items = breakdown(result)
    print(f"  critical path: where the {result.cycles:,} cycles go, by kind of process")
    for (category, kind), cycles in sorted(items.by_kind.items(), key=lambda item: -item[1]):
        print(f"  {cycles:>12,}  {cycles / result.cycles:6.1%}  {category or 'process'}: {IN_WORDS[kind]}")


def _print_overlap(found: Overlap) -> None:
    """Prints who is busy at once, and how much of each class."""
    print("  cycles in which exactly these are busy:")
    for busy, cycles in found.states.items():
        print(f"  {cycles:>12,}  {cycles / found.cycles:6.1%}  {' and '.join(busy) or 'nothing'}")
    for name, use in found.use.items():
        shares = use.to_dict(found.cycles)
        mean = f"each of its {use.units} units {shares['unit_share']:.1%} on average"
        print(f"  {name}: busy {shares['busy_share']:.1%} of the time, {mean}")
    if found.overlapped is not None:
        least = min((COMPUTE, MEMORY), key=lambda name: found.use[name].busy_cycles)
        other = MEMORY if least == COMPUTE else COMPUTE
        print(f"  while {least} is busy, {other} is busy too for {found.overlapped:.1%} of the time")


def _path_json(result: Simulation) -> dict[str, Any] | None:
    """Cycles of the critical path by what they were spent on, and by process; None where there is no such path."""
    if not result.cycles or result.record is None or _has_actors(result):
        return None
    items = breakdown(result)
    kinds = [{"category": category, "kind": kind, "cycles": n} for (category, kind), n in items.by_kind.items()]
    return {"by_kind": sorted(kinds, key=lambda each: -each["cycles"]), "by_process": items.by_process}


def _has_actors(result: Simulation) -> bool:
    return result.graph is not None and any(isinstance(process, Actor) for process in result.graph.processes)


def _assignment(text: str) -> tuple[str, int]:
    """``FIFO=N`` as a pair."""
    name, equals, depth = text.rpartition("=")
    try:
        if equals and name:
            return name, whole(depth)
    except ValueError:
        pass
    raise InputError("bad-depth", f"'{text}' is not FIFO=N", where="--depth", hints=["write it as in --depth qkv=16"])


def _design_json(told: CorpusDesign) -> dict[str, Any]:
    return {
        "name": told.name,
        "what": told.what,
        "deadlocks": str(told.path),
        "finishes": str(told.live_path),
        "members": [wait[0] for wait in told.cycle],
        "fix": dict(told.fix),
        "remedy": told.remedy,
    }


def _help(told: CorpusDesign) -> str:
    return told.remedy or ", ".join(f"{fifo}={depth}" for fifo, depth in told.fix.items())
