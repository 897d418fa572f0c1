"""A die partition by simulated annealing: where budgets and long lines are tight, it finds what one pass does not.

Kirkpatrick et al., Science 220 (1983): single processes move to another SLR; what makes an
assignment worse is kept with a probability that falls.  What is beyond a budget or the long
lines costs many times what is within.  The generator has a fixed seed, so that the same
design has the same assignment.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random

import numpy as np

from sttest.compile.spaces.partition_facts import Die, ProcessFacts, WireFacts

_STEPS = 40_000
_HOT, _COLD = 0.3, 0.0005
# Of what is beyond a bound, against the same share within.
_BEYOND = 20.0
# A step takes two numbers, each of at most two words on average, and two words more; what is left then is hundreds of
# standard deviations.
_WORDS_PER_STEP = 8
_WORD_BYTES = 4


def annealed_slrs(
    processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die, seed: int = 0
) -> dict[str, int]:
    """The SLR of every process in the best assignment that was met; it need not fit.

    Args:
        processes: pinned ones stay where they are; all others are in the first SLR at the beginning.
        wires: between them.
        die: that they lie on.
        seed: of the moves.
    """
    slrs = np.array([process.pinned or 0 for process in processes], np.int64)
    movable = np.flatnonzero([process.pinned is None for process in processes])
    if movable.size and len(die.budgets) > 1:
        from sttest.compile.spaces.annealing_kernel import annealed

        ends, shares = _shares_of_lines(processes, wires, die)
        first, order = _by_process(ends, len(processes))
        needs = _needs(processes, die)
        slrs = annealed(
            needs, first, ends[:, ::-1].ravel()[order], np.repeat(shares, 2)[order], slrs,
            _used(needs, slrs), _crossing(slrs[ends], shares, len(die.budgets)), movable, _heats(), _words(seed),
            die.balance_weight, _BEYOND,
        )  # fmt: skip
    return {process.name: slr for process, slr in zip(processes, slrs.tolist(), strict=True)}


def _needs(processes: Sequence[ProcessFacts], die: Die) -> np.ndarray:
    """Shares of the budgets of every SLR by resource, float64[P, S, R]."""
    return np.array([[[*each.resources.shares_of(budget)] for budget in die.budgets] for each in processes], np.float64)


def _shares_of_lines(
    processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die
) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of every FIFO, int64[F, 2], and its share of the long lines of a boundary, float64[F]."""
    position = {process.name: number for number, process in enumerate(processes)}
    ends = np.array([(position[wire.source], position[wire.target]) for wire in wires], np.int64).reshape(-1, 2)
    return ends, np.array([wire.wires / die.sll_per_boundary for wire in wires], np.float64)


def _by_process(ends: np.ndarray, processes: int) -> tuple[np.ndarray, np.ndarray]:
    """Ends in the order of their processes, and where those of each begin."""
    of = ends.ravel()
    return np.concatenate([[0], np.cumsum(np.bincount(of, minlength=processes))]), np.argsort(of, kind="stable")


def _used(needs: np.ndarray, slrs: np.ndarray) -> np.ndarray:
    """Per SLR, shares by resource, added up in the order of the processes."""
    used = np.zeros(needs.shape[1:])
    for number, slr in enumerate(slrs):
        used[slr] += needs[number, slr]
    return used


def _crossing(slrs: np.ndarray, shares: np.ndarray, count: int) -> np.ndarray:
    """Per boundary, the share of its long lines that FIFOs between these SLRs take."""
    crossing = np.zeros(count - 1)
    for (one, other), share in zip(slrs.tolist(), shares, strict=True):
        crossing[min(one, other) : max(one, other)] += share
    return crossing


@lru_cache(maxsize=1)
def _heats() -> np.ndarray:
    return np.array([_HOT * (_COLD / _HOT) ** (step / _STEPS) for step in range(_STEPS)])


@lru_cache(maxsize=1)
def _words(seed: int) -> np.ndarray:
    """What the generator rolls, 32 bits at a time."""
    size = _WORDS_PER_STEP * _STEPS * _WORD_BYTES
    return np.frombuffer(Random(seed).randbytes(size), "<u4")
