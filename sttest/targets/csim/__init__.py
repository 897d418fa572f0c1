"""C simulation of emitted kernels: compiled with g++ against headers of our own, on FIFOs of their real depths."""

from sttest.targets.csim.build import Executable, build_kernel, find_compiler
from sttest.targets.csim.run import BlockedProcess, CsimRun, FifoUse, run_kernel

__all__ = ["BlockedProcess", "CsimRun", "Executable", "FifoUse", "build_kernel", "find_compiler", "run_kernel"]
