"""``python -m experiments reproduce NAME``: a published table or figure, ours beside theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments import all as everything
from experiments.registry import run
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
    as_json: Annotated[bool, typer.Option("--json", help="What is told on stderr as JSON.")] = False,
) -> None:
    """Run one experiment; finished points of an earlier run are taken over."""
    del wide, csv, as_json  # read by the boundary
    folder = out or (Path("results") if name == ALL else Path("results") / name)
    if name == ALL:
        everything.reproduce(out=folder, engine=engine, jobs=jobs)
        return
    tables = run(name, folder, engine, jobs)
    if told := headline(name, folder):
        print(told)
    print(tables, end="")


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
