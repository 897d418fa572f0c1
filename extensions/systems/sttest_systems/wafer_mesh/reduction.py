"""Who sends sums to whom in a column of cores: levels of groups, each with a root.

A pipeline is one level whose root is at the end of the column.  A K-tree has K levels with the root of a group in its
middle: the roots of a level are the cores of the next one, so that words pass over what lies between them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sttest.core.errors import InputError
from sttest.sim.bursts import ceil_div

RootPlace = Literal["end", "middle"]


@dataclass(frozen=True)
class Group:
    """Cores of a level, by their place in the column, from one end to the other."""

    cores: tuple[int, ...]
    root: int  # place of the root among ``cores``

    @property
    def sides(self) -> tuple[Sequence[int], Sequence[int]]:
        """The chains that end at the root, each from its far end, the root left out."""
        return self.cores[: self.root], self.cores[: self.root : -1]

    @property
    def root_core(self) -> int:
        """The root's place in the column."""
        return self.cores[self.root]


@dataclass(frozen=True)
class Reduction:
    """Levels of groups, the last of one group."""

    levels: tuple[tuple[Group, ...], ...]

    @property
    def root(self) -> int:
        """Where all sums end."""
        return self.levels[-1][0].root_core


def pipeline(cores: int) -> Reduction:
    """One chain from end to end."""
    return _reduction(cores, [cores], "end")


def k_tree(cores: int, levels: int) -> Reduction:
    """A tree of so many levels of groups that are as alike as can be.

    Raises:
        InputError: no levels, or more than the cores have room for.
    """
    if levels < 1 or 2**levels > cores:
        raise InputError(
            "bad-value",
            f"{levels} levels over {cores} cores",
            where="tree of sums",
            hints=["give 1 or more, and 2 cores for each half"],
        )
    sizes, left = list[int](), cores
    for level in range(levels, 0, -1):
        sizes.append(max(2, round(left ** (1 / level))))
        left = ceil_div(left, sizes[-1])
    return _reduction(cores, sizes, "middle")


def _reduction(cores: int, sizes: Sequence[int], place: RootPlace) -> Reduction:
    level, found = list(range(cores)), list[tuple[Group, ...]]()
    for number, size in enumerate(sizes):
        # What is left over after the last level is not cut.
        step = len(level) if number == len(sizes) - 1 else size
        parts = [tuple(level[first : first + step]) for first in range(0, len(level), step)]
        groups = tuple(Group(part, len(part) - 1 if place == "end" else len(part) // 2) for part in parts)
        found.append(groups)
        level = [group.root_core for group in groups]
    return Reduction(tuple(found))
