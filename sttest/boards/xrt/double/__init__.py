"""A strict in-process double of XRT: the surface of pyxrt over simulated cards, which forgives nothing.

It says whether a host program uses XRT rightly and, with a library of kernels, what values come out.  It says
nothing about hardware: its times are those that the library gives, and results from it are marked ``double``.
"""

from sttest.boards.xrt.double.library import Execution, FaultyKernels, KernelLibrary, Launch, PythonKernels
from sttest.boards.xrt.double.misuse import ON_A_CARD, MisuseError
from sttest.boards.xrt.double.module import ENGINE, DoubleXrt, as_pyxrt

__all__ = [
    "ENGINE", "ON_A_CARD", "DoubleXrt", "Execution", "FaultyKernels", "KernelLibrary", "Launch", "MisuseError",
    "PythonKernels", "as_pyxrt",
]  # fmt: skip
