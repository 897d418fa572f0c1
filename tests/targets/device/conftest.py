"""A design of one kernel that is small enough to be compiled in a second, on a card of the emulator."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sttest.core.kernel_signature import BufferArgument, DesignSignature, KernelSignature, write_signature
from sttest.package import KernelFiles
from sttest.targets.csim import build, build_kernel
from sttest.targets.device import CardOptions, HeldCard, Rehearsal, Timeouts

WORDS = 4
BYTES = 64 * WORDS
KERNEL = f"""
#include <ap_int.h>
extern "C" void reverse(const ap_uint<512>* x, ap_uint<512>* y) {{
  for (int n = 0; n < {WORDS}; ++n) y[n] = x[{WORDS} - 1 - n];
}}
"""
DESIGN = DesignSignature(
    design="reverser",
    board="u55c",
    kernels=(
        KernelSignature(
            name="reverse",
            arguments=(
                BufferArgument(name="x", index=0, element="int8", bytes=BYTES, access="read", banks=(0,)),
                BufferArgument(name="y", index=1, element="int8", bytes=BYTES, access="write", banks=(1, 2)),
            ),
        ),
    ),
)


def write_reverser(folder: Path) -> Path:
    """Its package."""
    hls = folder / "hls"
    hls.mkdir(parents=True)
    (hls / "kernel.cpp").write_text(KERNEL)
    write_signature(DESIGN, hls / "signature.json")
    arguments = [{"name": name, "dma": f"dma_{name}", "bundle": f"gmem_{name}"} for name in "xy"]
    table = {"schema": "sttest.kernel-memory/1", "kernel": "reverse", "arguments": arguments}
    (hls / "memory.json").write_text(json.dumps(table))
    return folder


@pytest.fixture(scope="session")
def reverser(tmp_path_factory) -> tuple[Path, Path]:
    """Package and executable."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    package = write_reverser(tmp_path_factory.mktemp("reverser") / "package")
    flags = build.FLAGS
    build.FLAGS = tuple("-O0" if flag == "-O2" else flag for flag in flags)
    try:
        return package, build_kernel(KernelFiles.read(package), package.parent / "work").path
    finally:
        build.FLAGS = flags


@pytest.fixture
def card_of(reverser):
    """Makes a card whose launches go wrong as told."""

    def make(faults=None, *, launch_s: float = 30.0, duration_us: float = 10.0) -> HeldCard:
        package, executable = reverser
        files = KernelFiles.read(package)
        rehearsal = Rehearsal(str(executable), duration_us, faults or {})
        return HeldCard(
            files, CardOptions("emulator", str(files.signature_path), 0, Timeouts(launch_s, 60.0), rehearsal)
        )

    return make
