"""`sttest whatif` of an ablation: rows that differ in how a block is scheduled, beside published figures."""

from __future__ import annotations

from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.results import PointStore
from sttest.studies.ablation.form import load_ablation
from sttest.studies.ablation.report import PUBLISHED_COLUMNS, STORE, AblationReport, AblationRun, campaign
from sttest.studies.whatif.campaign import Tell
from sttest.verbs.output import print_json, print_table

PLAN_SCHEMA = "sttest.ablation-plan/1"


def refuse_cluster(scheduler: str | None) -> None:
    """Ablations are minutes of work: they run on this machine.

    Raises:
        InputError: a scheduler is given.
    """
    if scheduler is not None:
        raise InputError("no-cluster", "an ablation runs on this machine", where="scheduler", hints=["use --jobs"])


def plan(path: Path, engine: str, *, as_json: bool) -> None:
    """Says what an ablation would take."""
    found = _found(path, engine)
    numbers = {"rows": len(found.points), "designs": len(found.keys), "stored": len(found.found)}
    if as_json:
        print_json({"schema": PLAN_SCHEMA, "name": path.stem, **numbers})
        return
    print(f"{path.stem}: {numbers['rows']} rows, {numbers['designs']} designs, {numbers['stored']} of them stored")


def run(path: Path, out: Path, engine: str, jobs: int, tell: Tell, *, as_json: bool) -> None:
    """Runs an ablation and writes its tables.

    Raises:
        SttestError: an ablation that asks for what there is not, a folder that can't be written.
    """
    ablation = load_ablation(path)
    report = AblationReport(path.stem, ablation, engine, _found(path, engine).run(jobs, tell))
    report.write(out)
    if as_json:
        print_json({**report.to_dict(), "out": str(out)})
        return
    print_table(report.columns, report.lines(), title=ablation.title)
    published = list(report.published_lines())
    if published:
        print_table(PUBLISHED_COLUMNS, published, title="speed-ups beside published ones")
        print(f"differs: {ablation.differs}")
    if ablation.note:
        print(f"note: {ablation.note}")
    print(f"written: {out}")


def _found(path: Path, engine: str) -> AblationRun:
    return campaign(load_ablation(path), engine, PointStore(STORE))
