"""Committed figures of block-sparse attention: bytes by closed form, and what small blocks cost."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("torch")  # what computes attention is defined beside what measures it

from sttest.core.results import table_rows
from sttest_systems.block_sparse.experiment import BLOCKS, CONTEXTS, HEAD_DIM, HEADS, shape_of

TABLE = Path(__file__).parents[3] / "results" / "block-sparse" / "table.csv"
ENTRY = HEAD_DIM + 2


@cache
def rows() -> dict[str, float]:
    return {row["metric"]: float(row["value"]) for row in table_rows(TABLE)}


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("block", BLOCKS)
def test_bytes_are_those_of_the_chosen_blocks_and_of_all_means(context: int, block: int) -> None:
    """An int8 row and an FP16 scale per position; a block's rows and its scales are whole words each."""
    shape = shape_of(context, block)
    wanted = HEADS * (2 * shape.attended + shape.blocks) * ENTRY
    where = f"[{context:,} positions: blocks of {block}]"
    assert rows()[f"bytes of keys, values and means {where}"] == wanted
    every = 2 * HEADS * context * ENTRY
    assert rows()[f"bytes of keys, values and means [{context:,} positions: all]"] == every
    assert rows()[f"fewer bytes {where}"] == pytest.approx(every / wanted)


def test_ranks_of_all_pairs_are_what_small_blocks_cost() -> None:
    """Four times the blocks of a long context take at least eight times the cycles: the pairs grow by sixteen."""
    cycles = {block: rows()[f"cycles [{CONTEXTS[-1]:,} positions: blocks of {block}]"] for block in BLOCKS}
    for block in (64, 128):
        assert cycles[block] > 8 * cycles[4 * block]


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("block", BLOCKS)
def test_no_gain_beyond_the_positions_that_are_left_out(context: int, block: int) -> None:
    gain = rows()[f"speed-up over all of the cache [{context:,} positions: blocks of {block}]"]
    assert gain < context / shape_of(context, block).attended
