"""The resource model against published reports: nothing is fitted on checks."""

from dataclasses import replace
from pathlib import Path

import pytest

from experiments import resource_check
from experiments.resource_check import measure
from experiments.resource_fit import fit, shipped
from experiments.resource_rows import DATA, memory_cases, pipeline_cases
from sttest.core.errors import InputError


@pytest.fixture(scope="module")
def found():
    return measure()


def test_rows_to_be_predicted_do_not_move_the_fit():
    cases = pipeline_cases()
    doubled = [replace(case, reported=case.reported * 2) if case.use == "check" else case for case in cases]
    assert doubled != cases
    assert fit(doubled) == fit(cases) == shipped()


def test_rows_to_be_fitted_do_move_it():
    cases = [replace(case, reported=case.reported * 2) for case in pipeline_cases()]
    assert fit(cases) != shipped()


def test_other_coefficients_are_refused(monkeypatch):
    monkeypatch.setattr(resource_check, "shipped", dict)
    with pytest.raises(InputError, match="the fit gives"):
        measure()


def test_the_bounds_are_met_by_all_rows_together_by_floating_point_and_by_convolutions(found):
    medians = {(each.group, each.resource): each.median for each in found if each.use == "check"}
    for group in ("all", "all of fp32", "CODO int8, convolutions"):
        assert medians[group, "lut"] <= 0.30
        assert medians[group, "ff"] <= 0.30
    assert medians["all of fp32", "dsp"] <= 0.10
    assert medians["all", "bram18"] <= 0.25
    assert medians["Allo W4A8", "dsp"] <= 0.10


def test_every_row_is_counted_and_sourced():
    cases = pipeline_cases()
    assert sum(case.use == "fit" for case in cases) == 453
    assert len({case.group for case in cases}) == 8
    assert len(memory_cases()) == 385
    for name in ("processes.csv", "memories.csv", "function_loops.csv", "function_arrays.csv"):
        lines = (Path(DATA) / name).read_text(encoding="utf-8").splitlines()
        assert lines[0].endswith("source")
