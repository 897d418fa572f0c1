"""Vitis HLS C++ of a compiled kernel: `hls/kernel.cpp` and what a host must know of it (docs/explanation/hls.md)."""

from sttest.compile.hls.files import emit_design, memory_table, signature, write_hls
from sttest.compile.hls.kernel import EmittedKernel, emit_kernel
from sttest.compile.hls.top import PortTiming

__all__ = ["EmittedKernel", "PortTiming", "emit_design", "emit_kernel", "memory_table", "signature", "write_hls"]
