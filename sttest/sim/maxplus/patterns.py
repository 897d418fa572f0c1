"""The distinct sets of accesses that the visits of a process make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sttest.sim.stages import StageTable


@dataclass(frozen=True)
class Patterns:
    """Pattern p has the accesses ``pointer[p]`` to ``pointer[p + 1]`` in ``op`` (2 * FIFO index + write) and ``count``.

    int64, int32, int32; ``count`` are tokens; ops ascend within a pattern.
    """

    pointer: np.ndarray
    op: np.ndarray
    count: np.ndarray


def find_patterns(tables: Sequence[StageTable]) -> tuple[Patterns, np.ndarray]:
    """The patterns of all stages of some tables, and of each stage, in order, its pattern (int32)."""
    op = np.concatenate([np.empty(0, np.int32), *(table.op for table in tables)])
    count = np.concatenate([np.empty(0, np.int32), *(table.count for table in tables)])
    sizes = np.concatenate([np.empty(0, np.int64), *(np.diff(table.pointer) for table in tables)])
    if sizes.size == 0:
        return Patterns(np.zeros(1, np.int64), op, count), np.empty(0, np.int32)
    first = np.cumsum(sizes) - sizes
    _, example, pattern = np.unique(_digests(op, count, first, sizes), return_index=True, return_inverse=True)
    pattern = pattern.astype(np.int32)
    if not _is_exact(op, count, first, sizes, example[pattern]):
        example, pattern = np.arange(sizes.size), np.arange(sizes.size, dtype=np.int32)
    taken = _spread(first[example], sizes[example])
    pointer = np.concatenate([[0], np.cumsum(sizes[example])]).astype(np.int64)
    return Patterns(pointer, op[taken], count[taken]), pattern


def _digests(op: np.ndarray, count: np.ndarray, first: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """A number per stage that is the same for the same accesses."""
    mixed = op.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + count.astype(np.uint64)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    sums = np.add.reduceat(np.append(mixed, np.uint64(0)), first)
    return np.where(sizes > 0, sums, np.uint64(0)) + sizes.astype(np.uint64)


def _is_exact(op: np.ndarray, count: np.ndarray, first: np.ndarray, sizes: np.ndarray, example: np.ndarray) -> bool:
    """Whether every stage has the accesses of its example."""
    if not (sizes[example] == sizes).all():
        return False
    other = _spread(first[example], sizes)
    return bool((op[other] == op).all() and (count[other] == count).all())


def _spread(first: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The numbers ``first[i]`` to ``first[i] + sizes[i]`` of all i, end to end."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(first - before, sizes) + np.arange(int(sizes.sum()))
