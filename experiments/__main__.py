"""``python -m experiments reproduce NAME``: a published table or figure, ours beside theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments.registry import experiment
from sttest.cli.app import Boundary
from sttest.studies.tables import ALL

app = typer.Typer(cls=Boundary, rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.callback()
def common() -> None:
    """Published tables and figures, ours beside theirs."""


@app.command()
def reproduce(
    name: Annotated[str, typer.Argument(help="An experiment.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder of results [results/NAME].")] = None,
    engine: Annotated[str, typer.Option(help="maxplus or simpy.")] = "maxplus",
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes at a time.")] = 2,
) -> None:
    """Run one experiment; finished points of an earlier run are taken over."""
    found = experiment(name)
    folder = out or (Path("results") if name == ALL else Path("results") / name)
    found.reproduce(out=folder, engine=engine, jobs=jobs)


if __name__ == "__main__":
    app()
