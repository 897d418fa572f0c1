"""The RTL twin: a timed graph as clocked hardware, to hold the engines against."""

from sttest.targets.rtl.compare import Comparison, Difference, compare
from sttest.targets.rtl.drive import RtlRun
from sttest.targets.rtl.emit import emit, emulate, emulate_all, with_iterations

__all__ = ["Comparison", "Difference", "RtlRun", "compare", "emit", "emulate", "emulate_all", "with_iterations"]
