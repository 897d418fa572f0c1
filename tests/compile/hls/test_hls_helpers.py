"""The functions on bits of emitted C++ against numpy: conversions of halves, rounding that saturates."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.ir import Operation

from sttest.compile.hls.helpers import Helpers
from sttest.compile.opt import new_context, parse
from sttest.compile.schedule.conversions import is_inside_saturation, saturation_of
from sttest.targets.csim.build import FLAGS
from sttest.targets.csim.headers import header_folders

if TYPE_CHECKING:
    from pathlib import Path

BOUNDS = ((-127, 127), (-8, 7), (-32768, 32767), (3, 9), (-9, -3), (0, 0))
MAIN = """
#include <cstdio>
#include <vector>
int main() {
  unsigned int bits;
  for (unsigned int n = 0; n < 65536; ++n) {
    const unsigned int found[2] = {bits_of_half(half_of_bits(n)), bits_of_float(static_cast<float>(half_of_bits(n)))};
    std::fwrite(found, 4, 2, stdout);
  }
  while (std::fread(&bits, 4, 1, stdin) == 1) {
    const int found[] = {CALLS};
    std::fwrite(found, sizeof found, 1, stdout);
  }
}
"""


def floats() -> NDArray[np.float32]:
    """Numbers around every power of two and every half, special ones, and random bits."""
    eighths = np.arange(-8 * 300, 8 * 300, dtype=np.float32) / 8
    near = np.concatenate([eighths, np.nextafter(eighths, np.float32(np.inf)), np.nextafter(eighths, np.float32(-1e9))])
    powers = np.float32(2.0) ** np.arange(-149, 128, dtype=np.float32)
    whole = np.arange(32000, 33000, dtype=np.float32) + np.float32(0.5)
    special = np.array([0.0, -0.0, np.inf, -np.inf, 3.4028235e38, -3.4028235e38, 8388607.5, 4194303.5], np.float32)
    random = np.random.default_rng(1).integers(0, 1 << 32, 100_000, dtype=np.uint32).view(np.float32)
    every = np.concatenate([near, powers, -powers, whole, -whole, special, random[~np.isnan(random)]])
    return every.astype(np.float32)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """Of all halves their bits as halves and as floats; of some floats what they are rounded to, NaN last."""
    folder: Path = tmp_path_factory.mktemp("helpers")
    helpers = Helpers()
    for name in ("half_of_bits", "bits_of_half", "rounded"):
        helpers.call(name)
    calls = ", ".join(f"rounded(float_of_bits(bits), {low}, {high})" for low, high in BOUNDS)
    texts = ["#include <ap_int.h>\n#include <hls_half.h>\n", *helpers.texts(), MAIN.replace("CALLS", calls)]
    (folder / "t.cpp").write_text("\n".join(texts))
    with header_folders() as headers:
        command = ["g++", *FLAGS, *headers.options, folder / "t.cpp", "-o", folder / "t"]
        subprocess.run(command, check=True, timeout=120)
    sent = np.append(floats(), np.float32(np.nan)).tobytes()
    said = subprocess.run([folder / "t"], input=sent, capture_output=True, check=True, timeout=120).stdout
    halves = np.frombuffer(said[: 65536 * 8], np.uint32).reshape(-1, 2)
    return halves, np.frombuffer(said[65536 * 8 :], np.int32).reshape(-1, len(BOUNDS))


def test_all_halves_come_back(found: tuple[NDArray[np.uint32], NDArray[np.int32]]) -> None:
    bits = np.arange(65536, dtype=np.uint32)
    is_nan = (bits & 0x7FFF) > 0x7C00
    assert (found[0][:, 0] == bits)[~is_nan].all()
    # Which of the halves that are not numbers it becomes is up to the conversion from binary32.
    assert ((found[0][:, 0] & 0x7FFF) > 0x7C00)[is_nan].all()


def test_all_halves_have_their_value(found: tuple[NDArray[np.uint32], NDArray[np.int32]]) -> None:
    wanted = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float32)
    values = found[0][:, 1].copy().view(np.float32)
    assert np.array_equal(values, wanted, equal_nan=True)
    assert (np.signbit(values) == np.signbit(wanted)).all()


def test_rounding_saturates_as_the_chain_does(found: tuple[NDArray[np.uint32], NDArray[np.int32]]) -> None:
    for column, (low, high) in enumerate(BOUNDS):
        wanted = np.minimum(np.maximum(np.rint(floats()), np.float32(low)), np.float32(high)).astype(np.int32)
        assert (found[1][:-1, column] == wanted).all(), (low, high)
    assert (found[1][-1] == 0).all()


def conversion(body: str) -> Operation:
    """The conversion that ends a payload of `%x`."""
    text = f"func.func @f(%x: f32) -> () {{ {body} %y = arith.fptosi %v : f32 to i8 func.return }}"
    module = parse(f"builtin.module {{ {text} }}", "test", new_context())
    return next(op for op in module.walk() if op.name == "arith.fptosi")


HIGH, LOW = "%h = arith.constant 127.0 : f32", "%l = arith.constant -127.0 : f32"
ROUND = "%r = math.roundeven %x : f32"


@pytest.mark.parametrize(
    "body",
    [
        f"{HIGH} {LOW} {ROUND} %a = arith.maximumf %r, %l : f32 %v = arith.minimumf %a, %h : f32",
        f"{HIGH} {LOW} {ROUND} %a = arith.minimumf %h, %r : f32 %v = arith.maximumf %l, %a : f32",
        f"{HIGH} %l = arith.negf %h : f32 {ROUND} %a = arith.maximumf %r, %l : f32 %v = arith.minimumf %a, %h : f32",
    ],
)
def test_a_chain_in_any_order_is_one_conversion(body: str) -> None:
    op = conversion(body)
    saturated = saturation_of(op)
    assert saturated is not None
    assert (saturated.low, saturated.high) == (-127, 127)
    assert len([each for each in saturated.inside if is_inside_saturation(each)]) == 3


@pytest.mark.parametrize(
    "body",
    [
        f"{ROUND} %v = arith.negf %r : f32",
        f"{HIGH} {ROUND} %v = arith.minimumf %r, %h : f32",
        f"{HIGH} {LOW} %a = arith.maximumf %x, %l : f32 %v = arith.minimumf %a, %h : f32",
        f"{HIGH} %l = arith.constant -0.5 : f32 {ROUND} %a = arith.maximumf %r, %l : f32 "
        "%v = arith.minimumf %a, %h : f32",
        f"{HIGH} {LOW} {ROUND} %a = arith.maximumf %r, %l : f32 %v = arith.minimumf %a, %h : f32 "
        "%b = arith.addf %r, %r : f32",
        f"{HIGH} {LOW} {ROUND} %a = arith.maximumf %r, %h : f32 %v = arith.minimumf %a, %l : f32",
    ],
)
def test_any_other_chain_is_written_as_it_is(body: str) -> None:
    assert saturation_of(conversion(body)) is None
