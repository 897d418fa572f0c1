"""Holds a run of the hardware against an engine, token by token."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sttest.sim.api import simulate
from sttest.sim.graph import TimedGraph
from sttest.sim.simulation import Simulation
from sttest.targets.rtl.drive import RtlRun


@dataclass(frozen=True)
class Difference:
    """A difference between hardware and engine; a cycle of None means that it never happens there.

    ``kind``: ``access`` of token ``token`` of ``fifo``, by ``op``; ``value`` of a token that is written; ``finish`` of
    ``process``; ``order``: the hardware handed out another token than was due; ``verdict``.
    """

    kind: str
    fifo: str = ""
    op: str = ""
    token: int | None = None
    process: str = ""
    rtl_cycle: int | None = None
    engine_cycle: int | None = None
    detail: str = ""

    @property
    def cycle(self) -> int | None:
        """The cycle in which it shows, the earlier one of both."""
        return min((cycle for cycle in (self.rtl_cycle, self.engine_cycle) if cycle is not None), default=None)

    def __str__(self) -> str:
        if self.kind in ("order", "value", "verdict"):
            return self.detail
        what = f"process '{self.process}' finishes"
        if self.kind == "access":
            what = f"FIFO '{self.fifo}', {self.op} of token {self.token}"
        return f"{what}: {_cycle(self.rtl_cycle)} in hardware, {_cycle(self.engine_cycle)} in the engine"


def _cycle(cycle: int | None) -> str:
    return "never" if cycle is None else f"cycle {cycle}"


@dataclass(frozen=True)
class Comparison:
    """``first`` is the earliest difference, None where every access, value and finish is the same."""

    engine: str
    simulation: Simulation
    events: int
    first: Difference | None

    @property
    def is_exact(self) -> bool:
        """Whether nothing differs."""
        return self.first is None

    def to_json(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        first = None if self.first is None else asdict(self.first) | {"text": str(self.first)}
        return {
            "engine": self.engine,
            "exact": self.is_exact,
            "events_compared": self.events,
            "first_difference": first,
        }


def compare(graph: TimedGraph, run: RtlRun, engine: str = "maxplus") -> Comparison:
    """Runs the engine on the same graph and looks for the first access in another cycle or of another value.

    Args:
        graph: graph that ``run`` was built from.
        run: run of the hardware.
        engine: ``maxplus`` or ``simpy``.
    """
    simulation = simulate(graph, engine, record=True)
    found = _differences(graph, run, simulation)
    first = min(found, key=_when, default=None)
    return Comparison(engine, simulation, simulation.fifo_events, first)


def _when(difference: Difference) -> tuple[int, bool, int]:
    """The sort key: cycles; a token out of order first, since it spoils what follows; verdicts last."""
    if difference.kind == "order":
        return 0, False, difference.rtl_cycle or 0
    return 1 + (difference.kind == "verdict"), difference.cycle is None, difference.cycle or 0


def _differences(graph: TimedGraph, run: RtlRun, simulation: Simulation) -> Iterator[Difference]:
    """The first of each kind and FIFO."""
    for violation in run.violations:
        came = f"token {violation.got}" if violation.got >= 0 else "no token"
        told = f"{came} came where {violation.expected} was due, cycle {violation.cycle}"
        yield Difference(
            "order",
            violation.fifo,
            "read",
            violation.expected,
            rtl_cycle=violation.cycle,
            detail=f"FIFO '{violation.fifo}': {told}",
        )
    for fifo in graph.fifos:
        pairs = (
            ("write", run.writes[fifo.name], simulation.write_times[fifo.name], fifo.initial_tokens),
            ("read", run.reads[fifo.name], simulation.read_times[fifo.name], 0),
        )
        for op, ours, theirs, first_token in pairs:
            index = _first_difference(ours, theirs)
            if index is not None:
                yield Difference(
                    "access",
                    fifo.name,
                    op,
                    first_token + index,
                    rtl_cycle=_at(ours, index),
                    engine_cycle=_at(theirs, index),
                )
    for wrong in run.wrong:
        yield Difference("value", wrong.fifo, "write", wrong.token, rtl_cycle=wrong.cycle, detail=str(wrong))
    for process, cycle in run.finish.items():
        if cycle != simulation.finish[process]:
            yield Difference("finish", process=process, rtl_cycle=cycle, engine_cycle=simulation.finish[process])
    if run.verdict != simulation.verdict:
        told = f"the hardware ends with '{run.verdict}', the engine with '{simulation.verdict}'"
        yield Difference("verdict", detail=told)


def _first_difference(ours: np.ndarray, theirs: np.ndarray) -> int | None:
    common = min(ours.size, theirs.size)
    differing = np.flatnonzero(ours[:common] != theirs[:common])
    if differing.size:
        return int(differing[0])
    return None if ours.size == theirs.size else common


def _at(times: np.ndarray, index: int) -> int | None:
    return int(times[index]) if index < times.size else None
