"""Depths of FIFOs by simulation (docs/sizing-by-simulation.md)."""

from sttest.sim.sizing.finite import size_by_simulation
from sttest.sim.sizing.invocations import back_to_back
from sttest.sim.sizing.many import simulate_many
from sttest.sim.sizing.result import Sizing
from sttest.sim.sizing.storage import ParetoPoint, size_for_throughput, trade_off

__all__ = [
    "ParetoPoint",
    "Sizing",
    "back_to_back",
    "simulate_many",
    "size_by_simulation",
    "size_for_throughput",
    "trade_off",
]
