"""Block-sparse attention: every engine to the bit, a head reads the blocks that it chose, and no others."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch_mlir")

from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.core.errors import InputError
from sttest.crosscheck.case import ArgumentCase
from sttest.crosscheck.crosscheck import crosscheck
from sttest.models.config import Maximum
from sttest.models.quant.scheme import load_scheme
from sttest.package.compiled import write_package
from sttest.reference import run
from sttest.sim import simulate
from sttest_systems.block_sparse.attention import SparseShape
from sttest_systems.block_sparse.design import cache_bytes, chosen_blocks, sparse_case, sparse_text

pytestmark = pytest.mark.torch

SHAPE = SparseShape(heads=2, head_dim=16, block=16, blocks=8, chosen=3)
WIDE = SparseShape(2, 32, 32, 6, 3)
OTHERS = [SparseShape(1, 16, 16, 5, 1), SparseShape(4, 16, 32, 6, 2), SparseShape(3, 16, 16, 12, 4)]


@cache
def text_of(shape: SparseShape) -> str:
    return sparse_text(shape)


@cache
def design_of(shape: SparseShape, precision: str = "w4a8", maximum: Maximum | None = None) -> CompiledDesign:
    options = CompileOptions(precision=precision)
    if maximum is not None:
        options = options.with_(attention="one-pass", attention_chunk=shape.block, attention_maximum=maximum)
    return compile_text(text_of(shape), str(shape), "u55c", options)


def found_of(shape: SparseShape, case: ArgumentCase, *options: Any) -> dict[str, np.ndarray]:
    graph = value_graph(design_of(shape, *options).module, str(shape))
    return case.results(graph, run(graph, case.images(graph)).results)


def assert_golden(shape: SparseShape, case: ArgumentCase, *options: Any) -> None:
    found = found_of(shape, case, *options)
    for name, wanted in case.golden.items():
        assert np.array_equal(found[name], wanted), name


@pytest.mark.parametrize("seed", range(12))
def test_values_are_pytorch_s(seed: int) -> None:
    filled = SHAPE.chosen + seed % (SHAPE.blocks - SHAPE.chosen + 1)
    case = sparse_case(SHAPE, load_scheme("w4a8"), seed, filled=filled)
    assert_golden(SHAPE, case)
    chosen = chosen_blocks(case, SHAPE)
    assert (chosen[:, 0] == filled - 1).all()  # the token's own
    assert (chosen < filled).all()
    assert all(len(set(row)) == SHAPE.chosen for row in chosen.tolist())


def test_equal_scores_choose_the_first_blocks() -> None:
    case = sparse_case(SHAPE, load_scheme("w4a8"), seed=3)
    same = {**case.arguments, "k_mean": np.zeros_like(case.arguments["k_mean"])}
    blocks = found_of(SHAPE, ArgumentCase(same, case.golden))["blocks"].reshape(SHAPE.heads, -1)
    assert blocks.tolist() == [[7.0, 0.0, 1.0], [15.0, 8.0, 9.0]]


def test_other_blocks_change_nothing() -> None:
    case = sparse_case(SHAPE, load_scheme("w4a8"), seed=5)
    chosen = {int(number) for number in case.golden["blocks"].reshape(-1)}
    assert len(chosen) == SHAPE.heads * SHAPE.chosen
    for block in range(SHAPE.heads * SHAPE.blocks):
        values = case.arguments["v_cache"].copy()
        values[block] = -values[block]
        found = found_of(SHAPE, ArgumentCase({**case.arguments, "v_cache": values}, case.golden))
        assert np.array_equal(found["y"], case.golden["y"]) == (block not in chosen)


def test_ports_move_what_is_chosen() -> None:
    design, word = design_of(SHAPE), 64
    read = SHAPE.heads * SHAPE.chosen * 2  # blocks of keys and of values, each a run of words, and so its scales
    per_block = SHAPE.block * SHAPE.head_dim + -(-2 * SHAPE.block // word) * word
    assert cache_bytes(design) == read * per_block + SHAPE.heads * SHAPE.blocks * (SHAPE.head_dim + 2)
    assert simulate(design.graph).cycles == simulate(design.graph, engine="simpy").cycles


def test_heads_of_several_tiles_need_tiles_of_a_block_together() -> None:
    """Three passes read all positions of a few columns at a time; chunks of a block read blocks from end to end."""
    with pytest.raises(InputError, match="parts do not come one after the other") as caught:
        design_of(WIDE)
    assert caught.value.code == "index-tiles"
    assert_golden(WIDE, sparse_case(WIDE, load_scheme("w4a8"), 2, maximum="running"), "w4a8", "running")


@pytest.mark.nightly
@pytest.mark.parametrize("maximum", ["chunk", "running"])
@pytest.mark.parametrize("precision", ["w4a8", "w4a8-position", "w8a8"])
def test_random_steps_in_one_pass(precision: str, maximum: Maximum) -> None:
    random = np.random.default_rng(8)
    for _ in range(25):
        seed, filled = int(random.integers(2**31)), int(random.integers(WIDE.chosen, WIDE.blocks + 1))
        case = sparse_case(WIDE, load_scheme(precision), seed, filled=filled, maximum=maximum)
        assert_golden(WIDE, case, precision, maximum)


@pytest.mark.nightly
@pytest.mark.parametrize("precision", ["w4a8", "w4a8-position", "w8a8"])
@pytest.mark.parametrize("shape", OTHERS, ids=str)
def test_random_steps_of_other_shapes(shape: SparseShape, precision: str) -> None:
    random = np.random.default_rng(7)
    for _ in range(25):
        seed, filled = int(random.integers(2**31)), int(random.integers(shape.chosen, shape.blocks + 1))
        assert_golden(shape, sparse_case(shape, load_scheme(precision), seed, filled=filled), precision)


@pytest.mark.nightly
@pytest.mark.skipif(not (shutil.which("g++") and shutil.which("verilator")), reason="needs g++ and Verilator")
@pytest.mark.parametrize(("shape", "maximum"), [(SHAPE, None), (OTHERS[1], None), (WIDE, "running")], ids=str)
def test_code_and_hardware_agree(shape: SparseShape, maximum: Maximum | None, tmp_path: Path) -> None:
    design = design_of(shape, "w4a8", maximum)
    package = write_package(design, tmp_path / "package")
    case = sparse_case(shape, load_scheme("w4a8"), seed=1, maximum=maximum)
    engines = ("torch", "reference", "simpy", "maxplus", "csim", "rtl")
    found = crosscheck(package, case, tmp_path / "work", engines)
    assert not found.disagreements
    assert {each.verdict for each in found.results.values()} == {"same"}
    timed = {rung.cycles for rung in found.rungs if rung.engine in ("simpy", "maxplus", "rtl")}
    assert timed == {simulate(design.graph).cycles}
