"""`sttest synth`: the modules of a design through yosys, beside what the resource model predicts."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sttest.boards.resources import Resources
from sttest.cli.common import Json, print_json, progress
from sttest.core.errors import SttestError
from sttest.core.files import write_text
from sttest.core.plain_files import check_replaceable
from sttest.core.tables import print_table
from sttest.package import DesignPackage
from sttest.targets.synth.certificate import FitCertificate, Spread, fit_certificate
from sttest.targets.synth.report import SynthesisReport, missing_rows, synthesis_report
from sttest.targets.synth.yosys import LIMIT_S

_MEMORY_SHOWN = ("lut", "ff", "bram18", "uram")
_SHOWN = ("lut", "ff", "dsp", "bram18", "uram")


def _columns(kinds: Sequence[str]) -> list[str]:
    return [name for kind in kinds for name in (kind.upper(), f"{kind.upper()} predicted")]


_COLUMNS = ("role", "memory", "words", "bits", "count", *_columns(_MEMORY_SHOWN), "SRL", "levels")
_PROCESS_COLUMNS = ("role", "process", "count", *_columns(_SHOWN), "SRL", "levels")


def synth_verb(
    package: Annotated[Path, typer.Argument(help="A design package.")],
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="Runs of yosys at a time.")] = 2,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for a module.")] = LIMIT_S,
    work_dir: Annotated[Path, typer.Option(help="Folder of the jobs, of all packages.")] = Path("build/synth"),
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A CSV file for the synthesized rows.")] = None,
    fit: Annotated[bool, typer.Option("--fit", help="Whether it fits: sums per SLR with error bars.")] = False,
    as_json: Json = False,
) -> None:
    """Synthesize the modules of a design with yosys and compare with the prediction.

    A module that is done is not run again. What has no module yet is listed with its prediction. --fit adds what the
    design takes of each SLR, from 5 to 95 % of the cases, and how probable it is that all of it fits.

    Examples:

      sttest synth build/gpt2-decode-u55c

      sttest synth build/gpt2-decode-u55c --jobs 8 -o synthesized.csv

      sttest synth build/gpt2-decode-u55c --fit
    """
    design = DesignPackage.read(package)
    if output is not None:
        check_replaceable(output)  # before the hours that the rest may take
    with progress(f"synthesizing {package}") as tell:
        report = synthesis_report(design, work_dir, jobs, tell, timeout)
    if output is not None:
        write_text(output, report.rows().to_csv(index=False, lineterminator="\n"))
    certificate = fit_certificate(design, report) if fit else None
    if as_json:
        print_json(report.to_json() | ({} if certificate is None else {"fit": certificate.to_json()}))
    else:
        _print(report)
        if certificate is not None:
            _print_fit(certificate)
    if report.failed:
        _, first = report.failed[0]
        raise SttestError(
            "synth-failed",
            f"{len(report.failed)} of {len(report.modules)} modules failed, first {first}",
            where="synth",
        )


def _print(report: SynthesisReport) -> None:
    found, predicted = report.synthesized, report.predicted
    told = (
        f"{kind.upper()} {getattr(found, kind):,.0f} synthesized, {getattr(predicted, kind):,.0f} predicted"
        for kind in ("lut", "ff", "dsp")
    )
    print(f"{report.name}: {'; '.join(told)}; {len(report.done)} of {len(report.modules)} modules")
    for each, error in report.failed:
        print(f"failed      {', '.join(part.name for part in each.parts)}: {error}")
    _print_errors(report)
    print_table(
        _COLUMNS,
        (
            (
                part.role,
                part.kind,
                part.depth,
                part.bits,
                each.count,
                *_beside(found.resources, each.predicted, _MEMORY_SHOWN),
                found.shift_registers,
                found.levels,
            )
            for each, found in report.done
            for part in each.parts[:1]
            if part.kind
        ),
        title=f"memories: {report.source}",
        shown=("role", "words", "bits", "LUT", "LUT predicted"),
    )
    rows: list[tuple[object, ...]] = [
        (
            part.role,
            part.name,
            each.count,
            *_beside(found.resources, each.predicted, _SHOWN),
            found.shift_registers,
            found.levels,
        )
        for each, found in report.done
        for part in each.parts[:1]
        if not part.kind
    ]
    count = sum(each.count for each, _ in report.done)
    rows.append(("all", "memories, too", count, *_beside(report.synthesized, report.predicted, _SHOWN), "", ""))
    shown = ("role", "process", "count", "LUT", "LUT predicted")
    print_table(_PROCESS_COLUMNS, rows, title="processes", shown=shown)
    if report.missing:
        print_table(
            ("not synthesized", "count", "LUT predicted", "FF", "DSP", "BRAM18", "URAM", "why"),
            (
                (role, number, *map(round, (of.lut, of.ff, of.dsp, of.bram18, of.uram)), why)
                for role, number, of, why in missing_rows(report)
            ),
        )


def _print_errors(report: SynthesisReport) -> None:
    """How far the predictions are off."""
    print_table(
        ("prediction", "of", "resource", "parts", "median %", "p90 %", "within 25 %", "sum / synthesized",
         "10 % and 25 %"),
        (
            (each.prediction, each.of, each.resource, each.parts, _percent(each.median), _percent(each.p90),
             _percent(each.within), round(each.ratio, 3), "within" if each.is_within else "NOT within")
            for each in report.errors
        ),
        shown=("prediction", "of", "resource", "median %", "sum / synthesized"),
    )  # fmt: skip


_LARGEST = 12
"""Processes that the text lists; JSON has all of them."""


def _print_fit(found: FitCertificate) -> None:
    print_table(
        ("where", "resource", "median", "5 %", "95 %", "budget", "share %", "fits %"),
        (
            (
                place.name if number == 0 else "",
                kind,
                *_whole(spread),
                round(budget),
                _percent(spread.middle / budget),
                _percent(place.probability) if number == 0 else "",
            )
            for place in found.places
            for number, (kind, spread, budget) in enumerate(
                (kind, spread, getattr(place.budget, kind)) for kind, spread in place.amounts.items()
            )
        ),
        title=f"fit of {found.name}: {_percent(found.probability)} % probable on all of it",
        shown=("where", "resource", "median", "share %", "fits %"),
    )
    print_table(
        ("largest processes", "where", "LUT predicted", "median", "5 %", "95 %", "synthesized %"),
        (
            (row.name, row.slr, round(row.predicted.lut), *_whole(row.lut), _percent(row.synthesized_share))
            for row in found.processes[:_LARGEST]
        ),
    )


def _whole(spread: Spread) -> tuple[int, int, int]:
    return round(spread.middle), round(spread.low), round(spread.high)


def _beside(found: Resources, predicted: Resources, kinds: Sequence[str]) -> list[int]:
    """Synthesized amounts, each followed by the predicted one."""
    return [round(getattr(amounts, kind)) for kind in kinds for amounts in (found, predicted)]


def _percent(ratio: float) -> float:
    return round(100 * ratio, 1)
