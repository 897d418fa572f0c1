"""Seconds that the compiler takes, by stage, for a prefill block of every model (StreamTensor Fig. 10b and c).

The published totals run to RTL, through vendor tools that are not part of this; they stand beside ours for scale.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from experiments.designs import reproduced_options
from experiments.published import published_text
from sttest.compile.compiler import compile_text
from sttest.core.results import ResultFolder, Row
from sttest.core.tables import print_table
from sttest.frontend.lowering import linalg_text
from sttest.models.registry import get_config
from sttest.package.compiled import write_package
from sttest.sim import simulate
from sttest.studies.steps import step_counter

MODELS = ("gpt2", "qwen", "llama", "gemma")
TOKENS = 32
BOARD = "u55c"
_STAGE_OF_PASS = {
    "quantize": "linalg optimization and tiling",
    "linalg-to-kernels": "linalg optimization and tiling",
    "assign-lanes": "linalg optimization and tiling",
    "fuse-kernels": "fusion",
    "size-fifos": "FIFO sizing",
}
_DATAFLOW = "dataflow optimization and bufferization"
LOWERING, TIMED_GRAPH, PACKAGE, SIMULATION = (
    "PyTorch to linalg",
    "fusion report and timed graph",
    "code generation, reports and package",
    "one simulation",
)


@dataclass(frozen=True)
class CompileTime:
    """Wall seconds of the stages of one block, in order; all but the simulation make up the compilation."""

    model: str
    seconds: Mapping[str, float]

    @property
    def total_s(self) -> float:
        """The compilation."""
        return sum(value for stage, value in self.seconds.items() if stage != SIMULATION)


def measure(model: str, engine: str) -> CompileTime:
    """Compiles one block from nothing, caches unused."""
    seconds: dict[str, float] = {}
    options = reproduced_options()
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, STTEST_CACHE=f"{folder}/cache"):
        began = time.perf_counter()
        text = linalg_text(get_config(model), "prefill", TOKENS)
        seconds[LOWERING] = time.perf_counter() - began
        began = time.perf_counter()
        design = compile_text(text, model, BOARD, options, keep_ir="all")
        whole = time.perf_counter() - began
        passes: Counter[str] = Counter()
        for stage in design.stages:
            passes[_STAGE_OF_PASS.get(stage.name, _DATAFLOW)] += stage.seconds  # type: ignore[assignment]
        seconds |= passes
        seconds[TIMED_GRAPH] = whole - sum(passes.values())
        began = time.perf_counter()
        write_package(design, Path(folder) / "package")
        seconds[PACKAGE] = time.perf_counter() - began
    began = time.perf_counter()
    simulate(design.graph, engine=engine)
    seconds[SIMULATION] = time.perf_counter() - began
    return CompileTime(model, seconds)


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 1) -> list[CompileTime]:
    """Prints the table and writes ``out``; models are compiled one after the other, so that none slows another."""
    say = step_counter(len(MODELS))
    found = []
    for model in MODELS:
        found.append(measure(model, engine))
        say(f"compiled {model}")
    stages = list(found[0].seconds)
    lines = [(stage, *(f"{each.seconds[stage]:.2f}" for each in found)) for stage in stages]
    total = ("total without the simulation", *(f"{each.total_s:.2f}" for each in found))
    print_table(("stage (s)", *MODELS), [*lines, total], title=f"prefill block of {TOKENS} tokens")
    for quantity in ("compile_total", "rtl_generation_total"):
        print(f"published {quantity}, four models in unknown order: {published_text(quantity, 'four models')} s")
    with ResultFolder(
        out, made_by=__name__, config={"models": MODELS, "tokens": TOKENS, "cpus": os.cpu_count() or 0}
    ) as folder:
        for each in found:
            folder.add(*_rows(each))
    return found


def _rows(each: CompileTime) -> Iterator[Row]:
    def row(metric: str, value: float, reference: float | None = None, note: str = "not published") -> Row:
        return Row(
            "compile-time",
            metric,
            round(value, 3),
            "s",
            "measured",
            model=each.model,
            board=BOARD,
            phase="prefill",
            reference=reference,
            source="StreamTensor Fig. 10(c)" if reference else "",
            note=note,
        )

    for stage, value in each.seconds.items():
        yield row(stage, value)
    for theirs in map(float, published_text("compile_total", "four models").split("|")):
        note = "one of the four published totals; which model it belongs to is not recoverable"
        yield row("total", each.total_s, theirs, note)
    theirs = published_text("rtl_generation_total", "four models")
    yield Row(
        "compile-time",
        "RTL generation",
        None,
        "s",
        "measured",
        model=each.model,
        board=BOARD,
        phase="prefill",
        source="StreamTensor Fig. 10(b)",
        note=f"vendor tools are not run; published for four models: {theirs}",
    )
