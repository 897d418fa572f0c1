"""A step of a state-space block: PyTorch, reference, C++ and RTL to the bit, with states of any size."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sttest as st
from sttest.crosscheck.case import ArgumentCase, WeightSource
from sttest.crosscheck.text_case import package_case
from sttest.models.registry import model_config
from sttest.package import ModelPackage
from sttest.reference import run
from sttest.reference.memory import memory_images, read_results

pytestmark = pytest.mark.torch


def same(sttest, *arguments) -> dict:
    outcome = sttest("crosscheck", *arguments, "--json")
    assert outcome.exit_code == 0, outcome.stderr
    found = json.loads(outcome.stdout)
    assert {each["verdict"] for each in found["results"].values()} == {"same"}
    cycles = {rung["cycles"] for rung in found["engines"] if rung["engine"] in ("simpy", "maxplus", "rtl")}
    assert len(cycles - {None}) == 1
    return found


@pytest.mark.daily
def test_values_are_pytorchs(sttest, tmp_path):
    same(sttest, "small-mamba2", "-o", tmp_path / "p", "--engines", "torch,reference,simpy,maxplus")


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_compiler")
@pytest.mark.parametrize(
    "options",
    [(), ("--rank", "50%"), ("--precision", "w8a8"), ("--precision", "w4a8-static"), ("--context", "1")],
    ids=str,
)
@pytest.mark.parametrize("model", ["small-mamba2", "small-mamba2-370m"])
def test_emitted_cpp_agrees(model, options, sttest, tmp_path):
    same(sttest, model, *options, "-o", tmp_path / "p", "--engines", "torch,reference,simpy,maxplus,csim")


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_verilator")
def test_hardware_agrees(sttest, tmp_path):
    same(sttest, "small-mamba2", "-o", tmp_path / "p", "--engines", "torch,reference,maxplus,rtl")


def test_large_states_are_summed_in_the_same_order(tmp_path):
    """A state as large as what is added to it, so that another order of its sum would show."""
    import torch

    from sttest.models.quant.block import quantize_block
    from sttest.models.quant.contraction import DefinedOrder
    from sttest.models.weights import randomize
    from sttest_systems.state_space.block import RESULTS, Mamba2Block

    package = ModelPackage.read(st.compile("small-mamba2", phase="decode", context=4).save(tmp_path / "p"))
    case, graph, config = package_case(package, WeightSource(3)), package.reference_graph, model_config("small-mamba2")
    assert isinstance(case, ArgumentCase)
    block = Mamba2Block(config)
    randomize(block, 3)
    quantized = quantize_block(block, package.scheme)
    inputs = {each.name for each in graph.arguments if each.kind == "input"}
    random = np.random.default_rng(1)
    shapes = {name: case.arguments[name].shape for name in sorted(inputs)}
    drawn = {name: random.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    with torch.no_grad(), DefinedOrder():
        golden = quantized(**{name: torch.from_numpy(values) for name, values in drawn.items()})
    arguments = {**case.arguments, **drawn}
    found = read_results(graph, run(graph, memory_images(graph, arguments)).results)
    for name, wanted in zip(RESULTS, golden, strict=True):
        assert np.array_equal(found[name], wanted.numpy()), name
    assert np.abs(drawn["ssm_state"]).max() > 1


def test_layers_have_states_of_their_own():
    one = st.compile("small-mamba2", phase="decode", context=32, share="weights", gemv_lanes=256)
    two = st.compile("small-mamba2", phase="decode", context=32, share="weights", gemv_lanes=256, layers=2)
    single, double, again = one.simulate().cycles, two.simulate().cycles, two.simulate(engine="simpy").cycles
    assert single is not None
    assert double is not None
    assert double == again
    assert single < double < 2.2 * single
