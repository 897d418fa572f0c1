"""`sttest report`: one page of a design, or of all results."""

from pathlib import Path
from typing import Annotated

import typer

from sttest.cli.common import DESIGN, Engine, Json, print_json, progress
from sttest.cli.verbs import without_table
from sttest.core.errors import InputError
from sttest.core.files import STANDARD_INPUT, place_of
from sttest.studies.design_page import write_page
from sttest.studies.report import build_report


@without_table
def report_verb(
    design: Annotated[
        Path | None,
        typer.Argument(metavar="DESIGN", help=f"{DESIGN.removesuffix('.')}; without it, the page is of all results."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="The page [DESIGN's name, or report].html.")
    ] = None,
    engine: Annotated[Engine, typer.Option(help="Of a design: who simulates it.")] = "maxplus",
    results: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of result folders, each with table.csv and manifest.json [results]."),
    ] = None,
    experiment: Annotated[
        list[str] | None, typer.Option("--experiment", "-e", metavar="NAME", help="Only this one; may be repeated.")
    ] = None,
    as_json: Json = False,
) -> None:
    """One HTML page of a design, or of all results: open it in a browser.

    Of a design: whether it finishes and fits, dataflow graph with stalls, table of FIFOs, Gantt chart, what FIFOs
    held, critical path, resources and floorplan; where it deadlocks, the cycle of waits on the graph and the fix.
    The exit code then is 0, too.
    Of all results: the paper beside ours, the best designs, every table and figure, and where every number is from.

    The page is one file and loads nothing. Print it, or open it with
    'chromium --headless --print-to-pdf=report.pdf --no-pdf-header-footer report.html'.

    Examples:

      sttest report build/gpt2-decode-u55c -o gpt2.html

      sttest report graph.json

      sttest report

      sttest report -e gpt2 -e emerging -o gpt2.html
    """
    if design is None:
        _report_results(results or Path("results"), out or Path("report.html"), experiment or [], as_json)
        return
    if results is not None or experiment:
        raise InputError(
            "two-pages",
            "a page of a design has no results",
            where="sttest report",
            hints=["leave --results and --experiment away", "leave DESIGN away"],
        )
    name = "design" if design == STANDARD_INPUT else design.resolve().stem
    _report_design(design, out or Path(f"{name}.html"), engine, as_json)


def _report_design(design: Path, out: Path, engine: str, as_json: bool) -> None:
    with progress(f"report of {place_of(design)}") as say:
        page = write_page(design, out, engine, say)
    if as_json:
        print_json(page.to_json())
        return
    data = page.facts.data
    cycles = f"{data['cycles']:,} cycles" if data["cycles"] is not None else data["verdict"]
    counts = data["counts"]
    print(f"{data['name']}: {cycles}, {counts['processes']:,} processes, {counts['fifos']:,} FIFOs")
    for note in page.facts.notes:
        print(f"note: {note}")
    print(f"written: {page.page} ({page.page_bytes / 1e6:.1f} MB), to be opened in a browser")


def _report_results(results: Path, out: Path, experiment: list[str], as_json: bool) -> None:
    with progress("report") as say:
        page = build_report(results, out, experiment, say=say)
    if as_json:
        print_json(page.to_json())
        return
    numbers = sum(page.experiments.values())
    print(f"{numbers:,} numbers of {len(page.experiments)} experiments, {page.compared} of them with a reference")
    if page.stale:
        print(f"stale, not made by this program: {', '.join(page.stale)}")
    print(f"written: {page.page} ({page.page_bytes / 1e6:.1f} MB), to be opened in a browser")
