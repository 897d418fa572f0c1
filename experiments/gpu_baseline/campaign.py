"""All points of a plan, one after the other, within the time there is."""

from __future__ import annotations

import platform
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib import metadata
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.gpu_baseline.measure import Measurement, dropped, failed, measure, measure_idle_rows, set_up
from experiments.gpu_baseline.meter import open_meter
from experiments.gpu_baseline.points import Point, admitted, reserve_s, setup_estimate_s
from experiments.gpu_baseline.table import RowFile
from sttest.core.files import write_json
from sttest.models.config import DecoderConfig
from sttest.models.registry import get_config, small

if TYPE_CHECKING:
    from experiments.gpu_baseline.modes import Session

ROWS = "rows.csv"
ENVIRONMENT = "environment.json"
SCHEMA = "sttest.gpu_baseline/1"
IDLE_BARE = "idle/no-context"
IDLE_CONTEXT = "idle/context"
_SMOKE_LAYERS = 2
_SMOKE_CONTEXT = 1024
_SMOKE_GROUP = 32
_PACKAGES = ("torch", "transformers", "triton", "nvidia-ml-py", "numpy")


class Campaign:
    """A run of the plan into one folder: ``rows.csv`` and ``environment.json``.

    Args:
        small: tiny models, for a trial run.
        resume: keep what an earlier run into ``out`` finished.
    """

    def __init__(self, out: Path, device: str, *, small: bool, resume: bool) -> None:
        self.out = out
        self.device = device
        self.small = small
        self.meter = open_meter(device)
        self.rows = RowFile(out / ROWS, resume=resume)
        self._idle_w = self.rows.idle_w(IDLE_CONTEXT)
        self._deadline_s = 0.0

    def run(self, points: Sequence[Point], deadline_s: float, idle_s: float, idle_repeats: int) -> None:
        """Measures the points that are not finished; ``deadline_s`` is a moment of ``time.monotonic``.

        What is left out to keep time for something more important is tried again at the end.
        """
        self._deadline_s = deadline_s
        self._write_environment(points)
        self._measure_idle(idle_s, idle_repeats)
        pending = [point for point in points if point.name not in self.rows.finished]
        chosen = pending
        while attempted := self._run_chosen(chosen):
            pending = [point for point in pending if point not in attempted]
            chosen = admitted(pending, self._left_s())
        self._keep([dropped(point) for point in pending])
        self._say("done")

    def _run_chosen(self, chosen: Sequence[Point]) -> set[Point]:
        """Runs group by group, a model in a mode; the points that were attempted."""
        groups = [list(points) for _, points in groupby(chosen, key=lambda point: (point.model, point.mode))]
        attempted: set[Point] = set()
        for index, group in enumerate(groups):
            later = [point for other in groups[index + 1 :] for point in other]
            first = min(point.priority for point in group)
            if self._left_s() >= setup_estimate_s(group[0].mode) + group[0].estimate_s + reserve_s(later, first):
                attempted |= self._run_group(group, later)
        return attempted

    def _run_group(self, group: Sequence[Point], later: Sequence[Point]) -> set[Point]:
        started_s = time.monotonic()
        try:
            session = self._open(group[0])
        except Exception as error:  # the rows of the other modes must still come
            self._keep([failed(point, error) for point in group])
            return set(group)
        self._keep([set_up(group[0], time.monotonic() - started_s)])
        attempted: set[Point] = set()
        try:
            for index, point in enumerate(group):
                kept_s = reserve_s(later, point.priority) + _important_s(group[index + 1 :], point.priority)
                if self._left_s() >= point.estimate_s + kept_s:
                    self._run_point(point, session)
                    attempted.add(point)
        finally:
            session.close()
        return attempted

    def _run_point(self, point: Point, session: Session) -> None:
        started_s = time.monotonic()
        try:
            rows = measure(point, session, self.meter, self._idle_w)
        except Exception as error:
            rows = [failed(point, error)]
        self._keep(rows, f" in {time.monotonic() - started_s:.1f} s")

    def _open(self, point: Point) -> Session:
        from experiments.gpu_baseline.modes import Session

        return Session(self._config(point.model), point.mode, self.device)

    def _config(self, model: str) -> DecoderConfig:
        config = get_config(model)
        if not self.small:
            return config
        tiny = small(config)
        ffn = -(-tiny.ffn // _SMOKE_GROUP) * _SMOKE_GROUP
        return replace(tiny, layers=_SMOKE_LAYERS, max_context=_SMOKE_CONTEXT, ffn=ffn)

    def _measure_idle(self, seconds: float, repeats: int) -> None:
        """First without a CUDA context, then with one: only the latter is subtracted."""
        if self._idle_w is not None:
            return
        self._keep(measure_idle_rows(IDLE_BARE, seconds, repeats, self.meter))
        if self.device == "cuda":
            _make_context()
        rows = measure_idle_rows(IDLE_CONTEXT, seconds, repeats, self.meter)
        self._idle_w = next((row.value for row in rows if row.metric == "idle_power"), None)
        self._keep(rows)

    def _write_environment(self, points: Sequence[Point]) -> None:
        found = {
            "schema": SCHEMA,
            "started_utc": datetime.now(UTC).isoformat(timespec="seconds"),
            "device": self.device,
            "protocol": not self.small,
            "weights": "random: time and energy of dense layers hardly depend on their values",
            "python": platform.python_version(),
            "versions": {package: _version(package) for package in _PACKAGES},
            "gpu": self.meter.describe(),
            "points": [point.name for point in points],
        }
        write_json(self.out / ENVIRONMENT, found, indent=2)

    def _keep(self, rows: Sequence[Measurement], after: str = "") -> None:
        self.rows.add(rows)
        for point, of_point in groupby(rows, key=lambda row: row.point):
            shown = [f"{row.metric} {row.note if row.value is None else _short(row)}" for row in of_point]
            self._say(f"{point}: {'; '.join(shown)}{after}")

    def _say(self, text: str) -> None:
        print(f"[{self._left_s():6.1f} s left] {text}", flush=True)

    def _left_s(self) -> float:
        return self._deadline_s - time.monotonic()


def _important_s(points: Sequence[Point], priority: int) -> float:
    """Seconds of those points of a running group that are more important than ``priority``."""
    return sum(point.estimate_s for point in points if point.priority < priority)


def _short(row: Measurement) -> str:
    return f"{row.value:.5g} {row.unit}"


def _make_context() -> None:
    import torch

    torch.zeros(1, device="cuda")
    torch.cuda.synchronize()


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
