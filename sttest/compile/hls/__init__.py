"""Vitis HLS C++ of a compiled kernel: `hls/kernel.cpp` and what a host must know of it (docs/hardware/hls.md)."""
