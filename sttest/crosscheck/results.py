"""A design's results against the golden's."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from sttest.crosscheck.case import Case, main_result
from sttest.crosscheck.differences import first_other_module
from sttest.crosscheck.engines import Values, json_number
from sttest.reference import ReferenceGraph
from sttest.reference.graph import Array

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
