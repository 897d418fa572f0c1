"""The tile of a matrix-vector product on an engine of so many lanes (docs/how-it-works/tiling.md).

All lanes of the engine work on one tile per cycle.  A sum over ``summed`` points
is then complete for ``lanes / summed`` columns per cycle; the tile is as many
times wider as an adder has stages, so that what follows can take the columns in
as many steps, and its own running values are back in time.
"""

from dataclasses import dataclass

from sttest.compile.assumptions import ADDER_STAGES, LONGEST_SUM
from sttest.core.errors import InputError


@dataclass(frozen=True)
class GemvTile:
    """Points per iteration."""

    columns: int  # columns of the result
    summed: int  # length of the sum

    @property
    def lanes(self) -> int:
        """Multiply-accumulates per cycle."""
        return self.columns * self.summed


def gemv_tile(columns: int, summed: int, lanes: int, rows: int = 1) -> GemvTile:
    """The tile of powers of two that comes nearest to so many lanes from below, for each row together with the others.

    Rows share a tile, which has as many results as that of one row, and so fewer columns: the lanes take all its points
    in one cycle where the rows are a power of two, else in as many as the odd factor of the rows.

    >>> gemv_tile(4096, 128, 8192)
    GemvTile(columns=256, summed=32)
    >>> gemv_tile(64, 128, 8192)  # too few columns: longer sums
    GemvTile(columns=64, summed=128)
    >>> gemv_tile(4096, 128, 8192, rows=4)
    GemvTile(columns=64, summed=32)

    Args:
        columns: extent of the result.
        summed: extent of one sum, a group of weights.
        lanes: lanes of the functional unit.
        rows: rows that are multiplied with each weight.

    Raises:
        InputError: ``bad-gemv-lanes``, not a power of two.
    """
    require_power_of_two(lanes)
    lanes = max(1, lanes // power_of_two_in(rows))
    longest = min(power_of_two_in(summed), LONGEST_SUM)
    wide = min(power_of_two_in(columns), max(1, ADDER_STAGES * lanes // longest), lanes)
    return GemvTile(wide, min(power_of_two_in(summed), lanes // wide))


def pace_lanes(summed: int, lanes: int) -> int:
    """Columns that an engine completes per cycle, at least one."""
    return max(1, lanes // min(power_of_two_in(summed), LONGEST_SUM))


def power_of_two_in(extent: int) -> int:
    """The highest power of two that divides an extent.

    >>> power_of_two_in(896)
    128
    """
    return extent & -extent


def require_power_of_two(lanes: int) -> None:
    """Refuses engines whose lanes cannot be spread over a tile.

    Raises:
        InputError: ``bad-gemv-lanes``.
    """
    if lanes < 1 or lanes & (lanes - 1):
        below = 1 << max(0, lanes.bit_length() - 1) if lanes > 0 else 1
        raise InputError(
            "bad-gemv-lanes",
            "the lanes of a matrix-vector engine must be a power of two",
            where="gemv-lanes",
            demand=lanes,
            bound=below,
            unit="lanes",
            hints=[f"take {below} or {2 * below}"],
        )
