"""What is a number in a text: finite, in plain digits, and the same for every reader."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sttest.core.numbers import is_disguised, real, whole

COUNTED = 10**18 - 1
TEXTS = st.text(st.sampled_from("0123456789+-.eE_ nainfty٣²"), max_size=8)


@given(st.integers(-COUNTED, COUNTED), st.sampled_from(["", " ", "\t\n"]))
def test_whole_numbers_come_back(number: int, space: str) -> None:
    assert whole(f"{space}{number}{space}") == number
    assert whole(f"{number:+}") == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_come_back(number: float) -> None:
    assert real(f" {number!r} ") == number
    assert not is_disguised(repr(number))


@pytest.mark.parametrize("text", ["", " ", "1.0", "1e3", "1_0", "0x10", "- 1", "+-1", "٣", "²", "ten"])
def test_what_is_no_whole_number(text: str) -> None:
    with pytest.raises(ValueError, match="is no whole number in plain digits") as caught:
        whole(text)
    assert f"'{text}'" in str(caught.value)


@pytest.mark.parametrize("text", [f"{10**18}", f"-{10**18}", "9" * 5000])
def test_more_digits_than_anything_has_that_is_counted(text: str) -> None:
    with pytest.raises(ValueError, match="is a whole number of more than 18 digits") as caught:
        whole(text)
    assert len(str(caught.value)) < 100
    assert whole(f"+{'0' * 30}{COUNTED}") == COUNTED


@pytest.mark.parametrize(
    "text", ["", "nan", "inf", "-Infinity", "1e999", "-1e999", "1_0", "1_0.5", "0x1p3", "٣", ".", "e3"]
)
def test_what_is_no_finite_number(text: str) -> None:
    with pytest.raises(ValueError, match="is no finite number in plain digits"):
        real(text)


@given(TEXTS)
@example("1e999")
@example("-1e999")
@example("1_0")
@example(" nan ")
@example("٣")
def test_what_is_disguised_is_what_python_alone_takes_for_a_number(text: str) -> None:
    def taken(read) -> float | None:
        try:
            return read(text)
        except ValueError:
            return None

    number, by_python = taken(real), taken(float)
    assert is_disguised(text) == (by_python is not None and number is None)
    if number is not None:
        assert math.isfinite(number)
        assert number == by_python
