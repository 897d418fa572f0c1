"""The schedule in the IR: read back from its text it gives the timed graph, and what changed behind it is refused."""

from __future__ import annotations

import pytest

from sttest.compile.compiler import CompiledDesign, StagedCompiler, compile_text
from sttest.compile.dialects import sched
from sttest.compile.ir.module_walk import only_kernel
from sttest.compile.opt import new_context, parse, printed, run_opt
from sttest.compile.options import CompileOptions
from sttest.compile.timing.timed_graph import timed_graph
from sttest.core.errors import InputError
from sttest.frontend.shipped import lowered_text

OPTIONS = {
    "alone": CompileOptions(),
    "engines of two layers": CompileOptions(share="all", layers=2),
    "weights read ahead": CompileOptions(share="weights", prefetch_kib=64),
    "two units": CompileOptions(product_units=2, flatten_bottleneck_loops=True),
}


def design(model: str, options: CompileOptions) -> CompiledDesign:
    return compile_text(lowered_text(model, "decode", small=True), "small", "u55c", options)


@pytest.mark.parametrize("name", OPTIONS)
def test_the_timed_graph_is_that_of_the_printed_schedule(name: str) -> None:
    found = design("qwen", OPTIONS[name])
    text = printed(found.module)
    again = parse(text, "test", new_context())
    kernel = only_kernel(again, "test", "small")
    processes = sched.schedule_of(again, kernel)
    assert processes is not None
    assert [each.name for each in found.graph.processes] == [each.name for each in processes]
    assert timed_graph(again, found.board, "small") == found.graph
    sched.drop_schedules(again)
    assert timed_graph(again, found.board, "small") == found.graph


def test_a_kernel_that_was_changed_behind_its_schedule_is_refused() -> None:
    found = design("gpt2", CompileOptions())
    text = printed(found.module)
    for old, new, of in (
        ('df.kernel "group0"', 'df.kernel "group0" layers 2', "layers or tokens"),
        ('df.task "mlp_residual"', 'df.task "mlp_other"', "nodes: mlp_other, mlp_residual"),
        ('df.stream "mlp_fc2__mlp_fc2_rescale"', 'df.stream "other"', "streams: mlp_fc2__mlp_fc2_rescale, other"),
    ):
        assert old in text
        module = parse(text.replace(old, new, 1), "test", new_context())
        with pytest.raises(InputError, match=f"{of}.*run schedule-processes again"):
            timed_graph(module, found.board, "small")


def test_other_passes_leave_no_old_schedule() -> None:
    text = printed(design("gpt2", CompileOptions()).module)
    assert "sched.kernel" in run_opt(text, "test", "").text
    assert "sched.kernel" not in run_opt(text, "test", "loop-layers{layers=2}").text
    assert (
        "layers 2"
        in run_opt(text, "test", "loop-layers{layers=2},schedule-processes").text.rpartition("sched.kernel")[2]
    )


def test_a_search_documents_its_designs_with_their_schedule() -> None:
    compiler = StagedCompiler(lowered_text("gpt2", "decode", small=True), "small", "u55c")
    found = compiler.design(CompileOptions(layers=2))
    documented = compiler.documented(found)
    assert documented.stages[-1].name == "schedule-processes"
    text = documented.stages[-1].text
    assert text is not None
    assert timed_graph(parse(text, "test", new_context()), found.board, "small") == found.graph
