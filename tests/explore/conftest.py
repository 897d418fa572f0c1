"""Searches need Optuna."""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("optuna") is None:
    collect_ignore = ["test_explore_search.py", "test_explore_claims.py", "test_explore_processes.py"]
