"""How probable it is that a design fits: what was synthesized, what is only predicted, and how far either can be off.

A module that was synthesized carries the doubt of the tool; one that was not carries that of the model too: the ratio
synthesized / predicted of a module of its role that was.  All modules of a role are off together, and all of a design
in what the tool does otherwise than the vendor's, which makes error bars wide rather than narrow.  Sums are per SLR
where the package has a partition, else of the whole board.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sttest.boards.resources import KINDS, Resources, total
from sttest.core.errors import InputError
from sttest.package import DesignPackage
from sttest.targets.synth.design_parts import DesignPart
from sttest.targets.synth.report import SynthesisReport

SCHEMA = "sttest.fit-certificate/1"
TOOL_FACTORS: Mapping[str, tuple[float, float]] = {"lut": (0.7, 1.1), "ff": (0.8, 1.0)}
"""What a vendor's tool makes of an amount of yosys, lowest and highest: assumed.

yosys does not put two functions into one LUT and does not count LUTs in front of a carry.  For comparison, Vitis HLS
estimates became 0.72 (0.52 to 1.03) times the LUTs and 0.81 times the flip-flops when eight published designs were
routed.  DSPs and blocks stay what they are.
"""
DRAWS = 20_000
_FEWEST = 5
"""Modules of a role below which those of all roles say how far the model is off."""
_LOW, _HIGH = 0.05, 0.95

_Draws = NDArray[np.float64]


@dataclass(frozen=True)
class Spread:
    """An amount with its error bar."""

    middle: float  # median
    low: float  # 5 % of the draws are below
    high: float  # 5 % of the draws are above


@dataclass(frozen=True)
class PlaceFit:
    """An SLR, or the whole board."""

    name: str
    amounts: Mapping[str, Spread]  # amounts by resource
    budget: Resources
    probability: float  # probability that all amounts are within the budget


@dataclass(frozen=True)
class ProcessFit:
    """A process with its memories and the FIFOs that it reads."""

    name: str
    slr: str
    predicted: Resources
    synthesized_share: float  # share of the predicted LUTs that was synthesized, 0 to 1
    lut: Spread


@dataclass(frozen=True)
class FitCertificate:
    """What a design takes and may take."""

    name: str
    places: tuple[PlaceFit, ...]
    processes: tuple[ProcessFit, ...]  # largest first
    probability: float  # probability that it fits everywhere
    draws: int

    def to_json(self) -> dict[str, Any]:
        """The certificate as JSON-ready data."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "draws": self.draws,
            "kind": "derived",
            "tool_factors": {kind: list(bounds) for kind, bounds in TOOL_FACTORS.items()},
            "probability": self.probability,
            "places": [
                {
                    "name": each.name,
                    "probability": each.probability,
                    "amounts": {kind: vars(spread) for kind, spread in each.amounts.items()},
                    "budget": {kind: round(getattr(each.budget, kind), 2) for kind in KINDS},
                }
                for each in self.places
            ],
            "processes": [
                {
                    "process": each.name,
                    "slr": each.slr,
                    "predicted_lut": round(each.predicted.lut, 2),
                    "synthesized_share": round(each.synthesized_share, 4),
                    "lut": vars(each.lut),
                }
                for each in self.processes
            ],
        }


def fit_certificate(
    package: DesignPackage, report: SynthesisReport, *, draws: int = DRAWS, seed: int = 0
) -> FitCertificate:
    """The certificate of a design that went through synthesis.

    Args:
        package: design.
        report: what synthesis made of it.
        draws: number of draws.
        seed: of the draws.

    Raises:
        InputError: the package lacks a report, or nothing was synthesized.
    """
    if not report.done:
        raise InputError("nothing-synthesized", "no module was synthesized", where=report.name)
    source = np.random.default_rng(seed)
    tool = {kind: source.uniform(*TOOL_FACTORS.get(kind, (1, 1)), draws) for kind in KINDS}
    drawn = _drawn(report, tool, source, draws)
    slr_of, budgets = _places(package)
    by_place: dict[str, dict[str, _Draws]] = {name: {kind: np.zeros(draws) for kind in KINDS} for name in budgets}
    lut_of: dict[str, _Draws] = defaultdict(lambda: np.zeros(draws))
    for part, amounts in drawn:
        lut_of[part.process] += part.count * amounts["lut"]
        for kind in KINDS:
            by_place[slr_of.get(part.process, _WHOLE)][kind] += part.count * amounts[kind]
    fits = {name: _within(amounts, budgets[name]) for name, amounts in by_place.items()}
    places = tuple(
        PlaceFit(name, {kind: _spread(amounts[kind]) for kind in KINDS}, budgets[name], _share(fits[name]))
        for name, amounts in by_place.items()
    )
    everywhere = np.logical_and.reduce([*fits.values()])
    return FitCertificate(report.name, places, _processes(report, lut_of, slr_of), _share(everywhere), draws)


# --- Draws


def _drawn(
    report: SynthesisReport, tool: Mapping[str, _Draws], source: np.random.Generator, draws: int
) -> list[tuple[DesignPart, Mapping[str, _Draws]]]:
    """The amounts of one of each part, draw by draw."""
    found: list[tuple[DesignPart, Mapping[str, _Draws]]] = []
    for module, made in report.done:
        amounts = {kind: getattr(made.resources, kind) * tool[kind] for kind in KINDS}
        found += [(part, amounts) for part in module.parts]
    ratios = _Ratios(report)
    apart = [*(part for each, _ in report.failed for part in each.parts), *report.missing]
    off = {
        role: {kind: source.choice(ratios.of(role, kind), draws) * tool[kind] for kind in KINDS}
        for role in dict.fromkeys(part.role for part in apart)
    }
    for part in apart:
        amounts = {kind: getattr(part.predicted, kind) * off[part.role][kind] for kind in KINDS}
        found.append((part, amounts))
    return found


class _Ratios:
    """Synthesized over predicted amounts of the modules that were synthesized."""

    def __init__(self, report: SynthesisReport) -> None:
        self._found: dict[tuple[str, str], list[float]] = defaultdict(list)
        for module, made in report.done:
            for kind in KINDS:
                self._add(module.parts[0].role, kind, getattr(module.predicted, kind), getattr(made.resources, kind))

    def _add(self, role: str, kind: str, predicted: float, synthesized: float) -> None:
        if predicted > 0:
            for name in (role, ""):
                self._found[name, kind].append(synthesized / predicted)

    def of(self, role: str, kind: str) -> Sequence[float]:
        """Ratios of a role's modules, of all where it has too few, 1 where there are none."""
        own = self._found[role, kind]
        return own if len(own) >= _FEWEST else self._found["", kind] or [1.0]


def _within(amounts: Mapping[str, _Draws], budget: Resources) -> NDArray[np.bool_]:
    return np.logical_and.reduce([amounts[kind] <= getattr(budget, kind) for kind in KINDS])


def _share(fits: NDArray[np.bool_]) -> float:
    return round(float(fits.mean()), 4)


def _spread(amounts: _Draws) -> Spread:
    low, middle, high = np.quantile(amounts, (_LOW, 0.5, _HIGH))
    return Spread(round(float(middle), 1), round(float(low), 1), round(float(high), 1))


# --- Places and processes

_WHOLE = "board"


def _places(package: DesignPackage) -> tuple[dict[str, str], dict[str, Resources]]:
    """The SLR of each process where there is a partition, and the budget of each place."""
    rows = package.report("resources").to_dict("records")
    budgets = {
        str(row["process"]): Resources(**{kind: float(row[kind]) for kind in KINDS})
        for row in rows
        if row["kind"] == "budget"
    }
    whole = budgets.pop("all")
    if package.placed_graph is None:
        return {}, {_WHOLE: whole}
    placed = package.report("partition")
    slr_of = {str(row["process"]): f"SLR{row['slr']}" for row in placed.to_dict("records")}
    return slr_of, budgets


def _processes(
    report: SynthesisReport, lut_of: Mapping[str, _Draws], slr_of: Mapping[str, str]
) -> tuple[ProcessFit, ...]:
    done = [part for each, _ in report.done for part in each.parts]
    rest = [*(part for each, _ in report.failed for part in each.parts), *report.missing]
    predicted, synthesized = _by_process([*done, *rest]), _by_process(done)
    rows = [
        ProcessFit(
            name,
            slr_of.get(name, _WHOLE),
            predicted[name],
            _lut_share(synthesized.get(name), predicted[name]),
            _spread(draws),
        )
        for name, draws in lut_of.items()
    ]
    return tuple(sorted(rows, key=lambda row: -row.lut.middle))


def _lut_share(synthesized: Resources | None, predicted: Resources) -> float:
    if predicted.lut == 0:
        return 1.0
    return 0.0 if synthesized is None else synthesized.lut / predicted.lut


def _by_process(parts: Iterable[DesignPart]) -> dict[str, Resources]:
    found: dict[str, list[Resources]] = defaultdict(list)
    for part in parts:
        found[part.process].append(part.predicted * part.count)
    return {name: total(amounts) for name, amounts in found.items()}
