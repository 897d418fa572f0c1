"""C simulation of emitted kernels: compiled with g++ against headers of our own or Xilinx's integer types, on FIFOs
of their real depths."""

from sttest.targets.csim.build import Executable, build_kernel, find_compiler
from sttest.targets.csim.headers import AP_TYPES_VARIABLE, GET_AP_TYPES, ap_types_folder
from sttest.targets.csim.run import BlockedProcess, CsimRun, FifoUse, run_kernel

__all__ = [
    "AP_TYPES_VARIABLE",
    "GET_AP_TYPES",
    "BlockedProcess",
    "CsimRun",
    "Executable",
    "FifoUse",
    "ap_types_folder",
    "build_kernel",
    "find_compiler",
    "run_kernel",
]
