"""A design's results against the golden's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from sttest.ladder.case import Case
from sttest.ladder.modules import first_other_module
from sttest.ladder.rungs import json_number
from sttest.ladder.value_engines import Values
from sttest.sim.functional import ValueGraph
from sttest.sim.functional.element_types import Array

TOLERANCE = 1e-4
"""Floating-point results within this of the golden, relative to its largest magnitude, are close: sums of another
order, where PyTorch contracts in floating point."""


@dataclass(frozen=True)
class ResultComparison:
    """Results of an engine against the golden.

    Attributes:
        engine: its name.
        error: largest absolute difference of ``y``.
        relative: largest difference of a floating-point result, over the result's largest magnitude.
        integers: integers that differ.
        exact: whether all results are the same to the bit.
        first: the first result that differs, and where; empty where none does.
        module: the first PyTorch module that differs; empty where none is known.
    """

    engine: str
    error: float
    relative: float
    integers: int
    exact: bool
    first: str
    module: str = ""

    @property
    def verdict(self) -> Literal["same", "close", "different"]:
        """``same`` to the bit, ``close`` if integers are the same and floating point within `TOLERANCE`."""
        if self.exact:
            return "same"
        return "different" if self.integers or not self.relative <= TOLERANCE else "close"

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        numbers = {"error": json_number(self.error), "relative": json_number(self.relative)}
        return {**asdict(self), **numbers, "verdict": self.verdict}

    def __str__(self) -> str:
        if self.verdict == "same":
            return f"torch and {self.engine}: the same results, to the bit"
        counts = f"floats by {self.relative:.2g} of their largest, {self.integers:,} integers"
        module = f"; first module that differs: {self.module}" if self.module else ""
        apart = "results are close" if self.verdict == "close" else "results differ"
        return f"torch and {self.engine}: {apart}, {counts}; first: {self.first}{module}"


def compare_with_golden(graph: ValueGraph, case: Case, values: Values) -> ResultComparison:
    """Holds an engine that ended against PyTorch; where they differ, the module is looked for."""
    found = compare_results(graph, values.engine, case.golden, case.results(graph, values.images))
    if found.verdict == "same":
        return found
    return replace(found, module=first_other_module(graph, case.modules, values.streams))


def compare_results(
    graph: ValueGraph, engine: str, golden: Mapping[str, Array], found: Mapping[str, Array]
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
    y = np.abs(golden["y"].astype(np.float64) - found["y"]).max()
    return ResultComparison(engine, float(y), relative, integers, not first, first)


def _relative(wanted: Array, ours: Array) -> float:
    apart = np.abs(wanted.astype(np.float64) - ours).max()
    return float(apart / np.abs(wanted).max()) if np.isfinite(apart) else float("inf")
