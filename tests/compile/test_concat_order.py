"""Stream orders of concatenations: parts that take turns give the tokens of the whole, whatever the order."""

from __future__ import annotations

from itertools import accumulate, islice

from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import f32
from xdsl.ir.affine import AffineExpr, AffineMap

from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.dialects.stream_order import resized, same_order, turns, vectorized
from sttest.compile.linalg.loop_nest import plan_concat

Offset = tuple[int, ...]


def regular(shape: tuple[int, ...], tile: tuple[int, ...], order: list[int]) -> ITensorType:
    """One loop per dim, the outermost over dim ``order[0]``."""
    offsets = [AffineExpr.dimension(order.index(dim)) for dim in range(len(shape))]
    trips = [shape[dim] // tile[dim] for dim in order]
    return ITensorType.of(tile, f32, trips, [tile[dim] for dim in order], AffineMap(len(order), 0, tuple(offsets)))


@st.composite
def parts(draw: st.DrawFn) -> tuple[list[tuple[int, ...]], int, list[ITensorType | None], int]:
    """Shapes that can be concatenated, the dim, in which orders some of them are computed, and a tile size."""
    rank = draw(st.integers(1, 4))
    dim = draw(st.integers(0, rank - 1))
    sizes = st.sampled_from((1, 2, 3, 4, 6, 8, 12))
    others = draw(st.lists(sizes, min_size=rank, max_size=rank))
    shapes = [(*others[:dim], size, *others[dim + 1 :]) for size in draw(st.lists(sizes, min_size=2, max_size=4))]
    producers: list[ITensorType | None] = []
    for shape in shapes:
        tile = tuple(draw(st.sampled_from([each for each in range(1, size + 1) if size % each == 0])) for size in shape)
        order = draw(st.permutations(range(rank)))
        producers.append(draw(st.sampled_from([None, regular(shape, tile, list(order))])))
    return shapes, dim, producers, draw(st.sampled_from((1, 3, 4, 16)))


def by_turns(whole: ITensorType, orders: list[ITensorType], dim: int) -> list[Offset]:
    """Where the tokens of the parts come to lie, in the order in which turns take them."""
    starts = accumulate((order.full_shape[dim] for order in orders), initial=0)
    streams = [
        iter([(*at[:dim], at[dim] + start, *at[dim + 1 :]) for at in order.offsets()])
        for order, start in zip(orders, starts, strict=False)
    ]
    count = turns(whole, dim)
    return [
        at
        for _ in range(count)
        for stream, order in zip(streams, orders, strict=True)
        for at in islice(stream, order.tokens // count)
    ]


@settings(max_examples=150, deadline=None)
@given(parts(), st.sampled_from((32, 128, 4096)))
def test_parts_in_turn_are_the_whole(
    case: tuple[list[tuple[int, ...]], int, list[ITensorType | None], int], bits: int
) -> None:
    shapes, dim, producers, tile = case
    whole = plan_concat(shapes, dim, f32, producers, tile)
    orders = [resized(whole, dim, shape[dim]) for shape in shapes]
    assert None not in orders
    for chosen in (lambda order: order, lambda order: vectorized(order, bits)):
        cut, cut_orders = chosen(whole), [chosen(order) for order in orders]
        assert [order.full_shape for order in cut_orders] == shapes
        assert by_turns(cut, cut_orders, dim) == list(cut.offsets())
        # Cut tokens of a part are still those that the cut whole asks for.
        assert all(same_order(resized(cut, dim, order.full_shape[dim]), order) for order in cut_orders)


def test_the_largest_part_needs_no_converter() -> None:
    columns_first = regular((32, 48), (16, 16), [1, 0])
    whole = plan_concat([(32, 16), (32, 48)], 1, f32, [regular((32, 16), (8, 8), [0, 1]), columns_first], 4)
    assert whole == regular((32, 64), (16, 16), [1, 0])
    assert resized(whole, 1, 48) == columns_first
    assert turns(whole, 1) == 1
    assert turns(whole, 0) == 4


def test_a_tile_divides_every_part() -> None:
    whole = plan_concat([(32, 24), (32, 40)], 1, f32, [regular((32, 24), (16, 12), [0, 1]), None], 16)
    assert whole == regular((32, 64), (16, 8), [0, 1])
    assert turns(whole, 1) == 2


def test_arguments_alone_come_row_by_row_of_tiles() -> None:
    assert plan_concat([(8, 6), (8, 9)], 1, f32, [None, None], 4) == regular((8, 15), (4, 3), [0, 1])


def test_loops_that_walk_one_dim_stay_where_every_part_has_whole_ones() -> None:
    # Heads of 64 channels in tiles of 16, rows between them: a part of whole heads follows, one of half a head can't.
    heads = ITensorType.of(
        (16, 16),
        f32,
        [2, 4, 4],
        [64, 16, 16],
        AffineMap(3, 0, (AffineExpr.dimension(1), AffineExpr.dimension(0) + AffineExpr.dimension(2))),
    )
    assert heads.full_shape == (64, 128)
    whole = plan_concat([(64, 128), (64, 64)], 1, f32, [heads, None], 16)
    assert (whole.trip_counts, whole.map) == ((3, 4, 4), heads.map)
    assert plan_concat([(64, 128), (64, 32)], 1, f32, [heads, None], 16) == regular((64, 160), (16, 16), [1, 0])
