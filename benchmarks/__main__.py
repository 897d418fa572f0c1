"""Times compiler and engines on shipped texts, so that nothing but sttest is needed.

Each line is the best of three runs in one process, the first of which also
compiles the compiled engine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

from benchmarks import commands, engines, search
from benchmarks.engines import MODELS
from sttest.compile.compiler import compile_text
from sttest.core.tables import print_table
from sttest.frontend.shipped import lowered_text
from sttest.sim import TimedGraph, simulate

REPEATS = 3
Row = tuple[str, str, float, str]


def best_s(run: Callable[[], object]) -> float:
    """Seconds of the quickest of a few runs."""
    seconds = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def _rows() -> Iterator[Row]:
    for model in MODELS:
        compiled = partial(compile_text, lowered_text(model, "decode", small=False), model, "u55c")
        yield f"{model} decode c64", "compile", best_s(compiled), ""
        yield _simulated(model, compiled().graph, "maxplus")
    small = compile_text(lowered_text("gpt2", "prefill", small=True), "small-gpt2", "u55c").graph
    for engine in ("maxplus", "simpy"):
        yield _simulated("small-gpt2", small, engine)


def _simulated(model: str, graph: TimedGraph, engine: str) -> Row:
    seconds = best_s(lambda: simulate(graph, engine))
    events = simulate(graph, engine).fifo_events
    return f"{model}, {events:,} FIFO events", engine, seconds, f"{events / seconds / 1e6:.2f} M events/s"


if __name__ == "__main__":
    print_table(("what", "stage", "best of 3, s", "rate"), _rows())
    print_table(("command", "measured", "wanted"), commands.rows())
    print_table(("engine", "measured", "wanted"), engines.rows())
    print_table(("search", "measured", "wanted"), search.rows())
