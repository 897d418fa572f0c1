"""The experiments by the name that ``sttest reproduce`` knows them by, and how one of them is run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path

from sttest.core.progress import progress
from sttest.core.whole_run import whole_run
from sttest.studies.seconds import usual_seconds
from sttest.studies.tables import programs


def experiment(name: str) -> Callable[..., object]:
    """The program of an experiment, ``reproduce(out, *, engine, jobs)``."""
    return import_module(programs()[name].module).reproduce


def run(name: str, out: Path, engine: str, jobs: int, what: str = "") -> str:
    """Runs an experiment, which tells how far it is on stderr, whatever it says of itself.

    Args:
        name: name of it, not ``all``.
        out: folder of its results.
        engine: simulation engine that computes the times.
        jobs: processes at a time.
        what: what is told to be going on; by default its name.

    Returns:
        What it prints.
    """
    with (
        whole_run(),
        progress(what or name, usual_seconds(f"sttest reproduce {name}")),
        redirect_stdout(StringIO()) as printed,
    ):
        experiment(name)(out=out, engine=engine, jobs=jobs)
    return printed.getvalue()
