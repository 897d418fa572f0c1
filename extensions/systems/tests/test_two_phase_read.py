"""The DMA of keys in two parts: to the bit in C++, in the order that the timed graph's products have."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from sttest.core.errors import InputError
from sttest.targets.csim.headers import header_folders
from sttest_systems.spatten.key_planes import PlaneFormat, key_planes, read_order
from sttest_systems.spatten.two_phase_read_hls import two_phase_read_kernel

needs_gxx = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
FORMATS = (PlaneFormat(16, 6, 4, 64), PlaneFormat(64, 6, 4, 512), PlaneFormat(24, 8, 4, 128), PlaneFormat(7, 3, 5, 8))
_MAIN = """
#include <cstdio>
#include <vector>
{kernel}
static unsigned next() {{ unsigned number; return std::scanf("%u", &number) == 1 ? number : 0; }}
static std::vector<word_t> image(int words) {{
  std::vector<word_t> found(words);
  for (auto& word : found) {{
    word = 0;
    for (int byte = 0; byte < {bytes}; ++byte) {put}
  }}
  return found;
}}
int main() {{
  for (int runs = next(); runs > 0; --runs) {{
    const int all = next(), tokens = next(), heads = next();
    std::vector<int> token(tokens), flags(heads);
    int parts = tokens * heads;
    for (auto& each : token) each = next();
    for (auto& each : flags) parts += tokens * (each = next());
    const auto high = image(all * heads * {high}), low = image(all * heads * {low});
    std::vector<short> out(parts * {dim});
    reads(high.data(), low.data(), token.data(), token.data(), flags.data(), out.data(), tokens, heads, parts);
    for (short each : out) std::printf("%d\\n", each);
  }}
}}
"""


def random_read(rng: np.random.Generator, planes: PlaneFormat):
    """A cache, tokens of it, and what was decided about heads."""
    every, heads = int(rng.integers(1, 20)), int(rng.integers(1, 5))
    most = 1 << (planes.high_bits + planes.low_bits - 1)
    keys = rng.integers(-most, most, (every, heads, planes.dim))
    tokens = np.sort(rng.permutation(every)[: int(rng.integers(1, every + 1))])
    return keys, tokens, rng.integers(0, 2, heads).astype(bool).tolist()


def run_csim(planes: PlaneFormat, reads, folder: Path) -> np.ndarray:
    """What the kernel writes for each read, one after the other."""
    numbers = [len(reads)]
    for keys, tokens, again in reads:
        high, low = key_planes(keys.reshape(-1, planes.dim), planes)
        numbers += [keys.shape[0], len(tokens), len(again), *tokens, *map(int, again), *high.ravel(), *low.ravel()]
    put = (
        "word(8 * byte + 7, 8 * byte) = next();"
        if planes.word_bits > 64
        else "word = word_t(word.to_int64() | static_cast<long long>(next()) << (8 * byte));"
    )
    text = _MAIN.format(
        kernel=two_phase_read_kernel("reads", planes),
        bytes=planes.word_bits // 8,
        dim=planes.dim,
        put=put,
        high=planes.words(planes.high_bits),
        low=planes.words(planes.low_bits),
    )
    (folder / "reads.cpp").write_text(text)
    with header_folders() as headers:
        command = ["g++", "-std=c++17", "-O1", "-Wno-unknown-pragmas", *headers.options, "reads.cpp", "-o", "reads"]
        built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[-3000:]
    ran = subprocess.run(
        [folder / "reads"], input=" ".join(map(str, numbers)).encode(), capture_output=True, check=True
    )
    return np.array([int(line) for line in ran.stdout.decode().splitlines() if line[0] != "{"])


def wanted(keys: np.ndarray, tokens: np.ndarray, again: list[bool], planes: PlaneFormat) -> np.ndarray:
    """Parts in order: their sum is the key, of a head whose low bits are read, and else the key rounded down."""
    scale = 1 << planes.low_bits
    parts = {False: np.floor_divide(keys, scale) * scale, True: np.mod(keys, scale)}
    return np.concatenate([parts[low][tokens, head].ravel() for head, low in read_order(again)])


def check(planes: PlaneFormat, count: int, seed: int, folder: Path) -> None:
    rng = np.random.default_rng(seed)
    reads = [random_read(rng, planes) for _ in range(count)]
    assert np.array_equal(run_csim(planes, reads, folder), np.concatenate([wanted(*each, planes) for each in reads]))


@needs_gxx
def test_keys_come_to_the_bit_and_in_order(tmp_path):
    check(FORMATS[0], 20, 1, tmp_path)


@pytest.mark.parametrize("number", range(len(FORMATS)))
@needs_gxx
@pytest.mark.nightly
def test_keys_of_300_reads_come_to_the_bit_and_in_order(number, tmp_path):
    check(FORMATS[number], 300, 10 + number, tmp_path)


def test_a_head_is_read_again_behind_the_next_one():
    assert read_order([True, False, True]) == [(0, False), (1, False), (0, True), (2, False), (2, True)]
    assert read_order([]) == []


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match="does not fit"):
        key_planes(np.array([[512]]), PlaneFormat(1))
    with pytest.raises(InputError, match="words of 12"):
        PlaneFormat(word_bits=12)
