"""What a run took, from when it was asked for, and how much of it was there already."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass
class AskedRun:
    """Something that was asked for, and whose results say how long it took."""

    began_s: float = field(default_factory=time.perf_counter)
    taken_over: int = 0  # points of earlier runs that a store had

    @property
    def wall_s(self) -> float:
        """Seconds up to now."""
        return time.perf_counter() - self.began_s


_run: ContextVar[AskedRun | None] = ContextVar("run", default=None)


@contextmanager
def whole_run() -> Generator[AskedRun]:
    """Results that are written within it count their seconds, and the points that they take over, from here."""
    run = AskedRun()
    before = _run.set(run)
    try:
        yield run
    finally:
        _run.reset(before)


def current_run() -> AskedRun:
    """The run that is under way, or else one that begins now."""
    return _run.get() or AskedRun()
