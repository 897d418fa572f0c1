"""HIDA's parallelization: intensity-aware (IA) and connectedness-aware (CA) unrolling.

The ancestor of the tiling space (Ye, Jun & Chen, ASPLOS 2024, arXiv
2311.03379), kept as a baseline with its ablations.  Nodes are loop nests that
share arrays; an unroll factor on one side of an array asks for banks on it,
so neighbors that unroll alike share banks instead of multiplying them.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sttest.core.errors import InputError


@dataclass(frozen=True)
class Index:
    """One subscript of an access: ``stride * loop``."""

    loop: str
    stride: int = 1


@dataclass(frozen=True)
class OperandAccess:
    """An array access, one subscript per array dimension; None for a constant."""

    array: str
    subscripts: tuple[Index | None, ...]


@dataclass(frozen=True)
class NodeFacts:
    """A loop nest: trip count per loop, outermost first, and the arrays that it touches."""

    name: str
    trips: Mapping[str, int]
    accesses: tuple[OperandAccess, ...]
    reductions: frozenset[str] = frozenset()
    operations_per_point: int = 1

    @property
    def intensity(self) -> int:
        """Scalar operations of one run."""
        return math.prod(self.trips.values()) * self.operations_per_point

    @property
    def arrays(self) -> frozenset[str]:
        """Names of the arrays that the node touches."""
        return frozenset(access.array for access in self.accesses)


@dataclass(frozen=True)
class Parallelism:
    """The decision for one node."""

    factor: int
    """Lanes that the node is given; the unroll factors reach it where the trip counts allow."""
    unroll: Mapping[str, int]
    """Unroll factor per loop, a power of two that divides the trip count."""


Banks = dict[str, tuple[int, ...]]
"""Cyclic partition factor per array dimension."""


def parallel_factors(nodes: Sequence[NodeFacts], max_factor: int, *, ia: bool, ca: bool) -> dict[str, Parallelism]:
    """Lanes and unroll factors per node.

    IA: a node gets ``max_factor`` × its intensity / the highest intensity,
    rounded to the nearest power of two from 1 to ``max_factor``; without IA
    every node gets the whole.  CA: nodes are decided in falling order of connectedness
    (neighbors through arrays), then of intensity, and each takes the split
    over its loops that asks for the fewest banks on the arrays of neighbors
    already decided.  Among equals, and without CA: reductions last, then the
    most even split, then the larger factors inside.

    Args:
        nodes: facts, in program order.
        max_factor: lanes of the most intensive node.
        ia: intensity-aware.
        ca: connectedness-aware.

    Raises:
        InputError: ``bad-max-factor``, below 1.
    """
    if max_factor < 1:
        raise InputError(
            "bad-max-factor", f"a factor of {max_factor} lanes", where="max_factor", hints=["take 1 or more"]
        )
    peak = max((node.intensity for node in nodes), default=1)
    decided: dict[str, Parallelism] = {}
    fixed: Banks = {}
    for node in sorted(nodes, key=lambda node: (-_connectedness(node, nodes), -node.intensity)):
        share = Fraction(node.intensity, peak) if ia else Fraction(1)
        factor = min(nearest_power_of_two(max_factor * share), _power_of_two_below(max_factor))
        neighbors = fixed if ca else {}
        unroll = min(_splits(node, factor), key=lambda split: _rank(node, split, neighbors))
        decided[node.name] = Parallelism(factor, unroll)
        fixed = _cover(fixed, node, unroll)
    return {node.name: decided[node.name] for node in nodes}


def array_partitions(nodes: Sequence[NodeFacts], unrolls: Mapping[str, Mapping[str, int]]) -> Banks:
    """Cyclic partition factor per dimension of each array: the least that serves every access to it.

    A subscript ``stride * loop`` unrolled by u touches every stride-th of
    ``stride * u`` elements, so it is served by that many banks, and several
    accesses by the least common multiple.
    """
    banks: Banks = {}
    for node in nodes:
        banks = _cover(banks, node, unrolls[node.name])
    return banks


def _connectedness(node: NodeFacts, nodes: Sequence[NodeFacts]) -> int:
    return sum(1 for other in nodes if other is not node and node.arrays & other.arrays)


def _power_of_two_below(value: Fraction | int) -> int:
    """The highest power of two ≤ value, at least 1."""
    return 1 << max(0, math.floor(value).bit_length() - 1)


def nearest_power_of_two(value: Fraction) -> int:
    """Nearest by ratio, at least 1; a value half-way between two (in ratio) goes up."""
    lower = _power_of_two_below(value)
    return 2 * lower if value**2 >= 2 * lower**2 else lower


def _splits(node: NodeFacts, factor: int) -> Iterator[dict[str, int]]:
    """Every split of the factor over the loops, after capping it at what the trip counts allow."""
    limits = [(loop, trips & -trips) for loop, trips in node.trips.items()]
    capped = min(factor, math.prod(limit for _, limit in limits))

    def extend(split: dict[str, int], rest: int) -> Iterator[dict[str, int]]:
        if len(split) == len(limits):
            if rest == 1:
                yield split
            return
        loop, limit = limits[len(split)]
        for bit in range(min(limit, rest).bit_length()):
            yield from extend({**split, loop: 1 << bit}, rest >> bit)

    return extend({}, capped)


def _rank(node: NodeFacts, split: Mapping[str, int], neighbors: Banks) -> tuple[int, int, int, tuple[int, ...]]:
    reduction_lanes = math.prod(split[loop] for loop in node.reductions)
    covered = _cover(neighbors, node, split)
    shared_banks = sum(math.prod(covered[array]) for array in node.arrays & neighbors.keys())
    return reduction_lanes, shared_banks, max(split.values(), default=1), tuple(split.values())


def _cover(banks: Banks, node: NodeFacts, unroll: Mapping[str, int]) -> Banks:
    covered = dict(banks)
    for access in node.accesses:
        needed = [1 if index is None else index.stride * unroll[index.loop] for index in access.subscripts]
        before = covered.get(access.array, (1,) * len(needed))
        covered[access.array] = tuple(math.lcm(*pair) for pair in zip(before, needed, strict=True))
    return covered
