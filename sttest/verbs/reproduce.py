"""`sttest reproduce`: a published table or figure, ours beside theirs."""

from __future__ import annotations

from pathlib import Path


def run(name: str, out: Path | None, engine: str, jobs: int) -> None:
    """Runs an experiment; finished points of an earlier run are taken over.

    Raises:
        SttestError: unknown experiment, or whatever it raises.
    """
    from experiments.registry import experiment

    experiment(name).reproduce(out=out or Path("results") / name, engine=engine, jobs=jobs)
