"""``python -m experiments reproduce NAME``: a published table or figure, ours beside theirs."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer

from experiments.registry import experiment
from sttest.cli.app import Boundary
from sttest.core.results import table_rows
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
    wide: Annotated[bool, typer.Option("--wide", help="All columns and lines.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="The tables as CSV.")] = False,
) -> None:
    """Run one experiment; finished points of an earlier run are taken over."""
    del wide, csv  # read by the boundary
    found = experiment(name)
    folder = out or (Path("results") if name == ALL else Path("results") / name)
    if name == ALL:
        found.reproduce(out=folder, engine=engine, jobs=jobs)
        return
    with redirect_stdout(StringIO()) as tables:
        found.reproduce(out=folder, engine=engine, jobs=jobs)
    if told := headline(name, folder):
        print(told)
    print(tables.getvalue(), end="")


def headline(name: str, folder: Path) -> str:
    """How far the figures of a table are from those that they are held against; empty where there are none."""
    rows = table_rows(folder / "table.csv")
    errors = sorted(abs(float(row["error"])) for row in rows if row["error"])
    if not errors:
        return ""
    told = f"{len(errors):,} of {len(rows):,} figures have a reference"
    median, most = errors[len(errors) // 2], errors[-1]
    return f"{name}: {told}, from which they are {median:.1%} off in the median, {most:.1%} at most"


if __name__ == "__main__":
    app()
