"""The sources and results of a task: the tokens of a tile, when they pass, and where in the tile they lie."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from sttest.compile.dialects.stream_order import StreamLoop, offsets
from sttest.compile.schedule.task_schedule import PortMotion
from sttest.compile.schedule.tile_walk import PortTokens, Step, TileWalk

Terms: TypeAlias = Sequence[tuple[str, int]]
"""A sum of variables with factors."""


@dataclass(frozen=True)
class TilePort:
    """A source or a result, whatever it is written in."""

    label: str  # ``in0`` or ``out0``, by its number
    tokens: PortTokens  # those of a tile
    motion: PortMotion  # how they pass
    walk: TileWalk  # steps of a tile
    held: tuple[str, ...]  # the iteration of every loop that a running tile is held for

    @property
    def scanned(self) -> bool:
        """Whether it is a result that reductions index."""
        return self.tokens.scanned

    @property
    def rows(self) -> tuple[tuple[int, ...], ...]:
        """Per data dim of the tensor, how far each loop of the task moves."""
        return self.tokens.rows

    @property
    def parts(self) -> tuple[StreamLoop, ...]:
        """The loops over the tokens of a tile."""
        return self.tokens.parts

    @property
    def offsets(self) -> list[tuple[int, ...]]:
        """Where each token of a tile lies in it, in stream order."""
        return list(offsets(self.parts, len(self.rows)))

    @property
    def token_strides(self) -> list[tuple[int, int]]:
        """Data dims along which tokens of a tile follow each other, and how many tokens a step along each is."""
        moved = [(dim, part.trip) for part in self.parts if part.trip > 1 for dim, by in enumerate(part.strides) if by]
        after = [prod(trip for _, trip in moved[number + 1 :]) for number in range(len(moved))]
        return [(dim, stride) for (dim, _), stride in zip(moved, after, strict=True)]

    def steps(self, walk: TileWalk) -> list[Step]:
        """When each token of a tile is read or written."""
        steps = walk.in_order()
        return [steps[number] for number in self.motion.steps]


def row_major_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """How far a step along each dim is, in elements.

    >>> row_major_strides((2, 3, 4))
    (12, 4, 1)
    """
    return tuple(prod(shape[dim + 1 :]) for dim in range(len(shape)))
