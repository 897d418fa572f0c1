"""Die partition: which SLR every process lies in, as a mixed-integer program.

After StreamTensor (arXiv 2509.13694, section on resource allocation): one SLR per task,
crossings and imbalance minimised under the budget of each SLR.  Ours adds what the die
demands: processes at the HBM are pinned to the SLR beside it, and the wires over each
boundary are bounded by its super long lines.

With s(p) the SLR of process p, a FIFO of w wires costs w at every boundary between its
two ends; the objective is

    wires over all boundaries / super long lines of one + weight * fullest share of an SLR

so that an assignment is as good as another that trades one percent of the long lines for
one percent of balance (``weight`` 1).  Wires are the bits of a token and its handshake.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from itertools import accumulate
from math import exp
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numba import njit
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from sttest.boards.resources import KINDS, Resources, total
from sttest.core.errors import DoesNotFitError, InputError, did_you_mean

# --- Compiled: one annealing of a die partition.  Import it late, numba takes its time


# NumPy arrays; the checker cannot tell what numba makes of their elements.
_Wholes: TypeAlias = Any
_Shares: TypeAlias = Any
# Of sums of shares that are added and taken off again.
_ROUNDING = 1e-9


@njit(cache=True)
def anneal(
    needs: _Shares,
    first: _Wholes,
    other: _Wholes,
    share: _Shares,
    slrs: _Wholes,
    movable: _Wholes,
    balance_weight: float,
    moves: int,
    heats: tuple[float, float],
    beyonds: tuple[float, float],
    seed: int,
    any_will_do: bool,
) -> _Wholes:
    """The SLR of every process in the best assignment that was met; one that keeps within all bounds is better than any
    that does not.

    Args:
        needs: shares of the budgets by process, SLR and resource.
        first, other, share: per process the range of its neighbours, their numbers, the share of the long lines.
        slrs: SLR of each process at the start; changed in place.
        movable: numbers of the processes that may move.
        balance_weight: weight of the fullest share, against wires over the long lines.
        moves: number of moves to try.
        heats: temperatures at the start and at the end.
        beyonds: cost of a share beyond its bound at the start and at the end.
        seed: seed of the random moves.
        any_will_do: end with the first assignment that keeps within all bounds.
    """
    np.random.seed(seed)
    used, crossing = _taken(needs, first, other, share, slrs)
    best, least = slrs.copy(), _cost(used, crossing, balance_weight, beyonds[1])
    inside = _beyond(used, crossing) <= _ROUNDING
    for move in range(moves):
        if inside and any_will_do:
            break
        done = move / moves
        heat = heats[0] * (heats[1] / heats[0]) ** done
        beyond = beyonds[0] * (beyonds[1] / beyonds[0]) ** done
        process = movable[np.random.randint(movable.shape[0])]
        before = slrs[process]
        after = (before + 1 + np.random.randint(needs.shape[1] - 1)) % needs.shape[1]
        cost = _cost(used, crossing, balance_weight, beyond)
        _move(needs, first, other, share, slrs, used, crossing, process, after)
        worse = _cost(used, crossing, balance_weight, beyond) - cost
        if worse > 0 and np.random.random() >= exp(-worse / heat):
            _move(needs, first, other, share, slrs, used, crossing, process, before)
            continue
        at_the_end = _cost(used, crossing, balance_weight, beyonds[1])
        fits = _beyond(used, crossing) <= _ROUNDING
        if (fits and not inside) or (fits == inside and at_the_end < least):
            least, inside = at_the_end, fits
            best[:] = slrs
    return best


@njit
def _taken(needs: _Shares, first: _Wholes, other: _Wholes, share: _Shares, slrs: _Wholes) -> tuple[_Shares, _Shares]:
    """Shares by SLR and resource, and of the long lines of every boundary."""
    used = np.zeros(needs.shape[1:])
    crossing = np.zeros(needs.shape[1] - 1)
    for process in range(slrs.shape[0]):
        used[slrs[process]] += needs[process, slrs[process]]
        for at in range(first[process], first[process + 1]):
            if other[at] > process:
                _carry(crossing, slrs[process], slrs[other[at]], share[at])
    return used, crossing


@njit
def _move(
    needs: _Shares, first: _Wholes, other: _Wholes, share: _Shares, slrs: _Wholes, used: _Shares,
    crossing: _Shares, process: int, slr: int,
) -> None:  # fmt: skip
    """Takes a process to an SLR."""
    before = slrs[process]
    for at in range(first[process], first[process + 1]):
        _carry(crossing, before, slrs[other[at]], -share[at])
        _carry(crossing, slr, slrs[other[at]], share[at])
    # Number by number: a slice of an array takes longer than the five numbers in it.
    for kind in range(used.shape[1]):
        used[before, kind] -= needs[process, before, kind]
        used[slr, kind] += needs[process, slr, kind]
    slrs[process] = slr


@njit
def _carry(crossing: _Shares, one: int, other: int, share: float) -> None:
    """Adds wires between two SLRs to the boundaries between them."""
    for boundary in range(min(one, other), max(one, other)):
        crossing[boundary] += share


@njit
def _cost(used: _Shares, crossing: _Shares, balance_weight: float, beyond: float) -> float:
    """The objective of a partition, and what is beyond a bound many times."""
    fullest, carried = 0.0, 0.0
    for slr in range(used.shape[0]):
        fullest = max(fullest, _fullest(used, slr))
    for boundary in range(crossing.shape[0]):
        carried += crossing[boundary]
    return carried + balance_weight * fullest + beyond * _beyond(used, crossing)


@njit
def _beyond(used: _Shares, crossing: _Shares) -> float:
    """Shares beyond a bound, of SLRs and boundaries together."""
    over = 0.0
    for slr in range(used.shape[0]):
        over += max(0.0, _fullest(used, slr) - 1.0)
    for boundary in range(crossing.shape[0]):
        over += max(0.0, crossing[boundary] - 1.0)
    return over


@njit
def _fullest(used: _Shares, slr: int) -> float:
    """The largest share of an SLR's resources."""
    most = used[slr, 0]
    for kind in range(1, used.shape[1]):
        most = max(most, used[slr, kind])
    return most


# --- What a die partition is made of: processes, the FIFOs between them, the die, and what an assignment costs


HANDSHAKE_WIRES = 2
_TOLERANCE = 1e-6


@dataclass(frozen=True)
class ProcessFacts:
    """A process to be placed.

    Attributes:
        name: unique.
        resources: resources, memories included.
        pinned: its SLR, if it can't be chosen.
    """

    name: str
    resources: Resources
    pinned: int | None = None


@dataclass(frozen=True)
class WireFacts:
    """A FIFO between two processes, with the bits of a token."""

    fifo: str
    source: str
    target: str
    bits: int

    @property
    def wires(self) -> int:
        """What a boundary between the two ends carries."""
        return self.bits + HANDSHAKE_WIRES


@dataclass(frozen=True)
class Die:
    """What the SLRs offer, in their order on the die.

    Attributes:
        budgets: per SLR, the margin already taken off.
        sll_per_boundary: super long lines between neighbours.
        balance_weight: weight of the fullest share, against wires over ``sll_per_boundary``.
    """

    budgets: tuple[Resources, ...]
    sll_per_boundary: int
    balance_weight: float = 1.0


@dataclass(frozen=True)
class Partition:
    """An assignment.

    Attributes:
        slr_of: per process.
        wires: over the boundary after each SLR but the last.
        shares: per SLR, of its budget.
        objective: see the module.
        proven_gap: relative distance to the best bound; 1 where nothing is proven.
    """

    slr_of: Mapping[str, int]
    wires: tuple[int, ...]
    shares: tuple[Resources, ...]
    objective: float
    proven_gap: float

    def crossings(self, wire: WireFacts) -> int:
        """Boundaries between the two ends of a FIFO."""
        return abs(self.slr_of[wire.source] - self.slr_of[wire.target])


def assess(
    slr_of: Mapping[str, int], processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die,
    proven_gap: float = 1.0,
) -> Partition:  # fmt: skip
    """What an assignment costs; it need not fit."""
    crossing: Counter[int] = Counter()
    for wire in wires:
        ends = sorted((slr_of[wire.source], slr_of[wire.target]))
        for boundary in range(*ends):
            crossing[boundary] += wire.wires
    used = (
        total(process.resources for process in processes if slr_of[process.name] == slr)
        for slr in range(len(die.budgets))
    )
    shares = tuple(each.shares_of(budget) for each, budget in zip(used, die.budgets, strict=True))
    fullest = max(share.largest for share in shares)
    objective = crossing.total() / die.sll_per_boundary + die.balance_weight * fullest
    carried = tuple(crossing[boundary] for boundary in range(len(die.budgets) - 1))
    return Partition(dict(slr_of), carried, shares, objective, proven_gap)


def fits(partition: Partition, die: Die) -> bool:
    """Whether no SLR and no boundary is asked for more than it has."""
    full = any(share.largest > 1 + _TOLERANCE for share in partition.shares)
    return not full and all(wires <= die.sll_per_boundary for wires in partition.wires)


_NODE_LIMIT = 2000
_GAP = 0.02
# Larger than any: the first assignment that is found will do.
_ANY_GAP = 1e9
_STDOUT = 1


def partition(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> Partition:
    """The best assignment found: the program's, or the greedy one where that is as good; else the best by annealing.

    The program stops at a proven gap of 2 % or after 2000 nodes, whatever the machine's speed.

    Raises:
        DoesNotFitError: no assignment keeps within all budgets and long lines, or none was found.
        InputError: a FIFO's end, or a pinned SLR, is not there.
    """
    refuse_overfull(processes, wires, die)
    tried = _greedy(processes, wires, die), _solve(processes, wires, die)
    found = [each for each in tried if each is not None] or [*_annealed(processes, wires, die)]
    if not found:
        raise _none_found(processes, die)
    return min(found, key=lambda each: (round(each.objective, 9), each.proven_gap))


def refuse_unplaceable(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> None:
    """Refuses what :func:`partition` refuses, without looking for the best.

    Where the greedy pass finds no assignment annealing may; else the program is asked for any: up to the first one the
    search of both is the same, and finding or proving a good one takes most of the time.

    Raises:
        DoesNotFitError: see :func:`partition`.
        InputError: see :func:`partition`.
    """
    refuse_overfull(processes, wires, die)
    if _greedy(processes, wires, die) or any(_annealed(processes, wires, die, any_will_do=True)):
        return
    if _solve(processes, wires, die, _ANY_GAP) is None:
        raise _none_found(processes, die)


def _none_found(processes: Sequence[ProcessFacts], die: Die) -> DoesNotFitError:
    """The budgets add up, but the processes are too large to be spread over them, or the long lines too few."""
    shares = {each.name: each.resources.shares_of(die.budgets[0]).largest for each in processes}
    largest = max(shares, key=lambda name: shares[name])
    return DoesNotFitError(
        "no-partition", f"no assignment to {len(die.budgets)} SLRs was found; the largest process is {largest}",
        where="partition", demand=round(100 * shares[largest], 1), bound=100, unit="% of an SLR",
        hints=["lower --overall-unroll", "lower --vector-bits", "take a larger board"],
    )  # fmt: skip


def _greedy(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> Partition | None:
    slr_of = greedy_slrs(processes, wires, die)
    if slr_of is None:
        return None
    found = assess(slr_of, processes, wires, die)
    return found if fits(found, die) else None


def _annealed(
    processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die, *, any_will_do: bool = False
) -> Iterator[Partition]:
    """The assignments that annealing ends with, those that fit; the first ones that it meets if any will do."""
    for slr_of in annealed_slrs(processes, wires, die, any_will_do=any_will_do):
        found = assess(slr_of, processes, wires, die)
        if fits(found, die):
            yield found


def _solve(
    processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die, gap: float = _GAP
) -> Partition | None:
    """The program's assignment once it is proven to be as good as any but for ``gap``; None if there is none."""
    program = Program(processes, wires, die)
    with _no_output():
        solution = milp(
            program.costs(), constraints=program.constraints(), bounds=program.bounds(),
            integrality=program.integrality(), options={"node_limit": _NODE_LIMIT, "mip_rel_gap": gap},
        )  # fmt: skip
    if solution.x is None:
        return None
    # Without anything to choose there is no gap to speak of.
    proven = 0.0 if solution.mip_gap is None else float(solution.mip_gap)
    found = assess(program.slr_of(solution.x), processes, wires, die, proven)
    return found if fits(found, die) else None


@contextmanager
def _no_output() -> Iterator[None]:
    """Keeps out of a program's output, which may be one JSON document, what HiGHS prints whatever it is told."""
    sys.stdout.flush()
    kept = os.dup(_STDOUT)
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), _STDOUT)
    try:
        yield
    finally:
        # C has a buffer of its own.
        ctypes.CDLL(None).fflush(None)
        os.dup2(kept, _STDOUT)
        os.close(kept)


# --- A die partition by simulated annealing: where budgets and long lines are tight, it finds what one pass does not


_MOVES = 400_000
_HEATS = ((0.3, 0.5), (0.1, 2.0), (0.05, 0.5))
"""Of each start in turn: heat at the beginning, and what is beyond a bound costs then, against the same within."""
_COLD = 0.0003
_BEYOND = 20.0
_STARTS = 9


def annealed_slrs(
    processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die, starts: int = _STARTS,
    *, any_will_do: bool = False,
) -> Iterator[dict[str, int]]:  # fmt: skip
    """The SLR of every process in the best assignment that each start met; it fits if any did that the start met.

    Args:
        processes: pinned ones stay where they are.
        wires: between them.
        die: the die.
        starts: number of starts.
        any_will_do: a start ends with the first assignment that fits.
    """
    pinned = np.array([process.pinned or 0 for process in processes], dtype=np.int64)
    movable = np.array([n for n, process in enumerate(processes) if process.pinned is None], dtype=np.int64)
    if not movable.size or len(die.budgets) < 2:
        yield {process.name: slr for process, slr in zip(processes, pinned.tolist(), strict=True)}
        return
    # Late: numba takes its time.

    needs, (first, other, share) = _needs(processes, die), _neighbours(processes, wires, die)
    for seed in range(starts):
        hot, beyond = _HEATS[seed % len(_HEATS)]
        found = anneal(
            needs, first, other, share, pinned.copy(), movable, die.balance_weight, _MOVES, (hot, _COLD),
            (beyond, _BEYOND), seed, any_will_do,
        )  # fmt: skip
        yield {process.name: int(slr) for process, slr in zip(processes, found, strict=True)}


def _needs(processes: Sequence[ProcessFacts], die: Die) -> np.ndarray:
    """Shares of the budgets by process, SLR and resource."""
    return np.array(
        [[[*map(float, astuple(each.resources.shares_of(budget)))] for budget in die.budgets] for each in processes]
    )


def _neighbours(
    processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each process's neighbours begin, their numbers, and the share of the long lines between the two."""
    position = {process.name: number for number, process in enumerate(processes)}
    shares: list[dict[int, float]] = [{} for _ in processes]
    for wire in wires:
        ends = position[wire.source], position[wire.target]
        for one, other in (ends, ends[::-1]):
            if one != other:
                shares[one][other] = shares[one].get(other, 0.0) + wire.wires / die.sll_per_boundary
    first = [0, *accumulate(map(len, shares))]
    others = [other for each in shares for other in each]
    return (
        np.array(first, dtype=np.int64), np.array(others, dtype=np.int64),
        np.array([share for each in shares for share in each.values()], dtype=np.float64),
    )  # fmt: skip


# --- What no assignment can mend: a design, or what is pinned to an SLR, that asks for more than there is


UNITS = {"dsp": "DSP slices", "lut": "LUTs", "ff": "flip-flops", "bram18": "BRAM18 blocks", "uram": "URAM blocks"}
_FEWER_LANES = "lower --overall-unroll"
_SMALLER_BUFFERS = ("lower --tile", "take a shorter context or prompt")
LEVERS = {
    "dsp": (
        _FEWER_LANES,
        "multiply integers of some tasks in LUTs (--fabric)",
        "take a scheme with narrower weights (--precision w4a8)",
    ),
    "lut": (_FEWER_LANES, "lower --vector-bits"),
    "ff": (_FEWER_LANES, "lower --vector-bits"),
    "bram18": _SMALLER_BUFFERS,
    "uram": _SMALLER_BUFFERS,
}


def refuse_overfull(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> None:
    """Checks names, then the design against the die, then what is pinned to an SLR against that SLR.

    Raises:
        InputError: a FIFO's end is no process, or a pinned SLR is not there.
        DoesNotFitError: ``board-resources`` or ``slr-resources``, for the resource that is short by most.
    """
    _refuse_unknown(processes, wires, die)
    refuse_beyond(total(p.resources for p in processes), total(die.budgets), "board-resources", "all SLRs together")
    for slr, budget in enumerate(die.budgets):
        pinned = total(process.resources for process in processes if process.pinned == slr)
        refuse_beyond(pinned, budget, "slr-resources", f"SLR{slr}, pinned processes")


def refuse_beyond(demand: Resources, bound: Resources, code: str, where: str) -> None:
    """Refuses a demand of which some resource has too little.

    Raises:
        DoesNotFitError: the resource with the largest share is beyond its bound.
    """
    shares = demand.shares_of(bound)
    if shares.largest <= 1:
        return
    kind = max(KINDS, key=lambda name: getattr(shares, name))
    asked, offered = round(getattr(demand, kind), 1), round(getattr(bound, kind), 1)
    raise DoesNotFitError(
        code, f"more {UNITS[kind]} than the budget", where=where, demand=asked, bound=offered, unit=UNITS[kind],
        hints=[*LEVERS[kind], "take a larger board"],
    )  # fmt: skip


def _refuse_unknown(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> None:
    names = {process.name for process in processes}
    if len(names) < len(processes):
        raise InputError("duplicate-name", "two processes have one name", where="partition")
    for wire in wires:
        for end in (wire.source, wire.target):
            if end not in names:
                raise InputError(
                    "unknown-process", f"no process '{end}'", where=wire.fifo, hints=[did_you_mean(end, names)]
                )
    for process in processes:
        if process.pinned is not None and not 0 <= process.pinned < len(die.budgets):
            raise InputError("no-such-slr", f"there is no SLR{process.pinned}", where=process.name)


# --- A die partition by one pass over the processes: what the program is held against, and where it finds nothing


def greedy_slrs(
    processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die
) -> dict[str, int] | None:  # fmt: skip
    """The SLR of every process: pinned ones first, each other one in order where it costs least.

    What it costs are the wires to neighbours that are placed already, and the fullest share
    of the SLR that it joins.  None where one fits nowhere; long lines are not looked at.
    """
    neighbours = _joined_with(processes, wires)
    used = [Resources() for _ in die.budgets]
    slr_of: dict[str, int] = {}
    for process in sorted(processes, key=lambda each: each.pinned is None):
        best = _best(process, neighbours[process.name], slr_of, used, die)
        if best is None:
            return None
        slr_of[process.name] = best
        used[best] = used[best] + process.resources
    return slr_of


def _joined_with(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts]) -> dict[str, list[tuple[str, int]]]:
    found: dict[str, list[tuple[str, int]]] = {process.name: [] for process in processes}
    for wire in wires:
        found[wire.source].append((wire.target, wire.wires))
        found[wire.target].append((wire.source, wire.wires))
    return found


def _best(
    process: ProcessFacts, neighbours: Sequence[tuple[str, int]], slr_of: Mapping[str, int],
    used: Sequence[Resources], die: Die,
) -> int | None:  # fmt: skip
    costs: dict[int, float] = {}
    for slr in range(len(die.budgets)) if process.pinned is None else (process.pinned,):
        fullest = (used[slr] + process.resources).shares_of(die.budgets[slr]).largest
        if fullest > 1:
            continue
        wires = sum(count * abs(slr - slr_of[name]) for name, count in neighbours if name in slr_of)
        costs[slr] = wires / die.sll_per_boundary + die.balance_weight * fullest
    return min(costs, key=lambda slr: (costs[slr], slr)) if costs else None


# --- A die partition as a mixed-integer program, row by row (the objective is in ``partition``)


class Program:
    """Columns: ``below`` per process and boundary, ``crosses`` per FIFO and boundary, then the fullest share.

    ``below`` is 1 where the process lies at or before the boundary's SLR; it rises along the
    boundaries, so that the SLR is one-hot by itself.
    """

    def __init__(self, processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> None:
        self.processes, self.wires, self.die = processes, wires, die
        self.boundaries = len(die.budgets) - 1
        self.index = {process.name: position for position, process in enumerate(processes)}
        self.binaries = len(processes) * self.boundaries
        self.columns = self.binaries + len(wires) * self.boundaries + 1

    def below(self, process: int, boundary: int) -> int:
        """Column: whether a process lies at or before the SLR ahead of a boundary."""
        return process * self.boundaries + boundary

    def crosses(self, wire: int, boundary: int) -> int:
        """Column: whether a FIFO crosses a boundary."""
        return self.binaries + wire * self.boundaries + boundary

    def costs(self) -> np.ndarray:
        """The objective, per column."""
        costs = np.zeros(self.columns)
        for number, wire in enumerate(self.wires):
            for boundary in range(self.boundaries):
                costs[self.crosses(number, boundary)] = wire.wires / self.die.sll_per_boundary
        costs[-1] = self.die.balance_weight
        return costs

    def integrality(self) -> np.ndarray:
        """Only ``below`` must be whole: the rest follows."""
        return (np.arange(self.columns) < self.binaries).astype(int)

    def bounds(self) -> Bounds:
        """All columns lie in [0, 1]; those of pinned processes are fixed."""
        lower, upper = np.zeros(self.columns), np.ones(self.columns)
        for number, process in enumerate(self.processes):
            if process.pinned is not None:
                for boundary in range(self.boundaries):
                    fixed = float(process.pinned <= boundary)
                    lower[self.below(number, boundary)] = upper[self.below(number, boundary)] = fixed
        return Bounds(lower, upper)  # pyright: ignore[reportArgumentType]  # stubs know scalars only

    def constraints(self) -> list[LinearConstraint]:
        """All rows, as upper bounds."""
        rows = [*self._order(), *self._crossings(), *self._long_lines(), *self._shares()]
        if not rows:
            return []
        cells = [(number, column, value) for number, (_, entries) in enumerate(rows) for column, value in entries]
        at, columns, values = zip(*cells, strict=True)
        matrix = coo_array((values, (at, columns)), shape=(len(rows), self.columns)).tocsr()
        upper = np.array([bound for bound, _ in rows])
        return [LinearConstraint(matrix, ub=upper)]  # pyright: ignore[reportArgumentType]  # stubs know scalars only

    def _order(self) -> Iterator[_RowOf]:
        for number in range(len(self.processes)):
            for boundary in range(self.boundaries - 1):
                yield 0.0, [(self.below(number, boundary), 1.0), (self.below(number, boundary + 1), -1.0)]

    def _crossings(self) -> Iterator[_RowOf]:
        for number, wire in enumerate(self.wires):
            ends = self.index[wire.source], self.index[wire.target]
            for boundary in range(self.boundaries):
                one, other = (self.below(end, boundary) for end in ends)
                crosses = (self.crosses(number, boundary), -1.0)
                yield 0.0, [(one, 1.0), (other, -1.0), crosses]
                yield 0.0, [(one, -1.0), (other, 1.0), crosses]

    def _long_lines(self) -> Iterator[_RowOf]:
        for boundary in range(self.boundaries):
            entries = [(self.crosses(number, boundary), float(wire.wires)) for number, wire in enumerate(self.wires)]
            yield float(self.die.sll_per_boundary), entries

    def _shares(self) -> Iterator[_RowOf]:
        """Per SLR and resource: what its processes take of the budget is at most the fullest share."""
        for slr, budget in enumerate(self.die.budgets):
            for kind in KINDS:
                bound = getattr(budget, kind)
                offset, entries = 0.0, [(self.columns - 1, -1.0)]
                for number, process in enumerate(self.processes):
                    share = getattr(process.resources, kind) / bound if bound else 0.0
                    if slr < self.boundaries:
                        entries.append((self.below(number, slr), share))
                    else:
                        offset += share
                    if slr > 0:
                        entries.append((self.below(number, slr - 1), -share))
                yield -offset, entries

    def slr_of(self, solution: np.ndarray) -> dict[str, int]:
        """The SLR of every process in a solution."""
        below = np.rint(solution[: self.binaries]).reshape(len(self.processes), self.boundaries)
        return {p.name: self.boundaries - int(row.sum()) for p, row in zip(self.processes, below, strict=True)}


_RowOf = tuple[float, list[tuple[int, float]]]
"""Upper bound of a row, and its columns with their coefficients."""
