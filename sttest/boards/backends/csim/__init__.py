"""C simulation of emitted kernels: compiled with g++ against headers of our own, on FIFOs of their real depths."""

from sttest.boards.backends.csim.build import Executable, build_kernel, find_compiler
from sttest.boards.backends.csim.run import run_kernel
from sttest.boards.backends.csim.run_result import BlockedProcess, CsimRun, FifoUse

__all__ = ["BlockedProcess", "CsimRun", "Executable", "FifoUse", "build_kernel", "find_compiler", "run_kernel"]
