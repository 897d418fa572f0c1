"""Passes and nodes of a distribution outside of the tree are compiled, timed, computed and refused as those within."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sttest.compile import steps
from sttest.compile.options import CompileOptions
from sttest.compile.steps import Step, in_order
from sttest.core import extensions
from sttest.core.errors import InputError
from sttest.core.extensions import Extension, Offer
from sttest.package import DesignPackage
from sttest.reference import memory_images, run
from sttest.reference.graph import Custom

ROOT = Path(__file__).parents[2]
MATMUL = """
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
func.func @main(%a: tensor<16x32xf32>, %b: tensor<32x64xf32>) -> tensor<16x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x64xf32>) -> tensor<16x64xf32>
  %c = "linalg.generic"(%a, %b, %start) <{indexing_maps = [#a, #b, #c],
      iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>,
                        #linalg.iterator_type<reduction>],
      operandSegmentSizes = array<i32: 2, 1>}> ({
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %product = arith.mulf %x, %y : f32
    %more = arith.addf %sum, %product : f32
    linalg.yield %more : f32
  }) : (tensor<16x32xf32>, tensor<32x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  return %c : tensor<16x64xf32>
}
"""
COMPUTED = """
import sys
import numpy as np
from sttest.package import DesignPackage
from sttest.reference import memory_images, read_results, run
graph = DesignPackage.read(sys.argv[1]).reference_graph
tensors = dict(np.load("tensors.npz"))
given = {each.name: tensors[each.name[-1]] for each in graph.arguments}
(found,) = read_results(graph, run(graph, memory_images(graph, given)).results).values()
np.save("found.npy", found)
"""
TO_KERNELS = "linalg-to-kernels,assign-lanes,fuse-kernels,materialize-converters,materialize-dma,insert-forks"
HARDWARE = """
import sys
from sttest.boards.operators import operators
from sttest.compile.ir.module_walk import only_kernel
from sttest.compile.rtl.processes import design_modules
from sttest.core.errors import InputError
from sttest.package import DesignPackage
from sttest.package.compiled import read_design
design = read_design(DesignPackage.read(sys.argv[1]))
try:
    design_modules(only_kernel(design.module, "test", "product"), design.graph, operators(design.board))
except InputError as error:
    print(error)
"""


# --- The sample, installed


@pytest.fixture
def compiled(with_sample, tmp_path):
    """A product whose results are clipped, as a package."""
    (tmp_path / "product.mlir").write_text(MATMUL)
    done = with_sample(
        "compile", "product.mlir", "--precision", "fp32", "--pass", "clip-results{most=3}", "-o", "package"
    )
    assert done.returncode == 0, done.stderr
    return tmp_path / "package"


@pytest.fixture
def python_with_sample(installed, tmp_path):
    """Runs a script on the package, in a process that finds the sample."""

    def run(script: str, package: Path) -> str:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), str(ROOT)])}
        command = [sys.executable, "-c", script, str(package)]
        return subprocess.run(
            command, env=environment, cwd=tmp_path, check=True, stdout=subprocess.PIPE, text=True
        ).stdout

    return run


@pytest.mark.daily
@pytest.mark.slow
def test_a_node_of_an_extension_is_compiled_timed_and_computed(compiled, with_sample, python_with_sample, tmp_path):
    manifest = json.loads((compiled / "manifest.json").read_text())
    assert manifest["configuration"]["options"]["passes"] == ["clip-results{most=3}"]
    names = [each["pass"].partition("{")[0] for each in manifest["passes"]]
    assert names[names.index("clip-results") - 1] == "insert-forks"
    graph = json.loads((compiled / "timed_graph.json").read_text())
    (clip,) = [each for each in graph["processes"] if each["name"].startswith("clip_")]
    assert clip["loops"][0]["latency"] == 3

    cycles = [
        json.loads(with_sample("simulate", "package", "--engine", engine, "--json").stdout)["cycles"]
        for engine in ("simpy", "maxplus")
    ]
    assert cycles[0] == cycles[1] > 0

    source = np.random.default_rng(0)
    tensors = {"a": source.integers(-2, 3, (16, 32)), "b": source.integers(-2, 3, (32, 64))}
    np.savez(tmp_path / "tensors.npz", a=tensors["a"].astype(np.float32), b=tensors["b"].astype(np.float32))
    python_with_sample(COMPUTED, compiled)
    whole = tensors["a"] @ tensors["b"]
    assert np.abs(whole).max() > 3
    assert np.array_equal(np.load(tmp_path / "found.npy"), np.clip(whole, -3, 3))

    graph = DesignPackage.read(compiled).reference_graph
    images = memory_images(graph, {each.name: np.zeros(each.shape, np.float32) for each in graph.arguments})
    with pytest.raises(InputError, match=r"no extension computes 'sample\.clip'"):
        run(graph, images)


@pytest.mark.slow
def test_engines_agree_on_it(with_sample, tmp_path):
    pytest.importorskip("torch")
    (tmp_path / "product.mlir").write_text(MATMUL)
    asked = "--precision", "fp32", "--pass", "clip-results", "--engines", "reference,simpy,maxplus", "--json"
    found = json.loads(with_sample("crosscheck", "product.mlir", *asked).stdout)
    done = {each["engine"]: each for each in found["engines"] if each["verdict"] == "done"}
    assert set(done) == {"reference", "simpy", "maxplus"}
    assert done["simpy"]["cycles"] == done["maxplus"]["cycles"] > 0


@pytest.mark.slow
def test_its_hardware_is_refused_by_name(compiled, python_with_sample):
    manifest = json.loads((compiled / "manifest.json").read_text())
    assert manifest["hls"]["missing"] == "group0: no C++ for sample.clip"
    assert python_with_sample(HARDWARE, compiled) == "clip_op: sample.clip has no RTL yet\n"


@pytest.mark.slow
def test_passes_are_listed_and_run_on_text(compiled, with_sample):
    listed = [line.split() for line in with_sample("opt", "--list").stdout.splitlines()]
    assert ["clip-results", "extension", "most=<int>"] in listed
    assert listed.index(["insert-forks"]) + 1 == listed.index(["clip-results", "extension", "most=<int>"])
    (last,) = sorted((compiled / "ir").glob("*_schedule-processes.mlir"))
    done = with_sample("opt", last)
    assert "sample.clip %" in done.stdout, done.stderr
    before = done.stdout.count("sample.clip")
    kernels = with_sample("opt", "product.mlir", "-p", f"{TO_KERNELS},clip-results{{most=5}}", "--board", "u55c").stdout
    assert kernels.count("sample.clip") == before == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("clip-result", "unknown pass 'clip-result'; did you mean 'clip-results'?"),
        ("clip-results{least=1}", "unknown option 'least'"),
        ("clip-results{most=-1}", "a bound is at least 0, not -1"),
        ("size-fifos", "'size-fifos' is a pass of sttest"),
        ("clip-results,clip-results", "'clip-results' runs once"),
    ],
)
def test_what_it_is_told_wrong_is_refused(with_sample, tmp_path, text, told):
    (tmp_path / "product.mlir").write_text(MATMUL)
    refused = with_sample("compile", "product.mlir", "--precision", "fp32", "--pass", text)
    assert refused.returncode == 2
    assert told in refused.stderr


# --- Without one


def test_the_pipeline_loads_no_pass() -> None:
    script = """
import sys
from sttest.compile.pipeline import tiling_passes
from sttest.compile.steps import steps
assert len(steps()) > 30
print([name for name in sys.modules if name.startswith("sttest.compile.passes.")])
"""
    told = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"


def _line(own: str, *others: tuple[str, str]) -> list[str]:
    chain = [Step(name, "", after) for name, after in zip(own, ["", *own], strict=False)]
    return [step.name for step in in_order(chain, [Step(name, "", after) for name, after in others])]


def test_passes_stand_behind_their_anchors() -> None:
    assert _line("abc") == ["a", "b", "c"]
    assert _line("abc", ("x", "b")) == ["a", "b", "x", "c"]
    assert _line("abc", ("x", "c"), ("y", "")) == ["y", "a", "b", "c", "x"]
    assert _line("abc", ("x", "a"), ("y", "x"), ("z", "a")) == ["a", "x", "y", "z", "b", "c"]


def test_an_unknown_anchor_and_a_circle_are_refused_by_name() -> None:
    with pytest.raises(InputError, match="the pass 'x' is to come behind 'bb', which is none"):
        _line("abc", ("x", "bb"))
    with pytest.raises(InputError, match=r"passes are to come behind each other: \w -> \w -> \w"):
        _line("abc", ("x", "y"), ("y", "x"))


def test_without_extensions_no_pass_can_be_named() -> None:
    options = CompileOptions(passes=("widen{most=4}",))
    with pytest.raises(InputError, match="no extension has a pass 'widen'"):
        [step.made(options) for step in steps.steps().values() if step.runs(options)]


def test_a_pass_that_cannot_be_loaded_is_said_and_left_out(monkeypatch, capsys) -> None:
    given = [extensions.extensions()[0], Extension("b", (Offer("passes", "lost", "no_such_module:LOST"),))]
    monkeypatch.setattr(extensions, "extensions", lambda: given)
    assert "lost" not in extensions.loaded("passes", Step)
    told = "note: 'lost' of an extension is left out: ModuleNotFoundError: No module named 'no_such_module'"
    assert told in capsys.readouterr().err


def test_a_node_of_a_file_cannot_ask_for_a_function_of_sttest() -> None:
    with pytest.raises(InputError, match="computes 'task', which is no function of an extension"):
        Custom("node", "task", ("a",), ("b",))
