"""Mixed types of weights by an integer linear program over simulated cycles: GPT-2 Medium decode on a U55C.

Every product has lanes of its own, and in a decode most of them wait for each other, so that cycles of layers nearly
add up.  The cost of a type in a layer is simulated: a design in which that layer alone has the type.  Its noise is that
of a block with random weights in which it alone has the type, relative to what the block adds to the residual stream.
What was chosen is simulated and measured again, whole.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sttest.boards.load import load_board, require_hbm
from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.core.processes import run_all
from sttest.core.results import ResultFolder, Row
from sttest.models.registry import get_config
from sttest.sim import simulate
from sttest.studies.lines import print_lines
from sttest.studies.steps import step_counter
from sttest.studies.workload import WorkloadShape, model_text
from sttest_systems.mixed_bits.choice import choose_types

MODEL, CONTEXT, BOARD = "gpt2", 64, "u55c"
LAYERS = ("attn.q_proj", "attn.k_proj", "attn.v_proj", "attn.o_proj", "mlp.fc1", "mlp.fc2")
TYPES = ("int8", "int4", "int3", "int2")
BASE = "int8"
OPTIONS: dict[str, Any] = {"gemv_lanes": 512, "overall_unroll": 1536, "vector_bits": 1024}
BUDGETS = (0.85, 0.7, 0.6, 0.5)
"""Cycles of a block over those of int8."""
SEED = 1
OHQ = "OHQ (arXiv 2309.01945), abstract"


def run_block(key: Mapping[str, Any]) -> tuple[int, float]:
    """Simulated cycles of a block whose layers have other types than int8, and its noise over its signal."""
    from sttest.crosscheck.case import WeightSource, make_case
    from sttest.models.program import BlockShape
    from sttest.models.quant.scheme import load_scheme

    mixed, config, board = key["mixed"], get_config(MODEL), require_hbm(load_board(BOARD))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mixed.yaml"
        lines = "".join(f"  {layer}: {kind}\n" for layer, kind in mixed.items())
        path.write_text(f"extends: w8a8\n{f'mixed:{chr(10)}{lines}' if lines else ''}")
        text = model_text(config, WorkloadShape("decode", 1, CONTEXT))
        design = compile_text(text, "mixed", board, CompileOptions(**OPTIONS, precision=str(path)))
        cycles = simulate(design.graph, key["engine"]).cycles
        case = make_case(config, BlockShape("decode", 1, CONTEXT), load_scheme(path), WeightSource(SEED))
    if cycles is None:
        raise AssertionError(f"{mixed}: the design deadlocks")
    entered = case.x[0].astype("float64")
    signal, noise = case.reference - entered, case.golden["y"] - case.reference
    return cycles, float((noise**2).sum() / (signal**2).sum())


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Row]:
    """Prints the table and writes ``out``."""
    alone = {(layer, kind): {layer: kind} for layer in LAYERS for kind in TYPES if kind != BASE}
    uniform = {kind: _all_of(kind) for kind in TYPES}
    wanted: dict[Any, dict[str, str]] = {**alone, **uniform}
    found = _run(wanted, engine, jobs)
    cycles, noise = found[BASE]
    costs = {pair: float(found[pair][0] - cycles) for pair in alone} | dict.fromkeys(_bases(), 0.0)
    # What a type adds to the noise of a block of int8; no type adds less than nothing.
    noises = {pair: max(0.0, found[pair][1] - noise) for pair in alone} | dict.fromkeys(_bases(), 0.0)
    chosen = {budget: choose_types(costs, noises, (budget - 1) * cycles) for budget in BUDGETS}
    mixes = _run({budget: dict(types) for budget, types in chosen.items()}, engine, jobs)
    rows: list[Row] = []

    def row(metric: str, value: float, unit: str, kind: Any = "simulated", note: str = "") -> None:
        rows.append(
            Row(
                "mixed-bits",
                metric,
                value,
                unit,
                kind,
                model=MODEL,
                board=BOARD,
                phase="decode",
                engine=engine if kind == "simulated" else "",
                note=note,
            )
        )

    for kind in TYPES:
        row(f"block [{kind} everywhere]", found[kind][0], "cycles")
        row(f"noise over signal [{kind} everywhere]", found[kind][1], "ratio", "measured", "random weights")
    for budget, types in chosen.items():
        where = f"[mixed, {budget:.0%} of int8]"
        note = ", ".join(f"{layer} {kind}" for layer, kind in types.items())
        row(f"block {where}", mixes[budget][0], "cycles", note=note)
        row(f"block by the program {where}", cycles + sum(costs[pair] for pair in types.items()), "cycles", "derived")
        row(f"noise over signal {where}", mixes[budget][1], "ratio", "measured", "random weights")
        row(f"noise by the program {where}", noise + sum(noises[pair] for pair in types.items()), "ratio", "derived")
        row(f"time over int8 {where}", mixes[budget][0] / cycles, "ratio", "derived")
    print_lines(rows, "Types of weights, mixed", notes=True)
    config = {"layers": LAYERS, "types": TYPES, "options": OPTIONS, "context": CONTEXT, "budgets": BUDGETS}
    with ResultFolder(out, made_by=__name__, config=config, seed=SEED) as folder:
        for each in rows:
            folder.add(each)
        for metric, value in (("time over INT8, least", 0.70), ("time over INT8, most", 0.85)):
            folder.add(Row("mixed-bits", metric, value, "ratio", "published", source=OHQ))
    return rows


def _all_of(kind: str) -> dict[str, str]:
    return dict.fromkeys(map(str, LAYERS), kind)


def _bases() -> list[tuple[str, str]]:
    return [(layer, BASE) for layer in LAYERS]


def _run(mixes: Mapping[Any, dict[str, str]], engine: str, jobs: int) -> dict[Any, tuple[int, float]]:
    say, found = step_counter(len(mixes)), {}
    work = {key: {"mixed": mixed, "engine": engine} for key, mixed in mixes.items()}
    for key, outcome in run_all(run_block, work, jobs, "mixed types"):
        found[key] = outcome
        say(f"{key}: {outcome[0]:,} cycles, noise {outcome[1]:.2g}")
    return found
