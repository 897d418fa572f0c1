"""`sttest size`: depths of FIFOs, by the linear program or by simulation."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer

from sttest.cli.common import DESIGN, Json, SizingMethod, Strategy, print_json, progress
from sttest.core.errors import DeadlockError, InputError
from sttest.core.tables import print_table
from sttest.package import load_graph
from sttest.sim import TimedGraph
from sttest.sim.sizing import Sizing
from sttest.sim.sizing.block_memory import BlockFront, BlockSizing, block_front, size_for_blocks
from sttest.sim.sizing.depth_runner import inexact_ports
from sttest.sim.sizing.finite import NO_DEADLOCK
from sttest.sim.sizing.several import size_for_all
from sttest.sim.sizing_assumptions import assumption_lines, broken_assumptions
from sttest.studies.fifo_blocks import fifo_blocks
from sttest.studies.sizing import BesideProgram, SizeRequest, beside_program

Objective: TypeAlias = Literal["tokens", "bram"]


def size_verb(
    paths: Annotated[list[Path], typer.Argument(metavar="DESIGN...", help=f"{DESIGN} Several have the same FIFOs.")],
    method: Annotated[
        SizingMethod, typer.Option(help="The compiler's linear program, or search by simulation.")
    ] = "sim",
    strategy: Annotated[
        Strategy | None, typer.Option(help="Of the linear program [the depths that the design has].")
    ] = None,
    throughput: Annotated[
        str | None,
        typer.Option(
            metavar="N/M",
            help="Iterations per time unit of endless actors [the highest]; a decimal of six digits, or with an "
            "exponent, is taken as rounded.",
        ),
    ] = None,
    invocations: Annotated[int, typer.Option(min=1, metavar="K", help="Runs that overlap.")] = 1,
    target: Annotated[
        str | None, typer.Option(help="no-loss, no-deadlock, or the cycles that a finite run may take [no-loss].")
    ] = None,
    objective: Annotated[
        Objective, typer.Option(help="The fewest tokens, or the fewest block memories of 18 Kib.")
    ] = "tokens",
    front: Annotated[bool, typer.Option("--front", help="What fewer block memories cost in cycles, too.")] = False,
    as_json: Json = False,
) -> None:
    """Size FIFOs: the linear program beside depths found by simulation, and what no sizing can go below.

    Examples:

      sttest size build/gpt2-decode-u55c

      sttest size build/gpt2-decode-u55c --method lp --strategy conservative

      sttest size h263decoder.xml --throughput 1/345055 --json

      sttest size graph.json --objective bram --front

      sttest size design.early.json design.late.json
    """
    _check_objective(objective, method, front=front)
    request = SizeRequest(method, strategy, throughput, invocations, target)
    if len(paths) > 1:
        _size_together(paths, request, objective, as_json=as_json)
        return
    (path,) = paths
    graph, compiled = load_graph(path), path.is_dir()
    if objective == "bram" and graph.is_endless:
        hints = ["leave --objective out"]
        raise InputError(
            "option",
            "block memories are held against cycles, which actors that fire for ever lack",
            where=str(path),
            hints=hints,
        )
    with progress(f"sizing {graph.name}"):
        sizing = request.sizing(graph, compiled=compiled, where=str(path))
        blocks, drawn = None, None
        if objective == "bram":
            blocks = size_for_blocks(sizing, _cycle_bound(sizing, target), fifo_blocks)
            sizing, drawn = blocks.sizing, block_front(blocks, fifo_blocks) if front else None
        program, refused = _program_beside(graph, request, sizing, compiled=compiled)
    if as_json:
        told = None if program is None else _program_json(sizing, program, graph, request.invocations)
        of_blocks = {} if blocks is None else blocks.to_json(drawn)
        print_json({**sizing.to_json(), **of_blocks, "lp": told, "why_no_lp": refused})
    else:
        if refused:
            print(f"the linear program has no depths to compare with: {refused}")
        _print(sizing, graph, request, program, blocks)
        if drawn is not None:
            _print_front(drawn)
    dead = sizing.cycles is None and sizing.throughput is None
    raise typer.Exit(DeadlockError.exit_code if dead else 0)


def _size_together(paths: Sequence[Path], request: SizeRequest, objective: str, *, as_json: bool) -> None:
    """Depths for all of several graphs."""
    if objective != "tokens" or request.method != "sim":
        hints = ["leave --objective and --method out", "name one design"]
        raise InputError("option", "several designs are sized by tokens, in simulation", where="size", hints=hints)
    graphs = {str(path): load_graph(path) for path in paths}
    if len(graphs) < len(paths):
        raise InputError("option", "a design is named twice", where="size", hints=["name each once"])
    with progress(f"sizing {len(graphs)} graphs"):
        found = size_for_all(graphs, request.sizing)
    if as_json:
        print_json(found.to_json())
        return
    first = next(iter(graphs.values()))
    print(f"{first.name}: {found.total_bits:,} bits in {len(first.fifos)} FIFOs, for {len(found.alone)} graphs")
    shown = {str(path): path.name if len({each.name for each in paths}) == len(paths) else str(path) for path in paths}
    rows = [[shown[name], found.cycles[name], each.cycles, each.total_bits] for name, each in found.alone.items()]
    print_table(["graph", "cycles", "cycles alone", "bits alone"], rows, title="With depths for all, and sized alone")
    if found.lost:
        print(f"note         up to {found.lost:,} cycles more than alone: deeper FIFOs may be memories, a cycle later")
    for name in found.stuck:
        print(f"note         {name} deadlocks at any depth")
    rows = []
    for fifo in first.fifos:
        alone = [each.depths[fifo.name] for each in found.alone.values()]
        rows.append([fifo.name, fifo.bits, found.depths[fifo.name], min(alone), max(alone)])
    columns = ["FIFO", "bits", "depth", "least alone", "most alone"]
    print_table(columns, rows, title="FIFO depths in tokens, for all graphs and for one alone")


def _program_beside(
    graph: TimedGraph, request: SizeRequest, sizing: Sizing, *, compiled: bool
) -> tuple[BesideProgram | None, str]:
    """The same to stand beside the simulation's depths; None, and a word why, where the program has none."""
    if graph.is_endless:
        return None, ""
    try:
        return beside_program(graph, request, sizing, compiled=compiled), ""
    except InputError as error:
        return None, str(error)


def _program_json(sizing: Sizing, program: BesideProgram, graph: TimedGraph, invocations: int) -> dict[str, Any]:
    broken = broken_assumptions(graph, invocations=invocations) if program.falls_short else []
    lp = replace(sizing, depths=program.depths)
    return {
        "depths": program.depths,
        "total_tokens": lp.total_tokens,
        "total_bits": lp.total_bits,
        "cycles": program.cycles,
        "free_cycles": program.free_cycles,
        "assumptions": [one.to_json() for one in broken],
        "simulation_as_slow": None if program.as_slow is None else program.as_slow.to_json(),
    }


def _check_objective(objective: str, method: str, *, front: bool) -> None:
    if front and objective != "bram":
        hints = ["add --objective bram"]
        raise InputError("option", "--front is of block memories", where="--front", hints=hints)
    if objective == "bram" and method == "lp":
        hints = ["leave --method out"]
        raise InputError(
            "option", "the linear program counts tokens, not block memories", where="--method", hints=hints
        )


def _cycle_bound(sizing: Sizing, target: str | None) -> int | None:
    """The cycle by which a sized run must have ended; None where it only must end."""
    if target == NO_DEADLOCK:
        return None
    return int(target) if target is not None and target.isdecimal() else sizing.cycles


def _print_front(front: BlockFront) -> None:
    points, fastest = front.points, front.points[0].cycles
    rows = [[each.blocks, each.cycles, f"{each.cycles / fastest:.2f}"] for each in points]
    print_table(["blocks of 18 Kib", "cycles", "times the first"], rows, title="What fewer block memories cost")
    if front.stopped:
        print("note         the front was ended for its length: fewer blocks may do")


def _print(
    sizing: Sizing, graph: TimedGraph, request: SizeRequest, program: BesideProgram | None, blocks: BlockSizing | None
) -> None:
    """What the depths add up to, and a table of the FIFOs."""
    _print_totals(sizing, graph, request, program, blocks)
    if blocks is not None:
        print(f"block memory {blocks.blocks:,} of 18 Kib: {blocks.told}")
    if program is not None and program.falls_short:
        _print_shortfall(program, graph, request.invocations)
    columns = ["FIFO", "bits", *(["LP"] if program else [])]
    columns += ["simulation"] if sizing.method == "sim" else []
    rows = []
    for fifo in graph.fifos:
        shown = [program.depths[fifo.name]] if program else []
        shown += [sizing.depths[fifo.name]] if sizing.method == "sim" else []
        rows.append([fifo.name, fifo.bits, *shown, sizing.lower_bounds[fifo.name]])
    print_table([*columns, "lower bound"], rows, title="FIFO depths in tokens")


def _print_totals(
    sizing: Sizing, graph: TimedGraph, request: SizeRequest, program: BesideProgram | None, blocks: BlockSizing | None
) -> None:
    print(f"{graph.name}: {sizing.total_bits:,} bits in {len(graph.fifos)} FIFOs, {_reached(sizing, request)}")
    if program and sizing.method == "sim":
        lp = replace(sizing, depths=program.depths)
        print(f"LP           {lp.total_tokens:,} tokens, {lp.total_bits:,} bits{_after(program.cycles)}")
    name = "simulation" if sizing.method == "sim" else "LP"
    print(f"{name:<12} {sizing.total_tokens:,} tokens, {sizing.total_bits:,} bits{_after(sizing.cycles)}")
    if program and (slow := program.as_slow):
        told = f"{slow.total_tokens:,} tokens, {slow.total_bits:,} bits{_after(slow.cycles)}"
        print(f"{name:<12} {told}, sized to be no slower than the LP")
    bits = "" if graph.is_endless else f", {sizing.lower_bits:,} bits"
    print(f"lower bound  {sizing.lower_total:,} tokens{bits}: {_how_good(sizing, is_by_tokens=blocks is None)}")
    if sizing.method == "sim" and not sizing.is_local_minimum and blocks is None:
        print("note         ports share a memory channel, so fewer tokens may do although one less does not")
    if request.invocations > 1 and (ports := inexact_ports(graph)):
        print(f"note         in {len(ports)} memory ports, bursts of one invocation run on into the next")


def _print_shortfall(program: BesideProgram, graph: TimedGraph, invocations: int) -> None:
    """Prints by how much the depths of the linear program fall short, and what the program took for granted."""
    reached = program.cycles
    if reached is None:
        print("LP           the design deadlocks with its depths")
    else:
        print(
            f"LP           {reached:,} cycles with its depths, against {program.free_cycles:,} if no FIFO is ever full"
        )
    broken = broken_assumptions(graph, invocations=invocations)
    for line in assumption_lines([one for one in broken if reached is not None or one.may_deadlock]):
        print(f"             {line}")


def _how_good(sizing: Sizing, *, is_by_tokens: bool) -> str:
    if sizing.cycles is None and sizing.throughput is None:
        return "every sizing with less deadlocks, and so do the LP's depths"
    if sizing.is_exact:
        return "no sizing has fewer tokens"
    tokens, bits = sizing.total_tokens - sizing.lower_total, sizing.total_bits - sizing.lower_bits
    found = "the simulation's depths" if sizing.method == "sim" else "the LP's depths"
    local = ""
    if sizing.method == "sim" and is_by_tokens:
        alone = "lowered" if sizing.is_local_minimum else "lowered by one token"
        local = f"; none of them can be {alone} alone"
    return f"{found} exceed the least by at most {tokens:,} tokens and {bits:,} bits{local}"


def _after(cycles: int | None) -> str:
    return "" if cycles is None else f", {cycles:,} cycles"


def _reached(sizing: Sizing, request: SizeRequest) -> str:
    if sizing.throughput is not None:
        return f"{sizing.throughput} iterations per time unit"
    if sizing.cycles is None:
        return "deadlock"
    times = f" for {request.invocations} invocations" if request.invocations > 1 else ""
    return f"{sizing.cycles:,} cycles{times}"
