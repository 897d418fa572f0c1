"""FIFO sizing of small decoder blocks: normal, conservative, and the least depths that keep the pace of endless FIFOs.

The blocks are the reduced ones that ship as text, so no PyTorch is needed; the paper publishes no ablation.
``depths.csv`` beside the table has every FIFO's three depths.  Behind them stand the full decode blocks, for which
``experiments/fifo_blocks.py`` says what depths cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from experiments import fifo_blocks
from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.core.processes import process_pool
from sttest.core.results import ResultFolder, Row
from sttest.core.tables import print_table
from sttest.frontend.shipped import lowered_text
from sttest.sim import TimedGraph, simulate
from sttest.sim.sizing import size_by_simulation
from sttest.studies.steps import step_counter

MODELS = ("gpt2", "qwen", "llama", "gemma")
PHASES = ("decode", "prefill")
STRATEGIES = ("normal", "conservative")
MINIMAL = "simulation-minimal"
BOARD = "u55c"
# Covers the first lanes of the block with the most kernels.
OVERALL_UNROLL = 2048
_SIZES = {"decode": "c=32", "prefill": "n=32"}


@dataclass(frozen=True)
class Sized:
    """One block under one sizing; ``unbounded_cycles``: with FIFOs of the same kinds that are never full."""

    model: str
    phase: str
    method: str
    depths: Mapping[str, int]
    bits: int
    cycles: int
    unbounded_cycles: int


def size_block(model: str, phase: str, engine: str) -> list[Sized]:
    """All sizings of one block."""
    text = lowered_text(model, phase, small=True)
    graphs = {}
    for strategy in STRATEGIES:
        options = CompileOptions(precision="w4a8", overall_unroll=OVERALL_UNROLL, strategy=strategy)
        graphs[strategy] = compile_text(text, f"small-{model}-{phase}", BOARD, options).graph
    normal = graphs[STRATEGIES[0]]
    graphs[MINIMAL] = normal.with_depths(size_by_simulation(normal, engine=engine).depths)
    # Of the kinds that FIFOs have at the depths of `normal`: a shallower one may be a shift register, and faster.
    endless = _cycles(normal, engine, unbounded=True)
    return [_sized(model, phase, method, graph, _cycles(graph, engine), endless) for method, graph in graphs.items()]


def _sized(model: str, phase: str, method: str, graph: TimedGraph, cycles: int, endless: int) -> Sized:
    depths = {fifo.name: fifo.depth for fifo in graph.fifos}
    bits = sum(fifo.depth * fifo.bits for fifo in graph.fifos)
    return Sized(model, phase, method, depths, bits, cycles, endless)


def _cycles(graph: TimedGraph, engine: str, *, unbounded: bool = False) -> int:
    run = simulate(graph, engine=engine, unbounded=unbounded)
    if run.cycles is None:
        raise AssertionError(f"{graph.name}: depths that deadlock: {run.to_text()}")
    return run.cycles


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Sized]:
    """Prints the table and writes ``out``."""
    blocks = [(model, phase) for model in MODELS for phase in PHASES]
    say = step_counter(len(blocks) + len(MODELS))
    found: list[Sized] = []
    with process_pool(jobs) as pool:
        full = {model: pool.submit(fifo_blocks.costs, model, engine) for model in MODELS}
        running = {block: pool.submit(size_block, *block, engine) for block in blocks}
        for (model, phase), future in running.items():
            found += future.result()
            say(f"sized small-{model} {phase}")
        costs = list(_finished(full, say))
    print_table(
        ("block", "sizing", "FIFOs", "tokens", "bits", "cycles", "endless FIFOs"),
        [
            (
                f"small-{each.model} {each.phase} {_SIZES[each.phase]}",
                each.method,
                len(each.depths),
                sum(each.depths.values()),
                each.bits,
                each.cycles,
                each.unbounded_cycles,
            )
            for each in found
        ],
        title="FIFO sizing (not published)",
    )
    print_table(
        ("decode block", "of", "Kbit", "cycles"),
        [(each.model, each.point, f"{each.bits / 1000:,.0f}", each.cycles or "deadlock") for each in costs],
        title=f"Default designs at a context of {fifo_blocks.CONTEXT}",
    )
    config = {"engine": engine, "overall_unroll": OVERALL_UNROLL, "blocks": blocks}
    with ResultFolder(out, made_by=__name__, config=config) as folder:
        for each in found:
            folder.add(*_rows(each, engine))
        for each in costs:
            folder.add(*fifo_blocks.rows(each, engine))
        _depth_table(found).to_csv(folder.file("depths.csv"), index=False)
    return found


def _finished(
    full: Mapping[str, Future[list[fifo_blocks.Cost]]], say: Callable[[str], None]
) -> Iterator[fifo_blocks.Cost]:
    for model, future in full.items():
        yield from future.result()
        say(f"{model} decode")


def _rows(each: Sized, engine: str) -> Iterator[Row]:
    values = (
        ("FIFO depths, sum", sum(each.depths.values()), "tokens"),
        ("FIFO depths, largest", max(each.depths.values()), "tokens"),
        ("FIFO bits", each.bits, "bits"),
        ("cycles", each.cycles, "cycles"),
        ("cycles over those with endless FIFOs", each.cycles / each.unbounded_cycles, "ratio"),
    )
    for metric, value, unit in values:
        yield Row(
            "fifo",
            f"{metric} {_SIZES[each.phase]}, {each.method}",
            value,
            unit,
            "simulated",
            model=f"small-{each.model}",
            board=BOARD,
            phase=each.phase,
            engine=engine,
            note="not published",
        )


def _depth_table(found: list[Sized]) -> pd.DataFrame:
    """One row per FIFO and block, one column of tokens per sizing."""
    rows = [
        {"model": f"small-{each.model}", "phase": each.phase, "fifo": name, "method": each.method, "depth": depth}
        for each in found
        for name, depth in each.depths.items()
    ]
    table = pd.DataFrame(rows).pivot_table(index=["model", "phase", "fifo"], columns="method", values="depth")
    return table.astype(int).reset_index()
