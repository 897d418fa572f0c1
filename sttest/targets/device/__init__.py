"""Designs on a card through pyxrt: on hardware, in hardware emulation, or on the emulator over a C simulation."""

from sttest.targets.device.card import CardOptions, HeldCard, LaunchTimes, Rehearsal, Timeouts
from sttest.targets.device.host import MeasuredEnergy, energy
from sttest.targets.device.log import LaunchStep, Log, rows

__all__ = [
    "CardOptions",
    "HeldCard",
    "LaunchStep",
    "LaunchTimes",
    "Log",
    "MeasuredEnergy",
    "Rehearsal",
    "Timeouts",
    "energy",
    "rows",
]
