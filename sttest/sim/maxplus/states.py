"""Where a net stands after a cycle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sttest.sim.maxplus.arrays import Net


class State(NamedTuple):
    """Counts and clocks after ``cycle``."""

    cycle: int
    processes: np.ndarray
    fifos: np.ndarray
    ports: np.ndarray
    channels: np.ndarray
    members: np.ndarray

    def may_be(self, old: State) -> bool:
        """A quick look, before the compiled one: whether clocks moved as they should."""
        now, was = self.processes, old.processes
        moved = now["clock"] - was["clock"] == self.cycle - old.cycle
        return bool((moved | (now["visits"] == was["visits"])).all())

    def is_full_as(self, old: State) -> bool:
        """Whether every FIFO holds as much."""
        held, was = (state.fifos["written"] - state.fifos["read"] for state in (self, old))
        return bool((held == was).all())


def state_of(net: Net, cycle: int) -> State:
    """Copies of the counts and clocks of a net that has run up to a cycle."""
    arrays = (net.processes, net.fifos, net.ports, net.channels, net.members)
    return State(cycle, *(array.copy() for array in arrays))
