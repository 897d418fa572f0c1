"""Depths of FIFOs by simulation (docs/explanation/sizing-by-simulation.md)."""

from sttest.sim.sizing.depth_runner import back_to_back, simulate_many
from sttest.sim.sizing.finite import Sizing, size_by_simulation
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
