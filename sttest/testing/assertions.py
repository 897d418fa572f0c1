"""What a design must do; a failure says all that is known of why it does not."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from sttest.core.errors import InputError
from sttest.core.files import MAX_FILE_BYTES, read_object, write_json
from sttest.package import load_graph
from sttest.sim import Simulation, TimedGraph, simulate
from sttest.sim.deadlock import Deadlock

Design: TypeAlias = TimedGraph | str | Path
"""A graph, or where it is: a timed-graph JSON or a design package folder."""

Waits: TypeAlias = Collection[str] | Collection[tuple[str, str, str]]
"""Members of a wait cycle: process names, or (process, ``read`` or ``write``, FIFO)."""


def assert_completes(design: Design, depths: Mapping[str, int] | None = None) -> Simulation:
    """Fails with the whole diagnosis if the design deadlocks.

    Args:
        design: design to run.
        depths: other depths for some FIFOs.

    Returns:
        The run, for further assertions.
    """
    __tracebackhide__ = True
    result = simulate(as_graph(design), depths=depths)
    if result.deadlock is not None:
        raise AssertionError(result.to_text())
    return result


def assert_deadlocks(
    design: Design,
    cycle: Waits | None = None,
    *,
    fix: Mapping[str, int] | None = None,
    depths: Mapping[str, int] | None = None,
) -> Deadlock:
    """Fails if the design finishes, or deadlocks for another reason.

    Args:
        design: design to run.
        cycle: all members of the wait cycle, in any order.
        fix: the depths that are to be proposed; empty where tokens are missing.
        depths: other depths for some FIFOs.
    """
    __tracebackhide__ = True
    result = simulate(as_graph(design), depths=depths)
    deadlock = result.deadlock
    if deadlock is None:
        raise AssertionError(f"{result.name} should deadlock, but: {result.to_text()}")
    if cycle is not None and _members(deadlock, cycle) != set(cycle):
        raise AssertionError(f"another cycle than {sorted(map(str, cycle))}: {result.to_text()}")
    if fix is not None and deadlock.fix != dict(fix):
        raise AssertionError(f"another fix than {dict(fix)}: {result.to_text()}")
    return deadlock


def as_graph(design: Design) -> TimedGraph:
    """The graph itself, loaded where only its place is given."""
    return design if isinstance(design, TimedGraph) else load_graph(design)


def _members(deadlock: Deadlock, like: Waits) -> set[str] | set[tuple[str, str, str]]:
    """The cycle as names, or as triples where ``like`` has those."""
    if all(isinstance(member, str) for member in like):
        return {wait.process for wait in deadlock.cycle}
    return {(wait.process, wait.waits_to, wait.fifo) for wait in deadlock.cycle}


# --- Golden cycle counts in a JSON file beside a test, with where the cycles went, so that a change explains itself


SCHEMA = "sttest.golden/1"
KINDS = ("compute", "stall-in", "stall-out", "memory")
MAX_ROWS = 12

Decomposition: TypeAlias = dict[str, dict[str, int]]
"""Cycles of each process by kind, from its start to its finish."""


@dataclass(frozen=True)
class GoldenFile:
    """Values by name; ``update`` writes what is found instead of comparing with it."""

    path: Path
    update: bool = False

    def assert_cycles(self, design: Design, golden: str, rel: float = 0.0) -> Simulation:
        """Fails if the design deadlocks or takes another number of cycles than the golden one.

        Args:
            design: design to run.
            golden: name of the value in the file.
            rel: part of the golden cycles by which a run may differ, 0.01 is 1 %.

        Raises:
            InputError: the design runs for ever, or the file is damaged.
        """
        __tracebackhide__ = True
        result = assert_completes(as_graph(design))
        if result.cycles is None:
            raise InputError("no-cycles", "a graph that runs for ever has no number of cycles", where=result.name)
        values = self._read()
        if self.update:
            self._write(values | {golden: {"cycles": result.cycles, "processes": decomposition(result)}})
            return result
        if golden not in values:
            raise AssertionError(f"no golden value '{golden}' in {self.path}; write it with pytest --update-golden")
        expected = values[golden]
        if abs(result.cycles - expected["cycles"]) > rel * expected["cycles"]:
            raise AssertionError(explain(result, golden, expected, rel))
        return result

    def _read(self) -> dict[str, Any]:
        if not self.path.exists():
            return {}
        data = read_object(self.path, SCHEMA, most_bytes=MAX_FILE_BYTES, hints=["delete it"])
        if not isinstance(data.get("values"), dict):
            raise InputError("wrong-schema", f"not a file of {SCHEMA}", where=str(self.path), hints=["delete it"])
        return data["values"]

    def _write(self, values: dict[str, Any]) -> None:
        write_json(self.path, {"schema": SCHEMA, "values": dict(sorted(values.items()))})


def decomposition(result: Simulation) -> Decomposition:
    """The cycles of each process by what they were spent on."""
    return {
        name: dict(
            zip(
                KINDS,
                (part.busy_cycles, part.stall_in_cycles, part.stall_out_cycles, part.memory_wait_cycles),
                strict=True,
            )
        )
        for name, part in result.breakdown.items()
    }


def explain(result: Simulation, golden: str, expected: dict[str, Any], rel: float) -> str:
    """The differences of a run from the golden one: in all, then per process and kind, largest change first."""
    now, before = result.cycles or 0, expected["cycles"]
    lines = [
        f"{result.name} takes {now:,} cycles, golden '{golden}' {before:,}"
        f" ({now - before:+,}, {(now - before) / max(before, 1):+.2%}; {rel:.2%} is allowed)"
    ]
    rows = _changes(decomposition(result), expected["processes"])
    if rows:
        lines.append("  what changed, in cycles of each process:")
        lines += [f"  {name:<24} {kind:<9} {old:>12,} -> {new:>12,} {new - old:>+12,}" for name, kind, old, new in rows]
    if len(rows) == MAX_ROWS:
        lines.append(f"  only the {MAX_ROWS} largest are shown")
    lines.append("  if that is right, write the new values with pytest --update-golden")
    return "\n".join(lines)


def _changes(now: Decomposition, before: Decomposition) -> list[tuple[str, str, int, int]]:
    """(process, kind, before, now) where they differ; a process that is not there took no cycles."""
    rows = [
        (name, kind, before.get(name, {}).get(kind, 0), now.get(name, {}).get(kind, 0))
        for name in {**before, **now}
        for kind in KINDS
    ]
    changed = [row for row in rows if row[2] != row[3]]
    return sorted(changed, key=lambda row: -abs(row[3] - row[2]))[:MAX_ROWS]
