"""What synthesis makes of a design, beside what the resource model predicts of it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sttest.boards.resources import KINDS, Resources, total
from sttest.core.errors import SttestError
from sttest.package import DesignPackage
from sttest.targets.synth.design_parts import DesignPart, design_parts
from sttest.targets.synth.yosys import LIMIT_S, Synthesized, assembled, synthesize, yosys_version

SCHEMA = "sttest.synth/1"
MEDIAN_BOUND, P90_BOUND = 0.10, 0.25
"""Relative errors of the resource model that are aimed at."""
_PIPELINES = "lanes"
_NUMBERS = ("predicted", "corrected", "synthesized")


@dataclass(frozen=True)
class SynthesizedModule:
    """A distinct module of a design."""

    parts: tuple[DesignPart, ...]  # all that are made of it
    found: Synthesized | SttestError  # or why there is none

    @property
    def count(self) -> int:
        """How many the design has."""
        return sum(part.count for part in self.parts)

    @property
    def corrected(self) -> Resources:
        """Prediction for one of them by rows of synthesis, where there are some."""
        return self.parts[0].corrected or self.predicted

    @property
    def predicted(self) -> Resources:
        """Prediction for one of them, on average."""
        return total(part.predicted * part.count for part in self.parts) * (1 / self.count)


@dataclass(frozen=True)
class ModelError:
    """How far the resource model is off, over all parts of which some was synthesized."""

    prediction: str  # ``predicted`` or ``corrected``
    of: str  # what the parts are
    resource: str
    parts: int
    median: float  # |predicted - synthesized| / synthesized
    p90: float  # 90 % of the parts are within
    within: float  # share of the parts that are off by 25 % at most
    ratio: float  # sum of predicted over sum of synthesized

    @property
    def is_within(self) -> bool:
        """Whether both bounds are kept."""
        return self.median <= MEDIAN_BOUND and self.p90 <= P90_BOUND


@dataclass(frozen=True)
class SynthesisReport:
    """A design through synthesis."""

    name: str
    yosys: str  # version
    modules: tuple[SynthesizedModule, ...]
    missing: tuple[DesignPart, ...]  # parts without a job

    @property
    def source(self) -> str:
        """Where synthesized figures come from."""
        return f"yosys {self.yosys}, synth_xilinx -family xcup -uram with abc"

    @property
    def done(self) -> list[tuple[SynthesizedModule, Synthesized]]:
        """Modules that were synthesized."""
        return [(each, each.found) for each in self.modules if isinstance(each.found, Synthesized)]

    @property
    def failed(self) -> list[tuple[SynthesizedModule, SttestError]]:
        """Modules that were not, with the reason."""
        return [(each, each.found) for each in self.modules if isinstance(each.found, SttestError)]

    @property
    def predicted(self) -> Resources:
        """Prediction for all that was synthesized."""
        return total(each.predicted * each.count for each, _ in self.done)

    @property
    def synthesized(self) -> Resources:
        """The sum of all that was synthesized."""
        return total(found.resources * each.count for each, found in self.done)

    @property
    def errors(self) -> list[ModelError]:
        """Errors of the model by resource, each part of the design counted once: of memories, then of processes."""
        return [
            error
            for prediction in ("predicted", "corrected")
            for of in ("memories", "processes")
            for kind in KINDS
            if (error := self._error(prediction, of, kind)) is not None
        ]

    def _error(self, prediction: str, of: str, kind: str) -> ModelError | None:
        pairs = [
            (getattr(getattr(each, prediction), kind), getattr(found.resources, kind))
            for each, found in self.done
            for _ in range(each.count)
            if bool(each.parts[0].kind) == (of == "memories") and getattr(found.resources, kind)
        ]
        if not pairs:
            return None
        predicted, synthesized = np.array(pairs).T
        off = np.abs(predicted - synthesized) / synthesized
        ratio = float(predicted.sum() / synthesized.sum())
        within = float((off <= P90_BOUND).mean())
        p90 = float(np.quantile(off, 0.9))
        return ModelError(prediction, of, kind, len(pairs), float(np.median(off)), p90, within, ratio)

    def missing_by_reason(self) -> dict[tuple[str, str], list[DesignPart]]:
        """Parts that were not synthesized, by role and reason."""
        found: dict[tuple[str, str], list[DesignPart]] = defaultdict(list)
        for part in self.missing:
            found[part.role, part.why_not].append(part)
        return dict(found)

    def rows(self) -> pd.DataFrame:
        """One row per distinct module, for files: amounts of one of it, predicted and synthesized."""
        return pd.DataFrame(
            _row(each, found) | {"kind": "synthesized", "source": self.source} for each, found in self.done
        )

    def to_json(self) -> dict[str, Any]:
        """The report as JSON-ready data."""
        return {
            "schema": SCHEMA, "name": self.name, "kind": "synthesized", "source": self.source,
            "modules": [
                _row(each, found) | {"names": [part.name for part in each.parts], "cells": dict(found.cells)}
                for each, found in self.done
            ],
            "failed": [_facts(each) | {"error": error.to_dict()} for each, error in self.failed],
            "not_synthesized": [
                {"role": role, "why": why, "count": sum(part.count for part in parts),
                 "names": [part.name for part in parts], "predicted": _as_dict(_all_of(parts))}
                for (role, why), parts in self.missing_by_reason().items()
            ],
            "total": {"predicted": _as_dict(self.predicted), "synthesized": _as_dict(self.synthesized)},
            "errors": [
                {"prediction": each.prediction, "of": each.of, "resource": each.resource, "parts": each.parts,
                 "median": round(each.median, 4), "p90": round(each.p90, 4), "within_25_percent": round(each.within, 4),
                 "predicted_over_synthesized": round(each.ratio, 4), "is_within": each.is_within}
                for each in self.errors
            ],
        }  # fmt: skip


def synthesis_report(
    package: DesignPackage, folder: Path, parallel: int, tell: Callable[[str], None], limit_s: float = LIMIT_S
) -> SynthesisReport:
    """Synthesizes all parts of a design that have a module, each distinct module once.

    Args:
        package: design.
        folder: folder of the jobs; what was done there before is not done again.
        parallel: runs of yosys at a time.
        tell: called with a line of progress.
        limit_s: seconds per job after which a run is stopped.

    Raises:
        ToolMissingError: yosys is not installed.
        InputError: the package lacks a report.
    """
    folder.mkdir(parents=True, exist_ok=True)
    version, parts = yosys_version(), design_parts(package, folder.resolve() / _PIPELINES)
    by_key: dict[str, list[DesignPart]] = defaultdict(list)
    jobs = [job for part in parts if part.job is not None for job in (part.job, *part.parts.values())]
    for part in parts:
        if part.job is not None:
            by_key[part.job.key].append(part)
    found = synthesize(jobs, folder.resolve(), parallel, tell, limit_s)
    modules = [SynthesizedModule(tuple(same), _whole(same[0], found)) for same in by_key.values()]
    return SynthesisReport(
        package.name, version, tuple(sorted(modules, key=_order)), tuple(part for part in parts if part.job is None)
    )


def _whole(part: DesignPart, found: Mapping[str, Synthesized | SttestError]) -> Synthesized | SttestError:
    assert part.job is not None
    return assembled(found[part.job.key], {name: found[job.key] for name, job in part.parts.items()})


def _order(module: SynthesizedModule) -> tuple[str, str, int, int]:
    part = module.parts[0]
    return part.role, part.kind, part.depth, part.bits


def _all_of(parts: Iterable[DesignPart]) -> Resources:
    return total(part.predicted * part.count for part in parts)


def missing_rows(report: SynthesisReport) -> Sequence[tuple[str, int, Resources, str]]:
    """Role, number, prediction and reason of what was not synthesized."""
    return [
        (role, sum(part.count for part in parts), _all_of(parts), why)
        for (role, why), parts in report.missing_by_reason().items()
    ]


def _facts(module: SynthesizedModule) -> dict[str, Any]:
    part = module.parts[0]
    return {
        "role": part.role,
        "name": part.name,
        "memory": part.kind,
        "depth_words": part.depth,
        "word_bits": part.bits,
        "count": module.count,
    }


def _row(module: SynthesizedModule, found: Synthesized) -> dict[str, Any]:
    amounts = {"predicted": module.predicted, "corrected": module.corrected, "synthesized": found.resources}
    numbers = {f"{name}_{kind}": getattr(amounts[name], kind) for kind in KINDS for name in _NUMBERS}
    return _facts(module) | numbers | {"synthesized_srl": found.shift_registers, "levels": found.levels}


def _as_dict(amounts: Resources) -> dict[str, float]:
    return {kind: round(getattr(amounts, kind), 2) for kind in KINDS}
