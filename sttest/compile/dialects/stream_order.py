"""Algebra on stream orders: when two are equal, and what buffer turns one into the other.

A stream is seen as nested loops; loop ``l`` of ``trip`` iterations moves the
token's offset by ``strides[d]`` data elements along data dim ``d`` (0 where the
loop does not index ``d``: what is inside it is streamed again).
"""

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod

from xdsl.dialects.builtin import i8
from xdsl.ir.affine import AffineExpr, AffineMap

from sttest.compile.dialects.itensor import ITensorType
from sttest.core.errors import InputError
from sttest.reference.codes import Code
from sttest.sim.graph import PING_PONG


@dataclass(frozen=True)
class StreamLoop:
    """One loop of a stream: trip count and offset step along every data dim, in data elements."""

    trip: int
    strides: tuple[int, ...]

    @property
    def repeats(self) -> bool:
        """Whether the loop only streams again what is inside it."""
        return not any(self.strides)

    def split(self, inner: int) -> "tuple[StreamLoop, StreamLoop]":
        """The same order as two loops, the inner one of ``inner`` iterations."""
        outer = StreamLoop(self.trip // inner, tuple(stride * inner for stride in self.strides))
        return outer, StreamLoop(inner, self.strides)


def loops_of(stream: ITensorType) -> list[StreamLoop]:
    """The canonical loops: no loop of one trip, and neighbors merged that step as one loop would."""
    return merged(raw_loops(stream))


def raw_loops(stream: ITensorType) -> list[StreamLoop]:
    """The loops as the type writes them."""
    return [StreamLoop(*each) for each in zip(stream.trip_counts, stream.strides, strict=True)]


def merged(loops: Iterable[StreamLoop]) -> list[StreamLoop]:
    """The same order without loops of one trip, and with neighbors merged that step as one loop would."""
    found: list[StreamLoop] = []
    for loop in loops:
        if loop.trip == 1:
            continue
        if found and _steps_as_one(found[-1], loop):
            loop = StreamLoop(found.pop().trip * loop.trip, loop.strides)
        found.append(loop)
    return found


def _steps_as_one(outer: StreamLoop, inner: StreamLoop) -> bool:
    return all(far == inner.trip * near for far, near in zip(outer.strides, inner.strides, strict=True))


def same_order(left: ITensorType, right: ITensorType) -> bool:
    """Whether both types stream the same tokens in the same order, so that a plain FIFO joins them."""
    return (
        left.element_shape == right.element_shape
        and left.full_shape == right.full_shape
        and loops_of(left) == loops_of(right)
    )


def without_repeats(stream: ITensorType) -> ITensorType:
    """The same tokens in the same order, without the loops that only stream again what is inside them."""
    return _of_loops(stream, [position for position, loop in enumerate(raw_loops(stream)) if not loop.repeats])


def without_outer_repeats(stream: ITensorType) -> ITensorType:
    """The same tokens in the same order, without the outermost loops that only stream all of it again."""
    loops = raw_loops(stream)
    outer = next((position for position, loop in enumerate(loops) if not loop.repeats), len(loops))
    return _of_loops(stream, range(outer, len(loops)))


def _of_loops(stream: ITensorType, kept: Sequence[int]) -> ITensorType:
    """What is left of a stream when of its loops only some run, the others stand at their first iteration."""
    loops = raw_loops(stream)
    renumbered = {position: AffineExpr.dimension(number) for number, position in enumerate(kept)}
    dims = [renumbered.get(position, AffineExpr.constant(0)) for position in range(len(loops))]
    return ITensorType.of(
        stream.element_shape,
        stream.dtype,
        [stream.trip_counts[position] for position in kept],
        [stream.step_sizes[position] for position in kept],
        stream.map.replace_dims_and_symbols(dims, [], len(kept), 0),
        vector=stream.is_vector,
    )


def is_regular(stream: ITensorType) -> bool:
    """Whether the map is a projected permutation and every mapped loop steps by the element size."""
    if not stream.map.is_projected_permutation():
        return False
    return all(
        step == stream.element_shape[dim]
        for dim, row in enumerate(stream.coefficients)
        for factor, step in zip(row, stream.step_sizes, strict=True)
        if factor
    )


@dataclass(frozen=True)
class ConverterBuffer:
    """What a converter keeps on chip."""

    shape: tuple[int, ...]  # extent of the buffer per data dim, in data elements (it exists twice: ping-pong)
    before_loop: int  # number of shared outer loops inside which the buffer lives
    blocks: int  # number of times that it is filled: the product of the trips of these loops

    def ping_pong_bits(self, element_bits: int) -> int:
        """Memory of both halves in bits (paper section 4.2: 2 × buffer)."""
        return PING_PONG * prod(self.shape) * element_bits


def converter_buffer(source: ITensorType, result: ITensorType) -> ConverterBuffer:
    """The smallest ping-pong buffer that turns ``source``'s order into ``result``'s.

    The rule of the paper, per data dim (section 4.2 as mended in docs/how-it-works/itensor.md):
    the outer loops that both sides share block the tensor; one block is buffered.
    A loop is shared when both sides step it alike; a loop that one side runs as
    two is split first.

    Raises:
        InputError: the two types cover different tensors.
    """
    if source.full_shape != result.full_shape or source.dtype != result.dtype:
        raise InputError(
            "converter-mismatch",
            f"a converter needs one tensor on both sides, not {source.full_shape} x {source.dtype} "
            f"and {result.full_shape} x {result.dtype}",
            where="df.converter",
        )
    shared, left, right = _shared_loops(loops_of(source), loops_of(result))
    while shared and not _blocks_agree(shared, left, right, source, result):
        last = shared.pop()
        left, right = [last, *left], [last, *right]
    shape = _extent(source, left) if shared else source.full_shape
    return ConverterBuffer(shape, before_loop=len(shared), blocks=prod(loop.trip for loop in shared))


def _shared_loops(
    left: list[StreamLoop], right: list[StreamLoop]
) -> tuple[list[StreamLoop], list[StreamLoop], list[StreamLoop]]:
    shared: list[StreamLoop] = []
    left, right = list(left), list(right)
    while left and right and not left[0].repeats and min(left[0].strides) >= 0:
        left, right = _align(left, right)
        if left[0] != right[0]:
            break
        shared.append(left.pop(0))
        right.pop(0)
    return shared, left, right


def _align(left: list[StreamLoop], right: list[StreamLoop]) -> tuple[list[StreamLoop], list[StreamLoop]]:
    """Splits the longer first loop so that its outer part has the trips of the other's, where they nest."""
    if left[0].trip > right[0].trip and left[0].trip % right[0].trip == 0:
        return [*left[0].split(left[0].trip // right[0].trip), *left[1:]], right
    if right[0].trip > left[0].trip and right[0].trip % left[0].trip == 0:
        return left, [*right[0].split(right[0].trip // left[0].trip), *right[1:]]
    return left, right


def _blocks_agree(
    shared: list[StreamLoop], left: list[StreamLoop], right: list[StreamLoop], source: ITensorType, result: ITensorType
) -> bool:
    """Whether the shared loops cut both streams into the same, disjoint blocks."""
    extent = _extent(source, left)
    if extent != _extent(result, right) or _corner(source, left) != _corner(result, right):
        return False
    reach = list(extent)
    for loop in reversed(shared):
        moved = [dim for dim, stride in enumerate(loop.strides) if stride]
        if any(loop.strides[dim] < reach[dim] for dim in moved):
            return False
        for dim in moved:
            reach[dim] += (loop.trip - 1) * loop.strides[dim]
    return True


def _extent(stream: ITensorType, loops: list[StreamLoop]) -> tuple[int, ...]:
    return tuple(
        size + sum((loop.trip - 1) * abs(loop.strides[dim]) for loop in loops)
        for dim, size in enumerate(stream.element_shape)
    )


def _corner(stream: ITensorType, loops: list[StreamLoop]) -> tuple[int, ...]:
    """The lowest offset that these loops reach while all others stand at 0."""
    start = stream.origin
    return tuple(
        low + sum((loop.trip - 1) * min(0, loop.strides[dim]) for loop in loops) for dim, low in enumerate(start)
    )


def halved_to(shape: tuple[int, ...], elements: int) -> tuple[int, ...]:
    """A sub-tile of at most ``elements``: the largest dim (the outermost of equals) is divided until it fits.

    >>> halved_to((16, 16), 64)
    (8, 8)
    """
    sizes = list(shape)
    while prod(sizes) > elements:
        widest = sizes.index(max(sizes))
        divisor = next(factor for factor in range(2, sizes[widest] + 1) if sizes[widest] % factor == 0)
        sizes[widest] //= divisor
    return tuple(sizes)


def filled_to(shape: tuple[int, ...], elements: int) -> tuple[int, ...]:
    """The sub-tile of the most elements that fit: that of :func:`halved_to`, unless another one has more.

    >>> halved_to((8, 88), 22), filled_to((8, 88), 22)
    ((8, 1), (1, 22))

    Of others with as many elements it is the one with the most in the innermost dims.
    """
    halved = halved_to(shape, elements)
    divisors = ([part for part in range(1, size + 1) if size % part == 0] for size in shape)
    fitting = (parts for parts in product(*divisors) if prod(parts) <= elements)
    filled = max(fitting, key=lambda parts: (prod(parts), parts[::-1]))
    return filled if prod(filled) > prod(halved) else halved


def vectorized(stream: ITensorType, max_bits: int, *, filled: bool = False) -> ITensorType:
    """The same stream with tokens that are vector registers of at most ``max_bits``.

    A token that is too wide is cut by :func:`halved_to`, or by :func:`filled_to`.
    """
    cut_to = filled_to if filled else halved_to
    return cut_into(stream, cut_to(stream.element_shape, max(1, max_bits // stream.element_bits)))


def cut_into(stream: ITensorType, vector: tuple[int, ...]) -> ITensorType:
    """The same stream with tokens cut into vector registers, which follow each other, the innermost data dim fastest.

    Args:
        stream: stream of whole tokens.
        vector: extents of a register, divisors of those of a token.
    """
    parts = [size // part for size, part in zip(stream.element_shape, vector, strict=True)]
    cut = [dim for dim, count in enumerate(parts) if count > 1]
    loops = stream.map.num_dims
    results = list(stream.map.results)
    for position, dim in enumerate(cut):
        results[dim] = results[dim] + AffineExpr.dimension(loops + position)
    return ITensorType.of(
        vector,
        stream.dtype,
        [*stream.trip_counts, *(parts[dim] for dim in cut)],
        [*stream.step_sizes, *(vector[dim] for dim in cut)],
        AffineMap(loops + len(cut), 0, tuple(results)),
        vector=True,
    )


# --- Stream orders of concatenations: turn by turn, some tokens of each part


def turns(whole: ITensorType, dim: int) -> int:
    """The number of turns that the parts take along ``dim``."""
    loop = _counting_loop(whole, dim)
    return 1 if loop is None else prod(whole.trip_counts[:loop])


def resized(order: ITensorType, dim: int, size: int) -> ITensorType | None:
    """The same order with ``size`` elements along ``dim``; None where its counting loop does not end there.

    Of a whole it gives the order of a part, of a part that of the whole.
    """
    loop = _counting_loop(order, dim)
    if loop is None:
        return None
    step = raw_loops(order)[loop].strides[dim]
    if step < 1 or size % step:
        return None
    trips = [*order.trip_counts[:loop], size // step, *order.trip_counts[loop + 1 :]]
    found = ITensorType.of(order.element_shape, order.dtype, trips, order.step_sizes, order.map, vector=order.is_vector)
    return found if found.full_shape[dim] == size else None


def _counting_loop(order: ITensorType, dim: int) -> int | None:
    """The position of the outermost loop that walks ``dim``; None where no loop does."""
    walks = (position for position, loop in enumerate(raw_loops(order)) if loop.strides[dim])
    return next(walks, None)


# --- Tokens cut into equal slices: a stream as several narrower ones that walk in step


def slice_dim(token: Sequence[int]) -> int:
    """The dim along which a token is cut where nothing else is said."""
    return next((dim for dim, size in enumerate(token) if size > 1), 0)


def most_slices(stream: ITensorType, dim: int | None = None) -> int:
    """The most slices, a power of two, that the tokens of a stream can be cut into; 1 where they cannot be cut.

    Args:
        stream: stream of whole tokens.
        dim: data dim along which they are cut; that of :func:`slice_dim` if not given.
    """
    slices = 1
    while _is_cut_by(stream, 2 * slices, dim):
        slices *= 2
    return slices


def coded_stream(stream: ITensorType, code: Code) -> ITensorType:
    """The bytes of the tokens of a stream, one token after the other in the order in which they first come."""
    size = code.token_bytes(stream.token_elements)
    loops, inside = raw_loops(stream), 1
    steps: list[int] = []
    for loop in reversed(loops):
        steps.append(1 if loop.repeats else inside * size)
        inside *= 1 if loop.repeats else loop.trip
    moving = [AffineExpr.dimension(number) for number, loop in enumerate(loops) if not loop.repeats]
    place = reduce(operator.add, moving[1:], moving[0]) if moving else AffineExpr.constant(0)
    trips = tuple(loop.trip for loop in loops)
    access = AffineMap(len(loops), 0, (place,))
    return ITensorType.of((size,), i8, trips, tuple(reversed(steps)), access, vector=stream.is_vector)


def sliced(stream: ITensorType, slices: int, dim: int | None = None) -> ITensorType:
    """The stream of one slice.

    Args:
        stream: stream of whole tokens.
        slices: number of slices that `_is_cut_by` allows, such as a power of two up to :func:`most_slices`.
        dim: data dim along which tokens are cut; that of :func:`slice_dim` if not given.
    """
    along = slice_dim(stream.element_shape) if dim is None else dim
    token = tuple(size // slices if axis == along else size for axis, size in enumerate(stream.element_shape))
    steps = [
        step // slices if factor and trip > 1 else step
        for step, trip, factor in zip(stream.step_sizes, stream.trip_counts, stream.coefficients[along], strict=True)
    ]
    return ITensorType.of(token, stream.dtype, stream.trip_counts, steps, stream.map, vector=stream.is_vector)


def cut_dim(part: ITensorType, whole: ITensorType) -> int:
    """The dim along which tokens were cut into slices."""
    sizes = zip(part.element_shape, whole.element_shape, strict=True)
    return next((dim for dim, (own, size) in enumerate(sizes) if own != size), slice_dim(whole.element_shape))


def is_sliced(part: ITensorType, whole: ITensorType, slices: int) -> bool:
    """Whether ``part`` is what :func:`sliced` gives along some dim."""
    if len(part.element_shape) != len(whole.element_shape):
        return False
    dim = cut_dim(part, whole)
    return _is_cut_by(whole, slices, dim) and sliced(whole, slices, dim) == part


def _is_cut_by(stream: ITensorType, slices: int, along: int | None = None) -> bool:
    """Whether slices are equal, and every loop moves them as far apart as a tensor of slices has them."""
    if not stream.element_shape:
        return False
    dim = slice_dim(stream.element_shape) if along is None else along
    extent = stream.element_shape[dim]
    if extent % slices or any(stream.origin):
        return False
    for loop, (trip, step) in enumerate(zip(stream.trip_counts, stream.step_sizes, strict=True)):
        moved = [axis for axis, row in enumerate(stream.coefficients) if row[loop]]
        if trip > 1 and dim in moved and (len(moved) > 1 or step % extent):
            return False
    return True


# --- Streams as loops: what lies inside a block, and where its tokens start


def cut_inside(stream: ITensorType, inner_tokens: int, where: str) -> tuple[list[StreamLoop], list[StreamLoop]]:
    """The loops outside of, and inside, groups of ``inner_tokens`` tokens that follow each other.

    The loops as the type writes them are cut if they have such a boundary, else the canonical ones: a loop of 4
    around one of 3 that step alike are one of 12, which can be cut into pairs.

    Raises:
        InputError: the stream's loops have no such boundary.
    """
    for loops in (raw_loops(stream), loops_of(stream)):
        if (parts := _cut(loops, inner_tokens)) is not None:
            return parts
    raise InputError(
        "unaligned-stream",
        f"{inner_tokens} tokens of a stream of {stream.tokens} are not whole loops",
        where=where,
        hints=["stream the tensor in the order of the loops that read it"],
    )


def _cut(loops: list[StreamLoop], inner_tokens: int) -> tuple[list[StreamLoop], list[StreamLoop]] | None:
    outer: list[StreamLoop] = list(loops)
    inner: list[StreamLoop] = []
    left = inner_tokens
    while left > 1 and outer:
        loop = outer.pop()
        if loop.trip > left and loop.trip % left == 0:
            outside, loop = loop.split(left)
            outer.append(outside)
        if left % loop.trip:
            return None
        inner.insert(0, loop)
        left //= loop.trip
    return (outer, inner) if left == 1 else None


def offsets(loops: Sequence[StreamLoop], rank: int) -> Iterator[tuple[int, ...]]:
    """How far each token of a nest lies from where the nest starts, per data dim, in stream order."""
    for point in product(*(range(loop.trip) for loop in loops)):
        yield tuple(
            sum(index * loop.strides[dim] for index, loop in zip(point, loops, strict=True)) for dim in range(rank)
        )


def lowest(loops: Sequence[StreamLoop], rank: int) -> tuple[int, ...]:
    """The lowest offset of a nest's tokens, per data dim, from where it starts."""
    return tuple(sum((loop.trip - 1) * min(0, loop.strides[dim]) for loop in loops) for dim in range(rank))


def count(loops: Sequence[StreamLoop]) -> int:
    """Tokens of a nest."""
    return prod(loop.trip for loop in loops)
