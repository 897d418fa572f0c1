"""Committed figures of cascades of attention: beside closed forms, and in the order that the cascades imply."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("torch")  # what computes attention is defined beside what measures it

from sttest.core.results import table_rows
from sttest_systems.attention_cascades.attention_alone import AttentionShape
from sttest_systems.attention_cascades.experiment import (
    FLAT,
    FUSEMAX,
    HEAD_DIM,
    HEADS,
    IN_TURN,
    LINES,
    OWN_CHUNK,
    POSITIONS,
    QUERIES,
    ROW_BLOCK,
    times_of,
)

TABLE = Path(__file__).parents[3] / "results" / "attention-cascades" / "table.csv"
STREAMED = (FLAT, OWN_CHUNK, FUSEMAX)


@cache
def rows() -> dict[str, dict[str, str]]:
    return {row["metric"]: row for row in table_rows(TABLE)}


def number(metric: str, positions: int, line: str) -> float:
    return float(rows()[f"{metric} [{positions:,} positions: {line}]"]["value"])


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("line", STREAMED)
def test_lanes_are_busy_as_products_over_lanes_and_time_say(positions: int, line: str) -> None:
    scale = rows()[f"cycles [{positions:,} positions: {line}]"]["note"]
    found = re.search(r"most_lanes (\d+)", scale)
    assert found is not None
    lanes = 2 * int(found[1])
    products = AttentionShape(HEADS, QUERIES, positions, HEAD_DIM).macs
    share = number("busy share of multiplying lanes", positions, line)
    # Lanes are a power of two: as many as the scale allows, or half of them in a design that spends them elsewhere.
    assert share <= 1
    assert share == pytest.approx(products / lanes / number("cycles", positions, line), rel=1e-9)


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("line", STREAMED)
def test_bytes_are_keys_and_values_of_every_row_block(positions: int, line: str) -> None:
    """int8 and an FP16 scale per position, read again for every block of rows, and queries and results in FP32."""
    blocks = QUERIES // ROW_BLOCK
    cached = 2 * HEADS * positions * (HEAD_DIM + 2) * blocks
    assert number("bytes moved", positions, line) == cached + 2 * 4 * HEADS * HEAD_DIM * QUERIES


def test_one_pass_is_one_and_its_buffers_do_not_grow() -> None:
    for positions in POSITIONS:
        assert (
            number("passes over positions", positions, FLAT) == number("passes over positions", positions, IN_TURN) == 2
        )
        assert number("passes over positions", positions, OWN_CHUNK) == 1
        assert number("passes over positions", positions, FUSEMAX) == 1
    first, last = POSITIONS[0], POSITIONS[-1]
    assert number("attention buffers", last, FUSEMAX) < 1.15 * number("attention buffers", first, FUSEMAX)
    assert number("attention buffers", last, FLAT) > 40 * number("attention buffers", first, FLAT)


def test_no_line_beats_the_lanes_and_blocks_in_turn_are_slowest_of_the_wide() -> None:
    for positions in POSITIONS:
        assert number("cycles", positions, IN_TURN) > 3 * number("cycles", positions, FLAT)
        assert number("cycles", positions, IN_TURN) % times_of(IN_TURN) == 0
    assert number("busy share of multiplying lanes", POSITIONS[-1], FUSEMAX) > 0.99


def test_every_line_fits_or_says_that_it_does_not() -> None:
    for positions in POSITIONS:
        for line in LINES:
            cycles = rows()[f"cycles [{positions:,} positions: {line.name}]"]
            if cycles["value"] == "":
                assert cycles["note"] == "no scale fits the board"
                continue
            assert max(number(f"{each} of the budget", positions, line.name) for each in ("LUT", "DSP", "URAM")) <= 1
