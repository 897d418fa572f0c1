"""Engines against PyTorch, module by module: nothing where they are the same, the module where all engines err."""

from __future__ import annotations

import pytest

from sttest.crosscheck.differences import first_other_module
from sttest.crosscheck.engines import run_reference
from sttest.crosscheck.results import compare_with_golden
from sttest.reference import images_of

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("phase", ["prefill", "decode"])
@pytest.mark.parametrize("model", ["small-gpt2", "small-qwen", "small-llama", "small-llama-3.2-1b", "small-gemma"])
def test_the_same_in_every_module(model, phase, design_of):
    design = design_of(model, phase)
    graph = design.package.reference_graph
    reference = run_reference(graph, design.case.images(graph))
    assert compare_with_golden(graph, design.case, reference).verdict == "same"
    assert first_other_module(graph, design.case.modules, reference.streams) == ""


@pytest.mark.parametrize(
    ("parameter", "module"),
    [
        ("attn_norm.weight", "attn_norm"),
        ("attn.k_proj.weight_scale", "attn.k_proj"),
        ("attn.v_proj.bias", "attn.v_proj"),
        # Its bias is added with the residual, where its output would else be seen.
        ("attn.o_proj.bias", "attn_residual"),
        ("mlp.fc1.weight_scale", "mlp.act"),
    ],
)
def test_a_wrong_parameter_in_the_memory_of_all_engines(parameter, module, design_of):
    design = design_of("small-gpt2", "prefill")
    graph = design.package.reference_graph
    wrong = (design.case.parameters[parameter] * 2).astype(design.case.parameters[parameter].dtype)
    images = {**design.case.images(graph), **images_of(graph, {parameter: wrong})}
    found = compare_with_golden(graph, design.case, run_reference(graph, images))
    assert (found.verdict, found.module) == ("different", module)
    assert f"first module that differs: {module}" in str(found)
