"""A search for small storage that looks only at the fastest distributions of each size."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sttest.sim.actors.self_timed import SelfTimed
from sttest.sim.sizing.reduce import reduce_depths
from sttest.sim.sizing.storage_space import Distribution, StorageSpace

WIDTH = 8
"""Distributions of one size that are followed up."""


def narrow_search(run: SelfTimed, space: StorageSpace, start: Distribution, target: Fraction) -> Distribution:
    """A distribution that reaches a target, and of which no single FIFO can be less deep.

    Args:
        run: the graph.
        space: its distributions.
        start: depths below which none can go.
        target: iterations per cycle, to be had with FIFOs that are never full.
    """
    levels = {sum(start): {start}}
    while True:
        size = min(levels)
        rates = {depths: run.rate(depths) for depths in levels.pop(size)}
        fastest = sorted(rates, key=lambda depths: (-rates[depths].throughput, depths))[:WIDTH]
        if rates[fastest[0]].throughput >= target:
            return _lowered(run, fastest[0], start, target)
        for depths in fastest:
            for deeper in space.deeper(depths, rates[depths]):
                levels.setdefault(sum(deeper), set()).add(deeper)


def _lowered(run: SelfTimed, depths: Distribution, lower: Distribution, target: Fraction) -> Distribution:
    def is_enough(trial: np.ndarray) -> bool:
        return run.rate(trial.tolist()).throughput >= target

    start = np.array(depths, np.int64)
    order = np.argsort(-start, kind="stable").tolist()
    zeros = np.zeros_like(start)
    return tuple(reduce_depths(start, np.array(lower), is_enough, order, zeros).tolist())
