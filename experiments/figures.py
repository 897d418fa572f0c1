"""Figures of all results, drawn again from the rows of their tables: ``python -m experiments.figures [NAME ...]``.

Without names, the figures of all committed results are drawn again, those of what-ifs, ablations and searches too.
Nothing is simulated.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import pandas as pd

from experiments.panels import FIGURES
from sttest.studies.ablation.figure import panels as ablation_panels
from sttest.studies.ablation.form import Ablation
from sttest.studies.drawn import Drawn
from sttest.studies.folders import studies
from sttest.studies.report.read import ResultSet, read_results
from sttest.studies.searches import panels as search_panels
from sttest.studies.whatif.figure import NOTE
from sttest.studies.whatif.figure import panels as study_panels
from sttest.studies.whatif.study import Study

RESULTS = Path(__file__).parents[1] / "results"


def _study(found: ResultSet) -> Drawn:
    study = Study.model_validate(found.manifest["config"]["study"])
    return Drawn(lambda rows: study_panels(study, rows), study.title, 2, note=NOTE)


def _ablation(found: ResultSet) -> Drawn:
    ablation = Ablation.model_validate(found.manifest["config"]["ablation"])
    return Drawn(lambda rows: ablation_panels(ablation.reference, rows), ablation.title, 1)


def _search(folder: Path) -> Drawn:
    tried, best = (pd.read_csv(folder / f"{name}.csv")[["latency", "area"]].dropna() for name in ("points", "pareto"))
    title = f"Designs of {folder.name.replace('-', ' ')}"
    places = [[(float(x), float(y)) for x, y in zip(each.latency, each.area, strict=True)] for each in (tried, best)]
    return Drawn(lambda _: search_panels(places[0], places[1]), title, 1)


def figure_of(found: ResultSet, folder: Path) -> Drawn | None:
    """The figure of committed results; None where there is none."""
    if found.name in FIGURES:
        return FIGURES[found.name]
    study = studies().get(found.name)
    if study is not None:
        return import_module(study.figure).FIGURE if study.figure else None
    if "study" in found.manifest["config"]:
        return _study(found)
    if "ablation" in found.manifest["config"]:
        return _ablation(found)
    return _search(folder) if (folder / "points.csv").is_file() else None


def main(names: Sequence[str]) -> None:
    """Draws figures again."""
    for found in read_results(RESULTS, names):
        drawn = figure_of(found, RESULTS / found.name)
        if drawn is not None:
            drawn.write(found.rows, lambda name, found=found: RESULTS / found.name / name)
            print(f"{found.name}: {drawn.stem}.svg")


if __name__ == "__main__":
    main(sys.argv[1:])
