"""The tile of a matrix-vector product on an engine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.compile.spaces.gemv_tiling import GemvTile, gemv_tile, pace_lanes
from sttest.core.errors import InputError


@pytest.mark.parametrize(
    ("columns", "summed", "lanes", "tile"),
    [
        (1024, 128, 8192, GemvTile(256, 32)),
        (1024, 128, 1024, GemvTile(32, 32)),
        (64, 128, 8192, GemvTile(64, 128)),
        (64, 64, 8192, GemvTile(64, 64)),
        # 896 = 7 * 128 columns: no wider power of two divides them.
        (896, 128, 8192, GemvTile(128, 64)),
        # Without groups the sum is long, the tile as for a group.
        (1024, 1024, 8192, GemvTile(256, 32)),
        (7, 128, 8192, GemvTile(1, 128)),
        (1024, 128, 1, GemvTile(1, 1)),
    ],
)
def test_the_tile_has_the_lanes(columns: int, summed: int, lanes: int, tile: GemvTile) -> None:
    assert gemv_tile(columns, summed, lanes) == tile


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(0, 16))
def test_a_tile_divides_its_loops_and_stays_within_the_lanes(columns: int, summed: int, bits: int) -> None:
    tile = gemv_tile(columns, summed, 1 << bits)
    assert columns % tile.columns == 0
    assert summed % tile.summed == 0
    assert tile.lanes <= 1 << bits


def test_columns_per_cycle() -> None:
    assert pace_lanes(128, 8192) == 64
    assert pace_lanes(4096, 8192) == 64
    assert pace_lanes(128, 64) == 1


@pytest.mark.parametrize("lanes", [0, -4, 3, 6000])
def test_lanes_are_a_power_of_two(lanes: int) -> None:
    with pytest.raises(InputError) as refused:
        gemv_tile(1024, 128, lanes)
    assert refused.value.code == "bad-gemv-lanes"
    assert refused.value.hints
