"""Speed of a search: designs per minute that are compiled to timing, held against the board and simulated.

A decode block of GPT-2 Medium (context 64, as shipped) with points of the search's own space; nothing is pruned by what
is known, so that every point that fits counts.  A rate is that of a search as a user runs it, database included, from
the first point judged to the last: interpreters that start and code that is compiled once per process are left out.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sttest.explore.proposals import Tried
from sttest.explore.search import Search, run
from sttest.explore.target import Target
from sttest.models.shipped import lowered_text

# The first batch warms every process up: tilings, numba.
_WARM = 32
_TRIALS = 96
_MINUTE_S = 60
Row = tuple[str, str, str]


@dataclass
class _Clock:
    """Takes the time between two counts of finished points."""

    seen: dict[int, tuple[float, int]] = field(default_factory=dict)

    def __call__(self, tried: dict[int, Tried]) -> None:
        simulated = sum(each.evaluation.status == "simulated" for each in tried.values())
        self.seen.setdefault(len(tried), (time.perf_counter(), simulated))

    def per_minute(self) -> float:
        """Simulated designs per minute after the warm-up."""
        began, before = next(each for count, each in sorted(self.seen.items()) if count >= _WARM)
        ended, after = self.seen[max(self.seen)]
        return _MINUTE_S * (after - before) / (ended - began)


def rows() -> Iterator[Row]:
    """Designs per minute with one and with two processes, and their ratio."""
    one, two = (_designs_per_minute(jobs) for jobs in (1, 2))
    yield "search, GPT-2 decode, 1 process", f"{one:.0f} designs/min", ""
    yield "search, GPT-2 decode, 2 processes", f"{two:.0f} designs/min", "at least 200 on 2 cores"
    yield "  2 processes / 1", f"{two / one:.2f} x", "at least 1.7 x"


def _designs_per_minute(jobs: int) -> float:
    text = lowered_text("gpt2", "decode", small=False)
    target = Target(text, "gpt2", "decode", 1, 64, "u55c", "w4a8", 24, 4.57)
    clock = _Clock()
    with tempfile.TemporaryDirectory(prefix="sttest-search-") as folder:
        # Latency and area at once: hardly anything can be pruned.
        search = Search(target, ("latency", "area"), (), 0, True, str(Path(folder) / "search.db"), "benchmark")
        run(search, _TRIALS, jobs, clock, resume=False)
    return clock.per_minute()
