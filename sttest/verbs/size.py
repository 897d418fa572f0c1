"""`sttest size`: depths of FIFOs, by the linear program or by simulation."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from sttest.compile.timing.fifo_depths import stream_depths
from sttest.core.errors import DeadlockError, InputError
from sttest.core.tables import print_table
from sttest.package import load_graph
from sttest.sim import Actor, TimedGraph, simulate
from sttest.sim.sizing import Sizing, back_to_back, size_by_simulation, size_for_throughput
from sttest.sim.sizing.depth_runner import inexact_ports
from sttest.sim.sizing.finite import least_live_depths
from sttest.sim.sizing_assumptions import assumption_lines, broken_assumptions
from sttest.verbs.output import print_json, progress


@dataclass(frozen=True)
class SizeRequest:
    """What was asked for.

    ``strategy`` of the linear program; None: that of a design package is in it, of a bare graph ``normal``.
    ``throughput``: N/M in iterations per time unit, of endless actors.
    ``target`` of a finite graph: no-loss, no-deadlock or a number of cycles.
    """

    method: str = "sim"
    strategy: str | None = None
    throughput: str | None = None
    invocations: int = 1
    target: str | None = None


def run(path: Path, request: SizeRequest, *, as_json: bool) -> int:
    """Sizes and prints.

    Returns:
        The exit code: 0 done, 3 where the depths deadlock.

    Raises:
        InputError: not a graph, or options that do not fit it.
        DeadlockError: no depths are enough.
        DoesNotFitError: no depths are enough for what was asked.
    """
    graph = load_graph(path)
    endless = any(isinstance(process, Actor) and process.firings is None for process in graph.processes)
    _check(request, path, endless=endless)
    repeated = back_to_back(graph, request.invocations)
    with progress(f"sizing {graph.name}"):
        if request.method == "lp":
            sizing = _by_program(graph, repeated, _program_depths(graph, path, request.strategy))
        elif endless:
            sizing = size_for_throughput(graph, _fraction(request.throughput))
        else:
            sizing = size_by_simulation(repeated, _target(request.target))
    if as_json:
        print_json(sizing.to_json())
    else:
        program = {} if endless else _program_beside(graph, path, request)
        _print(sizing, graph, request, program)
        if program:
            _print_shortfall(repeated, graph, program, request.invocations)
    dead = sizing.cycles is None and sizing.throughput is None
    return DeadlockError.exit_code if dead else 0


def _check(request: SizeRequest, path: Path, *, endless: bool) -> None:
    """Refuses options that say nothing about such a graph."""
    of_finite = {"--method lp": request.method == "lp", "--target": request.target is not None}
    of_finite["--invocations"] = request.invocations != 1
    wrong = of_finite if endless else {"--throughput": request.throughput is not None}
    for option, is_given in wrong.items():
        if is_given:
            kind = "never ends" if endless else "comes to an end"
            raise InputError("option", f"{option} says nothing about a graph that {kind}", where=str(path))
    of_other = {"--target": request.target, "--strategy": request.strategy}
    option = "--target" if request.method == "lp" else "--strategy"
    if of_other[option] is not None:
        other = "sim" if request.method == "lp" else "lp"
        hints = [f"add --method {other}"]
        raise InputError("option", f"{option} says nothing about method {request.method}", where="size", hints=hints)


_ROUNDED_DIGITS = 6
# N/M, a whole number or a decimal; bounded, so that no text becomes a number of a million digits.
_THROUGHPUT = re.compile(r"[0-9]{1,18}(/0*[1-9][0-9]{0,17}|\.[0-9]{1,18})?([eE][+-]?[0-9]{1,2})?", re.ASCII)


def _fraction(text: str | None) -> Fraction | None:
    if text is None:
        return None
    if not _THROUGHPUT.fullmatch(text) or ("/" in text and "e" in text.lower()):
        hints = ["write it as in --throughput 1/960 or 0.00104"]
        raise InputError("bad-throughput", f"'{text:.40}' is not N/M", where="--throughput", hints=hints)
    value = Fraction(text)
    digits = re.sub(r"[eE].*", "", text).replace(".", "").lstrip("0")
    if "/" in text or ("e" not in text.lower() and len(digits) < _ROUNDED_DIGITS):
        return value
    digits = digits.ljust(_ROUNDED_DIGITS, "0")
    # Published rates are rounded decimals: whatever rounds to these digits reaches them.
    return value - value / (2 * int(digits))


def _target(text: str | None) -> str | int:
    if text is None:
        return "no-loss"
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else text


def _program_depths(graph: TimedGraph, path: Path, strategy: str | None) -> dict[str, int]:
    """Depths by the linear program: those that a design package was compiled with, or solved for now.

    FIFOs that it doesn't size keep what they have.

    Raises:
        InputError: actors, or FIFOs without initial tokens that form a cycle.
    """
    given = {fifo.name: fifo.depth for fifo in graph.fifos}
    if strategy is None and path.is_dir():
        return given

    return given | stream_depths(graph, strategy or "normal")


def _program_beside(graph: TimedGraph, path: Path, request: SizeRequest) -> dict[str, int]:
    """The same to stand beside the simulation's depths; nothing, and a word why, where the program has none."""
    try:
        return _program_depths(graph, path, request.strategy)
    except InputError as error:
        print(f"no linear program: {error}")
        return {}


def _by_program(graph: TimedGraph, repeated: TimedGraph, depths: dict[str, int]) -> Sizing:
    bounds = least_live_depths(repeated)
    names = [fifo.name for fifo in graph.fifos]
    return Sizing(
        graph=graph,
        method="lp",
        depths=depths,
        cycles=simulate(repeated, depths=depths).cycles,
        lower_bounds=dict(zip(names, bounds, strict=True)),
        lower_total=sum(bounds),
        is_exact=sum(bounds) == sum(depths.values()),
    )


def _print(sizing: Sizing, graph: TimedGraph, request: SizeRequest, program: dict[str, int]) -> None:
    """A table of the FIFOs and what it adds up to."""
    columns = ["FIFO", "bits", *(["LP"] if program else [])]
    columns += ["simulation"] if sizing.method == "sim" else []
    rows = []
    for fifo in graph.fifos:
        shown = [program[fifo.name]] if program else []
        shown += [sizing.depths[fifo.name]] if sizing.method == "sim" else []
        rows.append([fifo.name, fifo.bits, *shown, sizing.lower_bounds[fifo.name]])
    print_table([*columns, "lower bound"], rows, title="FIFO depths in tokens")
    if program and sizing.method == "sim":
        lp = replace(sizing, depths=program)
        print(f"LP           {lp.total_tokens:,} tokens, {lp.total_bits:,} bits")
    name = "simulation" if sizing.method == "sim" else "LP"
    print(f"{name:<12} {sizing.total_tokens:,} tokens, {sizing.total_bits:,} bits")
    print(f"lower bound  {sizing.lower_total:,} tokens: {_how_good(sizing)}")
    print(f"reached      {_reached(sizing, request)}")
    if request.invocations > 1 and (ports := inexact_ports(graph)):
        print(f"note         the invocations' bursts run on into each other in {len(ports)} memory ports")


def _print_shortfall(repeated: TimedGraph, graph: TimedGraph, program: dict[str, int], invocations: int) -> None:
    """Where the depths of the linear program deadlock or lose cycles: how much, and what it took for granted."""

    reached = simulate(repeated, depths=program).cycles
    free = simulate(repeated, unbounded=True).cycles
    if reached is not None and free is not None and reached <= free:
        return
    if reached is None:
        print("LP           deadlock with its depths")
    else:
        print(f"LP           {reached:,} cycles with its depths, {free:,} with FIFOs that are never full")
    broken = broken_assumptions(graph, invocations=invocations)
    for line in assumption_lines([one for one in broken if reached is not None or one.may_deadlock]):
        print(f"             {line}")


def _how_good(sizing: Sizing) -> str:
    if sizing.is_exact:
        return "no sizing has fewer"
    gap = sizing.total_tokens - sizing.lower_total
    local = ", none of the depths can be lowered alone" if sizing.method == "sim" else ""
    return f"at most {gap:,} more than the least{local}"


def _reached(sizing: Sizing, request: SizeRequest) -> str:
    if sizing.throughput is not None:
        return f"{sizing.throughput} iterations per time unit"
    if sizing.cycles is None:
        return "deadlock"
    times = f" for {request.invocations} invocations" if request.invocations > 1 else ""
    return f"{sizing.cycles:,} cycles{times}"
