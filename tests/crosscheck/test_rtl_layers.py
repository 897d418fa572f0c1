"""Several layers in a launch on clocked hardware: what a layer makes goes round to the next."""

import shutil

import pytest

from sttest.compile.options import CompileOptions
from sttest.crosscheck.rtl_values import valued_design
from sttest.package import ModelPackage
from sttest.studies.compile_request import Request, compile_package
from sttest.targets.rtl.compare import compare
from sttest.targets.rtl.design import emulate_designs

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("verilator") is None, reason="verilator not found; apt-get install verilator"),
]


def layers_of(share, folder) -> ModelPackage:
    options = CompileOptions(layers=2, share=share)
    compile_package(Request("small-gpt2", "decode", None, 32, options=options, work_dir=folder))
    return ModelPackage.read(folder)


@pytest.mark.daily
@pytest.mark.parametrize("share", ["none", "all"])
def test_there_is_a_value_for_every_token(share, tmp_path):
    package = layers_of(share, tmp_path / "package")
    design = valued_design(package, package.timed_graph, 1)
    ports = {port.fifo: port.tokens for port in package.timed_graph.processes if hasattr(port, "tokens")}
    assert {name: len(design.tokens[name]) for name in ports} == ports


@pytest.mark.nightly
@pytest.mark.parametrize("share", ["none", "all"])
def test_two_layers_of_small_gpt2(share, tmp_path):
    package = layers_of(share, tmp_path / "package")
    (ran,) = emulate_designs([valued_design(package, package.timed_graph, 1)], tmp_path)
    assert ran.verdict == "done"
    assert compare(package.timed_graph, ran).first is None
