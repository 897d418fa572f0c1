"""The module of an experiment, by the name that ``sttest reproduce`` knows it by."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def experiment(name: str) -> ModuleType:
    """The module of an experiment (a key of ``sttest.studies.tables.EXPERIMENTS``), with ``reproduce(out, ...)``."""
    return import_module(f"experiments.{name.replace('-', '_')}")
