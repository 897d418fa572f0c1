"""Codes of narrow integers: every element comes back, tokens have the bits that the code says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as strategy

from sttest.core.errors import InputError
from sttest.reference.codes import decode, encode
from sttest.reference.weight_types import codes

CODES = codes()


def drawn(name: str, seed: int, elements: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    if name == "i3":
        return random.integers(-4, 4, (3, elements))
    if name == "base-3":
        return random.integers(-1, 2, (3, elements))
    tokens = random.choice([-1, 1], (3, elements // 4, 4))
    np.put_along_axis(tokens, random.integers(0, 4, (3, elements // 4, 1)), 0, -1)
    return tokens.reshape(3, elements)


@pytest.mark.parametrize("name", CODES)
@given(seed=strategy.integers(0, 2**32 - 1), fours=strategy.integers(1, 200))
def test_every_element_comes_back(name, seed, fours):
    tokens = drawn(name, seed, 4 * fours)
    data = encode(tokens, CODES[name], "stream")
    assert data.shape == (3, CODES[name].token_bytes(4 * fours))
    assert np.array_equal(decode(data, CODES[name], 4 * fours), tokens)


@pytest.mark.parametrize(
    ("name", "elements", "size"), [("i3", 8, 3), ("base-3", 5, 1), ("base-3", 6, 2), ("3:4", 32, 5)]
)
def test_tokens_have_the_bits_of_their_code(name, elements, size):
    assert CODES[name].token_bytes(elements) == size


@pytest.mark.parametrize("elements", range(4, 5000, 148))
@pytest.mark.parametrize("name", CODES)
def test_fillers_are_few(name, elements):
    code = CODES[name]
    least = -(-(-(-elements // code.group) * code.bits) // 8)
    assert least <= code.token_bytes(elements) <= least * 33 / 32 + 1


@pytest.mark.parametrize(
    ("name", "token", "told"),
    [
        ("i3", [4], "outside of -4 to 3"),
        ("base-3", [2], "outside of -1 to 1"),
        ("3:4", [0, 0, 1, 1], "has no code of"),
        ("3:4", [1, 1, 0], "no groups of 4"),
    ],
)
def test_other_integers_are_refused(name, token, told):
    with pytest.raises(InputError, match=told):
        encode(np.array([token]), CODES[name], "stream")
