"""Verbs that make tables and studies."""

from pathlib import Path
from typing import Annotated

import typer

from sttest.cli.app import app
from sttest.cli.choices import Engine, Json


@app.command()
def reproduce(
    name: Annotated[str, typer.Argument(help="The experiment, such as gpt2.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where results go [results/NAME].")] = None,
    engine: Annotated[Engine, typer.Option(help="Who computes the times.")] = "maxplus",
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes at a time.")] = 2,
) -> None:
    """Reproduce a published table: ours beside theirs, with the error.

    Example:

      sttest reproduce gpt2
    """
    from sttest.studies import tables

    raise typer.Exit(tables.reproduce(name, out, engine, jobs))


@app.command()
def whatif(
    study: Annotated[
        str | None, typer.Argument(metavar="STUDY|FILE.yaml", help="One study; without it, a list of all.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where results go [results/STUDY].")] = None,
    engine: Annotated[Engine, typer.Option(help="Who computes the times.")] = "maxplus",
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes at a time.")] = 2,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Of a dask cluster, as in tcp://host:8786, instead.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many points and how long; at most one block is simulated.")
    ] = False,
    as_json: Json = False,
) -> None:
    """What if: speed, roofline, knee and binding resource over boards, models, bits, lengths and launches.

    A study that was stopped goes on where it was.

    Examples:

      sttest whatif hbm-bandwidth

      sttest whatif mine.yaml --jobs 8 --dry-run

      sttest whatif context --scheduler tcp://host:8786
    """
    from sttest.verbs.whatif import WhatifRequest, list_studies, run

    if study is None:
        list_studies(as_json=as_json)
        return
    run(WhatifRequest(study, out, engine, jobs, scheduler, dry_run), as_json=as_json)


@app.command()
def report(
    results: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of result folders, each with table.csv and manifest.json.")
    ] = Path("results"),
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The page; traces go to FILE's stem with '-traces'.")
    ] = Path("report.html"),
    experiment: Annotated[
        list[str] | None, typer.Option("--experiment", "-e", metavar="NAME", help="Only this one; may be repeated.")
    ] = None,
    blocks: Annotated[
        bool, typer.Option("--blocks/--no-blocks", help="Simulate GPT-2 blocks for Gantt charts, FIFOs and traces.")
    ] = True,
    as_json: Json = False,
) -> None:
    """One HTML page of all results: tables, figures, schedules, and where every number is from.

    The page is one file and loads nothing. Print it, or open it with
    'chromium --headless --print-to-pdf=report.pdf --no-pdf-header-footer report.html'.

    Examples:

      sttest report

      sttest report -e gpt2 -e emerging -o gpt2.html --no-blocks
    """
    from sttest.verbs.report import run

    run(results, out, experiment or (), blocks=blocks, as_json=as_json)
