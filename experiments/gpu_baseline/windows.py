"""Windows of repeated identical work: the arithmetic of the protocol, free of any GPU.

NVML's energy counter moves every 20-100 ms and samples only part of the time on some
GPUs (Yang et al., "Part-time Power Measurements", arXiv 2312.02741), so a figure comes
from long windows, several of them, with the device idle at both edges.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

_MIN_WARM_UP_RUNS = 3
_SHORTEST_RUN_S = 1e-7


class Meter(Protocol):
    """What a window reads of the device's energy and clocks."""

    def energy_mj(self) -> float | None:
        """Energy counted since some fixed moment, in mJ; None where nothing counts it."""
        ...


@dataclass(frozen=True)
class Work:
    """Something to repeat, and how to wait until the device has done all of it."""

    run: Callable[[], object]
    synchronize: Callable[[], None]


@dataclass(frozen=True)
class Window:
    """One window: ``iterations`` runs in ``seconds``, with the energy they took in J where it is counted."""

    iterations: int
    seconds: float
    energy_j: float | None

    @property
    def ms_per_iteration(self) -> float:
        """Mean time of one run."""
        return 1e3 * self.seconds / self.iterations

    @property
    def joules_per_iteration(self) -> float | None:
        """Mean gross energy of one run."""
        return None if self.energy_j is None else self.energy_j / self.iterations

    @property
    def watts(self) -> float | None:
        """Mean gross power."""
        return None if self.energy_j is None else self.energy_j / self.seconds

    def net_joules_per_iteration(self, idle_w: float) -> float | None:
        """Energy of one run above what the idle device would have taken in the same time."""
        return None if self.energy_j is None else (self.energy_j - idle_w * self.seconds) / self.iterations


@dataclass(frozen=True)
class Spread:
    """Median, lowest and highest of the repeats."""

    median: float
    low: float
    high: float
    repeats: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of at least one value."""
        return cls(statistics.median(values), min(values), max(values), len(values))


def warm_up(work: Work, seconds: float, clock: Callable[[], float] = time.perf_counter) -> float:
    """Runs the work for at least ``seconds`` and three times; the mean seconds of a run, the first left out."""
    took_s: list[float] = []
    work.synchronize()
    start = clock()
    while len(took_s) < _MIN_WARM_UP_RUNS or clock() - start < seconds:
        before = clock()
        work.run()
        work.synchronize()
        took_s.append(clock() - before)
    return max(statistics.fmean(took_s[1:]), _SHORTEST_RUN_S)


def measure_window(
    work: Work, seconds: float, estimate_s: float, meter: Meter, clock: Callable[[], float] = time.perf_counter
) -> Window:
    """Repeats the work for at least ``seconds``, with the device idle at both edges.

    Args:
        estimate_s: about how long one run takes; the device is only waited for when
            the window should be over by it, so that runs queue up as in real use.
    """
    work.synchronize()
    energy_before, start = meter.energy_mj(), clock()
    iterations, elapsed = 0, 0.0
    while elapsed < seconds:
        batch = max(1, math.ceil((seconds - elapsed) / estimate_s))
        for _ in range(batch):
            work.run()
        work.synchronize()
        iterations += batch
        elapsed = clock() - start
        estimate_s = elapsed / iterations
    energy_after = meter.energy_mj()
    energy_j = None if energy_before is None or energy_after is None else (energy_after - energy_before) / 1e3
    return Window(iterations, elapsed, energy_j)


def measure_idle(
    seconds: float,
    meter: Meter,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.perf_counter,
) -> Window:
    """A window in which nothing is asked of the device: one iteration that sleeps."""
    return measure_window(Work(lambda: sleep(seconds), lambda: None), seconds * 0.99, seconds, meter, clock)
