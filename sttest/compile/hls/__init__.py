"""Vitis HLS C++ of a compiled kernel: `hls/kernel.cpp` and what a host must know of it (docs/hls.md)."""

from sttest.compile.hls.files import emit_design, write_hls
from sttest.compile.hls.kernel import EmittedKernel, emit_kernel
from sttest.compile.hls.signature import memory_table, signature
from sttest.compile.hls.timing import KernelTiming

__all__ = ["EmittedKernel", "KernelTiming", "emit_design", "emit_kernel", "memory_table", "signature", "write_hls"]
