"""Tile sizes and loop orders that a user gives to single tasks (docs/how-it-works/tiling.md).

``name:64x1x128`` has the points per iteration, ``name:1,0,2`` which loop stands
at each level, outermost first; both count the loops as the linalg op has them,
parallel ones first, loops of one point left out.  A name may be a pattern
(``*_proj``); where several entries fit a task, the last one holds.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import chain
from math import gcd, prod

from xdsl.ir import BlockArgument

from sttest.compile.assumptions import MAX_ROWS
from sttest.compile.dialects import df
from sttest.compile.linalg.contraction import roles_of, weight_of, work
from sttest.compile.linalg.iteration import IterationSpace, shape_of
from sttest.compile.linalg.loop_nest import LoopNest, is_dense, sums_floats
from sttest.compile.spaces.gemv_tiling import gemv_tile, pace_lanes, power_of_two_in
from sttest.core.errors import InputError, did_you_mean

_TILE, _ORDER = "tile", "order"
_EXAMPLE = {_TILE: "name:64x1x128", _ORDER: "name:1,0,2"}
_SEPARATOR = {_TILE: "x", _ORDER: ","}


@dataclass(frozen=True)
class _Entry:
    """One option: the pattern of names that it is for, and its numbers."""

    what: str
    pattern: str
    numbers: tuple[int, ...]

    @staticmethod
    def parsed(what: str, text: str) -> "_Entry":
        pattern, _, listed = text.rpartition(":")
        parts = listed.split(_SEPARATOR[what])
        if not pattern or not all(part.isascii() and part.isdecimal() for part in parts):
            raise InputError(
                f"bad-{what}",
                f"'{text:.80}' does not give a task its {what}",
                where="linalg-to-kernels",
                hints=[f"write {_EXAMPLE[what]}"],
            )
        return _Entry(what, pattern, tuple(int(part[:12]) for part in parts))


@dataclass
class LoopChoices:
    """All choices of one run of the pass; remembers which of them a task has taken."""

    # tiles, orders: the options as they are written
    tiles: Sequence[str]
    orders: Sequence[str]
    _entries: list[_Entry] = field(init=False)
    # extents of the loops of the tasks that were asked for
    extents: dict[str, tuple[int, ...]] = field(default_factory=dict)
    _used: set[_Entry] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._entries = [_Entry.parsed(_TILE, text) for text in self.tiles]
        self._entries += [_Entry.parsed(_ORDER, text) for text in self.orders]

    def applied(self, nest: LoopNest, name: str) -> LoopNest:
        """The nest of a task with what is chosen for it.

        Raises:
            InputError: a tile that does not divide its loops or leaves gaps, or an order that is none.
        """
        self.extents[name] = tuple(nest.space.extent(loop) for loop in nest.space.order)
        order, tile = self._chosen(_ORDER, name), self._chosen(_TILE, name)
        if order is not None:
            nest = replace(nest, order=_ordered(nest, order, name), reordered=True)
        if tile is not None:
            nest = replace(nest, tile=_tiled(nest.space, tile, name))
        return nest

    def tiles_of(self, name: str) -> bool:
        """Whether a tile is chosen for the task."""
        return self._chosen(_TILE, name) is not None

    def refuse_unused(self) -> None:
        """Refuses choices for tasks that are not there.

        Raises:
            InputError: ``unknown-task``, with the nearest name.
        """
        for entry in self._entries:
            if entry not in self._used:
                raise InputError(
                    "unknown-task",
                    f"no task is called '{entry.pattern:.80}', which has a {entry.what}",
                    where="linalg-to-kernels",
                    hints=[did_you_mean(entry.pattern, self.extents)],
                )

    def _chosen(self, what: str, name: str) -> tuple[int, ...] | None:
        fitting = [entry for entry in self._entries if entry.what == what and fnmatchcase(name, entry.pattern)]
        self._used |= set(fitting)
        return fitting[-1].numbers if fitting else None


def possible_choices(
    tiles: Sequence[str], orders: Sequence[str], extents: Mapping[str, tuple[int, ...]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The entries that the tasks of a text can have: tiles cut to what divides their loops, orders of as many loops.

    An entry that all its tasks can have stays as it is, a pattern included.

    Args:
        tiles: as in :class:`LoopChoices`.
        orders: as in :class:`LoopChoices`.
        extents: extents of the loops of every task.

    >>> possible_choices(["p?:4x128"], ["p?:1,0"], {"p1": (2, 192), "p2": (8, 16, 16)})
    (('p1:2x64',), ('p1:1,0',))
    """
    made = [
        _possible(_Entry.parsed(what, text), text, extents)
        for what, texts in ((_TILE, tiles), (_ORDER, orders))
        for text in texts
    ]
    return tuple(chain(*made[: len(tiles)])), tuple(chain(*made[len(tiles) :]))


def _possible(entry: _Entry, text: str, extents: Mapping[str, tuple[int, ...]]) -> list[str]:
    fitting = {name: loops for name, loops in extents.items() if fnmatchcase(name, entry.pattern)}
    found: dict[str, Sequence[int]] = {}
    for name, loops in fitting.items():
        if len(loops) == len(entry.numbers):
            found[name] = entry.numbers if entry.what == _ORDER else [*map(gcd, entry.numbers, loops)]
    if fitting and len(found) == len(fitting) and all(tuple(each) == entry.numbers for each in found.values()):
        return [text]
    return [f"{name}:{_listed(numbers, _SEPARATOR[entry.what])}" for name, numbers in found.items()]


def _ordered(nest: LoopNest, levels: Sequence[int], name: str) -> tuple[int, ...]:
    space = nest.space
    if sorted(levels) != list(range(len(space.order))):
        raise InputError(
            "bad-order",
            f"{_listed(levels, ',')} is no permutation of the {len(space.order)} loops",
            where=name,
            hints=[f"order {_described(space)} by their positions from 0"],
        )
    order = tuple(space.order[level] for level in levels)
    reductions = [loop for loop in order if space.loops[loop].reduction]
    if reductions != space.reductions() and sums_floats(space):
        raise InputError(
            "changes-sum",
            "the order swaps reductions of a sum in floating point, which changes its value",
            where=name,
            hints=[f"keep the reductions of {_described(space)} in their order"],
        )
    return order


def _tiled(space: IterationSpace, sizes: Sequence[int], name: str) -> dict[int, int]:
    if len(sizes) != len(space.order):
        raise InputError(
            "bad-tile",
            f"{_listed(sizes, 'x')} tiles {len(sizes)} loops, the task has {len(space.order)}",
            where=name,
            hints=[f"give one size to each of {_described(space)}"],
        )
    for loop, size in zip(space.order, sizes, strict=True):
        extent = space.extent(loop)
        if size < 1 or extent % size:
            raise InputError(
                "bad-tile",
                f"a tile of {size} does not divide a loop of {extent}",
                where=name,
                hints=[f"take one of {', '.join(map(str, divisors(extent)))}"],
            )
    tile = dict(zip(space.order, sizes, strict=True))
    if not is_dense(space, tile):
        raise InputError(
            "bad-tile",
            f"a tile of {_listed(sizes, 'x')} has gaps: two of its loops walk one dim of a tensor",
            where=name,
            hints=["take the inner one of them whole, or the outer one point by point"],
        )
    return tile


def divisors(extent: int) -> list[int]:
    """All divisors, ascending.

    >>> divisors(12)
    [1, 2, 3, 4, 6, 12]
    """
    low = [size for size in range(1, int(extent**0.5) + 1) if extent % size == 0]
    return sorted({*low, *(extent // size for size in low)})


def _described(space: IterationSpace) -> str:
    kinds = ("reduction" if space.loops[loop].reduction else "parallel" for loop in space.order)
    extents = (space.extent(loop) for loop in space.order)
    return ", ".join(f"{extent} {kind}" for extent, kind in zip(extents, kinds, strict=True)) or "no loop"


def _listed(numbers: Sequence[int], separator: str) -> str:
    return separator.join(map(str, numbers))


# --- Products of few rows with a weight: the nest that an engine of many lanes is given (docs/how-it-works/tiling.md)


def gemv_nest(space: IterationSpace, lanes: int) -> LoopNest | None:
    """The nest of a contraction on an engine of so many lanes; None where it is none of few rows with a weight."""
    roles = roles_of(space)
    rows = prod(space.extent(loop) for loop in roles.rows)
    if weight_of(space) is None or rows > MAX_ROWS or roles.batch or not roles.columns:
        return None
    widest = max(roles.columns, key=space.extent)
    reductions = space.reductions()
    shape = gemv_tile(space.extent(widest), prod(space.extent(loop) for loop in reductions), lanes, rows)
    tile = dict.fromkeys(space.order, 1) | {loop: space.extent(loop) for loop in roles.rows} | {widest: shape.columns}
    left = shape.summed
    for loop in reversed(reductions):
        tile[loop] = min(left, power_of_two_in(space.extent(loop)))
        if not is_dense(space, tile):
            tile[loop] = 1
        left = left // tile[loop] if tile[loop] == space.extent(loop) else 1
    if roles.groups:
        return LoopNest(space, (*roles.groups, *roles.rows, *roles.columns, *reductions), tile, reordered=True)
    if sums_floats(space):
        return LoopNest(space, (*reductions, *roles.rows, *roles.columns), tile, reordered=True)
    return LoopNest(space, (*roles.rows, *roles.columns, *reductions), tile)


def vector_tile(space: IterationSpace, lanes: int, whole: Set[int]) -> int | None:
    """Points per tile of a task on vectors, as wide as the widest engine's result; None for other tasks.

    Args:
        space: its loops, one of them besides the one over the vectors.
        lanes: lanes of the functional units.
        whole: the loop over the vectors, none for a single one.
    """
    along = [loop for loop in space.order if loop not in whole]
    if len(along) != 1:
        return None
    rows = prod(space.extent(loop) for loop in whole)
    return gemv_tile(space.extent(along[0]), 1 << 30, lanes, rows).columns


def is_gemv(kernel: df.KernelOp, task: df.TaskOp) -> bool:
    """Whether a task uses every element of a weight once per row, in all of few rows at once."""
    if not task.is_contraction:
        return False
    right = kernel.inputs[1]
    if not isinstance(right, BlockArgument) or len(shape_of(right)) != 2:
        return False
    rows, left = divmod(work(task), prod(shape_of(right)))
    return not left and rows <= MAX_ROWS


def columns_per_cycle(task: df.TaskOp, lanes: int) -> int:
    """Results that a product on an engine completes per cycle, one for each row and column."""
    return pace_lanes(task.reduction_points, lanes)
