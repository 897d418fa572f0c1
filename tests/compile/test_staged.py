"""A staged compilation gives what a whole one gives, to the letter, whatever was compiled before it."""

from __future__ import annotations

import pytest

from sttest.compile.compiler import StagedCompiler, compile_text
from sttest.compile.opt import printed
from sttest.compile.options import CompileOptions
from sttest.core.errors import DoesNotFitError, InputError
from sttest.frontend.shipped import lowered_text

OPTIONS = (
    CompileOptions(),
    CompileOptions(overall_unroll=2048, vector_bits=512),
    CompileOptions(tile_size=8, overall_unroll=2048),
    CompileOptions(precision="fp32"),
    CompileOptions(strategy="conservative"),
)


@pytest.mark.parametrize(
    ("model", "phase"), [("gpt2", "decode"), pytest.param("llama", "prefill", marks=pytest.mark.nightly)]
)
def test_ir_and_graph_are_those_of_a_whole_compilation(model, phase):
    text = lowered_text(model, phase, small=True)
    staged = StagedCompiler(text, "block", "u55c")
    for options in (*OPTIONS, OPTIONS[0]):
        whole, fast = compile_text(text, "block", "u55c", options), staged.design(options)
        assert printed(fast.module) == printed(whole.module)
        assert fast.graph == whole.graph
        assert (fast.fusion, fast.workload) == (whole.fusion, whole.workload)


@pytest.mark.daily
def test_a_refused_design_leaves_nothing_behind():
    staged = StagedCompiler(lowered_text("gpt2", "decode", small=True), "block", "u55c")
    before = printed(staged.design(CompileOptions()).module)
    with pytest.raises(DoesNotFitError):
        staged.design(CompileOptions(overall_unroll=1))
    with pytest.raises(InputError):
        staged.design(CompileOptions(tiles=("nothing:8",)))
    assert printed(staged.design(CompileOptions()).module) == before
