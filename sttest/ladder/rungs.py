"""What one engine has to say of a design: a row of the ladder."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from sttest.boards.tools.parts import PARTS
from sttest.boards.tools.survey import survey
from sttest.errors import SttestError, ToolMissingError
from sttest.sim import TimedGraph, simulate

ENGINES = ("torch", "functional", "des", "maxplus", "csim", "rtl", "hw_emu", "device")
"""All rungs, from the golden up to the card."""
DEFAULT_ENGINES = tuple(name for name in ENGINES if name != "rtl")
"""Those that are climbed unless others are asked for: building the RTL twin of a whole block takes minutes."""
_NEEDS = {"hw_emu": ("v++", "XRT", "pyxrt"), "device": ("XRT", "pyxrt", "FPGA card")}
Verdict = Literal["done", "deadlock", "missing", "failed", "not asked", "elsewhere"]


@dataclass(frozen=True)
class Rung:
    """A row.

    Attributes:
        engine: its name.
        verdict: ``missing`` where its tools are; ``failed`` where it refused the design, with a note that says why;
            ``elsewhere`` where another verb runs it.
        cycles: simulated latency of one launch, in cycles of the design's clock.
        latency_us: the same in microseconds.
        error: largest absolute difference of ``y`` from the golden.
        relative_error: the same over the largest magnitude of the golden.
        integers: int8 elements of the new cache entries that differ from the golden.
        seconds: wall time, building included.
        note: what else there is to say.
    """

    engine: str
    verdict: Verdict
    cycles: int | None = None
    latency_us: float | None = None
    error: float | None = None
    relative_error: float | None = None
    integers: int | None = None
    seconds: float | None = None
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self) | {"relative_error": json_number(self.relative_error), "error": json_number(self.error)}


def json_number(value: float | None) -> float | None:
    """A number that JSON has: None for NaN and infinities."""
    return value if value is not None and math.isfinite(value) else None


def guarded(engine: str, climb: Callable[[], Rung]) -> Rung:
    """A rung, or why there is none: an engine that can't go on must not keep the others from telling."""
    began = time.perf_counter()
    try:
        return climb()
    except ToolMissingError as error:
        return Rung(engine, "missing", note=str(error))
    except SttestError as error:
        return Rung(engine, "failed", seconds=time.perf_counter() - began, note=str(error))


def simulated(engine: str, graph: TimedGraph) -> Rung:
    """The times of an engine over timed graphs, ``des`` or ``maxplus``."""
    began = time.perf_counter()
    result = simulate(graph, engine)
    return timed(engine, graph, result.cycles, time.perf_counter() - began)


def clocked(graph: TimedGraph, folder: Path) -> Rung:
    """The times of the RTL twin under Verilator; sources and build go below the folder."""
    from sttest.sim.rtl import emulate

    began = time.perf_counter()
    ran = emulate(graph, "verilator", folder)
    note = "" if ran.verdict != "limit" else "stopped before it was done"
    rung = timed("rtl", graph, ran.cycles, time.perf_counter() - began)
    return rung if not note else Rung("rtl", "failed", seconds=rung.seconds, note=note)


def timed(engine: str, graph: TimedGraph, cycles: int | None, seconds: float) -> Rung:
    """A row of times; no cycles are a deadlock."""
    if cycles is None:
        return Rung(engine, "deadlock", seconds=seconds)
    return Rung(engine, "done", cycles, cycles / graph.clock_mhz, seconds=seconds)


def out_of_reach(engine: str) -> Rung:
    """The row of an engine that runs a host program, not this ladder: what it needs, or the verb that runs it."""
    found = _missing_parts(_NEEDS[engine])
    if found:
        return Rung(engine, "missing", note=found)
    return Rung(engine, "elsewhere", note=f"run by 'sttest run --backend {engine}'")


def _missing_parts(needs: Sequence[str]) -> str:
    found = survey([part for part in PARTS if part.name in needs])
    missing = [name for name in needs if not found[name].usable]
    return f"{', '.join(missing)} not found; see 'sttest doctor'" if missing else ""
