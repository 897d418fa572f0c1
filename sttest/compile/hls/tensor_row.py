"""Tensors that lie in memory one after the other, for the one process that reads them in that order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from sttest.compile.dialects.stream_order import StreamLoop
from sttest.compile.hls.memory_layout import MemoryLayout


@dataclass(frozen=True)
class Placed:
    """A tensor and the word that it starts at."""

    start: int
    layout: MemoryLayout


def in_a_row(layouts: Sequence[MemoryLayout]) -> list[Placed]:
    """Where tensors lie that follow each other, each from a whole word on; those that one loop can read are one."""
    row: list[Placed] = []
    start = 0
    for layout in layouts:
        if row and _goes_on(row[-1].layout, layout):
            row[-1] = replace(row[-1], layout=_with(row[-1].layout, layout))
        else:
            row.append(Placed(start, layout))
        start += layout.words
    return row


def _goes_on(first: MemoryLayout, second: MemoryLayout) -> bool:
    """Whether both are read from end to end in the same steps, with nothing between them."""
    alike = replace(first, grid=(), tiles=()) == replace(second, grid=(), tiles=())
    return alike and first.is_sequential and second.is_sequential and first.elements % first.word_size == 0


def _with(first: MemoryLayout, second: MemoryLayout) -> MemoryLayout:
    tiles = prod(first.grid) + prod(second.grid)
    return replace(first, grid=(tiles, *(1 for _ in first.grid[1:])), tiles=(StreamLoop(tiles, (1,)),))
