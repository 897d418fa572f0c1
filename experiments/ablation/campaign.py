"""Running an ablation: designs that are stored are taken over, the rest is simulated and stored one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.ablation.form import Ablation
from experiments.ablation.measure import Plain, measure
from experiments.ablation.outcome import Outcome
from experiments.ablation.points import RowPoint, points_of
from experiments.whatif.campaign import Tell, raise_failure
from experiments.whatif.workers import in_processes
from sttest.boards.load import load_board, require_hbm
from sttest.results import PointStore, config_hash

STORE = Path("build/points/ablation")


@dataclass
class Campaign:
    """An ablation under way.

    Attributes:
        points: its rows.
        store: of finished designs.
        keys: of each distinct design, by the hash that names it.
        found: results of those that are finished.
        launch_us: what a launch costs on its board.
    """

    points: Sequence[RowPoint]
    store: PointStore
    keys: dict[str, dict[str, Any]]
    found: dict[str, Plain]
    launch_us: float

    @property
    def missing(self) -> dict[str, dict[str, Any]]:
        """What is still to be simulated."""
        return {name: key for name, key in self.keys.items() if name not in self.found}

    def run(self, jobs: int, tell: Tell = lambda done, total: None) -> list[Outcome]:
        """Simulates what is missing and gives all rows, in the order of the form.

        Raises:
            SttestError: of a design, where it is not the design's own; what is finished stays stored.
        """
        tell(len(self.found), len(self.keys))
        missing = self.missing
        for name, result in in_processes(missing, jobs, measure) if missing else ():
            raise_failure(result)
            self.store.save(self.keys[name], result)
            self.found[name] = result
            tell(len(self.found), len(self.keys))
        return [Outcome(point, self._results(point), self.launch_us) for point in self.points]

    def _results(self, point: RowPoint) -> tuple[Plain, ...]:
        return tuple(self.found[config_hash(candidate.key)] for candidate in point.candidates)


def campaign(ablation: Ablation, engine: str, store: PointStore) -> Campaign:
    """What an ablation asks for, and how much of it is stored.

    Raises:
        InputError: it asks for what there is not.
    """
    points = points_of(ablation, engine)
    keys = {config_hash(each.key): each.key for point in points for each in point.candidates}
    stored = {name: store.load(key) for name, key in keys.items()}
    launch_us = require_hbm(load_board(ablation.board)).launch.queued_us.value
    return Campaign(points, store, keys, {name: found for name, found in stored.items() if found}, launch_us)
