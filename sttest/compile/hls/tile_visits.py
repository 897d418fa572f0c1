"""When a task takes the tokens of a tile, or gives them, and where in the tile they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sttest.compile.hls.task_ports import TaskPort
from sttest.compile.hls.tile_schedule import Step
from sttest.compile.hls.writer import CountedLoop, affine


@dataclass(frozen=True)
class Visit:
    """One token, or all tokens of a tile in a loop.

    Attributes:
        step: in which it happens.
        loops: over the tokens; none for one token.
        places: index in the tile, per data dim, of the token's element that loops over ``e0``, ``e1`` … stand at.
    """

    step: Step
    loops: tuple[CountedLoop, ...]
    places: tuple[str, ...]


def visits(port: TaskPort, steps: Sequence[Step]) -> list[Visit]:
    """The visits of a tile: a loop where all tokens come in one step, else one by one.

    Args:
        port: whose tokens they are.
        steps: of each token.
    """
    if len(set(steps)) == 1:
        terms = [(f"v{n}", loop) for n, loop in enumerate(port.parts) if loop.trip > 1]
        loops = tuple(CountedLoop(f"tokens_{port.tile.name}_{name[1:]}", name, loop.trip) for name, loop in terms)
        moved = [[(name, loop.strides[dim]) for name, loop in terms] for dim in range(len(port.rows))]
        return [Visit(steps[0], loops, _places(port, moved, [0] * len(port.rows)))]
    still: list[list[tuple[str, int]]] = [[] for _ in port.rows]
    return [Visit(step, (), _places(port, still, start)) for step, start in zip(steps, port.offsets, strict=True)]


def _places(port: TaskPort, moved: Sequence[Sequence[tuple[str, int]]], start: Sequence[int]) -> tuple[str, ...]:
    return tuple(
        affine([*terms, *([(f"e{dim}", 1)] if size > 1 else [])], at)
        for dim, (terms, size, at) in enumerate(zip(moved, port.token.shape, start, strict=True))
    )
