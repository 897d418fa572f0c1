"""Float operations and functions of emitted C++ against numpy, to the bit: subnormal numbers, borders, random bits."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from float_points import pairs, points, same_bits
from numpy.typing import NDArray
from small_kernels import needs_compiler

from sttest.compile.hls.helpers import Helpers
from sttest.reference.scalar_ops import FLOAT_OPS, compare
from sttest.targets.csim.build import AP_TYPES_FLAGS, FLAGS
from sttest.targets.csim.headers import AP_TYPES_VARIABLE, header_folders

pytestmark = needs_compiler
XILINX = os.environ.get(AP_TYPES_VARIABLE)
TYPES = [
    pytest.param(None, id="own"),
    pytest.param(XILINX, id="xilinx", marks=pytest.mark.skipif(not XILINX, reason=f"{AP_TYPES_VARIABLE} is not set")),
]
UNARY = {
    "math.exp": "exp_f32(a)",
    "math.rsqrt": "rsqrt_f32(a)",
    "math.tanh": "tanh_f32(a)",
    "math.sqrt": "hls::sqrt(a)",
    "math.roundeven": "hls::rint(a)",
    "math.absf": "hls::fabs(a)",
    "arith.negf": "-a",
}
BINARY = {
    "arith.addf": "a + b",
    "arith.subf": "a - b",
    "arith.mulf": "a * b",
    "arith.divf": "a / b",
    "arith.maximumf": "larger(a, b)",
    "arith.minimumf": "smaller(a, b)",
    "olt": "a < b ? 1.0f : 0.0f",
    "ueq": "!(a < b || a > b) ? 1.0f : 0.0f",
    "oge": "a >= b ? 1.0f : 0.0f",
}
MAIN = """
#include <cstdio>
int main() {
  unsigned int bits[2];
  while (std::fread(bits, 4, 2, stdin) == 2) {
    const float a = float_of_bits(bits[0]), b = float_of_bits(bits[1]);
    (void)b;
    const float found[] = {CALLS};
    std::fwrite(found, sizeof found, 1, stdout);
  }
}
"""


def computed(
    folder: Path, calls: dict[str, str], left: NDArray, right: NDArray, types: str | None = None
) -> dict[str, NDArray[np.float32]]:
    """What each call gives for the pairs of operands."""
    helpers = Helpers()
    for name in ("exp_f32", "rsqrt_f32", "tanh_f32", "larger", "smaller"):
        helpers.call(name)
    main = MAIN.replace("CALLS", ", ".join(calls.values()))
    head = "#include <ap_int.h>\n#include <hls_half.h>\n#include <hls_math.h>\n"
    (folder / "t.cpp").write_text("\n".join([head, *helpers.texts(), main]))
    flags = (*FLAGS, "-Werror", *(AP_TYPES_FLAGS if types else ()))
    with header_folders(Path(types) if types else None) as headers:
        command = ["g++", *flags, *headers.options, folder / "t.cpp", "-o", folder / "t"]
        subprocess.run(command, check=True, timeout=120)
    sent = np.stack([left, right], -1).astype(np.float32).tobytes()
    said = subprocess.run([folder / "t"], input=sent, capture_output=True, check=True, timeout=250).stdout
    rows = np.frombuffer(said, np.float32).reshape(-1, len(calls))
    return {name: rows[:, column] for column, name in enumerate(calls)}


@pytest.mark.daily
@pytest.mark.parametrize(
    "count", [20_000, pytest.param(3_000_000, marks=pytest.mark.nightly)], ids=["quick", "nightly"]
)
def test_operations_of_two_numbers(count: int, tmp_path: Path) -> None:
    left, right = pairs(count)
    found = computed(tmp_path, BINARY, left, right)
    for name in BINARY:
        function = FLOAT_OPS.get(name) or compare(name)
        with np.errstate(all="ignore"):
            wanted = function(left, right).astype(np.float32)
        assert same_bits(found[name], wanted).all(), name


@pytest.mark.parametrize(
    "count", [50_000, pytest.param(10_000_000, marks=pytest.mark.nightly)], ids=["quick", "nightly"]
)
@pytest.mark.parametrize("types", TYPES)
def test_functions_of_one_number(types: str | None, count: int, tmp_path: Path) -> None:
    x = points(count)
    found = computed(tmp_path, UNARY, x, x, types)
    for name in UNARY:
        with np.errstate(all="ignore"):
            wanted = FLOAT_OPS[name](x)
        different = ~same_bits(found[name], wanted)
        assert not different.any(), (name, x[different][:3], found[name][different][:3], wanted[different][:3])
