"""The RTL twin: a timed graph as clocked hardware, to hold the engines against."""

from sttest.boards.backends.rtl import RtlRun
from sttest.sim.rtl.compare import Comparison, Difference, compare
from sttest.sim.rtl.emit import emit
from sttest.sim.rtl.emulate import emulate, emulate_all, with_iterations

__all__ = ["Comparison", "Difference", "RtlRun", "compare", "emit", "emulate", "emulate_all", "with_iterations"]
