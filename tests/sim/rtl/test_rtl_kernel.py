"""Compiled designs as kernels with AXI4 ports: what they leave in memory is what the reference engine does."""

from typing import Literal

import numpy as np
import pytest
from linalg_programs import random_whole_program
from rtl_graphs import needs

from sttest.boards.load import load_board, require_hbm
from sttest.boards.operators import operators
from sttest.compile.compiler import compile_text
from sttest.compile.ir.module_walk import only_kernel
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.compile.rtl.cells import Cells
from sttest.compile.rtl.processes import design_modules
from sttest.compile.rtl.walks import Walk
from sttest.core.errors import InputError
from sttest.crosscheck.rtl_kernel import UNTOUCHED, LaunchMemory, emulate_kernel, package_kernel
from sttest.crosscheck.rtl_values import random_tensors
from sttest.frontend.shipped import lowered_text
from sttest.package import DesignPackage
from sttest.reference.engine import run
from sttest.reference.memory import memory_images
from sttest.studies.compile_request import Request, compile_package
from sttest.targets.rtl.kernel import RtlKernel
from sttest.targets.rtl.kernel_run import run_kernel_with_memory

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800), needs("verilator")]

LIBRARY = operators(require_hbm(load_board("u55c")))


def check(text: str, options: CompileOptions, folder, seed: int = 1, cells: Cells | None = None) -> None:
    """A kernel of a text leaves the reference's bytes in memory, and AXI has nothing to complain of."""
    design = compile_text(text, "kernel", "u55c", options)
    values = value_graph(design.module, "kernel")
    images = memory_images(values, random_tensors(values, seed))
    wanted = run(values, images).results
    modules = design_modules(only_kernel(design.module, "test", "kernel"), design.graph, LIBRARY, cells)
    names = {node.name: node.name for node in (*values.loads, *values.stores)}
    kernel = RtlKernel.of("kernel", design.graph, modules, values, names)
    ran = run_kernel_with_memory(
        kernel, images | {name: np.zeros_like(image) for name, image in wanted.items()}, folder
    )
    assert ran.complaints == ()
    assert ran.done
    for name, image in wanted.items():
        assert np.array_equal(ran.memory[name], image), name


PROGRAMS = (3000, pytest.param(3006, marks=pytest.mark.nightly))


def options_of(seed: int) -> CompileOptions:
    return CompileOptions(
        tile_size=(1, 2, 3, 4, 8, 16)[seed % 6],
        vector_bits=(128, 512, 4096)[seed // 6 % 3],
        overall_unroll=64 << seed % 4,
        precision="fp32",
        prefetch_kib=(0, 64)[seed // 18 % 2],
    )


@pytest.mark.parametrize("seed", PROGRAMS)
def test_random_programs(seed, tmp_path):
    check(random_whole_program(seed), options_of(seed), tmp_path / "kernel", seed)


@pytest.mark.nightly
def test_the_text_for_synthesis(tmp_path):
    """What is written for Vivado, with models of the vendor's cells."""
    pytest.importorskip("xls", reason="needs xls-python, pip install 'sttest[rtl]'")
    check(random_whole_program(3006), options_of(3006), tmp_path / "kernel", 3006, Cells())


@pytest.mark.nightly
@pytest.mark.parametrize("phase", ["decode", "prefill"])
def test_small_gpt2(phase, tmp_path):
    check(lowered_text("gpt2", phase, small=True), CompileOptions(), tmp_path / "kernel")


def package_of(model: str, phase: Literal["decode", "prefill"], folder, head: bool = False, **options) -> DesignPackage:
    tokens, context = (None, 32) if phase == "decode" else (32, None)
    chosen = CompileOptions(**options)
    compile_package(Request(model, phase, tokens, context, options=chosen, head=head, work_dir=folder))
    return DesignPackage.read(folder)


LAUNCHES = [
    ("small-gpt2", "decode", {"share": "all", "layers": 2, "head": True}),
    ("small-gpt2", "prefill", {"share": "weights", "layers": 2}),
    ("small-qwen", "decode", {"share": "weights", "layers": 3}),
    ("small-llama", "decode", {"share": "all", "layers": 2, "head": True}),
    ("small-gemma", "prefill", {"share": "weights", "layers": 2}),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("model", "phase", "options"), LAUNCHES)
def test_launches_over_layers_with_weights_in_queues(model, phase, options, tmp_path):
    """One launch of several layers, weights one after the other in a buffer, and the head behind the last."""
    found = emulate_kernel(package_of(model, phase, tmp_path / "package", **options), tmp_path / "axi", 1)
    assert found.done
    assert found.complaints == ()
    assert found.differing == ()


def test_memory_of_a_launch_is_laid_out_for_its_layers(tmp_path):
    """Weights of a layer lie behind those of the one before, results likewise; the head's come once."""
    package = package_of("small-gpt2", "decode", tmp_path / "package", share="all", layers=2, head=True)
    memory, graph, files = LaunchMemory.of(package, 1), package.reference_graph, package.files
    sizes = {each.name: each.bytes for each in files.kernel.buffers}
    assert {name: image.size for name, image in memory.before.items()} == sizes
    dma = "load_attn_norm_4_engine_norm_weight"
    row, argument_of = files.rows[dma], {load.name: load.argument for load in graph.loads}
    weights = memory.before[files.argument_of[dma]].view(np.float32)
    order = [*((seed, load) for seed in (1, 2) for load in row.loads), *((1, load) for load in row.behind)]
    parts = [random_tensors(graph, seed)[argument_of[load]].ravel() for seed, load in order]
    assert [len(part) for part in parts] == [64] * 5
    assert np.array_equal(weights, np.concatenate(parts))
    scales = memory.after[files.argument_of["store_attn_k_proj_scale"]].reshape(2, -1)
    assert (scales[:, 8:] == UNTOUCHED).all(), "4 scales of 16 bits in a word of each layer"
    assert not np.array_equal(scales[0, :8], scales[1, :8])
    assert (memory.before[files.argument_of["store_mlp_residual"]] == UNTOUCHED).all()


def test_a_launch_that_generates_is_refused(tmp_path):
    package = package_of("small-gpt2", "decode", tmp_path / "package", share="all", layers=6, head=True, generate=4)
    with pytest.raises(InputError, match="generates tokens") as refused:
        package_kernel(package)
    assert refused.value.code == "no-rtl"


def test_loops_behind_numbers():
    assert Walk.of(np.array([7])) == Walk(7, (), ())
    assert Walk.of(np.array([4, 5, 6, 7, 4, 5, 6, 7])) == Walk(4, (2, 4), (0, 1))
    assert Walk.of(np.array([0, 2, 1, 3, 8, 10, 9, 11])) == Walk(0, (2, 2, 2), (8, 1, 2))
    assert Walk.of(np.array([0, 1, 3, 4, 5])) is None
