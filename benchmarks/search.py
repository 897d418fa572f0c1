"""Speed of a search: designs per minute that are compiled to timing, held against the board and simulated.

A decode block of GPT-2 Medium (context 64, as shipped) with points of the search's own space; nothing is pruned by what
is known, so that every point that fits counts.  A rate is that of a search as a user runs it, database included, from
the first point judged to the last: interpreters that start and code that is compiled once per process are left out.
A machine that does other work as well is slower; CPU seconds per design say, less what sharing a core's caches costs,
what it would do by itself.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sttest.explore.objectives import Target
from sttest.explore.proposals import Tried
from sttest.explore.search import Search, run
from sttest.frontend.shipped import lowered_text

# The first batch warms every process up: tilings, numba.
_WARM = 32
_TRIALS = 96
_MINUTE_S = 60
Row = tuple[str, str, str]


class _Moment(NamedTuple):
    wall_s: float
    cpu_s: float
    simulated: int


@dataclass
class _Clock:
    """Takes the time between two counts of finished points, and that of this process's CPU."""

    seen: dict[int, _Moment] = field(default_factory=dict)

    def __call__(self, tried: dict[int, Tried]) -> None:
        simulated = sum(each.evaluation.status == "simulated" for each in tried.values())
        self.seen.setdefault(len(tried), _Moment(time.perf_counter(), time.process_time(), simulated))

    def per_design(self) -> _Moment:
        """Seconds per simulated design after the warm-up, and how many there were."""
        began = next(each for count, each in sorted(self.seen.items()) if count >= _WARM)
        ended = self.seen[max(self.seen)]
        designs = ended.simulated - began.simulated
        return _Moment((ended.wall_s - began.wall_s) / designs, (ended.cpu_s - began.cpu_s) / designs, designs)


def rows() -> Iterator[Row]:
    """Designs per minute with one and with two processes, and their ratio."""
    one, two = (_searched(jobs).per_design() for jobs in (1, 2))
    yield "search, GPT-2 decode, 1 process", f"{_MINUTE_S / one.wall_s:.0f} designs/min", ""
    yield "search, GPT-2 decode, 2 processes", f"{_MINUTE_S / two.wall_s:.0f} designs/min", "at least 200 on 2 cores"
    yield "  2 processes / 1", f"{one.wall_s / two.wall_s:.2f} x", "at least 1.7 x"
    yield "  CPU seconds per design, 1 process", f"{one.cpu_s:.2f} s", ""
    yield "  2 cores by themselves, derived", f"{2 * _MINUTE_S / one.cpu_s:.0f} designs/min", ""


def _searched(jobs: int) -> _Clock:
    text = lowered_text("gpt2", "decode", small=False)
    target = Target(text, "gpt2", "decode", 1, 64, "u55c", "w4a8", 24, 4.57)
    clock = _Clock()
    with tempfile.TemporaryDirectory(prefix="sttest-search-") as folder:
        # Latency and area at once: hardly anything can be pruned.
        search = Search(target, ("latency", "area"), (), 0, True, str(Path(folder) / "search.db"), "benchmark")
        run(search, _TRIALS, jobs, clock, resume=False)
    return clock
