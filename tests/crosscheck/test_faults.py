"""One fault at a time in one engine: the comparison finds it and names the stream in which it lies."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pytest

from sttest.crosscheck.differences import StreamComparison, compare_streams, first_other_module
from sttest.crosscheck.engines import Values, run_csim, run_reference
from sttest.crosscheck.results import compare_with_golden
from sttest.package import KernelFiles
from sttest.reference import images_of
from sttest.targets.csim import Executable, build_kernel

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("needs_compiler")]

# Faults of the emitted C++: a process, what stands in it once, and the same with a fault that is selected by name.
FAULTS = (
    ("load_attn_q_proj_weight_slice0", "[t0]", '[fault("swapped_map") ? t0 / 8 + t0 % 8 * 8 : t0]'),
    ("gather_attn_o_proj_weight", "= slice_0[e]", '= (fault("other_slice") ? slice_1 : slice_0)[e]'),
    ("order_mlp_act_quantize_drain", "16 * t1 + e1", '16 * (fault("other_place") ? t1 ^ 1 : t1) + e1'),
    ("fork_load_x", "to2.write", 'if (!fault("dropped_token") || t != 2) to2.write'),
    ("fork_load_x", "to0.write", 'if (!fault("dropped_last") || t != 7) to0.write'),
)
SELECTED = """\
#include <cstdlib>
#include <string>
static bool fault(const char* name) {
  const char* asked = std::getenv("STTEST_FAULT");
  return asked != nullptr && asked == std::string(name);
}
"""


@pytest.fixture(scope="module")
def design(design_of):
    """Three groups of weights in the last layer, unlike other small models."""
    return design_of("small-llama-3.2-1b", "decode")


@pytest.fixture(scope="module")
def reference(design) -> Values:
    return run_reference(design.package.reference_graph, design.case.images(design.package.reference_graph))


@pytest.fixture(scope="module")
def faulty_kernel(design, tmp_path_factory) -> Executable:
    """The emitted C++ with all faults in it, of which the environment selects one."""
    folder = tmp_path_factory.mktemp("faulty") / "package"
    shutil.copytree(design.package.folder / "hls", folder / "hls")
    text = KernelFiles.read(folder).cpp_text
    for fault in FAULTS:
        text = _with_fault(text, *fault)
    (folder / "hls" / "kernel.cpp").write_text(SELECTED + text)
    return build_kernel(KernelFiles.read(folder), design.work)


def _with_fault(text: str, process: str, good: str, bad: str) -> str:
    own = f"{process}_faulty"
    if f" {own}(" not in text:
        text = _with_own_template(text, process, own)
    definition = _definition(text, own)
    assert definition.count(good) == 1
    return text.replace(definition, definition.replace(good, bad))


def _with_own_template(text: str, process: str, own: str) -> str:
    """The C++ where a process calls a copy of its template."""
    called = re.search(rf"static void {process}\([^{{]*\{{\s*(\w+)<", text)
    assert called is not None
    definition = _definition(text, called[1])
    call = called[0].replace(f"{called[1]}<", f"{own}<")
    copied = definition.replace(f" {called[1]}(", f" {own}(")
    return text.replace(called[0], call).replace(definition, f"{definition}\n{copied}")


def _definition(text: str, template: str) -> str:
    found = re.search(rf"template <[^\n]*>\nstatic void {template}\(.*?\n}}\n", text, re.DOTALL)
    assert found is not None
    return found[0]


def _faulty(design, kernel, folder, images=None) -> Values:
    graph = design.package.reference_graph
    return run_csim(graph, images or design.case.images(graph), kernel, design.files, folder)


def test_without_a_fault_everything_is_the_same(design, reference, faulty_kernel, tmp_path):
    csim = _faulty(design, faulty_kernel, tmp_path)
    compared = compare_streams(design.package.reference_graph, reference, csim)
    assert (compared.verdict, compared.first, csim.verdict) == ("same", None, "done")
    for values in (reference, csim):
        assert compare_with_golden(design.package.reference_graph, design.case, values).verdict == "same"
        assert first_other_module(design.package.reference_graph, design.case.modules, values.streams) == ""


@pytest.mark.parametrize(
    ("name", "stream", "token", "origin", "verdict"),
    [
        ("swapped_map", "load_attn_q_proj_weight_slice0__gather_attn_q_proj_weight", 1, "attn.q_proj.weight", "done"),
        ("other_slice", "gather_attn_o_proj_weight__attn_o_proj", 0, "attn.o_proj.weight", "done"),
        ("other_place", "order_mlp_act_quantize__mlp_down_proj", 0, "mlp.act", "done"),
        ("dropped_token", "fork_load_x__attn_residual", 2, "x", "deadlock"),
        ("dropped_last", "fork_load_x__attn_norm", 7, "x", "deadlock"),
    ],
)
def test_faults_of_the_cpp(
    design, reference, faulty_kernel, name, stream, token, origin, verdict, tmp_path, monkeypatch
):
    monkeypatch.setenv("STTEST_FAULT", name)
    csim = _faulty(design, faulty_kernel, tmp_path)
    compared = compare_streams(design.package.reference_graph, reference, csim)
    assert csim.verdict == verdict
    assert compared.verdict == "different"
    assert _place(compared) == (stream, token, origin)


def _place(compared: StreamComparison) -> tuple[str, int, str]:
    assert compared.first is not None
    return compared.first.stream, compared.first.token, compared.first.origin


def test_scales_off_by_one_group(design, reference, faulty_kernel, tmp_path):
    graph, name = design.package.reference_graph, "mlp.down_proj.weight_scale"
    scales = np.roll(design.case.parameters[name], 1, axis=0)
    assert len(scales) == 3
    images = {**design.case.images(graph), **images_of(graph, {name: scales})}
    csim = _faulty(design, faulty_kernel, tmp_path, images)
    compared = compare_streams(graph, reference, csim)
    load = next(load for load in graph.loads if load.argument == name)
    assert _place(compared) == (load.sink, 0, name)
    results = compare_with_golden(graph, design.case, csim)
    assert results.verdict == "different"
    assert "'y' [0, 0]" in results.first
    assert results.module == "mlp.down_proj"


def test_two_tiles_exchanged_in_packed_memory(design, reference, faulty_kernel, tmp_path):
    graph = design.package.reference_graph
    images = design.case.images(graph)
    load = next(load for load in graph.loads if load.argument == "attn.v_proj.weight")
    assert load.layout.packed
    tiles = images[load.name].copy().reshape(int(np.prod(load.layout.grid)), -1)
    tiles[[3, 5]] = tiles[[5, 3]]
    csim = _faulty(design, faulty_kernel, tmp_path, {**images, load.name: tiles.reshape(-1)})
    assert _place(compare_streams(graph, reference, csim)) == (load.sink, 3, "attn.v_proj.weight")
