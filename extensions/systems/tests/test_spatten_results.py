"""Committed figures of cascade pruning: bytes by closed form from the authors' counts, and what must hold of cycles."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest

from sttest.core.results import table_rows
from sttest_systems.spatten.experiment import SCHEDULES

ROOT = Path(__file__).parents[3]
DIM, PROMPT = 64, 993
SHAPES = {"gpt2-small": (12, 6, 4, 6), "gpt2": (16, 12, 0, 8)}
"""Heads; bits of keys, of low bits, of values."""


@cache
def rows() -> dict[tuple[str, str, str], float]:
    return {
        (row["model"], row["board"], row["metric"]): float(row["value"])
        for row in table_rows(ROOT / "results" / "spatten" / "table.csv")
    }


def bits(model: str) -> tuple[int, int]:
    """Bits that all steps read, pruned and dense, without any code of the experiment."""
    heads, key, low, value = SHAPES[model]
    pruned = dense = 0
    with SCHEDULES.open(newline="") as file:
        for row in csv.DictReader(file):
            if row["model"] != model:
                continue
            first, last = int(row["first_step"]), int(row["last_step"])
            context = PROMPT + (first + last) // 2
            keys = context if row["keys"] == "all" else int(row["keys"])
            vectors = int(row["heads"]) * (keys * key + int(row["values"]) * value) + int(row["again"]) * keys * low
            pruned += (last - first + 1) * DIM * vectors
            dense += (last - first + 1) * DIM * 32 * 2 * context * heads
    return pruned, dense


@pytest.mark.parametrize("model", SHAPES)
def test_bytes_are_those_of_the_counts(model: str) -> None:
    pruned, dense = bits(model)
    assert rows()[model, "u55c", "fewer bytes"] == pytest.approx(dense / pruned)
    assert rows()[model, "u55c", "bytes [all, 32 bits]"] == dense / 8
    parts = ("fewer bytes by pruning", "fewer bytes by widths")
    product = rows()[model, "u55c", parts[0]] * rows()[model, "u55c", parts[1]]
    assert product == pytest.approx(dense / pruned)
    shares = ("fewer heads", "fewer tokens", "fewer values by local pruning")
    heads, tokens, values = (rows()[model, "u55c", each] for each in shares)
    assert heads * tokens * values == pytest.approx(rows()[model, "u55c", parts[0]])


@pytest.mark.parametrize("model", SHAPES)
@pytest.mark.parametrize(("board", "per_cycle"), [("u55c", 32 * 64 * 384 / 463), ("spatten", 512)])
def test_no_attention_is_faster_than_its_memory_and_its_lanes(model: str, board: str, per_cycle: float) -> None:
    _, dense = bits(model)
    assert rows()[model, board, "cycles [all, 32 bits]"] > dense / 8 / per_cycle
    vectors = dense / (DIM * 32 * 2)
    assert rows()[model, board, "cycles [all, fewer bits]"] > vectors / 8
    assert (
        rows()[model, board, "cycles [pruned, 32 bits, 1 comparator]"]
        > rows()[model, board, "cycles [pruned, 32 bits]"]
    )


def test_more_comparators_and_engines_are_never_slower() -> None:
    for board in ("u55c", "spatten"):
        by_lanes = [rows()["gpt2-small", board, f"step [{count} comparators]"] for count in (1, 2, 4, 8, 16, 32, 64)]
        assert by_lanes == sorted(by_lanes, reverse=True)
        many = [
            rows()["gpt2-small", board, f"step [16 comparators{tail}]"] for tail in ("", ", 2 engines", ", 4 engines")
        ]
        assert many == sorted(many, reverse=True)
