"""What synthesis and co-simulation said of a solution, beside what its graph gives, and whether that agrees."""

from collections.abc import Iterator
from dataclasses import dataclass

from sttest.core.errors import InputError
from sttest.importers.solution.axi_lite import bench_of
from sttest.importers.solution.folder import Solution, cosimulated_latency, synthesized_latency, top_interface
from sttest.importers.solution.program import FirstTransaction
from sttest.importers.solution.stages import Call
from sttest.sim import TimedGraph, simulate

_NAMED_AT_ONCE = 5
_RELIED_ON = 0.02
"""By how much a latency may be off for the graph to be relied on."""


@dataclass(frozen=True)
class FolderCheck:
    """What was compared, and the figures.

    ``cosimulated`` and ``cycles`` are of the first transaction; ``measured`` is what a co-simulation of the graph would
    measure, with what its test bench does before and after.  Functions are counted whose latency synthesis gives as one
    number, for as many trips of their loops as the run made.  ``doubts`` are sentences that say what does not agree,
    ``causes`` what the graph is known not to have in it, which may be why.
    """

    lines: tuple[str, ...]
    notes: tuple[str, ...]
    doubts: tuple[str, ...]
    causes: tuple[str, ...]
    cycles: int | None
    measured: int | None
    cosimulated: int | None
    is_older: bool
    equal_functions: int
    fixed_functions: int

    @property
    def error(self) -> float | None:
        """How far the latency is off the co-simulation's; None where there is none, or ours is a deadlock."""
        if self.cosimulated is None or self.measured is None:
            return None
        return (self.measured - self.cosimulated) / self.cosimulated

    def require_agreement(self, where: str) -> None:
        """Refuses a graph that does not agree with what its folder says.

        Raises:
            InputError: it does not, with what is known to be missing in it.
        """
        if not self.doubts:
            return
        because = f"; {' and '.join(self.causes)}" if self.causes else "; nobody knows why"
        hints = [f"sttest import solution {where} --anyway -o design.json gives the graph nevertheless"]
        raise InputError("does-not-agree", f"{'; '.join(self.doubts)}{because}", where=where, hints=hints)


def checked(solution: Solution, run: FirstTransaction, top: Call, graph: TimedGraph) -> FolderCheck:
    """Compares a graph with all that the folder says about it."""
    cycles = simulate(graph).cycles
    truth = cosimulated_latency(solution)
    fixed = {
        name: told for name, calls in _calls(top).items() if (told := _compared(solution, name, calls)) is not None
    }
    wrong = [f"{name} {ours:,} (csynth {theirs:,})" for name, (ours, theirs) in fixed.items() if ours != theirs]
    equal, total = (sum(getattr(each, name) for each in run.checks) for name in ("equal", "total"))
    bench = bench_of(solution)
    told = None if cycles is None or bench is None else bench.measured(cycles)
    measured = cycles if told is None else told
    ours = "a deadlock" if cycles is None else f"{cycles:,}"
    if measured != cycles:
        ours += f", {measured:,} with its test bench's accesses over AXI-lite"
    lines = [
        f"co-simulation {truth.cycles:,}, this graph {ours}{_difference(measured, truth.cycles)}"
        if truth
        else f"no co-simulation, this graph {ours}",
        f"{len(fixed) - len(wrong):,} of {len(fixed):,} functions of fixed latency equal csynth",
        f"outputs {equal:,}/{total:,}" if total else "no outputs to compare",
    ]
    if wrong:
        more = f" and {len(wrong) - _NAMED_AT_ONCE} more" if len(wrong) > _NAMED_AT_ONCE else ""
        lines.append(f"differ from csynth: {', '.join(wrong[:_NAMED_AT_ONCE])}{more}")
    is_older = truth is not None and truth.is_older
    causes = tuple(_causes(solution, run, is_known=bench is not None and (told is not None or cycles is None)))
    doubts = [f"co-simulation {truth.cycles:,}, this graph {ours}"] if truth and _is_off(measured, truth.cycles) else []
    if not truth or is_older:  # a fresh co-simulation that agrees says more than any other figure
        doubts = [] if equal == total else [f"outputs {equal:,}/{total:,}"]
        doubts += [f"{name} {a:,}, csynth {b:,}" for name, (a, b) in fixed.items() if _is_off(a, b)][:_NAMED_AT_ONCE]
    return FolderCheck(
        tuple(lines), tuple(_notes(run, truth is not None, is_older, equal, total)), tuple(doubts), causes, cycles,
        measured, truth.cycles if truth else None, is_older, len(fixed) - len(wrong), len(fixed),
    )  # fmt: skip


def _is_off(ours: int | None, theirs: int) -> bool:
    return ours is None or abs(ours - theirs) > _RELIED_ON * theirs


def _difference(ours: int | None, theirs: int) -> str:
    """How far a latency is off, where it is."""
    if ours is None or ours == theirs:
        return ""
    return f" ({(ours - theirs) / theirs:+.2%}{': do not rely on it' if _is_off(ours, theirs) else ''})"


def _causes(solution: Solution, run: FirstTransaction, *, is_known: bool) -> Iterator[str]:
    """What is in the co-simulation and not in the graph, nor in what is known of its test bench."""
    interface = top_interface(solution)
    if interface.starts_over_axi and not is_known:
        yield "its test bench starts it over AXI-lite and polls it for its end, which the graph does not have"
    if "m_axi" in interface.protocols:
        yield "memory of the test bench answers a port m_axi in other times in each version of the tool"
    if "axis" in interface.protocols:
        yield "register slices of ports axis are not in the graph"
    if missing := _missing(run):
        yield f"the inputs of {missing} are not in the folder: zeros were taken, and ones for marks"
    if wrong := [each.port for each in run.checks if each.equal < each.total]:
        yield f"the run wrote other values to {', '.join(wrong[:_NAMED_AT_ONCE])}"


def _missing(run: FirstTransaction) -> str:
    written = {each.port for each in run.checks}
    return ", ".join([port for port in run.missing if port not in written][:_NAMED_AT_ONCE])


def _notes(run: FirstTransaction, is_there: bool, is_older: bool, equal: int, total: int) -> Iterator[str]:
    if is_older:
        yield "the co-simulation is older than the schedule: it may be that of another design"
    if missing := _missing(run):
        got = "they got" if ", " in missing else "it got"
        yield f"no vectors for {missing}: {got} zeros, a mark of one bit ones, and what depends on that is for those"
    if equal < total:
        ports = [each.port for each in run.checks if each.equal < each.total]
        yield f"outputs of {', '.join(ports[:_NAMED_AT_ONCE])} are not those of the co-simulation"
    if not is_there:
        yield "nothing measured says that the latency is right"
    yield "the first transaction; ports of the top are always ready"


def _calls(top: Call) -> dict[str, list[Call]]:
    """Each function's calls that have a latency if nothing stalls; those with processes in them have none."""
    found: dict[str, list[Call]] = {}
    waiting = [top]
    while waiting:
        call = waiting.pop()
        waiting += call.calls
        if call.latency is not None:
            found.setdefault(call.function.name, []).append(call)
    return found


def _compared(solution: Solution, name: str, calls: list[Call]) -> tuple[int, int] | None:
    """Our latency and the report's of a function for which that is fixed, and its loops ran as often as it was told."""
    told = synthesized_latency(solution, name)
    if told is None or told[0] != told[1] or not all(each.has_told_trips for each in calls):
        return None
    return max((each.latency or 0) + each.unreported for each in calls), told[0]
