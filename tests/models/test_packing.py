"""Packed parameters: worked examples, and the laws for layouts of all kinds."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.core.errors import InputError
from sttest.runtime.packing import pack, streamed_tiles, unpack
from sttest.runtime.stream_layout import StreamLayout, row_major

DTYPES = {"i4": np.int8, "i8": np.int8, "f16": np.float16, "f32": np.float32}


def matrix(rows, columns, dtype="i8"):
    return np.arange(rows * columns).reshape(rows, columns).astype(DTYPES[dtype])


def test_nibbles_low_first():
    # 1, -2 (0b1110), 7 in one row: byte 0 is 0xE1, byte 1 is 0x07, and zeros fill the 8-byte beat.
    layout = row_major((1, 3), "i4", beat_bits=64)
    memory = pack(np.array([[1, -2, 7]], dtype=np.int8), layout)
    assert memory.tolist() == [0xE1, 0x07, 0, 0, 0, 0, 0, 0]
    assert unpack(memory, layout).tolist() == [[1, -2, 7]]


def test_a_tile_is_contiguous_and_cut_into_beats():
    # A 4x4 matrix in 2x4 tiles, each of two beats of 2x2: rows 0 and 1, left half before right half.
    layout = StreamLayout("i8", (2, 4), (2,), (2,), ((1,), (0,)), (2, 2), 32)
    assert pack(matrix(4, 4), layout).tolist() == [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]
    assert layout.memory_shape == (2, 1, 1, 2, 2, 2)


def test_the_paper_s_widened_layout():
    # StreamTensor section 3: 64x64 bytes in 16x16 tiles at 512 bits lie as 4x4x2x2 beats of 8x8.
    layout = StreamLayout("i8", (16, 16), (4, 4), (16, 16), ((1, 0), (0, 1)), (8, 8))
    assert layout.memory_shape == (4, 4, 2, 2, 8, 8)
    assert layout.padded_bytes == 64 * 64


def test_a_transposed_stream():
    # StreamTensor example (b): (d0, d1) -> (d1, d0), 4x2 tiles of an 8x8 tensor: down the rows first.
    layout = StreamLayout("i8", (4, 2), (4, 2), (2, 4), ((0, 1), (1, 0)), (4, 2), 64)
    first, second, third, *_ = streamed_tiles(pack(matrix(8, 8), layout), layout)
    assert first.tolist() == [[0, 1], [8, 9], [16, 17], [24, 25]]
    assert second[0].tolist() == [32, 33]
    assert third[0].tolist() == [2, 3]


def test_tiles_that_are_streamed_again_lie_once():
    # Example (c): the middle loop repeats what is inside, so tokens 2 and 3 are tiles 0 and 1 again.
    layout = StreamLayout("i8", (4, 2), (4, 2, 2), (2, 1, 4), ((0, 0, 1), (1, 0, 0)), (4, 2), 64)
    assert layout.data_bytes == 64
    assert layout.stream().tolist() == [0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7]


def test_sizes_of_a_gpt2_matrix():
    # 1024 x 4096 int4: half a byte each, 2 MiB, in 512-bit beats without a rest.
    layout = StreamLayout("i4", (16, 16), (256, 64), (16, 16), ((0, 1), (1, 0)), (8, 16))
    assert (layout.shape, layout.data_bytes, layout.padded_bytes) == ((1024, 4096), 2**21, 2**21)


@st.composite
def layouts(draw):
    """Streams that cover a tensor: split loops in any order, repetitions between them, beats of any division."""
    rank = draw(st.integers(1, 3))
    tile = [draw(st.integers(1, 4)) for _ in range(rank)]
    loops = []
    for dim in range(rank):
        reach = tile[dim]
        for _ in range(draw(st.integers(0, 2))):
            trip, factor = draw(st.integers(1, 3)), draw(st.sampled_from([1, reach]))
            loops.append((trip, reach // factor, dim, factor))
            reach *= trip
    loops += [(draw(st.integers(1, 3)), 1, None, 0) for _ in range(draw(st.integers(0, 1)))]
    loops = draw(st.permutations(loops))
    rows = [[factor if dim == data else 0 for _, _, dim, factor in loops] for data in range(rank)]
    beat = [draw(st.sampled_from([part for part in range(1, size + 1) if size % part == 0])) for size in tile]
    return StreamLayout(
        draw(st.sampled_from(sorted(DTYPES))),
        tuple(tile),
        tuple(loop[0] for loop in loops),
        tuple(loop[1] for loop in loops),
        tuple(map(tuple, rows)),
        tuple(beat),
        draw(st.sampled_from([8, 64, 512])),
    )


def values_for(layout, seed):
    random = np.random.default_rng(seed)
    low, high = (-8, 8) if layout.dtype == "i4" else (-128, 128)
    return random.integers(low, high, layout.shape).astype(DTYPES[layout.dtype])


@given(layouts(), st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_unpack_is_the_inverse_of_pack(layout, seed):
    values = values_for(layout, seed)
    memory = pack(values, layout)
    assert len(memory) == layout.padded_bytes
    assert np.array_equal(unpack(memory, layout), values)


@given(layouts(), st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_the_dma_pushes_the_itensor_s_tiles(layout, seed):
    """Against the definition: the slice at the offset of every iteration."""
    values = values_for(layout, seed)
    found = list(streamed_tiles(pack(values, layout), layout))
    ranges = (range(0, trip * step, step) for trip, step in zip(layout.trips, layout.steps, strict=True))
    points = list(itertools.product(*ranges))
    assert len(found) == len(points)
    for tile, point in zip(found, points, strict=True):
        offsets = [sum(c * value for c, value in zip(row, point, strict=True)) for row in layout.coefficients]
        place = tuple(slice(offset, offset + size) for offset, size in zip(offsets, layout.tile, strict=True))
        assert np.array_equal(tile, values[place])


@given(layouts())
@settings(max_examples=100, deadline=None)
def test_without_repetition_memory_is_read_straight_through(layout):
    stream = layout.stream()
    if len(stream) == len(layout.tiles_in_memory()):
        assert np.array_equal(stream, np.arange(len(stream)))


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ({"steps": (2, 4)}, "overlap"),
        ({"steps": (8, 4)}, "2 tiles do not cover|4 tiles do not cover"),
        ({"steps": (4,)}, "2 trip counts need as many steps"),
        ({"beat": (3, 4)}, r"beats of \[3, 4\] do not divide tiles of \[4, 4\]"),
        ({"beat": (4,)}, "a tile of 2 dims needs"),
        ({"trips": (0, 2)}, "at least 1"),
        ({"trips": (2**20, 2**20)}, "more than 134217728 tokens"),
        ({"beat_bits": 12}, "whole bytes"),
        ({"dtype": "i5"}, "element type 'i5' is not one of i4, i8, f16, f32"),
        ({"coefficients": ((-1, 0), (0, 1))}, "start before"),
    ],
)
def test_layouts_without_an_order_in_memory_are_refused(layout, message):
    facts = {
        "dtype": "i8", "tile": (4, 4), "trips": (2, 2), "steps": (4, 4), "coefficients": ((1, 0), (0, 1)),
        "beat": (4, 4),
    } | layout  # fmt: skip
    with pytest.raises(InputError, match=message):
        StreamLayout(**facts).tiles_in_memory()


def test_what_does_not_belong_to_the_layout_is_refused():
    layout = row_major((2, 3), "i4", beat_bits=64)
    memory = pack(np.zeros((2, 3), dtype=np.int8), layout)
    with pytest.raises(InputError, match=r"int8 \[3, 2\] where the layout has i4 \[2, 3\]"):
        pack(np.zeros((3, 2), dtype=np.int8), layout)
    with pytest.raises(InputError, match="integers outside of -8 to 7"):
        pack(np.full((2, 3), 8, dtype=np.int8), layout)
    with pytest.raises(InputError, match="where the layout has 8 bytes"):
        unpack(memory[:-1], layout)
    memory[5] = 1
    with pytest.raises(InputError, match="the padding is not zero"):
        unpack(memory, layout)
