"""Vitis HLS C++ of a compiled kernel: `hls/kernel.cpp` and what a host must know of it (docs/explanation/hls.md)."""

from sttest.compile.hls.files import design_memory, design_signature, emit_design, memory_table, signature
from sttest.compile.hls.kernel import EmittedKernel, emit_kernel
from sttest.compile.hls.top import PortTiming

__all__ = [
    "EmittedKernel",
    "PortTiming",
    "design_memory",
    "design_signature",
    "emit_design",
    "emit_kernel",
    "memory_table",
    "signature",
]
