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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scipy.optimize import milp

from sttest.compile.spaces.partition_annealed import annealed_slrs
from sttest.compile.spaces.partition_facts import Die, Partition, ProcessFacts, WireFacts, assess, fits
from sttest.compile.spaces.partition_fit import refuse_overfull
from sttest.compile.spaces.partition_greedy import greedy_slrs
from sttest.compile.spaces.partition_program import Program
from sttest.errors import DoesNotFitError

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
        levers=["lower --overall-unroll", "lower --vector-bits", "take a larger board"],
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
