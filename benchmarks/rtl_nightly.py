"""The large campaign: random graphs as hardware, each held against both engines, access by access.

python benchmarks/rtl_nightly.py --graphs 1000
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sttest.sim import TimedGraph
    from sttest.targets.rtl import RtlRun

TESTS = Path(__file__).parents[1] / "tests" / "sim"


def main() -> int:
    # The random graphs are those of the tests.
    sys.path[:0] = [str(TESTS), str(TESTS / "rtl")]
    options = _options()
    from sttest.targets.rtl import emulate_all

    tally: Counter[str] = Counter()
    events, began = 0, time.perf_counter()
    differences: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for batch in _batches(options.graphs, options.batch, options.seed):
            runs = emulate_all([design for _, design in batch], options.simulator, folder)
            tally.update(f"{kind} {run.verdict}" for (kind, _), run in zip(batch, runs, strict=True))
            events += sum(run.fifo_events for run in runs)
            differences += _differences(batch, runs)
            print(
                f"{sum(tally.values()):>6} graphs, {events:>9,} accesses, {len(differences)} differences, "
                f"{time.perf_counter() - began:.0f} s",
                flush=True,
            )
    print("\n".join([*(f"{count:>6}  {what}" for what, count in sorted(tally.items())), *differences[:10]]))
    return 6 if differences else 0


def _differences(batch: Sequence[tuple[str, TimedGraph]], runs: Sequence[RtlRun]) -> list[str]:
    """What differs from either engine, with the graph."""
    from sttest.targets.rtl import compare

    pairs = [(*item, run, engine) for item, run in zip(batch, runs, strict=True) for engine in ("simpy", "maxplus")]
    found = [(kind, design, compare(design, run, engine)) for kind, design, run, engine in pairs]
    return [f"{kind}, {one.engine}: {one.first}\n  {design}" for kind, design, one in found if not one.is_exact]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=50, help="graphs in one build")
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--simulator", default="verilator", choices=("verilator", "icarus"))
    return parser.parse_args()


def _batches(graphs: int, size: int, seed: int) -> Iterator[list[tuple[str, TimedGraph]]]:
    """Lists of (kind, graph), a fifth of each kind; pipelines of any fate, the others finish."""
    from rtl_graphs import drawn, live, traced  # pyright: ignore[reportMissingImports]
    from sim_graphs import actor_graphs, memory_graphs, pipeline_graphs  # pyright: ignore[reportMissingImports]

    kinds = {
        "pipelines of any fate": pipeline_graphs(),
        "pipelines": live(pipeline_graphs()),
        "traces": live(pipeline_graphs()).map(traced),
        "ports": memory_graphs(),
        "actors": live(actor_graphs()),
    }
    for first in range(0, graphs, size):
        count = min(size, graphs - first)
        yield [
            (kind, design)
            for kind, strategy in kinds.items()
            for design in drawn(strategy, max(1, count // 5), seed + first)
        ]


if __name__ == "__main__":
    sys.exit(main())
