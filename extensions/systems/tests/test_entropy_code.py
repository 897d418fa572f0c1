"""Prefix codes against entropy and against all trees; weights through lanes and back, whatever their bits are."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from sttest.core.errors import InputError
from sttest_systems.entropy.coding import LaneFormat, decode, encode, entropy_bits, prefix_code
from sttest_systems.entropy.coding.lanes import FILL, bfloat16_bits, exponents, histogram
from sttest_systems.entropy.coding.steps import steps_of

SMALL = LaneFormat(3, 2, 16, 9, 34)
histograms = st.lists(st.integers(0, 10_000), min_size=2, max_size=40).filter(any)


@st.composite
def formats(draw) -> LaneFormat:
    symbols, longest = draw(st.sampled_from([1, 2, 4])), draw(st.integers(9, 14))
    skew = symbols * (longest + 8) + draw(st.integers(0, 80))
    return LaneFormat(draw(st.integers(1, 5)), symbols, draw(st.sampled_from([8, 16, 32, 64])), longest, skew)


@given(histograms)
def test_codewords_are_as_long_as_entropy_and_a_bit_at_most(counts):
    code = prefix_code(counts, 40)
    assert sum(2.0**-bits for bits in code.lengths if bits) <= 1
    if np.count_nonzero(counts) > 1:
        assert entropy_bits(np.array(counts)) - 1e-9 <= code.mean_bits(np.array(counts))
        assert code.mean_bits(np.array(counts)) < entropy_bits(np.array(counts)) + 1


@given(st.lists(st.integers(1, 30), min_size=2, max_size=5), st.integers(3, 4))
def test_no_code_within_the_bound_is_better(counts, longest):
    lengths = product(range(1, longest + 1), repeat=len(counts))
    best = min(np.dot(each, counts) for each in lengths if sum(2.0**-bits for bits in each) <= 1)
    assert np.dot(prefix_code(counts, longest).lengths, counts) == best


@given(histograms)
def test_no_codeword_begins_another_and_limits_tell_their_lengths(counts):
    code = prefix_code(counts, 12)
    for place, symbol in enumerate(code.symbols):
        bits, word = code.lengths[symbol], code.codewords[symbol]
        for rest in (0, (1 << 12 - bits) - 1):
            window = word << 12 - bits | rest
            length = 1 + sum(window >= limit for limit in code.limits[:-1])
            assert (length, (window >> 12 - length) + code.offsets[length - 1]) == (bits, place)


def test_a_code_without_room_is_refused():
    with pytest.raises(InputError, match="9 symbols"):
        prefix_code([1] * 9, 3)
    with pytest.raises(InputError, match="0 symbols"):
        prefix_code([0, 0], 3)


@settings(deadline=None, max_examples=60)
@given(arrays.arrays(np.uint16, st.integers(1, 60)), formats())
def test_any_bits_come_back(weights, lane_format):
    encoded = encode(weights, lane_format)
    assert (decode(encoded) == weights).all()
    assert [each.size for each in steps_of(encoded).takes] == [len(encoded.words)] * lane_format.lanes
    assert [each.size for each in steps_of(encoded).gives] == [encoded.groups] * lane_format.lanes


def test_every_bit_pattern_comes_back():
    weights = np.random.default_rng(1).permutation(np.arange(1 << 16, dtype=np.uint16))
    assert (decode(encode(weights, LaneFormat())) == weights).all()


def test_normal_weights_take_two_thirds():
    weights = bfloat16_bits(np.random.default_rng(1).normal(0, 0.02, 100_000).astype(np.float32))
    encoded = encode(weights, LaneFormat())
    counts = histogram(weights)
    # The entropy of a normal number's binary exponent does not depend on the deviation by more than where it is cut.
    assert entropy_bits(counts) == pytest.approx(2.6, abs=0.1)
    assert entropy_bits(counts) <= encoded.code.mean_bits(counts) < entropy_bits(counts) + 0.1
    assert encoded.bits_per_weight == pytest.approx(8 + encoded.code.mean_bits(counts), rel=0.01)
    assert (decode(encoded) == weights).all()


def test_a_lane_that_lags_gets_fill_and_none_lags_further():
    # Lane 0 has the rare exponents, the others the frequent one.
    rng = np.random.default_rng(1)
    weights = np.where(np.arange(1200) % 6 < 2, rng.integers(0, 1 << 16, 1200), 0x3F80).astype(np.uint16)
    encoded = encode(weights, SMALL)
    assert encoded.fills[:, 0].sum() == 0 < encoded.fills[:, 1:].sum()
    place = np.cumsum(encoded.bits + SMALL.group_bits * encoded.fills, axis=0)
    before = place - encoded.bits
    assert np.ptp(before, axis=1).max() < SMALL.skew_bits
    assert (decode(encoded) == weights).all()
    far = encode(weights, replace(SMALL, skew_bits=1 << 30))
    assert far.fills.sum() == 0
    assert (decode(far) == weights).all()


def test_rounding_is_that_of_bfloat16():
    torch = pytest.importorskip("torch")
    values = np.random.default_rng(1).integers(0, 1 << 32, 10_000, dtype=np.uint32).view(np.float32)
    ours, theirs = bfloat16_bits(values), torch.from_numpy(values).bfloat16().view(torch.int16).numpy().view(np.uint16)
    assert (np.isnan(values) | (ours == theirs)).all()
    assert (exponents(ours[np.isnan(values)]) == 255).all()


def test_weights_that_the_code_does_not_know_are_refused():
    ones = np.full(10, 0x3F80, dtype=np.uint16)
    code = SMALL.code(ones)
    assert code.lengths[FILL]
    with pytest.raises(InputError, match="exponent 128"):
        encode(np.full(10, 0x4000, dtype=np.uint16), SMALL, code)
    with pytest.raises(InputError, match="nothing to encode"):
        encode(ones[:0], SMALL)
    with pytest.raises(InputError, match="skew of 34"):
        LaneFormat(3, 2, 16, 9, 33)
