"""How far functions by tables are from the exact ones, as docs/reference/values.md states it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from sttest.reference import binary32

LARGEST_EXP_ULP, LARGEST_RSQRT_ULP, LARGEST_TANH_ERROR = 0.61, 0.63, 1.25e-7
NIGHTLY = [pytest.param(1, marks=pytest.mark.nightly), 97]
"""Every so many significands of an octave."""


def octave(exponent: int, step: int) -> NDArray[np.float32]:
    """Every so many numbers from 2^exponent to the next power of two, the first and last ones among them."""
    fraction = np.unique(np.append(np.arange(0, 1 << 23, step, dtype=np.uint32), [(1 << 23) - 1]))
    return (fraction + np.uint32((exponent + 127) << 23)).astype(np.uint32).view(np.float32)


def error_ulp(
    function: Callable[[NDArray], NDArray], exact: Callable[[NDArray], NDArray], x: NDArray[np.float32]
) -> float:
    """The largest error in units of the last place of results, among those that are normal numbers."""
    with np.errstate(over="ignore", under="ignore"):
        found, wanted = function(x).astype(np.float64), exact(x.astype(np.float64))
    is_normal = (wanted >= binary32.LEAST) & (wanted < 2.0**128) & np.isfinite(found)
    unit = np.ldexp(1.0, np.frexp(wanted[is_normal])[1] - 24)
    return float((np.abs(found - wanted)[is_normal] / unit).max(initial=0.0))


@pytest.mark.parametrize("step", NIGHTLY)
@pytest.mark.parametrize("exponent", range(-28, 7))
def test_error_of_exp(exponent: int, step: int) -> None:
    x = octave(exponent, step)
    assert error_ulp(binary32.exp, np.exp, x) <= LARGEST_EXP_ULP
    assert error_ulp(binary32.exp, np.exp, -x) <= LARGEST_EXP_ULP


@pytest.mark.parametrize("step", NIGHTLY)
@pytest.mark.parametrize("exponent", [0, 1])
def test_error_of_rsqrt(exponent: int, step: int) -> None:
    x = octave(exponent, step)
    assert error_ulp(binary32.rsqrt, lambda y: 1 / np.sqrt(y), x) <= LARGEST_RSQRT_ULP
    significands = binary32.rsqrt(x).view(np.uint32) & 0x7FFFFF
    for other in (-126 + exponent, -60 + exponent, 124 + exponent):
        assert (binary32.rsqrt(octave(other, step)).view(np.uint32) & 0x7FFFFF == significands).all()


@pytest.mark.parametrize("count", [100_000, pytest.param(10_000_000, marks=pytest.mark.nightly)])
def test_error_of_tanh(count: int) -> None:
    source = np.random.default_rng(0)
    for x in (source.uniform(-10, 10, count), source.uniform(-1, 1, count) * 2.0 ** -source.integers(0, 30, count)):
        numbers = x.astype(np.float32)
        error = np.abs(binary32.tanh(numbers) - np.tanh(numbers.astype(np.float64)))
        assert error.max() <= LARGEST_TANH_ERROR


def test_exponentials_of_what_is_not_positive_are_at_most_one() -> None:
    x = np.concatenate([-octave(exponent, 1009) for exponent in range(-126, 127)] + [np.zeros(1, np.float32)])
    found = binary32.exp(x)
    assert (found <= 1).all()
    assert binary32.exp(np.float32([0.0, -0.0])).tolist() == [1.0, 1.0]


def test_rsqrt_of_powers_of_four_is_exact() -> None:
    x = np.float32(2.0) ** np.arange(-126, 127, 2, dtype=np.float32)
    assert (binary32.rsqrt(x) * np.sqrt(x) == 1).all()


@pytest.mark.parametrize(
    ("function", "x", "wanted"),
    [
        (binary32.exp, [np.inf, -np.inf, np.nan, 88.73, -87.4, 1e-40], [np.inf, 0, np.nan, np.inf, 0, 1]),
        (
            binary32.rsqrt,
            [0.0, -0.0, np.inf, -1.0, np.nan, 1e-40, -1e-40],
            [np.inf, -np.inf, 0, *[np.nan] * 2, np.inf, -np.inf],
        ),
        (binary32.tanh, [0.0, -0.0, np.inf, -np.inf, np.nan, 20.0], [0, -0.0, 1, -1, np.nan, 1]),
        (binary32.sqrt, [0.0, -0.0, 1e-40, -1.0, np.inf], [0, -0.0, 0, np.nan, np.inf]),
    ],
)
def test_special_numbers(function: Callable[[NDArray], NDArray], x: list[float], wanted: list[float]) -> None:
    with np.errstate(invalid="ignore"):
        found = function(np.array(x, np.float32))
    np.testing.assert_array_equal(found, np.float32(wanted))
    assert (np.signbit(found) == np.signbit(np.float32(wanted)))[~np.isnan(found)].all()
