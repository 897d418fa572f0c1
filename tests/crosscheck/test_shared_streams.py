"""A design whose engines read all weights in one stream: the C++ on buffers of several tensors, stream by stream."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sttest.compile.options import CompileOptions
from sttest.core.errors import InputError
from sttest.crosscheck.case import BlockCase, WeightSource, make_case
from sttest.crosscheck.emulation import emulate_csim
from sttest.crosscheck.engines import run_csim
from sttest.package import KernelFiles, ModelPackage
from sttest.sim import simulate
from sttest.studies.compile_request import Request, compile_package
from sttest.targets.csim import build_kernel

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("needs_compiler")]


@pytest.fixture(scope="module")
def package(workplace: Path) -> ModelPackage:
    folder = workplace / "shared"
    compile_package(Request("small-gpt2", "decode", None, 32, "u55c", CompileOptions(share="all"), work_dir=folder))  # pyright: ignore[reportArgumentType]
    return ModelPackage.read(folder)


@pytest.fixture(scope="module")
def case(package: ModelPackage) -> BlockCase:
    return make_case(package.config, package.shape, package.scheme, WeightSource(3))


@pytest.fixture(scope="module")
def files(package: ModelPackage) -> KernelFiles:
    return package.files


def test_every_stream_has_its_tokens(package: ModelPackage, case: BlockCase, workplace: Path, tmp_path: Path) -> None:
    found = emulate_csim(package, case, package.timed_graph, workplace / "csim", tmp_path)
    assert found.agrees
    assert found.streams.streams == len(package.reference_graph.streams)
    assert {use.name for use in found.fifos} <= set(package.timed_graph.fifo_index)
    assert all(use.peak <= use.depth for use in found.fifos)


def test_a_token_that_differs_is_found_in_its_own_stream(
    package: ModelPackage, case: BlockCase, files: KernelFiles, workplace: Path, tmp_path: Path
) -> None:
    images = case.images(package.reference_graph)
    load = next(load for load in package.reference_graph.loads if load.name.startswith("load_mlp_fc1_weight"))
    images = images | {load.name: images[load.name] ^ np.uint8(1)}
    kernel = build_kernel(package.files, workplace / "csim")
    right = run_csim(package.reference_graph, case.images(package.reference_graph), kernel, files, tmp_path / "right")
    wrong = run_csim(package.reference_graph, images, kernel, files, tmp_path / "wrong")
    differing = [n for n in right.streams if not np.array_equal(right.streams[n], wrong.streams[n])]
    assert load.sink in differing
    assert not [name for name in differing if "load_attn" in name]


def test_a_stream_that_stands_still_is_named(
    package: ModelPackage, case: BlockCase, workplace: Path, tmp_path: Path
) -> None:
    """With one place behind a fork the engine's next task never gets what it needs."""
    depths = _too_shallow(package)
    found = emulate_csim(package, case, package.timed_graph.with_depths(depths), workplace / "csim", tmp_path)
    assert found.run.verdict == "deadlock"
    assert found.waits is not None
    assert found.streams.is_short


def _too_shallow(package: ModelPackage) -> dict[str, int]:
    """A FIFO in front of an engine, one place deep, with which nothing ends."""
    waiting = [fifo.name for fifo in package.timed_graph.fifos if fifo.name.startswith("fork_") and fifo.depth > 3]
    for name in waiting:
        graph = package.timed_graph.with_depths({name: 1})
        if simulate(graph).verdict == "deadlock":
            return {name: 1}
    return pytest.fail("no FIFO has to be as deep as it is")


def test_buffers_hold_whole_tensors(package: ModelPackage, case: BlockCase, files: KernelFiles) -> None:
    images = case.images(package.reference_graph)
    by_dma = files.by_dma(images)
    assert files.rows
    assert by_dma.keys() < files.argument_of.keys()
    for dma, row in files.rows.items():
        assert by_dma[dma].size == sum(images[load].size for load in row.loads)
        assert {files.dma_of(load) for load in row.loads} == {dma}
    missing = dict(images)
    del missing[next(iter(files.rows.values())).loads[1]]
    with pytest.raises(InputError, match="is in one buffer with others"):
        files.by_dma(missing)
