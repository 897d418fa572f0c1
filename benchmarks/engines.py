"""Speed of the compiled engine, as ratios: against SimPy, per event, per token, per depth vector; and its memory.

Times are the best of several runs, ratios are taken between runs of the same minute, because other work on the
machine comes and goes.
"""

from __future__ import annotations

import dataclasses
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from sttest.core.children import python_command
from sttest.sim import TimedGraph, load, simulate
from sttest.sim.maxplus.engine import run, run_by_events
from sttest.sim.maxplus.programs import forget_programs

DESIGNS = Path(__file__).parents[1] / "tests" / "data" / "streamhls"
Row = tuple[str, str, str]
MODELS = ("gpt2", "qwen", "llama", "gemma")
VECTORS = 1000
JOBS = 2


def best_s(call: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the quickest of some runs."""
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def rows() -> Iterator[Row]:
    """What is measured, the result, and what it should be."""
    graph = load(DESIGNS / "transformers_opt5_feedforward.json")
    yield from _against_simpy(graph)
    yield from _solved_again(graph)
    yield from _decode()
    yield from _prefill()
    yield _depth_vectors(load(DESIGNS / "mlps_opt1_autoencoder.json"))
    yield _memory()


def _against_simpy(graph: TimedGraph) -> Iterator[Row]:
    simulate(graph)
    ratios, whole, slow = [], [], 0.0
    for _ in range(3):
        slow = simulate(graph, "simpy").solve_s
        ratios.append(slow / min(simulate(graph).solve_s for _ in range(5)))
        whole.append(slow / best_s(lambda: simulate(graph)))
    cold_s = best_s(lambda: (forget_programs(), simulate(graph)), 3)
    note = f"with all results {np.median(whole):.0f} x, first time in a process {slow / cold_s:.0f} x"
    yield "feedforward, max-plus / SimPy", f"{np.median(ratios):.0f} x ({note})", "at least 100 x"


def _solved_again(graph: TimedGraph) -> Iterator[Row]:
    chosen = np.random.default_rng(1)
    rates = []
    for _ in range(5):
        depths = {fifo.name: int(fifo.depth + chosen.integers(0, 4)) for fifo in graph.fifos}
        other = graph.with_depths(depths)
        events = run_by_events(other).fifo_events
        rates.append(events / best_s(lambda other=other: run_by_events(other), 3) / 1e6)
    yield "feedforward, new depths, event by event", f"{np.median(rates):.0f} M FIFO events/s", "at least 30 M"


def _decode() -> Iterator[Row]:
    """Compiled blocks, with all results but times; an event is a write or a read of the graph, jumped over or not."""
    from sttest.compile.compiler import compile_text
    from sttest.frontend.shipped import lowered_text

    for model in MODELS:
        graph = compile_text(lowered_text(model, "decode", small=False), model, "u55c").graph
        events = simulate(graph).fifo_events
        rate = events / best_s(lambda graph=graph: simulate(graph), 50) / 1e6
        yield f"{model} decode block, {events:,} events", f"{rate:.0f} M FIFO events/s", "at least 50 M"


def _prefill() -> Iterator[Row]:
    """GPT-2 blocks of the lanes that 256 tokens choose; programs are prepared anew in every run."""
    from sttest.compile.compiler import choose_lanes, compile_text
    from sttest.compile.options import CompileOptions
    from sttest.frontend.lowering import linalg_text
    from sttest.models.registry import get_config

    config = dataclasses.replace(get_config("gpt2"), max_context=4096)
    lanes = choose_lanes(linalg_text(config, "prefill", 256), CompileOptions())
    graphs, compile_s = {}, {}
    for tokens in (256, 2048):
        text = linalg_text(config, "prefill", tokens)
        began = time.perf_counter()
        graphs[tokens] = compile_text(text, f"gpt2-{tokens}", "u55c", CompileOptions(lanes=lanes)).graph
        compile_s[tokens] = time.perf_counter() - began
    solve_s = {
        tokens: best_s(lambda graph=graph: (forget_programs(), run(graph, record=False)))
        for tokens, graph in graphs.items()
    }
    events = {tokens: run(graph, record=False).fifo_events for tokens, graph in graphs.items()}
    detail = f"{solve_s[2048]:.2f} s / {solve_s[256]:.2f} s for {events[2048] / events[256]:.1f} x the events"
    yield "GPT-2 prefill block, 2048 / 256 tokens", f"{solve_s[2048] / solve_s[256]:.1f} x ({detail})", "at most 2 x"
    yield "  compiling them", f"{compile_s[2048] / compile_s[256]:.1f} x ({compile_s[2048]:.1f} s)", ""


def _depth_vectors(graph: TimedGraph) -> Row:
    from sttest.sim.sizing.depth_runner import simulate_many

    vectors = np.random.default_rng(2).integers(1, 33, (VECTORS, len(graph.fifos)))
    seconds = best_s(lambda: simulate_many(graph, vectors, jobs=JOBS), 1)
    return f"autoencoder, {VECTORS:,} depth vectors on {JOBS} processes", f"{seconds:.1f} s", "at most 30 s"


_SOLVE = """
import sys
from pathlib import Path
from sttest.sim import load, simulate
def most_kib():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
small, large = (load(path) for path in sys.argv[1:])
simulate(small)
before = most_kib()
events = simulate(large).fifo_events
print(events, most_kib() - before, before)
"""


def _memory() -> Row:
    """Of a process that has compiled the engine already: what a run of a million events adds."""
    paths = [str(DESIGNS / f"{name}.json") for name in ("9024_dsps_opt5_mvt", "transformers_opt5_feedforward")]
    done = subprocess.run(python_command(["-c", _SOLVE, *paths]), capture_output=True, text=True, check=True)
    events, added_kib, before_kib = (int(word) for word in done.stdout.split())
    detail = f"{events:,} events, beside {before_kib / 1024:.0f} MiB of Python, numba and the loaded graphs"
    return "memory of a run", f"{added_kib / 1024:.0f} MiB ({detail})", "at most 200 MB"
