"""Figures of the measured H200, by model, mode and metric (docs/paper/gpu-baselines.md)."""

from __future__ import annotations

from functools import cache

from experiments.gpu_baseline.report import load_runs, measured_rows
from experiments.published import gpu_value
from sttest.core.errors import InputError


class H200:
    """Looks measured figures up; None where something was not measured."""

    @property
    def power_limit_w(self) -> float:
        """Of the data sheet."""
        return gpu_value("H200 SXM", "tdp")

    def value(self, model: str, mode: str, metric: str) -> float | None:
        """One figure in the unit that it was measured in."""
        return _figures().get((model, mode, metric))

    def speed(self, model: str, mode: str) -> float:
        """Decode steps per second at 512 positions.

        Raises:
            InputError: not measured.
        """
        found = self.value(model, mode, "speed c=512")
        if found is None:
            raise InputError("not-measured", f"no decode speed of '{model}' in mode '{mode}'", where="H200")
        return found

    def ttft_s(self, model: str, mode: str, length: int) -> float | None:
        """Time to first token of a prompt of ``length`` tokens."""
        found = self.value(model, mode, f"ttft [{length}:{length}]")
        return None if found is None else found / 1e3

    def step_s(self, model: str, mode: str, length: int) -> float | None:
        """Mean time per token after the first answer, of the generation of ``length`` tokens."""
        latency_ms = self.value(model, mode, f"latency [{length}:{length}]")
        ttft_s = self.ttft_s(model, mode, length)
        return None if latency_ms is None or ttft_s is None else (latency_ms / 1e3 - ttft_s) / length


@cache
def _figures() -> dict[tuple[str, str, str], float]:
    """Of all committed runs; a metric measured twice is taken from its energy windows, which come last and are long."""
    rows = measured_rows(run for run in load_runs() if "H200" in run.gpu)
    return {(row.model, row.engine, row.metric): row.value for row in rows if row.value is not None}
