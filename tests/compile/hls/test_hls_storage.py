"""Memories of the resource model are those that the C++ asks for, one directive for each."""

import re
from collections import Counter

import pytest

from sttest.boards.operators import operators
from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.dialects import df
from sttest.compile.hls.files import emit_design
from sttest.compile.ir.module_walk import all_of, only_kernel
from sttest.compile.resources.design import design_resources
from sttest.compile.schedule.storage import buffer_name, memory_name, task_storage
from sttest.compile.schedule.task_schedule import task_schedule
from sttest.compile.sharing.processes import processes_of
from sttest.frontend.shipped import lowered_text

_BOUND = re.compile(r"#pragma HLS bind_storage variable=(\w+) type=(\w+) impl=(\w+)")
_FIFO = re.compile(r'(\w+)(?:\(|\[\d+\]; STTEST_FIFO\(\w+, )"([^"]+)"')


@pytest.fixture(scope="module", params=["gpt2-decode", "gemma-prefill"])
def design(request: pytest.FixtureRequest) -> CompiledDesign:
    model, phase = request.param.split("-")
    return compile_text(lowered_text(model, phase, small=True), request.param, "u55c")


def test_every_fifo_and_block_is_bound_to_its_kind(design: CompiledDesign) -> None:
    text, kinds = emit_design(design).text, {each.facts.name: each.kind for each in design_resources(design).memories}
    top = text[text.index('extern "C"') :]
    bound = {variable: (kind, impl) for variable, kind, impl in _BOUND.findall(top)}
    fifos = dict(_FIFO.findall(top))
    assert fifos
    for variable, fifo in fifos.items():
        assert bound.pop(variable) == ("fifo", kinds[fifo]), fifo
    blocks = Counter(kinds[buffer_name(each)] for each in all_of(design.module, df.ConverterOp) if each.buffer)
    assert Counter(impl for _, impl in bound.values()) == +Counter({**blocks, "register": 0})
    assert {kind for kind, _ in bound.values()} == {"ram_2p"}


def test_arrays_that_are_memories_are_bound(design: CompiledDesign) -> None:
    text, kinds = emit_design(design).text, {each.facts.name: each.kind for each in design_resources(design).memories}
    library = operators(design.board)
    wanted = {
        kinds[memory_name(task, array.name)]
        for nodes in processes_of(only_kernel(design.module, "test", "test")).values()
        for task in (next(iter(node for node in nodes if isinstance(node, df.TaskOp)), None),)
        if task is not None
        for number, array in task_storage(task, task_schedule(task, library)).running.items()
        if array.depth > 1
    }
    functions = text[: text.index('extern "C"')]
    assert {impl for _, kind, impl in _BOUND.findall(functions) if kind == "ram_2p"} == wanted - {"register"}
    assert bool(wanted - {"register"}) == design.name.startswith("gemma")
