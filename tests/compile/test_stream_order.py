"""Stream orders: equality, converter buffers against a converter that runs token by token, vectors."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import prod

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from itensors import EXAMPLE_A, EXAMPLE_B, EXAMPLE_C, SHAPES, elements, itensor, pairs, regular_types, token_elements

from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.dialects.stream_order import (
    ConverterBuffer,
    converter_buffer,
    filled_to,
    halved_to,
    same_order,
    vectorized,
    without_repeats,
)
from sttest.core.errors import InputError

Token = tuple[tuple[int, ...], ...]


def tokens_of(stream: ITensorType) -> Iterator[Token]:
    """Each token as the coordinates that it carries: the tensor's values are its own coordinates."""
    return (tuple(token_elements(stream, offset)) for offset in stream.offsets())


def converted(source: ITensorType, result: ITensorType, buffer: ConverterBuffer) -> list[Token]:
    """What a ping-pong converter with exactly this buffer passes on.

    Block by block: it takes the block's tokens, keeps each element once, in a
    box of ``buffer.shape``, and emits the block's tokens from that box alone.
    """
    incoming, outgoing = tokens_of(source), tokens_of(result)
    emitted = []
    for _ in range(buffer.blocks):
        held: set[tuple[int, ...]] = set()
        for token in islice(incoming, source.tokens // buffer.blocks):
            held.update(token)
        corner = tuple(min(point[dim] for point in held) for dim in range(len(buffer.shape)))
        assert len(held) <= prod(buffer.shape)
        for point in held:
            assert all(at - low < size for at, low, size in zip(point, corner, buffer.shape, strict=True))
        for token in islice(outgoing, result.tokens // buffer.blocks):
            assert held.issuperset(token), "an element is asked for that is not in the buffer"
            emitted.append(token)
    assert next(incoming, None) is None
    return emitted


def check(source: ITensorType, result: ITensorType) -> ConverterBuffer:
    buffer = converter_buffer(source, result)
    assert converted(source, result, buffer) == list(tokens_of(result))
    return buffer


def test_worked_example_b_to_c_takes_8x2() -> None:
    buffer = check(itensor(EXAMPLE_B), itensor(EXAMPLE_C))
    # One column of 4x2 tiles, for each of the four columns; twice 16 elements of 32 bits.
    assert (buffer.shape, buffer.before_loop, buffer.blocks) == ((8, 2), 1, 4)
    assert buffer.ping_pong_bits(32) == 2 * 16 * 32


def test_worked_example_of_a_shared_row_loop_takes_16x64() -> None:
    rows = itensor("16x16xf32, iter_space: [4,4]*[16,16], iter_map: (d0,d1)->(d0,d1)")
    again = itensor("16x16xf32, iter_space: [4,2,4]*[16,1,16], iter_map: (d0,d1,d2)->(d0,d2)")
    buffer = check(rows, again)
    assert (buffer.shape, buffer.before_loop, buffer.blocks) == ((16, 64), 1, 4)


def test_orders_that_share_no_loop_take_the_whole_tensor() -> None:
    buffer = check(itensor(EXAMPLE_A), itensor(EXAMPLE_C))
    assert (buffer.shape, buffer.before_loop, buffer.blocks) == ((8, 8), 0, 1)


def test_a_loop_that_one_side_runs_as_two_is_shared() -> None:
    # A decode step's query: 4 tiles of 16 channels, read head by head (2 heads of 32), each head twice.
    tiles = itensor("1x16xf32, iter_space: [4]*[16], iter_map: (d0)->(0,d0)")
    heads = itensor("1x16xf32, iter_space: [2,2,2]*[32,1,16], iter_map: (d0,d1,d2)->(0,d0+d2)")
    buffer = check(tiles, heads)
    assert (buffer.shape, buffer.blocks) == ((1, 32), 2)


@pytest.mark.parametrize(
    "text",
    [
        "2xf32, iter_space: [2,2]*[4,2], iter_map: (d0,d1)->(d0+d1*-1+2)",
        "8xf32, iter_space: [1]*[8], iter_map: (d0)->(d0)",
    ],
)
def test_a_dim_that_is_walked_backwards_converts_both_ways(text: str) -> None:
    backwards = itensor("2xf32, iter_space: [4]*[2], iter_map: (d0)->(d0*-1+6)")
    check(backwards, itensor(text))
    check(itensor(text), backwards)
    forwards = itensor("2xf32, iter_space: [4]*[2], iter_map: (d0)->(d0)")
    check(itensor(text), forwards)
    check(forwards, itensor(text))


def test_different_tensors_are_refused() -> None:
    with pytest.raises(InputError, match="one tensor on both sides"):
        converter_buffer(itensor(EXAMPLE_A), itensor("4x2xf32, iter_space: [4]*[2], iter_map: (d0)->(0,d0)"))


@settings(max_examples=400, deadline=None)
@given(pairs())
def test_a_converter_with_the_inferred_buffer_gives_the_readers_order(pair: tuple[ITensorType, ITensorType]) -> None:
    source, result = pair
    buffer = check(source, result)
    assert prod(buffer.shape) * buffer.blocks == prod(source.full_shape), "blocks cut the tensor evenly"


@st.composite
def heads(draw: st.DrawFn) -> tuple[ITensorType, ITensorType]:
    """A [rows, heads x channels] tensor: row by row, and head by head as (d0,d1,d2,d3)->(d1,d0+d3)."""
    rows, count, width = (draw(st.sampled_from((1, 2, 4))) for _ in range(3))
    row, part = draw(st.sampled_from((1, rows))), draw(st.sampled_from((1, width)))
    again = draw(st.integers(1, 3))
    space = f"[{rows // row},{count * width // part}]*[{row},{part}]"
    flat = f"{row}x{part}xf32, iter_space: {space}, iter_map: (d0,d1)->(d0,d1)"
    trips = f"[{count},{rows // row},{again},{width // part}]*[{width},{row},1,{part}]"
    return itensor(flat), itensor(f"{row}x{part}xf32, iter_space: {trips}, iter_map: (d0,d1,d2,d3)->(d1,d0+d3)")


@settings(deadline=None)
@given(heads(), st.booleans())
def test_sums_of_loops_convert_both_ways(pair: tuple[ITensorType, ITensorType], backwards: bool) -> None:
    source, result = reversed(pair) if backwards else pair
    check(source, result)


@settings(max_examples=200, deadline=None)
@given(pairs())
def test_same_order_means_the_same_tokens(pair: tuple[ITensorType, ITensorType]) -> None:
    left, right = pair
    assert same_order(left, right) == (list(tokens_of(left)) == list(tokens_of(right)))


@settings(deadline=None)
@given(st.data(), st.sampled_from((32, 64, 96, 256, 4096)))
def test_vectors_keep_the_order_of_tiles_and_the_width(data: st.DataObject, max_bits: int) -> None:
    stream = data.draw(SHAPES.flatmap(regular_types))
    vector = vectorized(stream, max_bits)
    assert vector.is_vector
    assert vector.token_bits <= max_bits
    assert vector.full_shape == stream.full_shape
    parts = vector.tokens // stream.tokens
    tokens, registers = list(tokens_of(stream)), list(tokens_of(vector))
    for number, token in enumerate(tokens):
        cut = [point for register in registers[number * parts : (number + 1) * parts] for point in register]
        assert sorted(cut) == sorted(token), "a tile's registers carry the tile, each element once"


@given(st.data())
def test_a_row_cut_into_registers_keeps_the_order_of_elements(data: st.DataObject) -> None:
    size = data.draw(st.sampled_from((4, 6, 16)))
    stream = itensor(f"1x{size}xf32, iter_space: [3,2]*[1,{size}], iter_map: (d0,d1)->(d0,d1)")
    assert list(elements(vectorized(stream, 64))) == list(elements(stream))


def test_a_register_that_fits_is_the_tile() -> None:
    stream = itensor(EXAMPLE_A)
    assert list(vectorized(stream, 128).offsets()) == list(stream.offsets())


@given(st.lists(st.integers(1, 24), min_size=1, max_size=3).map(tuple), st.integers(1, 64))
def test_halving_gives_a_divisor_of_every_dim(shape: tuple[int, ...], bound: int) -> None:
    found = halved_to(shape, bound)
    assert prod(found) <= bound
    assert all(size % part == 0 for size, part in zip(shape, found, strict=True))
    assume(prod(shape) <= bound)
    assert found == shape


@given(stream=SHAPES.flatmap(regular_types))
def test_without_repeats_every_token_comes_once_in_the_order_of_its_first_time(stream: ITensorType) -> None:
    first_times = list(dict.fromkeys(tokens_of(stream)))
    assert list(tokens_of(without_repeats(stream))) == first_times
    assert check(without_repeats(stream), stream).blocks <= len(first_times)


def test_a_mask_for_every_head_is_one_mask() -> None:
    heads = itensor("64xf32, iter_space: [16,4]*[1,64], iter_map: (d0,d1)->(d1)")
    assert without_repeats(heads) == itensor("64xf32, iter_space: [4]*[64], iter_map: (d0)->(d0)")


@pytest.mark.parametrize(
    ("elements", "filled"), [(22, (1, 22)), (64, (8, 8)), (88, (8, 11)), (704, (8, 88)), (1, (1, 1))]
)
def test_filled_tokens_have_as_many_elements_as_fit(elements: int, filled: tuple[int, int]) -> None:
    assert filled_to((8, 88), elements) == filled
    if elements in (64, 88, 704, 1):
        return
    assert prod(filled) > prod(halved_to((8, 88), elements))


@given(st.integers(0, 5), st.integers(0, 5), st.integers(1, 1024))
def test_filled_tokens_of_powers_of_two_are_the_halved_ones(rows: int, columns: int, elements: int) -> None:
    shape = (1 << rows, 1 << columns)
    assert filled_to(shape, elements) == halved_to(shape, elements)
