"""Figures beside tables: they are drawn from the rows, and no row depends on how."""

from importlib import import_module
from types import ModuleType
from typing import Literal

from sttest.core.results import ResultFolder

Drawn = Literal["whatif", "ablation", "serving"]

__depends__ = ()  # how a figure looks is no part of a result


def drawer(of: Drawn) -> ModuleType:
    """The module that draws the figure of a kind of results."""
    return import_module(f"sttest.studies.{of}.figure")


def write_study_figure(folder: ResultFolder) -> None:
    """Writes the figure of a study beside its table, from the rows that were added."""
    study = import_module("sttest.studies.folders").studies()[folder.rows[0].experiment]
    import_module(study.figure).FIGURE.write(folder.rows, folder.file)
