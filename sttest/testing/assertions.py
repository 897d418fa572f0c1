"""What a design must do; a failure says all that is known of why it does not."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TypeAlias

from sttest.sim import Simulation, TimedGraph, load, simulate
from sttest.sim.deadlock.certificate import Deadlock

Design: TypeAlias = TimedGraph | str | Path
"""A graph, or where it is: a timed-graph JSON or a design package folder."""

Waits: TypeAlias = Collection[str] | Collection[tuple[str, str, str]]
"""Members of a wait cycle: process names, or (process, ``read`` or ``write``, FIFO)."""


def assert_completes(design: Design, depths: Mapping[str, int] | None = None) -> Simulation:
    """Fails with the whole diagnosis if the design deadlocks.

    Args:
        design: what to run.
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
        design: what to run.
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
    return design if isinstance(design, TimedGraph) else load(design)


def _members(deadlock: Deadlock, like: Waits) -> set[str] | set[tuple[str, str, str]]:
    """The cycle as names, or as triples where ``like`` has those."""
    if all(isinstance(member, str) for member in like):
        return {wait.process for wait in deadlock.cycle}
    return {(wait.process, wait.waits_to, wait.fifo) for wait in deadlock.cycle}
