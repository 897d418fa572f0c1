"""The ladder: one design, every engine, one table, and where the first two engines that disagree part."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sttest.crosscheck.case import Case, main_result
from sttest.crosscheck.differences import StreamComparison, compare_streams, first_other_module
from sttest.crosscheck.engines import (
    ENGINES,
    EngineResult,
    Values,
    clocked,
    guarded,
    json_number,
    out_of_reach,
    run_csim,
    run_reference,
    simulated,
)
from sttest.package import DesignPackage
from sttest.reference import ReferenceGraph
from sttest.reference.graph import Array
from sttest.targets.csim import ap_types_folder, build_kernel

# --- A design's results against the golden's


TOLERANCE = 1e-4
"""Floating-point results within this of the golden, relative to its largest magnitude, are close: sums of another
order, where PyTorch contracts in floating point."""


@dataclass(frozen=True)
class ResultComparison:
    """Results of an engine against the golden."""

    engine: str  # its name
    error: float  # largest absolute difference of the main result, ``y`` where there is one
    relative: float  # largest difference of a floating-point result, over the result's largest magnitude
    integers: int  # integers that differ
    exact: bool  # whether all results are the same to the bit
    first: str  # the first result that differs, and where; empty where none does
    module: str = ""  # the first PyTorch module that differs; empty where none is known
    golden: str = "torch"  # who computed the golden: ``torch`` or ``reference``

    @property
    def verdict(self) -> Literal["same", "close", "different"]:
        """``same`` to the bit, ``close`` if integers are the same and floating point within `TOLERANCE`."""
        if self.exact:
            return "same"
        return "different" if self.integers or not self.relative <= TOLERANCE else "close"

    def to_json(self) -> dict[str, Any]:
        """The cross-check as JSON values."""
        numbers = {"error": json_number(self.error), "relative": json_number(self.relative)}
        return {**asdict(self), **numbers, "verdict": self.verdict}

    def __str__(self) -> str:
        if self.verdict == "same":
            return f"{self.golden} and {self.engine}: the same results, to the bit"
        counts = f"floats by {self.relative:.2g} of their largest, {self.integers:,} integers"
        module = f"; first module that differs: {self.module}" if self.module else ""
        apart = "results are close" if self.verdict == "close" else "results differ"
        return f"{self.golden} and {self.engine}: {apart}, {counts}; first: {self.first}{module}"


def compare_with_golden(graph: ReferenceGraph, case: Case, values: Values) -> ResultComparison:
    """Holds an engine that ended against the golden; where they differ, the PyTorch module is looked for."""
    found = compare_results(graph, values.engine, case.golden, case.results(graph, values.images))
    found = replace(found, golden=case.golden_name)
    if found.verdict == "same":
        return found
    return replace(found, module=first_other_module(graph, case.modules, values.streams))


def compare_results(
    graph: ReferenceGraph, engine: str, golden: Mapping[str, Array], found: Mapping[str, Array]
) -> ResultComparison:
    """Holds results against the golden's, of the same names and shapes."""
    integers, relative, first = 0, 0.0, ""
    for result in graph.results:
        wanted, ours = golden[result.name], found[result.name]
        unlike = wanted != ours
        if not unlike.any():
            continue
        if not first:
            place = np.unravel_index(int(np.argmax(unlike)), unlike.shape)
            source = next(store.source for store in graph.stores if store.name == result.store)
            where = f"'{result.name}' {[int(index) for index in place]} (stream '{source}')"
            first = f"{where}: {wanted[place].item():.9g} and {ours[place].item():.9g}"
        if wanted.dtype.kind == "f":
            relative = max(relative, _relative(wanted, ours))
        else:
            integers += int(unlike.sum())
    main = main_result(graph)
    y = np.abs(golden[main].astype(np.float64) - found[main]).max()
    return ResultComparison(engine, float(y), relative, integers, not first, first)


def _relative(wanted: Array, ours: Array) -> float:
    apart = np.abs(wanted.astype(np.float64) - ours).max()
    return float(apart / np.abs(wanted).max()) if np.isfinite(apart) else float("inf")


SCHEMA = "sttest.crosscheck/1"
_TIMELESS = ("torch", "reference")


@dataclass(frozen=True)
class Crosscheck:
    """What all engines say of one design."""

    name: str  # name of the design
    rungs: tuple[EngineResult, ...]  # a row per engine, all of them, in order
    results: Mapping[str, ResultComparison]  # how each value engine's results compare with the golden
    # how the value engines' streams compare with each other; None unless two of them ran
    streams: StreamComparison | None
    sqnr_db: float | None  # of the main result against the same in floating point, decibels; None without values
    integer_types: str = ""  # ``sttest`` or the folder of those that csim was compiled with; empty without csim

    @property
    def is_dead(self) -> bool:
        """Whether some engine comes to a stand."""
        return any(rung.verdict == "deadlock" for rung in self.rungs)

    @property
    def disagreements(self) -> tuple[str, ...]:
        """A line per thing in which engines disagree."""
        failed = (f"{rung.engine} failed: {rung.note}" for rung in self.rungs if rung.verdict == "failed")
        return (*failed, *self._values_that_differ(), *self._times_that_differ())

    def _values_that_differ(self) -> Iterator[str]:
        yield from (str(found) for found in self.results.values() if found.verdict == "different")
        # After a deadlock tokens are missing everywhere: only values that differ count.
        streams = self.streams
        if streams is not None and streams.verdict == "different" and (streams.differing or not self.is_dead):
            yield str(streams)

    def _times_that_differ(self) -> Iterator[str]:
        # PyTorch and the reference engine know no depths: they never deadlock.
        ran = [rung for rung in self.rungs if rung.verdict in ("done", "deadlock") and rung.engine not in _TIMELESS]
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
            "disagreements": list(self.disagreements),
        }


def crosscheck(
    package: DesignPackage,
    case: Case,
    work: Path,
    engines: Sequence[str] = ENGINES,
    progress: Callable[[str], None] = lambda _engine: None,
    ap_types: Path | None = None,
) -> Crosscheck:
    """Runs the engines on one design and compares them.

    Args:
        package: the design.
        case: weights, inputs and golden of its block or text.
        work: folder of the builds, which is kept.
        engines: engines of :data:`~sttest.crosscheck.engines.ENGINES` to run; the others become rows that say so.
        progress: called with each engine before it runs.
        ap_types: folder of Xilinx's integer types, for csim; None for our own.

    Raises:
        InputError: the case is of another block than the design, or there are no types in the folder.
    """
    types = None if ap_types is None else ap_types_folder(ap_types)
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="sttest-streams-") as streams:
        return _Climb(package, case, work, Path(streams), progress, types).climb(engines)


class _Climb:
    def __init__(
        self,
        package: DesignPackage,
        case: Case,
        work: Path,
        streams: Path,
        progress: Callable[[str], None],
        ap_types: Path | None,
    ) -> None:
        self.package, self.case, self.work, self.streams, self.progress = package, case, work, streams, progress
        self.ap_types, self.integer_types = ap_types, ""
        self.images = case.images(package.reference_graph)
        self.values: list[Values] = []
        self.results: dict[str, ResultComparison] = {}
        self.sqnr_db: float | None = None

    def climb(self, engines: Sequence[str]) -> Crosscheck:
        rungs = tuple(
            self._rung(engine) if engine in engines else EngineResult(engine, "not asked") for engine in ENGINES
        )
        both = compare_streams(self.package.reference_graph, *self.values) if len(self.values) == 2 else None
        return Crosscheck(
            self.package.reference_graph.name, rungs, self.results, both, self.sqnr_db, self.integer_types
        )

    def _rung(self, engine: str) -> EngineResult:
        self.progress(engine)
        graph = self.package.timed_graph
        rungs: dict[str, Callable[[], EngineResult]] = {
            "torch": self._torch,
            "reference": lambda: self._values(run_reference(self.package.reference_graph, self.images), 0.0),
            "simpy": lambda: simulated("simpy", graph),
            "maxplus": lambda: simulated("maxplus", graph),
            "csim": self._csim,
            "rtl": lambda: clocked(graph, self.work),
        }
        return guarded(engine, rungs.get(engine, lambda: out_of_reach(engine)))

    def _torch(self) -> EngineResult:
        if self.case.golden_s is None:
            return EngineResult("torch", "missing", note="a text has no PyTorch module; the golden is 'reference'")
        note = "the golden" if self.case.golden_name == "torch" else "the golden is 'reference'"
        return EngineResult("torch", "done", seconds=self.case.golden_s, note=note)

    def _csim(self) -> EngineResult:
        files = self.package.files
        kernel = build_kernel(files, self.work, ap_types=self.ap_types)
        self.integer_types = kernel.integer_types
        values = run_csim(self.package.reference_graph, self.images, kernel, files, self.streams)
        rung = self._values(values, kernel.build_s)
        return rung if rung.note else replace(rung, note=f"built in {kernel.build_s:.1f} s")

    def _values(self, values: Values, build_s: float) -> EngineResult:
        self.values.append(values)
        seconds = build_s + values.seconds
        if values.verdict == "deadlock":
            return EngineResult(
                values.engine, "deadlock", seconds=seconds, note="'sttest emulate' tells who waits for whom"
            )
        graph = self.package.reference_graph
        found = compare_with_golden(graph, self.case, values)
        self.results[values.engine] = found
        if self.case.reference is not None:
            ours = self.case.results(graph, values.images)[main_result(graph)]
            self.sqnr_db = _sqnr_db(self.case.reference, ours)
        return EngineResult(
            values.engine, "done", error=found.error, relative_error=found.relative, integers=found.integers,
            seconds=seconds,
        )  # fmt: skip


def _sqnr_db(reference: np.ndarray, y: np.ndarray) -> float:
    import torch

    from sttest.models.quant.quantizers import sqnr_db

    return sqnr_db(torch.from_numpy(reference), torch.from_numpy(np.array(y, order="C")))
