"""`sttest whatif`: a study of many points, run in parallel and taken up where it stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sttest.core.files import check_output_folder
from sttest.core.results import RESULTS_SCHEMA, PointStore
from sttest.studies.ablation.form import ABLATIONS, ablation_names, is_ablation, load_ablation
from sttest.studies.whatif.campaign import STORE, StudyRun, Tell, campaign
from sttest.studies.whatif.report import COLUMNS, StudyReport
from sttest.studies.whatif.study import load_study, study_names, study_path
from sttest.studies.whatif.workers import in_processes, on_cluster
from sttest.verbs import whatif_ablation
from sttest.verbs.output import print_json, print_table, progress

PLAN_SCHEMA = "sttest.whatif-plan/1"


@dataclass(frozen=True)
class WhatifRequest:
    """What is asked: a study by name or file, where results go, and who computes them."""

    study: str
    out: Path | None
    engine: str
    jobs: int
    scheduler: str | None
    dry_run: bool


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
    if is_ablation(path):
        _run_ablation(request, path, out, as_json=as_json)
        return
    study = load_study(path)
    check_output_folder(out, RESULTS_SCHEMA, "folder of results")
    found = campaign(study, path.resolve().parent, request.engine, PointStore(STORE))
    if request.dry_run:
        _print_plan(path.stem, found, request.jobs, as_json=as_json)
        return
    runner = partial(on_cluster, address=request.scheduler) if request.scheduler else \
        partial(in_processes, jobs=request.jobs)  # fmt: skip
    with progress(path.stem) as say:
        report = StudyReport(path.stem, study, request.engine, found.run(runner, _teller(say)))
    report.write(out)
    _print_report(report, out, as_json=as_json)


def _run_ablation(request: WhatifRequest, path: Path, out: Path, *, as_json: bool) -> None:
    whatif_ablation.refuse_cluster(request.scheduler)
    check_output_folder(out, RESULTS_SCHEMA, "folder of results")
    if request.dry_run:
        whatif_ablation.plan(path, request.engine, as_json=as_json)
        return
    with progress(path.stem) as say:
        whatif_ablation.run(path, out, request.engine, request.jobs, _teller(say), as_json=as_json)


def _teller(say: Callable[[str], None]) -> Tell:
    began = time.perf_counter()
    first: list[int] = []

    def tell(done: int, total: int) -> None:
        first.append(done)
        fresh = done - first[0]
        left = f", about {(time.perf_counter() - began) / fresh * (total - done):.0f} s left" if fresh else ""
        say(f"{done} of {total} blocks simulated{left}")

    return tell


def _print_plan(name: str, found: StudyRun, jobs: int, *, as_json: bool) -> None:
    stored = len(found.found)
    seconds = found.estimate_s(jobs)
    refused = sum(point.block is None for point in found.points)
    if as_json:
        print_json({
            "schema": PLAN_SCHEMA, "name": name, "points": len(found.points), "blocks": len(found.keys),
            "stored": stored, "refused": refused, "jobs": jobs, "estimate_s": round(seconds, 1),
        })  # fmt: skip
        return
    print(
        f"{name}: {len(found.points)} points, {refused} of them not simulated; {len(found.keys)} distinct blocks, "
        f"{stored} of them stored; about {seconds:.0f} s for the rest with {jobs} processes"
    )


def _print_report(report: StudyReport, out: Path, *, as_json: bool) -> None:
    if as_json:
        print_json({**report.to_dict(), "out": str(out)})
        return
    print_table(COLUMNS, report.lines(), title=report.study.title)
    for line in report.knee_lines():
        print(f"knee: {line}")
    if report.study.note:
        print(f"note: {report.study.note}")
    print(f"written: {out}")
