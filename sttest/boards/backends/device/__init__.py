"""Designs on a card through pyxrt: on hardware, in hardware emulation, or on the strict double over a C simulation."""

from sttest.boards.backends.device.card import Card
from sttest.boards.backends.device.design_files import DesignFiles, read_design
from sttest.boards.backends.device.log import Log, Step
from sttest.boards.backends.device.options import CardOptions, LaunchTimes, Patience, Rehearsal
from sttest.boards.backends.device.power import Energy, energy
from sttest.boards.backends.device.rows import rows

__all__ = [
    "Card", "CardOptions", "DesignFiles", "Energy", "LaunchTimes", "Log", "Patience", "Rehearsal", "Step", "energy",
    "read_design", "rows",
]  # fmt: skip
