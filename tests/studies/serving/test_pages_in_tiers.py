"""Pages of keys and values fill what parameters leave of the memory that the caches are in."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from sttest.boards.load import load_board, require_hbm
from sttest.compile.options import CompileOptions
from sttest.package import ModelPackage
from sttest.studies.compile_request import Request, compile_package
from sttest.studies.serving.step_times import ServedDesign, pages_of, position_bytes, weight_bytes

PAGE = 16


@cache
def served(*tiers: str) -> ServedDesign:
    folder = Path(mkdtemp()) / "package"
    compile_package(Request("small-llama", "decode", None, 32, "u280", CompileOptions(tiers=tiers), work_dir=folder))
    return ServedDesign(ModelPackage.read(folder))


def room(memory: str, *tiers: str) -> int:
    """Pages of a memory without the parameters that are there."""
    package = served(*tiers).package
    free = require_hbm(load_board("u280")).tier(memory).size_bytes - weight_bytes(package, memory)
    return free // (PAGE * position_bytes(package))


@pytest.mark.parametrize(
    ("tiers", "memory"),
    [((), "hbm"), (("?_cache*:ddr",), "ddr"), (("*.weight*:ddr",), "hbm"), (("*:ddr",), "ddr")],
    ids=["all in HBM", "caches in DDR", "weights in DDR", "all in DDR"],
)
def test_caches_share_a_memory_with_parameters_that_are_there(tiers: tuple[str, ...], memory: str) -> None:
    assert pages_of(served(*tiers), PAGE) == room(memory, *tiers)


@pytest.mark.daily
def test_parameters_are_counted_where_they_are() -> None:
    package = served("*.weight*:ddr").package
    assert weight_bytes(package, "hbm") == 0
    assert weight_bytes(package, "ddr") == weight_bytes(served().package, "hbm") > 0


def test_keys_and_values_apart_fill_the_smaller_memory_first() -> None:
    apart = pages_of(served("k_cache*:ddr"), PAGE)
    assert apart == pytest.approx(2 * pages_of(served(), PAGE), rel=0.01)  # half of a page is in the HBM
