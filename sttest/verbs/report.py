"""`sttest report`: one HTML page of all results, which needs nothing but itself."""

from collections.abc import Sequence
from pathlib import Path

from sttest.studies.report import ReportPage, build_report
from sttest.verbs.output import print_json, progress


def run(results: Path, out: Path, names: Sequence[str], *, blocks: bool, as_json: bool) -> None:
    """Builds the page and prints what it holds.

    Args:
        results: folder of result folders.
        out: the page.
        names: names of the experiments on the page; all if empty.
        blocks: whether blocks are simulated for their schedules.
        as_json: whether a summary is printed for programs.

    Raises:
        InputError: no results, results that are none, or a place that can't be written.
    """
    with progress("report") as say:
        report = build_report(results, out, names, blocks=blocks, say=say)
    if as_json:
        print_json(report.to_json())
    else:
        _print(report)


def _print(report: ReportPage) -> None:
    numbers = sum(report.experiments.values())
    print(f"{numbers:,} numbers of {len(report.experiments)} experiments, {report.compared} of them with a reference")
    for trace in report.traces:
        print(f"trace: {trace}, to be opened in ui.perfetto.dev")
    print(f"written: {report.page} ({report.page_bytes / 1e6:.1f} MB), to be opened in a browser")
