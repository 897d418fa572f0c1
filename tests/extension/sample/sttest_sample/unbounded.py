"""A backend: the cycles of a design with FIFOs that are never full, which is the least that depths can give."""

import time
from functools import partial

from sttest.crosscheck.backends import Backend, Climb
from sttest.crosscheck.engines import EngineResult
from sttest.sim import simulate
from sttest.targets.doctor import ExternalTool, PartStatus


def _run(climb: Climb) -> EngineResult:
    """A note, not cycles: those of a design with its own depths would be a disagreement."""
    began = time.perf_counter()
    least = simulate(climb.package.timed_graph, unbounded=True).cycles
    return EngineResult("unbounded", "done", seconds=time.perf_counter() - began, note=f"at least {least:,} cycles")


PART = ExternalTool("abacus", "cycles without depths", partial(PartStatus, "ok", "2.0", "made of wood"))
UNBOUNDED = Backend("unbounded", _run, needs=(PART.name,), parts=(PART,), knows_depths=False)
