"""Whether a graph can finish at all: the token game without times.

With blocking accesses only, whether a graph deadlocks, and in which state, does
not depend on when things happen (Kahn networks are determinate), so that depths
can be tried without simulating cycles.  A dead state is reached with deeper FIFOs
too, so a run may be continued from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from sttest.sim.flat import FlatGraph


@dataclass(frozen=True)
class TokenState:
    """How far a graph has come, int64 each.

    ``visits``: per process, stage visits done; ``written`` (initial tokens included) and ``read``: per FIFO;
    ``peak``: per FIFO, most tokens held in this order of events, an upper bound of the depth needed.
    """

    visits: np.ndarray
    written: np.ndarray
    read: np.ndarray
    peak: np.ndarray

    def is_done(self, flat: FlatGraph) -> bool:
        """Whether every process has made all its visits."""
        return bool((self.visits == flat.visits).all())

    def is_possible(self, op: int, tokens: int, depth: int) -> bool:
        """Whether ``tokens`` accesses of kind ``op`` can happen in this state."""
        fifo = op // 2
        if op % 2:
            return bool(self.written[fifo] + tokens - depth <= self.read[fifo])
        return bool(self.read[fifo] + tokens <= self.written[fifo])


def start_state(flat: FlatGraph) -> TokenState:
    """The state before cycle 0."""
    reads = np.zeros_like(flat.initial)
    return TokenState(np.zeros_like(flat.visits), flat.initial.copy(), reads, flat.initial.copy())


def advance(flat: FlatGraph, depths: np.ndarray, state: TokenState | None = None) -> TokenState:
    """Lets every process go as far as it can with FIFOs of ``depths`` (int64[F]), from ``state`` or the start."""
    begin = start_state(flat) if state is None else state
    copies = [array.copy() for array in (begin.visits, begin.written, begin.read, begin.peak)]
    arrays = (flat.stage_first, flat.pointer, flat.op, flat.count, flat.visits, flat.writer, flat.reader)
    _kernel()(*arrays, depths, *copies)
    return TokenState(*copies)


@cache
def _kernel() -> Callable[..., Any]:
    from sttest.sim.deadlock.liveness_kernel import advance_tokens

    return advance_tokens
