"""Depths of FIFOs by simulation (docs/fix-a-deadlock/sizing-by-simulation.md)."""

from sttest.sim.sizing.depth_runner import back_to_back, simulate_many
from sttest.sim.sizing.finite import LeastDepths, Sizing, least_depths, size_by_simulation
from sttest.sim.sizing.storage import ParetoPoint, size_for_throughput, trade_off

__all__ = [
    "LeastDepths",
    "ParetoPoint",
    "Sizing",
    "back_to_back",
    "least_depths",
    "simulate_many",
    "size_by_simulation",
    "size_for_throughput",
    "trade_off",
]
