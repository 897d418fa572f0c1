"""What synthesis and co-simulation said of a solution, beside what its graph gives."""

from collections.abc import Iterator
from dataclasses import dataclass

from sttest.importers.solution.folder import Solution, cosimulated_latency, synthesized_latency
from sttest.importers.solution.program import FirstTransaction
from sttest.importers.solution.stages import Call
from sttest.sim import TimedGraph, simulate

_NAMED_AT_ONCE = 5
_RELIED_ON = 0.02
"""By how much a latency may be off for the graph to be relied on."""


@dataclass(frozen=True)
class Check:
    """Lines that say what was compared, what is to be known about it, and the figures.

    ``cosimulated`` and ``cycles`` are of the first transaction; functions are counted whose latency is fixed.
    """

    lines: list[str]
    notes: list[str]
    cycles: int | None
    cosimulated: int | None
    is_older: bool
    equal_functions: int
    fixed_functions: int


def checked(solution: Solution, run: FirstTransaction, top: Call, graph: TimedGraph) -> Check:
    """Compares a graph with all that the folder says about it."""
    cycles = simulate(graph).cycles
    cosimulated = cosimulated_latency(solution)
    found = {name: _is_equal(solution, name, ends) for name, ends in _latencies(top).items()}
    fixed = {name: told for name, told in found.items() if told is not None}
    wrong = [f"{name} {ours} (csynth {theirs})" for name, (ours, theirs) in fixed.items() if ours != theirs]
    equal = sum(each.equal for each in run.checks)
    total = sum(each.total for each in run.checks)
    ours = "a deadlock" if cycles is None else f"{cycles:,}"
    lines = [
        f"co-simulation {cosimulated.cycles:,}, this graph {ours}{_difference(cycles, cosimulated.cycles)}"
        if cosimulated
        else f"no co-simulation, this graph {ours}",
        f"{len(fixed) - len(wrong):,} of {len(fixed):,} functions of fixed latency equal csynth",
        f"outputs {equal:,}/{total:,}" if total else "no outputs to compare",
    ]
    if wrong:
        more = f" and {len(wrong) - _NAMED_AT_ONCE} more" if len(wrong) > _NAMED_AT_ONCE else ""
        lines.append(f"differ from csynth: {', '.join(wrong[:_NAMED_AT_ONCE])}{more}")
    notes = list(_notes(run, cosimulated is not None and cosimulated.is_older, equal, total))
    return Check(
        lines, notes, cycles, cosimulated.cycles if cosimulated else None, bool(cosimulated and cosimulated.is_older),
        len(fixed) - len(wrong), len(fixed),
    )  # fmt: skip


def _difference(ours: int | None, theirs: int) -> str:
    """How far a latency is off, where it is."""
    if ours is None or ours == theirs:
        return ""
    off = (ours - theirs) / theirs
    return f" ({off:+.2%}{': do not rely on it' if abs(off) > _RELIED_ON else ''})"


def _notes(run: FirstTransaction, is_older: bool, equal: int, total: int) -> Iterator[str]:
    if is_older:
        yield "the co-simulation is older than the schedule: it may be that of another design"
    written = {each.port for each in run.checks}
    if missing := [port for port in run.missing if port not in written]:
        ports = ", ".join(missing[:_NAMED_AT_ONCE])
        yield f"no vectors for {ports}: zeros were taken, and what depends on them is for zeros"
    if equal < total:
        ports = [each.port for each in run.checks if each.equal < each.total]
        yield f"outputs of {', '.join(ports[:_NAMED_AT_ONCE])} are not those of the co-simulation"
    yield "the first transaction; ports of the top are always ready"


def _latencies(top: Call) -> dict[str, set[int]]:
    """Latencies of each function's calls, nothing stalled; those with processes in them have none."""
    found: dict[str, set[int]] = {}
    waiting = [top]
    while waiting:
        call = waiting.pop()
        waiting += call.calls
        if call.latency is not None:
            found.setdefault(call.function.name, set()).add(call.latency)
    return found


def _is_equal(solution: Solution, name: str, ends: set[int]) -> tuple[int, int] | None:
    """Our latency and the report's of a function for which that is fixed."""
    told = synthesized_latency(solution, name)
    if told is None or told[0] != told[1]:
        return None
    return max(ends), told[0]
