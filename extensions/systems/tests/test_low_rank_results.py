"""Committed figures of low rank: bytes by their closed form, memory of spans by hand, the law of singular values."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from sttest.compile.options import DEFAULT_TILE
from sttest.core.results import table_rows
from sttest_systems.low_rank.experiment import PRECISIONS, RANKS, SHAPES, kept_energy, ranked, weight_bytes
from sttest_systems.low_rank.live_tensors import _peak

TABLE = Path(__file__).parents[3] / "results" / "low-rank" / "table.csv"


@cache
def rows() -> dict[tuple[str, str], dict[str, str]]:
    return {(row["phase"], row["metric"]): row for row in table_rows(TABLE)}


def figure(phase: str, metric: str, column: str = "value") -> float:
    return float(rows()[phase, metric][column])


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize(("phase", "tokens"), [each[:2] for each in SHAPES])
def test_bytes_moved_are_matrices_once_per_tile_of_tokens_and_what_has_no_rank(phase, tokens, precision):
    times = max(1, tokens // DEFAULT_TILE)
    rest = {
        figure(phase, f"bytes moved [{precision}, rank {rank or 'full'}]")
        - times * weight_bytes(ranked(rank), precision)
        for rank in (None, *RANKS)
    }
    assert len(rest) == 1
    assert rest.pop() > 0


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("phase", [each[0] for each in SHAPES])
def test_less_rank_takes_less(phase, precision):
    for metric in ("bytes moved", "cycles", "bytes between the factors", "bytes moved, operators apart"):
        found = [figure(phase, f"{metric} [{precision}, rank {rank}]") for rank in RANKS]
        assert found == sorted(found, reverse=True)
        if "operators" not in metric and "between" not in metric:
            apart = [figure(phase, f"{metric}, operators apart [{precision}, rank {rank}]") for rank in RANKS]
            assert all(one < many for one, many in zip(found, apart, strict=True))


def test_errors_of_random_weights_follow_their_law():
    errors = [row for (_, metric), row in rows().items() if metric.startswith("SQNR")]
    assert len(errors) == 3 * len(RANKS)
    for row in errors:
        assert float(row["value"]) == pytest.approx(float(row["reference"]), abs=0.05)


def test_the_law_at_its_ends():
    assert kept_energy(64, 64, 256) == pytest.approx(1)
    assert kept_energy(0, 64, 256) == pytest.approx(0)
    # The wider of two matrices has its singular values closer together.
    assert kept_energy(32, 64, 64) > kept_energy(32, 64, 256) > 0.5


def test_what_is_live_at_once():
    found = _peak([(0, 2, 100), (1, 2, 10), (2, 3, 1)], ["a", "b", "c", "d"])
    assert (found.total_bytes, found.peak_bytes, found.peak_kernel) == (111, 111, "c")
    found = _peak([(0, 1, 5), (1, 2, 7), (2, 3, 11)], ["a", "b", "c", "d"])
    assert (found.total_bytes, found.peak_bytes, found.peak_kernel) == (23, 18, "c")
