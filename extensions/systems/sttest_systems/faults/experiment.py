"""Single bit flips in the RTL of a small GPT-2's decode step with its head: what reaches the token, and protection.

Two layers and the head are one launch of the hardware, with weights drawn by a seed and a prompt of eleven tokens; the
token that the hardware chooses without a fault is the one that PyTorch chooses.  Bits and cycles are drawn uniformly
within each kind of site.  Every flip of a word of a FIFO is done in the reference engine, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sttest.compile.options import CompileOptions
from sttest.core.errors import EnginesDisagreeError
from sttest.core.progress import tell
from sttest.core.results import ResultFolder, Row
from sttest.package import DesignPackage
from sttest.package.compiled import write_package
from sttest.studies.lines import Line, print_lines, rows_of
from sttest.studies.workload import CompileRequest
from sttest_systems.faults.campaign import OUTCOMES, Campaign
from sttest_systems.faults.report import FAILS, FaultStudy, failing_bits, run_study
from sttest_systems.faults.shares import Share

LAYERS, CONTEXT, SEED, PER_KIND = 2, 16, 11, 200
WORK = Path("build") / "faults"
"""Where a run that was stopped goes on."""
PROTECTIONS = ("secded", "tmr")
MODEL, BOARD = "small-gpt2", "u55c"
SOURCE = "Tyagi et al., arXiv 2404.09317, abstract"
PUBLISHED = (
    ("area of selective protection over none", 0.38, "duplicated blocks and hardened flip-flops, which meet ASIL-D"),
    ("area of dual-core lock step over none", 1.0, "the conventional strategy"),
)


def design_package(folder: Path) -> DesignPackage:
    """The decode step and the head, compiled."""
    request = CompileRequest(
        MODEL, "decode", None, CONTEXT, BOARD, CompileOptions(precision="w4a8", layers=LAYERS), head=True
    )
    return write_package(request.design(), folder)


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Line]:
    """Prints the table and writes ``out``; no timing engine has a part in it."""
    package = design_package(WORK / "package")
    study = run_study(package, WORK, PER_KIND, SEED, PROTECTIONS, jobs, tell, is_struck=False)
    if study.agreement.disagree:
        raise EnginesDisagreeError("values", f"{len(study.agreement.disagree)} flips differ", where=package.name)
    lines = list(_lines(study))
    print_lines(lines, "Faults", notes=True)
    config = {"model": MODEL, "layers": LAYERS, "context": CONTEXT, "per_kind": PER_KIND, "protections": PROTECTIONS}
    with ResultFolder(out, made_by=__name__, config=config, seed=SEED) as folder:
        folder.add(*rows_of(lines, "faults", "verilator", model=MODEL, board=BOARD, phase="decode"))
        for metric, value, note in PUBLISHED:
            folder.add(Row("faults", metric, value, "ratio", "published", board="ethos-u55", source=SOURCE, note=note))
    return lines


def _lines(study: FaultStudy) -> Iterator[Line]:
    yield Line("cycles without a fault", study.plain.cycles, "cycles")
    yield from _of_campaign(study.plain, "no protection")
    for name, share in study.fields.items():
        yield _share(f"not masked, {name}", share)
    found = study.agreement
    yield Line(
        "flips of FIFO words done in the reference, too",
        found.compared,
        "count",
        note=f"{found.empty} of them in empty places",
    )
    yield Line("of these with another memory at the end", len(found.disagree), "count")
    yield Line(
        "flips of FIFO words that the reference defines no value for",
        len(found.undefined),
        "count",
        note="integers of NaN",
    )
    yield Line("flips of FIFO words between layers, not done there", len(found.left_out), "count")
    for cost in study.costs:
        yield Line(f"LUTs for {cost.of}", cost.added.lut, "count", cost.kind)
        yield Line(f"flip-flops for {cost.of}", cost.added.ff, "count", cost.kind)
    lut, ff = (sum(getattr(cost.added, name) for cost in study.costs) for name in ("lut", "ff"))
    logic = study.design_logic
    note = "codes by yosys, majorities counted, over what the resource model predicts of the design"
    yield Line("LUTs of protection over those of the design", lut / logic.lut, "ratio", "derived", note)
    yield Line("flip-flops of protection over those of the design", ff / logic.ff, "ratio", "derived", note)


def _of_campaign(campaign: Campaign, where: str) -> Iterator[Line]:
    for kind in campaign.kinds:
        yield Line(f"bits of {kind} [{where}]", campaign.bits[kind], "bits", "derived", "registers of the simulation")
        for outcome in OUTCOMES:
            yield _share(f"{outcome}, {kind} [{where}]", campaign.share(kind, [outcome]))
        yield _share(f"not masked, {kind} [{where}]", campaign.share(kind, FAILS))
        yield Line(f"failing bits of {kind} [{where}]", failing_bits(campaign, kind), "bits", "derived")
        seen = [each for each in campaign.of_kind(kind) if each.outcome in FAILS]
        if seen:
            yield _share(
                f"not masked and told by FIFOs, {kind} [{where}]",
                Share.of_counts(sum(each.is_seen for each in seen), len(seen)),
            )
    for outcome in OUTCOMES:
        yield _share(f"{outcome}, all [{where}]", campaign.whole([outcome]), "kinds weighed by their bits")
    yield _share(f"not masked, all [{where}]", campaign.whole(FAILS), "kinds weighed by their bits")


def _share(metric: str, share: Share, note: str = "") -> Line:
    said = f"95 % interval {share.low:.4f} to {share.high:.4f}, {share.count} of {share.of}"
    return Line(metric, share.value, "ratio", note=f"{said}; {note}" if note else said)
