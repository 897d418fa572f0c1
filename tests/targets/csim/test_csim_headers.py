"""The C simulation's headers against numpy: integers of every width, bit ranges, binary16, rounding."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from sttest.targets.csim.build import AP_TYPES_FLAGS, FLAGS
from sttest.targets.csim.headers import AP_TYPES_VARIABLE, header_folders

XILINX = os.environ.get(AP_TYPES_VARIABLE)
PROGRAM = """
#include <ap_int.h>
#include <hls_half.h>
#include <hls_math.h>
#include <cstdio>
#include <cstring>
#include <vector>

template <int W> void integers(const std::vector<long long>& values) {
  for (long long value : values) {
    const ap_int<W> s = value;
    const ap_uint<W> u = value;
    ap_int<W> sum = s;
    sum += 5;
    const ap_int<W> product = s * ap_int<W>(3);
    std::printf("%d %lld %llu %lld %lld %d\\n", W, s.to_int64(), (unsigned long long)u.range(W - 1, 0), sum.to_int64(),
                product.to_int64(), (int)s.range(W > 4 ? 3 : W - 1, 0));
  }
}

int main() {
  std::vector<long long> values;
  long long value;
  int count;
  if (std::scanf("%d", &count) != 1) return 1;
  for (int i = 0; i < count && std::scanf("%lld", &value) == 1; ++i) values.push_back(value);
  integers<1>(values); integers<4>(values); integers<7>(values); integers<8>(values); integers<16>(values);
  integers<31>(values); integers<32>(values);
  std::puts("wide");
  ap_uint<512> wide;
  for (int low = 0; low + 37 <= 512; low += 37) wide.range(low + 36, low) = 0x123456789 * (low + 1);
  wide.range(70, 60) = 0x555;
  for (int low = 0; low < 512; low += 32) std::printf("%llu\\n", (unsigned long long)wide.range(low + 31, low));
  std::puts("half");
  double number;
  while (std::scanf("%lf", &number) == 1) {
    const float value32 = static_cast<float>(number), narrow = half(value32);
    std::printf("%.17g %.17g\\n", static_cast<double>(narrow), static_cast<double>(hls::rint(value32)));
  }
}
"""


@pytest.fixture(
    scope="module",
    params=[None, pytest.param(XILINX, marks=pytest.mark.skipif(not XILINX, reason=f"{AP_TYPES_VARIABLE} is not set"))],
    ids=["own", "xilinx"],
)
def said(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[int], list[float], list[list[str]]]:
    """What the program printed, by section, for some numbers."""
    folder = tmp_path_factory.mktemp("headers")
    (folder / "t.cpp").write_text(PROGRAM)
    flags = [*FLAGS, *(AP_TYPES_FLAGS if request.param else ())]
    with header_folders(Path(request.param) if request.param else None) as headers:
        options = headers.options if request.param else [each.replace("-isystem", "-I") for each in headers.options]
        subprocess.run(["g++", *flags, "-Werror", *options, "t.cpp", "-o", "t"], cwd=folder, check=True)
    rng = np.random.default_rng(1)
    integers = [0, 1, -1, 7, -8, 8, 127, -128, 128, 255, 2**31 - 1, -(2**31), 2**31, *rng.integers(-(2**40), 2**40, 40)]
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    finite = halves[np.isfinite(halves)][::7].astype(np.float32)
    between = (finite[:-1] + finite[1:]) / 2
    scattered = rng.normal(size=500).astype(np.float32) * np.float32(10.0) ** rng.integers(-8, 5, 500).astype(
        np.float32
    )
    floats = [*finite, *between, *np.nextafter(between, np.float32(0)), *scattered, 65519.9, 65520.0, 1e30, -2.5, 3.5]
    words = " ".join([str(len(integers)), *map(str, integers), *(f"{value:.9g}" for value in floats)])
    done = subprocess.run([str(Path(folder, "t"))], input=words, capture_output=True, text=True, check=True)
    first, rest = done.stdout.split("wide\n")
    second, third = rest.split("half\n")
    return (
        [int(value) for value in integers],
        [float(np.float32(value)) for value in floats],
        [section.splitlines() for section in (first, second, third)],
    )


def _signed(value: int, width: int) -> int:
    kept = value & ((1 << width) - 1)
    return kept - (1 << width) if kept >> (width - 1) else kept


def test_integers_wrap_to_their_width(said):
    integers, _, (lines, _, _) = said
    rows = [tuple(map(int, line.split())) for line in lines]
    assert len(rows) == 7 * len(integers)
    for (width, signed, unsigned, total, product, low), value in zip(rows, integers * 7, strict=True):
        kept = _signed(value, width)
        assert (signed, unsigned) == (kept, value & ((1 << width) - 1))
        assert total == _signed(kept + 5, width)
        assert product == _signed(kept * _signed(3, width), width)
        assert low == kept & ((1 << min(4, width)) - 1)


def test_ranges_of_wide_values(said):
    _, _, (_, lines, _) = said
    bits = 0
    for low in range(0, 512 - 36, 37):
        bits |= ((0x123456789 * (low + 1)) & ((1 << 37) - 1)) << low
    bits = bits & ~(0x7FF << 60) | 0x555 << 60
    assert [int(line) for line in lines] == [(bits >> low) & 0xFFFFFFFF for low in range(0, 512, 32)]


def test_binary16_and_rounding_to_even(said):
    _, floats, (_, _, lines) = said
    assert len(lines) == len(floats)
    for value, line in zip(floats, lines, strict=True):
        narrow, whole = map(float, line.split())
        with np.errstate(over="ignore"):
            assert narrow == float(np.float16(np.float32(value))), value
        assert whole == float(np.round(np.float32(value))), value
