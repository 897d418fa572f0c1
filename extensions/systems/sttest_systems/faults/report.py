"""What a study of faults says of a design, with and without protection: shares, failing bits, cost."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sttest.boards.resources import Resources
from sttest.compile.sharing.processes import fifos_of
from sttest.package import DesignPackage
from sttest.reference.graph import BITS
from sttest_systems.faults.agreement import Agreement, hold_against_reference
from sttest_systems.faults.campaign import Campaign, Injection, run_campaign
from sttest_systems.faults.decode_step import FaultCase, fault_case
from sttest_systems.faults.injection import FaultyDesign
from sttest_systems.faults.protection import Cost, protected_texts, secded_cost, tmr_cost
from sttest_systems.faults.shares import Share

FAILS = ("value", "token", "hang")
"""Outcomes that are not masked."""


@dataclass(frozen=True)
class FaultStudy:
    """A design under faults."""

    plain: Campaign
    agreement: Agreement
    protected: Campaign | None  # None where no protection is asked for
    costs: tuple[Cost, ...]
    design_logic: Resources  # LUTs, FFs of the whole design, as predicted
    wanted_token: int | None  # token that PyTorch chooses
    fields: Mapping[str, Share] = field(default_factory=dict)  # share that fails, by field of a word of a FIFO

    def removed(self, kind: str) -> float | None:
        """The share of a kind's failing bits that protection removes; None where nothing fails or is protected."""
        if self.protected is None or kind not in self.protected.kinds:
            return None
        before = failing_bits(self.plain, kind)
        return 1 - failing_bits(self.protected, kind) / before if before else None

    @property
    def removed_in_all(self) -> float | None:
        """The share of the design's failing bits that protection removes."""
        if self.protected is None:
            return None
        before = sum(failing_bits(self.plain, kind) for kind in self.plain.kinds)
        return 1 - sum(failing_bits(self.protected, kind) for kind in self.protected.kinds) / before if before else None

    def to_json(self) -> dict[str, Any]:
        """The contract ``sttest.faults/1``."""
        found = self.plain.to_json()
        found["reference"] = {
            "compared": self.agreement.compared,
            "empty": self.agreement.empty,
            "disagree": len(self.agreement.disagree),
            "left_out": len(self.agreement.left_out),
            "undefined": len(self.agreement.undefined),
        }
        found["fields"] = {name: share.to_json() for name, share in self.fields.items()}
        if self.protected is not None:
            found["protected"] = self.protected.to_json() | {"removed": self.removed_in_all}
            found["costs"] = [
                {"of": cost.of, "kind": cost.kind, "lut": cost.added.lut, "ff": cost.added.ff} for cost in self.costs
            ]
        return found


def failing_bits(campaign: Campaign, kind: str) -> float:
    """Bits of a kind times the share of flips that are not masked: its part of the rate of failures."""
    return campaign.bits[kind] * campaign.share(kind, FAILS).value


def run_study(
    package: DesignPackage,
    work_dir: Path,
    per_kind: int,
    seed: int,
    protections: Collection[str] = (),
    jobs: int = 2,
    tell: Callable[[str], None] = lambda _step: None,
    *,
    is_struck: bool = True,
) -> FaultStudy:
    """Injects faults into a design, holds them against the reference, and does so again with protection.

    Args:
        package: compiled design.
        work_dir: folder of builds and results; a study that was stopped goes on there.
        per_kind: faults per kind of site.
        seed: of values and faults.
        protections: protections of the second campaign, none for no such campaign.
        jobs: runs at a time.
        tell: called with a line of progress.
        is_struck: whether the protected design is sampled, too, which takes many times as long; else it is only priced.

    Raises:
        InputError: a design without hardware with values, or an unknown protection.
        ToolMissingError: Verilator is not installed, or yosys where codes are asked for.
        EnginesDisagreeError: hardware and reference differ without a fault.
    """
    tell("computing values with the reference engine")
    case = fault_case(package, seed)
    texts = protected_texts(case.design, protections)
    tell("building")
    built = FaultyDesign(case.design, work_dir / "plain", case.weights)
    plain = run_campaign(package.name, built, case.token_fifo, work_dir / "plain", per_kind, seed, jobs, tell)
    tell("flipping the same bits in the reference engine")
    agreement = hold_against_reference(case, built.timed_run(), list(plain.injections))
    protected, costs = None, list[Cost]()
    if protections and is_struck:
        tell("building with protection")
        guarded = FaultyDesign(case.design, work_dir / "protected", case.weights, texts)
        name = f"{package.name} with {' and '.join(protections)}"
        protected = run_campaign(
            name,
            guarded,
            case.token_fifo,
            work_dir / "protected",
            per_kind,
            seed,
            jobs,
            lambda step: tell(f"{step} with protection"),
        )
    if "secded" in protections:
        costs.append(secded_cost(case.design, work_dir / "synth", jobs, tell))
    if "tmr" in protections:
        costs.append(tmr_cost(built.sites))
    return FaultStudy(
        plain, agreement, protected, tuple(costs), _design_logic(package), case.wanted_token, field_shares(case, plain)
    )


def _design_logic(package: DesignPackage) -> Resources:
    """LUTs and flip-flops of a design, as predicted."""
    rows = package.report("resources").to_dict("records")
    whole = next(row for row in rows if (row["process"], row["kind"]) == ("all", "total"))
    return Resources(lut=float(whole["lut"]), ff=float(whole["ff"]))


# --- By the place of the bit in a number

_FIELDS = {
    "f32": {"sign": (31, 32), "exponent": (23, 31), "upper mantissa": (12, 23), "lower mantissa": (0, 12)},
    "f16": {"sign": (15, 16), "exponent": (10, 15), "mantissa": (0, 10)},
    "i32": {"byte 3": (24, 32), "byte 2": (16, 24), "byte 1": (8, 16), "byte 0": (0, 8)},
    "i8": {"upper half": (4, 8), "lower half": (0, 4)},
    "i4": {"upper half": (2, 4), "lower half": (0, 2)},
}


def field_shares(case: FaultCase, campaign: Campaign) -> dict[str, Share]:
    """Share of flips that fail by element type and field, of the flips of FIFO words that were sampled."""
    streams = fifos_of(case.kernel)
    found: dict[str, list[Injection]] = {}
    for each in campaign.injections:
        names = streams.get(each.owner)
        if each.register != "memory" or not names or names[0].sym_name.data not in case.launch.graph.stream:
            continue
        dtype = case.launch.graph.stream[names[0].sym_name.data].dtype
        bit = each.bit % BITS[dtype]
        part = next((name for name, (low, high) in _FIELDS.get(dtype, {}).items() if low <= bit < high), "all bits")
        kind = "weights" if each.kind == "weight-fifo" else "activations"
        found.setdefault(f"{kind} {dtype}, {part}", []).append(each)
    return {
        name: Share.of_counts(sum(each.outcome in FAILS for each in group), len(group))
        for name, group in sorted(found.items())
    }
