"""What sized FIFOs cost: a design's cycles beside those with FIFOs that are never full.

They are kept beside the lowered texts, under a hash of the graph, of this program and of the packages that it stands
on: the two simulations take milliseconds, but loading the compiled engine takes longer than compiling a block.
"""

import hashlib
from collections import Counter
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter

from sttest.core.closure import tree_hash
from sttest.core.kept import KeptFiles
from sttest.core.program import package_versions
from sttest.sim.api import simulate
from sttest.sim.critical_path import critical_path
from sttest.sim.graph import TimedGraph
from sttest.sim.simulation import Simulation


class SizingCost(BaseModel):
    """Cycles with the sized depths and with unbounded FIFOs, and where the sized design waits for space.

    ``cycles`` is None if the sized design deadlocks, ``unbounded_cycles`` if even unbounded FIFOs don't let it finish;
    ``waits``: cycles that a process on the critical path waited for space in a FIFO, by process, most first;
    ``short``: FIFOs that would hold more than their depth if they could.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cycles: int | None
    unbounded_cycles: int | None
    waits: dict[str, int]
    short: list[str]

    @property
    def lost_cycles(self) -> int | None:
        """What the depths cost; negative where unbounded FIFOs let small DMAs get ahead on a shared channel."""
        if self.cycles is None or self.unbounded_cycles is None:
            return None
        return self.cycles - self.unbounded_cycles


_COST = TypeAdapter(SizingCost)


def sizing_cost(graph: TimedGraph) -> SizingCost:
    """Simulates the graph twice with the compiled engine."""
    sized = simulate(graph, record=True)
    free = simulate(graph, unbounded=True)
    short = [fifo.name for fifo in graph.fifos if free.max_occupancy.get(fifo.name, 0) > fifo.depth]
    return SizingCost(cycles=sized.cycles, unbounded_cycles=free.cycles, waits=_waits(sized), short=short)


def _waits(sized: Simulation) -> dict[str, int]:
    if sized.cycles is None:
        return {}
    waits: Counter[str] = Counter()
    for segment in critical_path(sized):
        if segment.kind == "stall-out":
            waits[segment.process] += segment.cycles
    return dict(waits.most_common())


def kept_sizing_cost(graph: TimedGraph, file: Path, cache_dir: Path | None = None) -> SizingCost:
    """The same, from an earlier call with an equal graph where there was one.

    Args:
        graph: graph to run.
        file: where :func:`sttest.sim.write_timed_graph` wrote it.
        cache_dir: where costs are kept; by default ``$STTEST_CACHE``, else ``~/.cache/sttest``.
    """
    kept, name = KeptFiles("sizing", cache_dir), f"{_key(file)}.json"
    found = kept.value(name, _COST)
    if found is None:
        found = sizing_cost(graph)
        kept.keep_value(name, found, _COST)
    return found


def _key(file: Path) -> str:
    """Hash of all that the cycles depend on: the graph with its traces, this program, and the packages' versions."""
    digest = hashlib.sha256(f"{tree_hash()} {sorted(package_versions().items())}".encode())
    for each in (file, file.with_suffix(".npz")):
        if each.is_file():
            digest.update(each.read_bytes())
    return digest.hexdigest()[:24]
