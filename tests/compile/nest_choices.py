"""Tiles and orders at random for the tasks of a linalg text, as the options of `linalg-to-kernels` write them."""

from __future__ import annotations

import random

from xdsl.dialects.linalg.ops import GenericOp

from sttest.compile.ir.module_walk import functions
from sttest.compile.ir.names import NameTable
from sttest.compile.linalg.iteration import IterationSpace, is_view
from sttest.compile.linalg.loop_choices import divisors
from sttest.compile.linalg.loop_nest import is_dense
from sttest.compile.opt import new_context, parse


def spaces_of(text: str) -> dict[str, IterationSpace]:
    """The loops of every task by its name; the text concatenates nothing, for that adds tasks."""
    assert "tensor.concat" not in text
    (function,) = functions(parse(text, "text", new_context()))
    names, found = NameTable(), {}
    names.read_arguments(function)
    for op in function.body.block.ops:
        if isinstance(op, GenericOp) and not is_view(op):
            space = IterationSpace(op)
            found[names.of(op, [access.root for access in space.inputs])[0]] = space
    return found


def random_choices(text: str, seed: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tiles and orders for about half of the tasks each; sums keep their order."""
    source = random.Random(seed)
    tiles, orders = [], []
    for name, space in spaces_of(text).items():
        if space.order and source.random() < 0.6:
            tiles.append(f"{name}:{'x'.join(map(str, _tile(space, source)))}")
        if space.order and source.random() < 0.6:
            orders.append(f"{name}:{','.join(map(str, _order(space, source)))}")
    return tuple(tiles), tuple(orders)


def _tile(space: IterationSpace, source: random.Random) -> list[int]:
    while True:
        tile = {loop: source.choice(divisors(space.extent(loop))) for loop in space.order}
        if is_dense(space, tile):
            return list(tile.values())


def _order(space: IterationSpace, source: random.Random) -> list[int]:
    levels = source.sample(range(len(space.order)), len(space.order))
    sums = iter(sorted(level for level in levels if space.loops[space.order[level]].reduction))
    return [next(sums) if space.loops[space.order[level]].reduction else level for level in levels]
