"""Golden cycle counts in a JSON file beside a test, with where the cycles went, so that a change explains itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from sttest.errors import InputError
from sttest.sim import Simulation
from sttest.sim.json_object import read_json
from sttest.testing.assertions import Design, as_graph, assert_completes

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
            design: what to run.
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
        data = read_json(self.path)
        if not isinstance(data, dict) or data.get("schema") != SCHEMA or not isinstance(data.get("values"), dict):
            raise InputError("wrong-schema", f"not a file of {SCHEMA}", where=str(self.path), levers=["delete it"])
        return data["values"]

    def _write(self, values: dict[str, Any]) -> None:
        data = {"schema": SCHEMA, "values": dict(sorted(values.items()))}
        part = self.path.with_name(f"{self.path.name}.part")
        part.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        part.replace(self.path)


def decomposition(result: Simulation) -> Decomposition:
    """Where the cycles of each process went."""
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
    """How a run differs from the golden one: in all, then per process and kind, largest change first."""
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
