"""`sttest reproduce`: a published table or figure, ours beside theirs."""

from __future__ import annotations

from pathlib import Path

from experiments.registry import ALL, experiment
from sttest.output_folder import check_output_folder
from sttest.results import RESULTS_SCHEMA


def run(name: str, out: Path | None, engine: str, jobs: int) -> None:
    """Runs an experiment; finished points of an earlier run are taken over.

    Raises:
        SttestError: unknown experiment, a folder that can't be written, or whatever the experiment raises.
    """
    found = experiment(name)
    if name == ALL:
        found.reproduce(out=out or Path("results"), engine=engine, jobs=jobs)
        return
    folder = out or Path("results") / name
    check_output_folder(folder, RESULTS_SCHEMA, "folder of results")
    found.reproduce(out=folder, engine=engine, jobs=jobs)
