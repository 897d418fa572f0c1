"""Itensor types for tests: from text, and random regular ones over one tensor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import strategies as st
from xdsl.dialects.builtin import f32
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.parser import Parser

from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.opt import new_context


def itensor(text: str) -> ITensorType:
    """``2x2xf32, iter_space: …`` as a type."""
    found = Parser(new_context(), f"!df.itensor<{text}>").parse_attribute()
    assert isinstance(found, ITensorType)
    return found


# The examples of streamtensor.md section 1, over an 8x8 tensor.
EXAMPLE_A = "2x2xf32, iter_space: [4,4]*[2,2], iter_map: (d0,d1)->(d0,d1)"
EXAMPLE_B = "4x2xf32, iter_space: [4,2]*[2,4], iter_map: (d0,d1)->(d1,d0)"
EXAMPLE_C = "4x2xf32, iter_space: [4,2,2]*[2,1,4], iter_map: (d0,d1,d2)->(d2,d0)"


def divisors(number: int) -> list[int]:
    """All divisors, ascending."""
    return [factor for factor in range(1, number + 1) if number % factor == 0]


@dataclass(frozen=True)
class _Loop:
    """A loop of a random type: ``step`` along ``dim``, or a repetition where ``dim`` is None."""

    trip: int
    step: int
    dim: int | None


@st.composite
def regular_types(draw: st.DrawFn, shape: tuple[int, ...]) -> ITensorType:
    """Tiles of a random size in a random loop order, some loops split in two, some loops that stream again."""
    element = tuple(draw(st.sampled_from(divisors(size))) for size in shape)
    loops: list[_Loop] = []
    for dim, (size, tile) in enumerate(zip(shape, element, strict=True)):
        trip = size // tile
        inner = draw(st.sampled_from(divisors(trip)))
        if draw(st.booleans()) and 1 < inner < trip:
            loops += [_Loop(trip // inner, tile * inner, dim), _Loop(inner, tile, dim)]
        else:
            loops.append(_Loop(trip, tile, dim))
    loops += [_Loop(draw(st.sampled_from((1, 2, 3))), 1, None) for _ in range(draw(st.integers(0, 2)))]
    return _type(element, draw(st.permutations(loops)))


def _type(element: tuple[int, ...], loops: list[_Loop]) -> ITensorType:
    results = []
    for dim in range(len(element)):
        terms = [AffineExpr.dimension(position) for position, loop in enumerate(loops) if loop.dim == dim]
        results.append(sum(terms[1:], start=terms[0]))
    iter_map = AffineMap(len(loops), 0, tuple(results))
    return ITensorType.of(element, f32, [loop.trip for loop in loops], [loop.step for loop in loops], iter_map)


SHAPES = st.lists(st.sampled_from((1, 2, 3, 4, 6, 8, 12)), min_size=1, max_size=3).map(tuple)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[ITensorType, ITensorType]:
    """Two random regular types over one tensor."""
    shape = draw(SHAPES)
    return draw(regular_types(shape)), draw(regular_types(shape))


def elements(stream: ITensorType) -> Iterator[tuple[int, ...]]:
    """Coordinates of all elements in stream order; inside a token the innermost data dim is fastest."""
    for offset in stream.offsets():
        yield from token_elements(stream, offset)


def token_elements(stream: ITensorType, offset: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Coordinates of the elements of one token."""
    points: list[tuple[int, ...]] = [()]
    for low, size in zip(offset, stream.element_shape, strict=True):
        points = [(*point, low + step) for point in points for step in range(size)]
    return points
