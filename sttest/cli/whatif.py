"""`sttest whatif` and `sttest reproduce`: studies and published tables."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from sttest.cli.common import Engine, Json, print_json, progress
from sttest.core.closure import own_files
from sttest.core.errors import InputError, note
from sttest.core.files import check_output_folder
from sttest.core.plain_files import check_replaceable
from sttest.core.progress import seconds_text
from sttest.core.results import RESULTS_SCHEMA, PointStore
from sttest.core.tables import print_table
from sttest.studies import tables
from sttest.studies.ablation import outcome as ablation_outcome
from sttest.studies.ablation.form import ABLATIONS, ablation_names, is_ablation, load_ablation
from sttest.studies.ablation.report import PUBLISHED_COLUMNS, AblationReport
from sttest.studies.campaign import STORES, Campaign, Runner, StudyRun, Tell, on_cluster
from sttest.studies.report.read import TABLE, read_results
from sttest.studies.seconds import usual_seconds
from sttest.studies.whatif import outcome as study_outcome
from sttest.studies.whatif.outcome import StudyOutcome
from sttest.studies.whatif.points import Point
from sttest.studies.whatif.report import COLUMNS, StudyReport
from sttest.studies.whatif.study import load_study, study_names, study_path
from sttest.studies.whatif.template import write_new_study


def whatif_verb(
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
        bool,
        typer.Option("--dry-run", help="Say how many points and, once some are stored, how long; simulate nothing."),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE.pdf", help="The figure for print: a column wide, with a legend [none]."),
    ] = None,
    new: Annotated[
        str | None, typer.Option("--new", metavar="NAME", help="Write NAME.yaml, a study to start from, with comments.")
    ] = None,
    as_json: Json = False,
) -> None:
    """What if: speed, roofline, knee and what would help, over boards, models, bits, lengths and launches.

    A study that was stopped goes on where it was.

    Examples:

      sttest whatif hbm-bandwidth

      sttest whatif --new mine

      sttest whatif mine.yaml --jobs 8 --dry-run

      sttest whatif hbm-bandwidth --plot bandwidth.pdf

      sttest whatif context --scheduler tcp://host:8786
    """
    if new is not None:
        _write_new(new, study, as_json=as_json)
        return
    if study is None:
        _list_studies(as_json=as_json)
        return
    path = study_path(study, {name: ABLATIONS / f"{name}.yaml" for name in ablation_names()})
    out = out or Path("results") / path.stem
    if is_ablation(path) and scheduler is not None:  # minutes of work
        raise InputError("no-cluster", "an ablation runs on this machine", where="scheduler", hints=["use --jobs"])
    check_output_folder(out, RESULTS_SCHEMA, "folder of results")
    run_form = _run_ablation if is_ablation(path) else _run_study
    if plot is not None:
        check_plot(plot, is_ablation=is_ablation(path))
    run_form(WhatifRequest(path, out, engine, jobs, scheduler, dry_run, plot), as_json=as_json)


def check_plot(plot: Path, *, is_ablation: bool) -> None:
    """
    Raises:
        InputError: no such kind of figure, no such folder, or a study that has none.
    """
    if is_ablation:
        hints = ["take figure.svg of its results"]
        raise InputError("no-plot", "an ablation has a figure of its own form", where="--plot", hints=hints)
    if plot.suffix not in PLOTS:
        hints = [f"end its name in {', '.join(PLOTS)}"]
        raise InputError("bad-plot", f"'{plot.name}' is no kind of figure", where="--plot", hints=hints)
    if not plot.absolute().parent.is_dir():
        hints = [f"mkdir {plot.parent}"]
        raise InputError("no-such-folder", f"there is no folder {plot.parent}", where="--plot", hints=hints)
    check_replaceable(plot)


def reproduce_verb(
    name: Annotated[str | None, typer.Argument(help="The experiment, such as gpt2; without it, a list of all.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where results go [results/NAME].")] = None,
    engine: Annotated[Engine, typer.Option(help="Who computes the times.")] = "maxplus",
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes at a time.")] = 2,
    as_json: Json = False,
) -> None:
    """Reproduce a published table: ours beside theirs, with the error.

    Examples:

      sttest reproduce

      sttest reproduce gpt2
    """
    if name is None:
        _list_experiments(as_json=as_json)
        return
    tables.checked(name, out)
    if not as_json:
        _tell_estimate(f"sttest reproduce {name}")
        raise typer.Exit(tables.reproduce(name, out, engine, jobs))
    code = tables.reproduce(name, out, engine, jobs, quiet=True)
    folders = tables.result_folders(name, out)
    print_json(
        {
            "schema": "sttest.reproduce/1",
            "name": name,
            "exit_code": code,
            "results": [str(each) for each in folders],
            "rows": {each.name: _rows_of(each) for each in folders if (each / TABLE).is_file()},
        }
    )
    raise typer.Exit(code)


_SECONDS = "seconds on two cores, with models lowered before"
_WORTH_TELLING_S = 10


def _tell_estimate(command: str) -> None:
    """Says how long a command will take, before it begins, if that is known and worth a word."""
    seconds = usual_seconds(command)
    if seconds is not None and seconds >= _WORTH_TELLING_S:
        note(f"this takes about {seconds_text(seconds)}, by a measurement on two cores")


def _list_experiments(*, as_json: bool) -> None:
    """What can be reproduced."""
    questions = tables.questions()
    if as_json:
        seconds = {name: usual_seconds(f"sttest reproduce {name}") for name in questions}
        print_json({"schema": "sttest.experiments/1", "experiments": questions, "seconds": seconds})
        return
    rows = [(name, told, usual_seconds(f"sttest reproduce {name}")) for name, told in questions.items()]
    print_table(("experiment", "what is made", "s"), rows, one_line=True)
    print(f"s: {_SECONDS}; all: their sum")


def _rows_of(folder: Path) -> list[dict[str, Any]]:
    return [asdict(row) for row in next(iter(read_results(folder.parent, [folder.name]))).rows]


PLOTS = (".pdf", ".svg", ".png")
PLAN_SCHEMA = "sttest.whatif-plan/1"
ABLATION_PLAN_SCHEMA = "sttest.ablation-plan/1"


@dataclass(frozen=True)
class WhatifRequest:
    """What is asked: a study's file, where results go, and who computes them."""

    path: Path
    out: Path
    engine: str
    jobs: int
    scheduler: str | None
    dry_run: bool
    plot: Path | None = None  # path of the figure, as wide as a column of print

    def runner(self, campaign: Campaign) -> Runner:
        """Processes of this machine, or the workers of the scheduler."""
        if self.scheduler is None:
            return campaign.in_processes(self.jobs)
        return partial(on_cluster, simulate=campaign.simulate, address=self.scheduler)


def _list_studies(*, as_json: bool) -> None:
    """The studies and ablations that come with sttest."""
    titles = [(name, load_study(study_path(name)).title) for name in study_names()]
    titles += [(name, load_ablation(ABLATIONS / f"{name}.yaml").title) for name in ablation_names()]
    if as_json:
        print_json({"schema": "sttest.whatif-studies/1", "studies": dict(titles)})
        return
    rows = [(name, title, usual_seconds(f"sttest whatif {name}")) for name, title in titles]
    print_table(("study", "question", "s"), rows)
    print(f"s: {_SECONDS}")


def _write_new(name: str, study: str | None, *, as_json: bool) -> None:
    """A study to start from."""
    if study is not None:
        hints = ["leave out one of them"]
        raise InputError("two-studies", f"'{study}' and --new {name} are two studies", where="whatif", hints=hints)
    path = write_new_study(name, (*study_names(), *ablation_names()))
    if as_json:
        print_json({"schema": "sttest.whatif-new/1", "written": str(path)})
        return
    print(f"written: {path}")
    print(f"next: sttest whatif {path}")


def _run_study(request: WhatifRequest, *, as_json: bool) -> None:
    path, out = request.path, request.out
    study = load_study(path)
    found = study_outcome.campaign(study, path.resolve().parent, request.engine, PointStore(STORES / "whatif"))
    if request.dry_run:
        _print_plan(path.stem, found, request.jobs, as_json=as_json)
        return
    if found.campaign.missing and not as_json:
        _tell_estimate(f"sttest whatif {path.stem}")
    with progress(path.stem) as say:
        outcomes = found.run(request.runner(found.campaign), _teller(say))
        report = StudyReport(path.stem, study, request.engine, outcomes, found.campaign.processor_s)
    report.write(out, *own_files(path))
    if request.plot is not None:
        report.plot(request.plot)
    if as_json:
        print_json({**report.to_dict(), "out": str(out)})
        return
    print(f"{study.title}: {report.headline()}")
    for line in (*report.fit_lines(), *report.knee_lines()):
        print(line)
    print_table(COLUMNS, report.lines(), tidy=(report.tidy_columns, report.tidy_lines()))
    _print_end(study.note, out)


def _run_ablation(request: WhatifRequest, *, as_json: bool) -> None:
    path, out = request.path, request.out
    ablation = load_ablation(path)
    found = ablation_outcome.campaign(ablation, request.engine, PointStore(STORES / "ablation"))
    if request.dry_run:
        _print_ablation_plan(path.stem, found, as_json=as_json)
        return
    if found.campaign.missing and not as_json:
        _tell_estimate(f"sttest whatif {path.stem}")
    with progress(path.stem) as say:
        outcomes = found.run(request.runner(found.campaign), _teller(say))
    report = AblationReport(path.stem, ablation, request.engine, outcomes)
    report.write(out, *own_files(path))
    if as_json:
        print_json({**report.to_dict(), "out": str(out)})
        return
    print(f"{ablation.title}: {report.headline()}")
    print_table(report.columns, report.lines())
    published = list(report.published_lines())
    if published:
        print_table(
            PUBLISHED_COLUMNS,
            published,
            title="speed-ups beside published ones",
            shown=("ours", "launches left out", "with launches", "published"),
        )
        print(f"differs: {ablation.differs}")
    _print_end(ablation.note, out)


def _print_end(note: str, out: Path) -> None:
    if note:
        print(f"note: {note}")
    print(f"written: {out}")


def _teller(say: Callable[[str], None]) -> Tell:
    return lambda done, total: say(f"{done} of {total} blocks simulated")


def _print_plan(name: str, found: StudyRun[Point, StudyOutcome], jobs: int, *, as_json: bool) -> None:
    blocks, stored = len(found.campaign.keys), len(found.campaign.found)
    seconds = found.campaign.estimate_s(jobs)
    refused = sum(point.block is None for point in found.points)
    if as_json:
        print_json(
            {
                "schema": PLAN_SCHEMA,
                "name": name,
                "points": len(found.points),
                "blocks": blocks,
                "stored": stored,
                "refused": refused,
                "jobs": jobs,
                "estimate_s": None if seconds is None else round(seconds, 1),
            }
        )
        return
    told = (
        "the time is not known before one was simulated"
        if seconds is None
        else f"about {seconds:.0f} s for the rest with {jobs} processes"
    )
    print(f"{name}: {len(found.points)} points" + (f", {refused} of which cannot be simulated" if refused else ""))
    print(f"{blocks} distinct blocks, {stored} of which are stored; {told}")


def _print_ablation_plan(name: str, found: StudyRun[Any, Any], *, as_json: bool) -> None:
    numbers = {"rows": len(found.points), "designs": len(found.campaign.keys), "stored": len(found.campaign.found)}
    if as_json:
        print_json({"schema": ABLATION_PLAN_SCHEMA, "name": name, **numbers})
        return
    told = f"{numbers['designs']} designs, {numbers['stored']} of which are stored"
    print(f"{name}: {numbers['rows']} rows from {told}")
