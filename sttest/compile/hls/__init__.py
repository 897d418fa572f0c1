"""Vitis HLS C++ of a compiled kernel: `hls/kernel.cpp` and what a host must know of it (docs/hls.md)."""

from sttest.compile.hls.files import emit_design, write_hls
from sttest.compile.hls.kernel import EmittedKernel, emit_kernel
from sttest.compile.hls.signature import signature

__all__ = ["EmittedKernel", "emit_design", "emit_kernel", "signature", "write_hls"]
