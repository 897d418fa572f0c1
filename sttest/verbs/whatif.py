"""`sttest whatif`: a study or an ablation, run in parallel and taken up where it stopped."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import check_output_folder
from sttest.core.results import RESULTS_SCHEMA, PointStore
from sttest.core.tables import print_table
from sttest.studies.ablation import outcome as ablation_outcome
from sttest.studies.ablation.form import ABLATIONS, ablation_names, is_ablation, load_ablation
from sttest.studies.ablation.report import PUBLISHED_COLUMNS, AblationReport
from sttest.studies.campaign import STORES, Campaign, Runner, Tell, on_cluster
from sttest.studies.whatif import outcome as study_outcome
from sttest.studies.whatif.report import COLUMNS, StudyReport
from sttest.studies.whatif.study import load_study, study_names, study_path
from sttest.verbs.output import print_json, progress

PLAN_SCHEMA = "sttest.whatif-plan/1"
ABLATION_PLAN_SCHEMA = "sttest.ablation-plan/1"


@dataclass(frozen=True)
class WhatifRequest:
    """What is asked: a study by name or file, where results go, and who computes them."""

    study: str
    out: Path | None
    engine: str
    jobs: int
    scheduler: str | None
    dry_run: bool

    def runner(self, campaign: Campaign) -> Runner:
        """Processes of this machine, or the workers of the scheduler."""
        if self.scheduler is None:
            return campaign.in_processes(self.jobs)
        return partial(on_cluster, simulate=campaign.simulate, address=self.scheduler)


def list_studies(*, as_json: bool) -> None:
    """The studies and ablations that come with sttest."""
    titles = [(name, load_study(study_path(name)).title) for name in study_names()]
    titles += [(name, load_ablation(ABLATIONS / f"{name}.yaml").title) for name in ablation_names()]
    if as_json:
        print_json({"schema": "sttest.whatif-studies/1", "studies": dict(titles)})
        return
    print_table(("study", "what is asked"), titles)


def run(request: WhatifRequest, *, as_json: bool) -> None:
    """Runs a study and writes its tables, or says what that would take.

    Raises:
        SttestError: a study that asks for what there is not, a folder that can't be written, a lost worker.
    """
    path = study_path(request.study, {name: ABLATIONS / f"{name}.yaml" for name in ablation_names()})
    out = request.out or Path("results") / path.stem
    run_form = _run_ablation if is_ablation(path) else _run_study
    run_form(request, path, out, as_json=as_json)


def _run_study(request: WhatifRequest, path: Path, out: Path, *, as_json: bool) -> None:
    study = load_study(path)
    check_output_folder(out, RESULTS_SCHEMA, "folder of results")
    found = study_outcome.campaign(study, path.resolve().parent, request.engine, PointStore(STORES / "whatif"))
    if request.dry_run:
        _print_plan(path.stem, found, request.jobs, as_json=as_json)
        return
    with progress(path.stem) as say:
        outcomes = found.run(request.runner(found.campaign), _teller(say))
        report = StudyReport(path.stem, study, request.engine, outcomes)
    report.write(out)
    if as_json:
        print_json({**report.to_dict(), "out": str(out)})
        return
    print_table(COLUMNS, report.lines(), title=study.title)
    for line in report.knee_lines():
        print(f"knee: {line}")
    _print_end(study.note, out)


def _run_ablation(request: WhatifRequest, path: Path, out: Path, *, as_json: bool) -> None:
    """Ablations are minutes of work: they run on this machine."""
    if request.scheduler is not None:
        raise InputError("no-cluster", "an ablation runs on this machine", where="scheduler", hints=["use --jobs"])
    check_output_folder(out, RESULTS_SCHEMA, "folder of results")
    ablation = load_ablation(path)
    found = ablation_outcome.campaign(ablation, request.engine, PointStore(STORES / "ablation"))
    if request.dry_run:
        _print_ablation_plan(path.stem, found, as_json=as_json)
        return
    with progress(path.stem) as say:
        outcomes = found.run(request.runner(found.campaign), _teller(say))
    report = AblationReport(path.stem, ablation, request.engine, outcomes)
    report.write(out)
    if as_json:
        print_json({**report.to_dict(), "out": str(out)})
        return
    print_table(report.columns, report.lines(), title=ablation.title)
    published = list(report.published_lines())
    if published:
        print_table(PUBLISHED_COLUMNS, published, title="speed-ups beside published ones")
        print(f"differs: {ablation.differs}")
    _print_end(ablation.note, out)


def _print_end(note: str, out: Path) -> None:
    if note:
        print(f"note: {note}")
    print(f"written: {out}")


def _teller(say: Callable[[str], None]) -> Tell:
    began = time.perf_counter()
    first: list[int] = []

    def tell(done: int, total: int) -> None:
        first.append(done)
        fresh = done - first[0]
        left = f", about {(time.perf_counter() - began) / fresh * (total - done):.0f} s left" if fresh else ""
        say(f"{done} of {total} blocks simulated{left}")

    return tell


def _print_plan(name: str, found: study_outcome.StudyRun, jobs: int, *, as_json: bool) -> None:
    blocks, stored = len(found.campaign.keys), len(found.campaign.found)
    seconds = found.campaign.estimate_s(jobs)
    refused = sum(point.block is None for point in found.points)
    if as_json:
        print_json({
            "schema": PLAN_SCHEMA, "name": name, "points": len(found.points), "blocks": blocks,
            "stored": stored, "refused": refused, "jobs": jobs, "estimate_s": round(seconds, 1),
        })  # fmt: skip
        return
    print(
        f"{name}: {len(found.points)} points, {refused} of them not simulated; {blocks} distinct blocks, "
        f"{stored} of them stored; about {seconds:.0f} s for the rest with {jobs} processes"
    )


def _print_ablation_plan(name: str, found: ablation_outcome.AblationRun, *, as_json: bool) -> None:
    numbers = {"rows": len(found.points), "designs": len(found.campaign.keys), "stored": len(found.campaign.found)}
    if as_json:
        print_json({"schema": ABLATION_PLAN_SCHEMA, "name": name, **numbers})
        return
    print(f"{name}: {numbers['rows']} rows, {numbers['designs']} designs, {numbers['stored']} of them stored")
