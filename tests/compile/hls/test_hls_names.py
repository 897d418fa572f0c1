"""Names in C++: whatever modules are called, identifiers are legal, free and different."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from operation_kernels import operations_text
from small_kernels import made

from sttest.compile.hls.types import RESERVED, Names, is_legal, legal
from sttest.targets.vitis.rules import check_kernel


@given(st.text(max_size=12))
def test_any_text_becomes_a_legal_name(text: str) -> None:
    assert is_legal(legal(text))


def test_reserved_words_are_avoided() -> None:
    assert [legal(name) for name in sorted(RESERVED)] == [f"the_{name}" for name in sorted(RESERVED)]


def test_a_scope_gives_each_thing_one_name_of_its_own() -> None:
    names = Names(["token"])
    assert [names.of(1, "norm"), names.of(2, "norm"), names.of(1, "other"), names.of(3, "token")] == [
        "norm",
        "norm_2",
        "norm",
        "token_2",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "class",
        "exp",
        "larger",
        "f32_of_word",
        "token",
        "group0",
        "a__b",
        "t0",
        "acc",
        "x_in",
        "kept_y",
        "rounded",
        "f32x16",
    ],
)
def test_modules_may_be_called_like_what_is_taken(name: str) -> None:
    text = operations_text(8, ["quantize"]).replace('"quantize"', f'"{name}"').replace("quantize_in0", name)
    assert check_kernel(made(text).emitted.text) == []
