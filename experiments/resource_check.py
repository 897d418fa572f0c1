"""How far the resource model is from published synthesis reports that it was not fitted on.

``python -m experiments.resource_check`` fits the model again and prints the errors; it fails where the shipped
coefficients are not those of the fit.  ``python -m experiments.pages`` puts the same table into the page on resources.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.resource_fit import fit, shipped
from experiments.resource_operators import report_operators
from experiments.resource_rows import MemoryCase, PipelineCase, memory_cases, pipeline_cases
from sttest.boards.resources import Resources
from sttest.core.errors import InputError
from sttest.core.tables import print_table

BOUNDS = {"dsp": 0.10, "lut": 0.30, "ff": 0.30, "bram18": 0.25, "uram": 0.25}
"""The median relative error that the model is to stay within, per resource."""


@dataclass(frozen=True)
class Errors:
    """Relative errors of one resource over the rows of one group that report some of it."""

    use: str
    group: str
    resource: str
    errors: tuple[float, ...]

    @property
    def median(self) -> float:
        """Half of the rows are closer."""
        return float(np.median(self.errors))

    @property
    def within(self) -> bool:
        """Whether the median stays within the bound."""
        return self.median <= BOUNDS[self.resource]

    def cells(self) -> tuple[object, ...]:
        """A row of the table."""
        tail = float(np.quantile(self.errors, 0.9))
        verdict = "within" if self.within else "NOT within"
        return (
            self.use,
            self.group,
            self.resource,
            len(self.errors),
            f"{100 * self.median:.1f}",
            f"{100 * tail:.1f}",
            f"{100 * BOUNDS[self.resource]:.0f}",
            verdict,
        )


COLUMNS = ("use", "rows of", "resource", "rows", "median error %", "p90 error %", "bound %", "median is")


def measure() -> list[Errors]:
    """All groups: those to be predicted first, then those that the model was fitted on.

    Raises:
        InputError: the shipped coefficients are not those that the marked rows give.
    """
    pipelines = pipeline_cases()
    _refuse_other_coefficients(pipelines)
    predicted = [*_pipelines(pipelines), *_memories(memory_cases())]
    return sorted(_grouped(predicted), key=lambda each: (each.use, each.group, list(BOUNDS).index(each.resource)))


def _refuse_other_coefficients(pipelines: Sequence[PipelineCase]) -> None:
    if fit(pipelines) != shipped():
        raise InputError(
            "stale-fit",
            f"the fit gives {fit(pipelines)}",
            where="boards/data/resources.yaml",
            hints=["write these coefficients"],
        )


_Prediction = tuple[str, str, Resources, Resources]


def _pipelines(cases: Iterable[PipelineCase]) -> Iterator[_Prediction]:
    library = report_operators()
    for case in cases:
        yield case.use, case.group, case.predicted(library), case.reported


def _memories(cases: Iterable[MemoryCase]) -> Iterator[_Prediction]:
    """Blocks only: control is reported with neither."""
    for case in cases:
        for_blocks = Resources(bram18=case.reported.bram18, uram=case.reported.uram)
        yield case.use, case.group, case.predicted, for_blocks


def _grouped(predicted: Iterable[_Prediction]) -> list[Errors]:
    found: dict[tuple[str, str, str], list[float]] = {}
    for use, group, ours, theirs in predicted:
        for resource in BOUNDS:
            reported = getattr(theirs, resource)
            if reported:
                error = abs(getattr(ours, resource) - reported) / reported
                for name in (group, *_sums_of(use, group)):
                    found.setdefault((use, name, resource), []).append(error)
    return [Errors(*key, tuple(errors)) for key, errors in found.items()]


def _sums_of(use: str, group: str) -> tuple[str, ...]:
    """The groups of groups that rows to be predicted are counted in as well."""
    if use != "check":
        return ()
    kind = next((kind for kind in ("fp32", "CODO int8") if kind in group), None)
    return ("all", f"all of {kind}") if kind else ("all",)


def main() -> None:
    """Prints the table."""
    print_table(COLUMNS, [each.cells() for each in measure()])


if __name__ == "__main__":
    main()
