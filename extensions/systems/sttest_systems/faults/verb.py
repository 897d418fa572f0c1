"""`sttest faults`: single bit flips in a design's hardware, and which of them reach its results."""

import json
from pathlib import Path
from typing import Annotated

import typer

from sttest.core.errors import EnginesDisagreeError
from sttest.core.progress import progress
from sttest.core.tables import print_table
from sttest.package import DesignPackage
from sttest_systems.faults.campaign import OUTCOMES
from sttest_systems.faults.report import FAILS, FaultStudy, failing_bits, run_study
from sttest_systems.faults.shares import Share


def faults_verb(
    package: Annotated[Path, typer.Argument(help="A design package.")],
    samples: Annotated[int, typer.Option(min=1, help="Faults per kind of site.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Of weights, inputs and faults.")] = 11,
    protect: Annotated[
        str,
        typer.Option(help="Again with protection: secded (words of FIFOs), tmr (control, running values), or both."),
    ] = "",
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Runs at a time.")] = 2,
    work_dir: Annotated[
        Path | None, typer.Option("--work-dir", "-o", help="Builds and results [build/faults-PACKAGE].")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
) -> None:
    """Flip single bits of a design's hardware and count which reach its results.

    Bits of registers and FIFOs and cycles are drawn by the seed; each fault is a run of the emitted SystemVerilog under
    Verilator, which is built once. The flips in FIFOs are done again in the reference engine, exit code 6 where one of
    them leaves something else in memory. A campaign that was stopped goes on where it was.

    Examples:

      sttest faults build/small-gpt2-decode-u55c --samples 100

      sttest faults build/small-gpt2-decode-u55c --protect secded,tmr --json
    """
    design = DesignPackage.read(package)
    folder = work_dir or Path("build") / f"faults-{package.name}"
    chosen = [name for name in protect.split(",") if name]
    with progress(f"faults in {design.name}") as tell:
        study = run_study(design, folder, samples, seed, chosen, jobs, tell)
    if as_json:
        print(json.dumps(study.to_json(), indent=1))
    else:
        _print(study)
    if study.agreement.disagree:
        raise typer.Exit(EnginesDisagreeError.exit_code)


def _print(study: FaultStudy) -> None:
    failing = study.plain.whole(FAILS)
    removed = study.removed_in_all
    print(
        f"{study.plain.name}: {_percent(failing)} of single bit flips fail"
        + (f", protection removes {removed:.1%} of the failing bits" if removed is not None else "")
    )
    for campaign in (study.plain, study.protected):
        if campaign is None:
            continue
        rows = [
            [
                kind,
                f"{campaign.bits[kind]:,}",
                f"{len(campaign.of_kind(kind)):,}",
                *(_percent(campaign.share(kind, [outcome])) for outcome in OUTCOMES),
                f"{failing_bits(campaign, kind):,.0f}",
            ]
            for kind in campaign.kinds
        ]
        rows.append(
            [
                "all, by bits",
                f"{sum(campaign.bits.values()):,}",
                f"{len(campaign.injections):,}",
                *(_percent(campaign.whole([outcome])) for outcome in OUTCOMES),
                f"{sum(failing_bits(campaign, kind) for kind in campaign.kinds):,.0f}",
            ]
        )
        print_table(
            ["kind", "bits", "faults", *OUTCOMES, "failing bits"],
            rows,
            title=campaign.name,
            shown=("kind", "bits", "faults", "masked", "failing bits"),
        )
    agreement = study.agreement
    print(
        f"  reference: {agreement.compared} flips of FIFO words, {agreement.empty} of them in empty places, "
        f"{len(agreement.disagree)} with another result; "
        f"{len(agreement.undefined)} more have no defined value there"
    )
    for each in agreement.disagree[:3]:
        print(f"  disagrees: '{each.owner}', word {each.word}, bit {each.bit}, cycle {each.cycle}")
    for cost in study.costs:
        print(f"  {cost.of}: {cost.added.lut:+,.0f} LUT, {cost.added.ff:+,.0f} FF ({cost.kind})")


def _percent(share: Share) -> str:
    return f"{share.value:.1%} [{share.low:.1%}, {share.high:.1%}]"
