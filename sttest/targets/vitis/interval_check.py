"""The intervals that emitted C++ admits beside those of the timed graph, process by process.

A process of the graph is found by the FIFOs that it has in common with a process of the C++: both sides name them
alike, and each FIFO has one writer and one reader.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sttest.boards.operators import Operator
from sttest.sim.graph import MemoryPort, Pipeline, Process, TimedGraph, fifo_ends
from sttest.targets.vitis.intervals import LoopInterval, ProcessIntervals, admitted_intervals

SCHEMA = "sttest.intervals/1"


@dataclass(frozen=True)
class IntervalComparison:
    """A process in both."""

    process: str  # name in the timed graph
    function: str
    category: str
    loops: tuple[LoopInterval, ...]
    notes: tuple[str, ...]
    claimed: int  # cycles of all iterations in the timed graph, without filling and draining
    claimed_entries: int  # times that it fills and drains
    drain: int  # cycles from the last iteration of an entry to the first of the next one; 0 where it is not known

    @property
    def around(self) -> tuple[LoopInterval, ...]:
        """Loops that only pass first or last tokens of another: they fill or drain it."""
        return tuple(loop for loop in self.loops if any(loop.passes < other.passes for other in self.loops))

    @property
    def admitted(self) -> int:
        """Cycles of all iterations of the C++, and those of filling and draining beyond the timed graph's."""
        around = self.around
        cycles = sum(loop.cycles for loop in self.loops if loop not in around)
        # A function that is called for several loops of the graph has each of its own once per call.
        longest = {loop.label: 0 for loop in around}
        for loop in around:
            longest[loop.label] = max(longest[loop.label], loop.iterations * loop.admitted)
        beyond = sum(longest.values()) - self.drain
        return cycles + max(0, beyond) * max((loop.entries for loop in around), default=0)

    @property
    def entries(self) -> int:
        """Times that the C++ fills and drains."""
        return sum(loop.entries for loop in self.loops if loop not in self.around)

    @property
    def differs(self) -> bool:
        """Whether the iterations take other cycles than the timed graph says."""
        return self.admitted != self.claimed

    @property
    def ratio(self) -> float:
        """Cycles admitted over cycles claimed."""
        return self.admitted / max(1, self.claimed)

    @property
    def paused(self) -> int:
        """Cycles of filling and draining more often than the timed graph says."""
        return max(0, self.entries - self.claimed_entries) * self.drain

    @property
    def lost(self) -> int:
        """Cycles above the timed graph's, those of filling and draining more often included."""
        return self.admitted - self.claimed + self.paused

    @property
    def slowest(self) -> LoopInterval | None:
        """The loop that most of the difference is made in."""
        return max(self.loops, key=lambda loop: (loop.admitted > 1, loop.cycles), default=None)

    def claimed_interval(self) -> Fraction:
        """Cycles of the timed graph per iteration of the C++."""
        iterations = sum(loop.entries * loop.iterations for loop in self.loops if loop not in self.around)
        return Fraction(self.claimed, max(1, iterations))

    @property
    def reason(self) -> str:
        """Where the difference comes from."""
        if not self.differs or self.slowest is None:
            return "" if self.loops or not self.notes else self.notes[-1]
        if self.slowest.reason:
            return self.slowest.reason
        return f"{self.admitted:,} cycles in the C++'s loops, {self.claimed:,} in the graph"


def compare_intervals(text: str, graph: TimedGraph, library: Mapping[str, Operator]) -> list[IntervalComparison]:
    """Every process of a `kernel.cpp` beside the one of the timed graph, in the order of the dataflow region.

    What only one of them has comes last, with a note.

    Args:
        text: text of the C++.
        graph: timed graph of the same design.
        library: operators at the board's clock.
    """
    ends = fifo_ends(graph)
    found: list[IntervalComparison] = []
    for code in admitted_intervals(text, library):
        writers = {ends[graph.fifo_index[name]].writer for name in code.writes if name in graph.fifo_index}
        readers = {ends[graph.fifo_index[name]].reader for name in code.reads if name in graph.fifo_index}
        number = min(writers | readers, default=None)
        found.append(_compared(code, graph.processes[number] if number is not None else None, graph))
    both = {each.process for each in found}
    for process in graph.processes:
        if process.name not in both:
            note = "no process of the C++ has its FIFOs"
            found.append(IntervalComparison(process.name, "", process.category, (), (note,), *_claims(process, graph)))
    return found


def _compared(code: ProcessIntervals, process: Process | None, graph: TimedGraph) -> IntervalComparison:
    if process is None:
        note = "no process of the timed graph has its FIFOs"
        return IntervalComparison(code.name, code.name, "", code.loops, (*code.notes, note), 0, 0, 0)
    claimed, entries, drain = _claims(process, graph)
    return IntervalComparison(
        process.name, code.name, process.category, code.loops, code.notes, claimed, entries, drain
    )


def _claims(process: Process, graph: TimedGraph) -> tuple[int, int, int]:
    """Cycles of all iterations, entries, and cycles that an entry adds."""
    if isinstance(process, Pipeline) and process.loops:
        cycles = process.repeat * sum(loop.iterations * loop.ii for loop in process.loops)
        drain = max(loop.latency - loop.ii + loop.entry_gap for loop in process.loops)
        return cycles, process.repeat * len(process.loops), max(0, drain)
    if isinstance(process, MemoryPort):
        channel = next(each for each in graph.channels if each.name == process.channels[0])
        return max(process.tokens, -(-process.tokens * process.token_bytes // channel.beat_bytes)), 1, channel.latency
    return 0, 0, 0


# --- As a table and as JSON


COLUMNS = ("process", "loop", "asked", "admitted", "graph", "reason")


def worst_first(compared: Sequence[IntervalComparison]) -> list[IntervalComparison]:
    """The processes that differ, by the cycles that they lose."""
    return sorted((each for each in compared if each.differs), key=lambda each: -each.lost)


def table_rows(compared: Sequence[IntervalComparison]) -> list[tuple[str, ...]]:
    """Rows of the table; like loops of a process are one row."""
    rows: dict[tuple[str, ...], None] = {}
    for each in compared:
        claimed = each.claimed_interval()
        graph = f"{claimed.numerator}" if claimed.denominator == 1 else f"{float(claimed):.3g}"
        for loop in each.loops:
            asked = "" if loop.asked is None else f"{loop.asked}"
            reason = loop.reason or (each.reason if loop is each.slowest else "")
            rows[each.process, loop.label, asked, f"{loop.admitted}", graph, reason] = None
    return list(rows)


def summary(compared: Sequence[IntervalComparison]) -> list[str]:
    """Lines: how many processes differ in their intervals, how far the worst is off, how many in their drains."""
    different = worst_first(compared)
    lines = [f"{len(compared)} processes, {len(compared) - len(different)} with the timed graph's intervals"]
    if different:
        worst = different[0]
        lines.append(f"worst: '{worst.process}', {worst.admitted:,} cycles for {worst.claimed:,}")
    pipelines = [each for each in compared if each.category != "dma"]
    more, fewer = (sum(sign * each.entries > sign * each.claimed_entries for each in pipelines) for sign in (1, -1))
    if more or fewer:
        lines.append(f"pipelines that drain more often than in the graph: {more}, less often: {fewer}")
    return lines


def document(compared: Sequence[IntervalComparison], wide: Sequence[str]) -> dict[str, Any]:
    """All as JSON."""
    return {
        "schema": SCHEMA,
        "processes": len(compared),
        "different": sum(each.differs for each in compared),
        "wide": list(wide),
        "intervals": [_as_json(each) for each in compared],
    }


def _as_json(each: IntervalComparison) -> dict[str, Any]:
    return {
        "process": each.process,
        "function": each.function,
        "claimed_cycles": each.claimed,
        "admitted_cycles": each.admitted,
        "claimed_entries": each.claimed_entries,
        "entries": each.entries,
        "lost_cycles": each.lost,
        "notes": list(each.notes),
        "loops": [
            {
                "loop": loop.label,
                "line": loop.line,
                "iterations": loop.iterations,
                "entries": loop.entries,
                "asked": loop.asked,
                "admitted": loop.admitted,
                "reason": loop.reason,
                "bounds": [{"rule": b.rule, "cycles": b.cycles, "reason": b.reason} for b in loop.bounds],
                "notes": list(loop.notes),
            }
            for loop in each.loops
        ],
    }
