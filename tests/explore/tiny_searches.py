"""Searches over a program of two products, small enough to be judged in milliseconds."""

from __future__ import annotations

from pathlib import Path

from sttest.explore.objectives import Target
from sttest.explore.search import Search
from tests.compile.linalg_programs import Program

# Fewer choices than a search has by itself, so that a few points cover them.
ONLY = (
    ("gemv_lanes", ("0",)), ("lanes_by", ("chain", "pace")), ("prefetch_kib", ("0",)), ("share", ("none",)),
    ("tile_size", ("8", "16")),
)  # fmt: skip


def two_products() -> str:
    """``exp(x w1) w2``, 16 rows, 64 columns."""
    program = Program()
    x, first, second = program.argument(16, 64), program.argument(64, 64), program.argument(64, 64)
    hidden = program.unary(program.matmul(x, first))
    return program.text(program.matmul(hidden, second))


def tiny_search(storage: Path, objectives: tuple[str, ...] = ("latency", "area"), seed: int = 1) -> Search:
    """A search with its storage."""
    target = Target(two_products(), "two-products", "prefill", 16, 0, "u55c", "fp32", 2, 1.0, "published")
    return Search(target, objectives, ONLY, seed, True, str(storage), "test")
