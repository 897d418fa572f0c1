"""The itensor type: the worked examples with their offsets, and laws of random types."""

from __future__ import annotations

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from itensors import EXAMPLE_A, EXAMPLE_B, EXAMPLE_C, SHAPES, itensor, regular_types
from xdsl.dialects.builtin import i8

from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.dialects.stream_order import is_regular

# Tile corners of an 8x8 tensor: 2x2 tiles row by row; 4x2 tiles column by column; the same, each column twice.
OFFSETS_A = [(row, column) for row in (0, 2, 4, 6) for column in (0, 2, 4, 6)]
OFFSETS_B = [(row, column) for column in (0, 2, 4, 6) for row in (0, 4)]
OFFSETS_C = [(row, column) for column in (0, 2, 4, 6) for _ in range(2) for row in (0, 4)]


@pytest.mark.parametrize(("text", "offsets"), [(EXAMPLE_A, OFFSETS_A), (EXAMPLE_B, OFFSETS_B), (EXAMPLE_C, OFFSETS_C)])
def test_examples_stream_their_tiles_in_order(text: str, offsets: list[tuple[int, int]]) -> None:
    stream = itensor(text)
    assert list(stream.offsets()) == offsets
    assert stream.tokens == len(offsets)
    assert stream.full_shape == (8, 8)
    assert is_regular(stream)


def test_first_offsets_are_those_of_the_paper() -> None:
    assert OFFSETS_A[:5] == [(0, 0), (0, 2), (0, 4), (0, 6), (2, 0)]
    assert OFFSETS_B[:5] == [(0, 0), (4, 0), (0, 2), (4, 2), (0, 4)]
    assert OFFSETS_C[:5] == [(0, 0), (4, 0), (0, 0), (4, 0), (0, 2)]


def test_a_sum_of_loops_walks_one_dim() -> None:
    # Query heads of [2 rows, 2 heads x 4 channels]: head, then row, then channel tile of 2.
    stream = itensor("1x2xf32, iter_space: [2,2,1,2]*[4,1,8,2], iter_map: (d0,d1,d2,d3)->(d1,d0+d3)")
    assert list(stream.offsets()) == [(0, 0), (0, 2), (1, 0), (1, 2), (0, 4), (0, 6), (1, 4), (1, 6)]
    assert stream.full_shape == (2, 8)
    assert not is_regular(stream)


def test_sizes_and_widths() -> None:
    stream = itensor("vector<2x4xi4>, iter_space: [2,2]*[2,4], iter_map: (d0,d1)->(d0,d1)")
    assert (stream.token_elements, stream.element_bits, stream.token_bits) == (8, 4, 32)
    wide = stream.with_dtype(i8)
    assert wide.token_bits == 64
    assert list(wide.offsets()) == list(stream.offsets())


def test_a_scalar_has_one_token() -> None:
    stream = itensor("f32, iter_space: []*[], iter_map: ()->()")
    assert (list(stream.offsets()), stream.full_shape, stream.token_elements) == ([()], (), 1)


def test_gaps_and_overlaps_are_not_regular() -> None:
    assert not is_regular(itensor("2xf32, iter_space: [4]*[3], iter_map: (d0)->(d0)"))
    assert not is_regular(itensor("2xf32, iter_space: [4]*[1], iter_map: (d0)->(d0)"))


@st.composite
def any_regular(draw: st.DrawFn) -> tuple[tuple[int, ...], ITensorType]:
    shape = draw(SHAPES)
    return shape, draw(regular_types(shape))


@given(any_regular())
def test_full_shape_is_the_box_of_all_tokens(case: tuple[tuple[int, ...], ITensorType]) -> None:
    shape, stream = case
    assert stream.full_shape == shape
    offsets = list(stream.offsets())
    assert stream.tokens == len(offsets) == prod(stream.trip_counts)
    for dim, size in enumerate(shape):
        assert max(offset[dim] for offset in offsets) + stream.element_shape[dim] == size


@given(any_regular())
def test_printing_is_a_fixed_point(case: tuple[tuple[int, ...], ITensorType]) -> None:
    _, stream = case
    again = itensor(str(stream).removeprefix("!df.itensor<").removesuffix(">"))
    assert again == stream
