"""Tensors one after the other in a buffer: which loops read them."""

from __future__ import annotations

from sttest.compile.dialects.stream_order import StreamLoop
from sttest.compile.hls.dma_read import Placed, in_a_row
from sttest.compile.hls.memory_layout import PortLayout
from sttest.compile.hls.types import Element, Token

I8 = Element("i8", "ap_int<8>", 8, "int8")


def layout(grid: tuple[int, int], tile: tuple[int, int] = (8, 8), loops: tuple[StreamLoop, ...] = ()) -> PortLayout:
    """Whole words of 64 elements, read from end to end unless there are loops."""
    tiles = loops or (StreamLoop(grid[0] * grid[1], (1,)),)
    return PortLayout(Token(I8, tile), tile, tile, grid, True, tiles, (), 512)


def test_tensors_that_are_walked_alike_are_one_loop() -> None:
    (both,) = in_a_row([layout((2, 3)), layout((4, 1))])
    assert both.start == 0
    assert both.layout.tiles == (StreamLoop(10, (1,)),)
    assert both.layout.words == 10


def test_padding_tokens_and_repetition_keep_them_apart() -> None:
    padded, again = layout((1, 3), (4, 4)), layout((2, 2), loops=(StreamLoop(2, (0,)), StreamLoop(4, (1,))))
    row = in_a_row([padded, padded, again, layout((1, 1)), layout((1, 1))])
    assert [each.start for each in row] == [0, 1, 2, 6]
    assert [each.layout for each in row[:3]] == [padded, padded, again]
    assert row[3] == Placed(6, layout((2, 1)))


def test_one_tensor_is_as_it_was() -> None:
    assert in_a_row([layout((2, 2))]) == [Placed(0, layout((2, 2)))]
