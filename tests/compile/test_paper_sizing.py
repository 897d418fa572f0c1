"""`--sizing paper`: depths by the published program, on compiled blocks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.options import CompileOptions
from sttest.frontend.shipped import lowered_text
from sttest.sim import simulate

PAGE = Path(__file__).parents[2] / "docs/fix-a-deadlock/fifo-sizing.md"
ROWS = {found[1]: found[0] for found in re.finditer(r"^\| (gpt2|qwen|llama|gemma) \|.*$", PAGE.read_text(), re.M)}


def block(model: str, sizing: str, strategy: str = "normal", *, small: bool = True) -> CompiledDesign:
    options = CompileOptions(sizing=sizing, strategy=strategy)  # type: ignore[arg-type]
    return compile_text(lowered_text(model, "decode", small=small), "block", "u55c", options)


def test_depths_are_others_and_say_whose_they_are():
    own, paper = block("gpt2", "schedule"), block("gpt2", "paper", "conservative")
    assert own.depths != paper.depths
    assert own.depths.keys() == paper.depths.keys()
    sized = {stream.sized_by.data for stream in all_of(paper.module, df.StreamOp) if stream.sized_by}
    assert sized == {"lp-paper-conservative", "folded"}
    assert simulate(paper.graph).verdict == "done"


def test_one_rate_per_end_deadlocks_a_block():
    assert simulate(block("gpt2", "paper").graph).verdict == "deadlock"


@pytest.mark.nightly
@pytest.mark.parametrize("model", ROWS)
def test_the_page_has_the_figures_of_a_run(model):
    cells = [model]
    for sizing, strategy in (("schedule", "normal"), ("paper", "normal"), ("paper", "conservative")):
        design = block(model, sizing, strategy, small=False)
        cycles = simulate(design.graph).cycles
        bits = sum(fifo.depth * fifo.bits for fifo in design.graph.fifos)
        cells += ["deadlock" if cycles is None else f"{cycles:,}", f"{bits / 1000:,.0f}"]
    assert f"| {' | '.join(cells)} |" == ROWS[model]
