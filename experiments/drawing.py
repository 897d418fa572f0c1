"""Draws the figure of an experiment beside its table, from the rows that are there: no row depends on how."""

from __future__ import annotations

from importlib import import_module

from sttest.core.results import ResultFolder

__depends__ = ()  # panels and their style: `python -m experiments.figures` draws all figures again from the rows


def write_figure(folder: ResultFolder) -> None:
    """Writes the figure of an experiment beside its table, from the rows that were added."""
    import_module("experiments.panels").FIGURES[folder.rows[0].experiment].write(folder.rows, folder.file)
