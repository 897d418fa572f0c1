"""A strict in-process emulator of XRT: the surface of pyxrt over simulated cards, which forgives nothing.

It says whether a host program uses XRT rightly and, with a library of kernels, what values come out.  It says
nothing about hardware: its times are those that the library gives, and results from it are marked ``emulator``.
"""

from sttest.targets.xrt.emulator.library import Execution, FaultyKernels, KernelLaunch, KernelLibrary, PythonKernels
from sttest.targets.xrt.emulator.misuse import ON_A_CARD, MisuseError
from sttest.targets.xrt.emulator.module import ENGINE, EmulatedXrt, as_pyxrt

__all__ = [
    "ENGINE",
    "ON_A_CARD",
    "EmulatedXrt",
    "Execution",
    "FaultyKernels",
    "KernelLaunch",
    "KernelLibrary",
    "MisuseError",
    "PythonKernels",
    "as_pyxrt",
]  # fmt: skip
