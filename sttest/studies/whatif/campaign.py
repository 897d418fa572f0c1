"""Running a study: what is stored is taken over, the rest is simulated and stored point by point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sttest.core.errors import SttestError
from sttest.core.results import PointStore, config_hash
from sttest.studies.whatif.outcome import StudyOutcome
from sttest.studies.whatif.points import Plain, Point, key_of, points_of, simulate_block
from sttest.studies.whatif.study import Study

STORE = Path("build/points/whatif")

Runner = Callable[[Mapping[str, Mapping[str, Any]]], Iterable[tuple[str, Plain]]]
"""Configurations by name to results by name, in whatever order."""
Tell = Callable[[int, int], None]
"""Told how many simulations are done, and of how many."""


@dataclass
class StudyRun:
    """A study under way.

    Attributes:
        points: points of the study.
        store: store of finished simulations.
        engine: simulation engine that computes the times.
        keys: full configuration of each distinct block, by the hash that names it; points that differ in the launch
            alone share one.
        found: results of those that are finished.
    """

    points: list[Point]
    store: PointStore
    engine: str
    keys: dict[str, dict[str, Any]]
    found: dict[str, Plain]

    @property
    def missing(self) -> dict[str, dict[str, Any]]:
        """What is still to be simulated."""
        return {name: key for name, key in self.keys.items() if name not in self.found}

    def run(self, runner: Runner, tell: Tell = lambda done, total: None) -> list[StudyOutcome]:
        """Simulates what is missing and gives the outcome of every point, in the order of the study.

        Raises:
            SttestError: an error that is not the point's own; finished points stay stored.
        """
        tell(len(self.found), len(self.keys))
        missing = self.missing
        for name, result in runner(missing) if missing else ():
            self._keep(name, result)
            tell(len(self.found), len(self.keys))
        return list(self._outcomes())

    def estimate_s(self, jobs: int) -> float:
        """Seconds that the missing simulations will take, from those that are stored or else from one that is timed.

        Points of one model and phase are taken to cost the same; the first of a process costs more, for it compiles.
        """
        missing = self.missing
        if not missing:
            return 0.0
        if not self.found:
            name = next(iter(missing))
            self._keep(name, simulate_block(missing.pop(name)))
        everywhere = [float(result["wall_s"]) for result in self.found.values()]
        total = 0.0
        for key in missing.values():
            alike = [float(self.found[name]["wall_s"]) for name, other in self.keys.items()
                     if name in self.found and _alike(key, other)]  # fmt: skip
            total += _mean(alike or everywhere)
        return total / min(jobs, max(1, len(missing)))

    def _keep(self, name: str, result: Plain) -> None:
        raise_failure(result)
        self.store.save(self.keys[name], result)
        self.found[name] = result

    def _outcomes(self) -> Iterator[StudyOutcome]:
        for point in self.points:
            if point.block is None:
                yield StudyOutcome(point, None, point.refusal)
                continue
            result = self.found[config_hash(key_of(point.block, self.engine))]
            yield StudyOutcome(point, None if "refused" in result else result, told(result.get("refused")))


def campaign(study: Study, folder: Path, engine: str, store: PointStore) -> StudyRun:
    """What a study asks for, and how much of it is stored.

    Raises:
        InputError: the study asks for what there is not.
    """
    points = points_of(study, folder)
    keys: dict[str, dict[str, Any]] = {}
    for point in points:
        if point.block is not None:
            key = key_of(point.block, engine)
            keys.setdefault(config_hash(key), key)
    stored = {name: store.load(key) for name, key in keys.items()}
    return StudyRun(points, store, engine, keys, {name: found for name, found in stored.items() if found})


def _alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return (one["model"], one["phase"]) == (other["model"], other["phase"])


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def raise_failure(result: Mapping[str, Any]) -> None:
    """Raises the error of a simulation that failed for a reason that is not the point's own.

    Raises:
        SttestError: there is one.
    """
    if "failed" in result:
        failed = dict(result["failed"])
        error = SttestError(failed.pop("code"), failed.pop("what"), **_known(failed))
        error.exit_code = failed["exit_code"]
        raise error


def told(refused: Mapping[str, Any] | None) -> str:
    """A stored refusal in words; empty where there is none."""
    return str(SttestError(refused["code"], refused["what"], **_known(refused))) if refused else ""


def _known(told: Mapping[str, Any]) -> dict[str, Any]:
    return {name: told[name] for name in ("where", "demand", "bound", "unit", "hints")}
