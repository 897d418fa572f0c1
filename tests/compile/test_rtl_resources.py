"""Resources of the RTL flow: what is counted, and that it is what `sttest synth` sets beside yosys' counts."""

from __future__ import annotations

from functools import cache

import pytest

from sttest.boards.resources import Resources, total
from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.resources.design import DesignResources, design_resources
from sttest.compile.resources.synthesis import fifo_estimate
from sttest.frontend.shipped import lowered_text


@cache
def design(flow: str, phase: str = "decode") -> CompiledDesign:
    options = CompileOptions(flow=flow, share="all")  # type: ignore[arg-type]
    return compile_text(lowered_text("gpt2", phase, small=True), "small", "u55c", options)  # type: ignore[arg-type]


@cache
def taken(flow: str) -> DesignResources:
    return design_resources(design(flow))


def test_times_and_memories_do_not_depend_on_the_flow() -> None:
    assert design("hls").graph == design("rtl").graph
    kinds = [[(memory.facts, memory.kind) for memory in taken(flow).memories] for flow in ("hls", "rtl")]
    assert kinds[0] == kinds[1]


def test_every_process_is_counted_by_its_module() -> None:
    """Nothing keeps the figure of the C++: tasks, converters, forks and memory ports all have modules."""
    before, after = ({node.name: node.logic for node in taken(flow).nodes} for flow in ("hls", "rtl"))
    assert before.keys() == after.keys()
    assert [name for name in before if before[name] == after[name]] == []


def test_fifos_follow_the_rule_of_synthesis() -> None:
    for memory in taken("rtl").memories:
        if memory.facts.role == "fifo" and memory.kind == "srl":
            facts = memory.facts
            one = fifo_estimate("srl", facts.depth, facts.bits, Resources())
            assert memory.resources.lut == pytest.approx(one.lut * facts.banks)


def test_arrays_of_a_module_are_counted_once() -> None:
    """Registers and LUT memory are in the estimate of the module, blocks of memory beside it."""
    arrays = [memory.resources for memory in taken("rtl").memories if memory.facts.role != "fifo"]
    assert total(arrays).lut == total(arrays).ff == 0


def test_products_of_narrow_integers_take_half_a_dsp_and_few_luts() -> None:
    """A lane of int4 x int8 was 37 LUTs of C++ by published reports; packed pairs take about 6 by yosys."""
    before, after = taken("hls").total, taken("rtl").total
    assert after.lut < before.lut
    assert after.dsp < before.dsp
