"""The ladder: one design, every engine, one table, and where the first two engines that disagree part."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sttest.crosscheck.backends import Backend, Climb, backends
from sttest.crosscheck.case import Case
from sttest.crosscheck.differences import StreamComparison, compare_streams
from sttest.crosscheck.engines import EngineResult, guarded, json_number
from sttest.crosscheck.padding import PaddingCheck, PoisonedCase
from sttest.crosscheck.results import ResultComparison
from sttest.package import DesignPackage
from sttest.targets.csim import ap_types_folder

SCHEMA = "sttest.crosscheck/1"


@dataclass(frozen=True)
class Crosscheck:
    """What all engines say of one design."""

    name: str  # name of the design
    rungs: tuple[EngineResult, ...]  # a row per engine, all of them, in order
    results: Mapping[str, ResultComparison]  # how each value engine's results compare with the golden
    # how the value engines' streams compare with each other; None unless two of them ran
    streams: StreamComparison | None
    sqnr_db: float | None  # decibels of the main result against the same in floating point; None without values
    integer_types: str = ""  # ``sttest`` or the folder of those that csim was compiled with; empty without csim
    padding: PaddingCheck | None = None  # what became of garbage in padding; None where none was put there

    @property
    def is_dead(self) -> bool:
        """Whether some engine comes to a stand."""
        return any(rung.verdict == "deadlock" for rung in self.rungs)

    @property
    def disagreements(self) -> tuple[str, ...]:
        """A line per thing in which engines disagree."""
        failed = (f"{rung.engine} failed: {rung.note}" for rung in self.rungs if rung.verdict == "failed")
        reached = () if self.padding is None else self.padding.disagreements
        return (*failed, *self._values_that_differ(), *reached, *self._times_that_differ())

    def _values_that_differ(self) -> Iterator[str]:
        yield from (str(found) for found in self.results.values() if found.verdict == "different")
        # After a deadlock tokens are missing everywhere: only values that differ count.
        streams = self.streams
        if streams is not None and streams.verdict == "different" and (streams.differing or not self.is_dead):
            yield str(streams)

    def _times_that_differ(self) -> Iterator[str]:
        depthless = [name for name, each in backends().items() if not each.knows_depths]
        ran = [rung for rung in self.rungs if rung.verdict in ("done", "deadlock") and rung.engine not in depthless]
        if len({rung.verdict for rung in ran}) > 1:
            dead = ", ".join(rung.engine for rung in ran if rung.verdict == "deadlock")
            yield f"only some engines deadlock: {dead}"
        times = {rung.engine: rung.cycles for rung in ran if rung.cycles is not None}
        if len(set(times.values())) > 1:
            shown = ", ".join(f"{name} {cycles:,}" for name, cycles in times.items())
            yield f"cycles differ: {shown}"

    def to_json(self) -> dict[str, Any]:
        """The contract ``sttest.crosscheck/1``."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "engines": [rung.to_json() for rung in self.rungs],
            "results": {name: found.to_json() for name, found in self.results.items()},
            "streams": None if self.streams is None else self.streams.to_json(),
            "sqnr_db": json_number(self.sqnr_db),
            "integer_types": self.integer_types or None,
            "padding": None if self.padding is None else self.padding.to_json(),
            "disagreements": list(self.disagreements),
        }


def crosscheck(
    package: DesignPackage,
    case: Case,
    work: Path,
    engines: Sequence[str] | None = None,
    progress: Callable[[str], None] = lambda _engine: None,
    ap_types: Path | None = None,
) -> Crosscheck:
    """Runs the engines on one design and compares them.

    Args:
        package: the design.
        case: weights, inputs and golden of its block or text; a :class:`~sttest.crosscheck.padding.PoisonedCase` has
            garbage in its padding, which must reach no result.
        work: folder of the builds, which is kept.
        engines: names of backends to run, all by default; the others become rows that say so.
        progress: called with each engine before it runs.
        ap_types: folder of Xilinx's integer types, for csim; None for our own.

    Raises:
        InputError: the case is of another block than the design, or there are no types in the folder.
    """
    types = None if ap_types is None else ap_types_folder(ap_types)
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="sttest-streams-") as streams:
        climb = Climb(package, case, work, Path(streams), types)
        chosen = tuple(backends()) if engines is None else engines
        rungs = tuple(_rung(climb, each, chosen, progress) for each in backends().values())
        graph = package.reference_graph
        both = compare_streams(graph, *climb.values[:2]) if len(climb.values) > 1 else None
        padding = case.check(climb.values) if isinstance(case, PoisonedCase) else None
        return Crosscheck(graph.name, rungs, climb.results, both, climb.sqnr_db, climb.integer_types, padding)


def _rung(climb: Climb, backend: Backend, chosen: Sequence[str], progress: Callable[[str], None]) -> EngineResult:
    if backend.name not in chosen:
        return EngineResult(backend.name, "not asked")
    progress(backend.name)
    return guarded(backend.name, partial(backend.run, climb))
