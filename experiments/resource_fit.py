"""Fits the overhead of pipelined loops: least squares of relative errors, coefficients not below zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import nnls

from experiments.resource_rows import PipelineCase
from sttest.boards.operators import OPERATORS_FILE, load_operators
from sttest.boards.resources import TERMS, PipelineLogic, load_resource_model, operator_resources

FITTED = ("lut", "ff")


def fit(cases: Sequence[PipelineCase]) -> dict[str, dict[str, float]]:
    """Coefficient per resource and term, to two decimals, from the cases marked ``fit`` alone."""
    _, library = load_operators(OPERATORS_FILE)
    whole = load_resource_model().whole_operators
    chosen = [case for case in cases if case.use == "fit"]
    terms = np.array([_loop(case).terms(library, whole) for case in chosen])
    return {resource: _coefficients(resource, chosen, terms) for resource in FITTED}


def _coefficients(resource: str, cases: Sequence[PipelineCase], terms: np.ndarray) -> dict[str, float]:
    _, library = load_operators(OPERATORS_FILE)
    reported = np.array([getattr(case.reported, resource) for case in cases])
    operators = np.array([getattr(operator_resources(_loop(c).operators, library), resource) for c in cases])
    weight = 1 / np.maximum(reported, 1)
    solution, _ = nnls(terms * weight[:, None], np.maximum(reported - operators, 0) * weight)
    return {name: round(float(value), 2) for name, value in zip(TERMS, solution, strict=True)}


def _loop(case: PipelineCase) -> PipelineLogic:
    """Rows that may be fitted on are of one loop each."""
    (loop,) = case.pipelines
    return loop


def shipped() -> Mapping[str, Mapping[str, float]]:
    """The coefficients that the model uses."""
    model = load_resource_model()
    return {name: {term: getattr(getattr(model, name), term) for term in TERMS} for name in FITTED}
