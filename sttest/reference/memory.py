"""Images of memory: a tensor as the bytes that a DMA reads or writes (docs/reference/values.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from math import prod

import numpy as np
from numpy.typing import NDArray

from sttest.core.errors import InputError, did_you_mean
from sttest.reference.codes import decode, encode
from sttest.reference.graph import (
    BITS,
    NARROW,
    NUMPY,
    Array,
    Bytes,
    Coded,
    Load,
    MemoryLayout,
    ReferenceGraph,
    ReferenceStream,
    View,
)
from sttest.reference.weight_types import codes

# --- Tokens of a stream as one array, and where their elements lie


Offsets = NDArray[np.int64]
# Indices are made piece by piece: this many elements take 32 MiB of them.
_PIECE = 1 << 22


def compact_trips(stream: ReferenceStream, within: int | None = None) -> tuple[int, ...]:
    """Trips of every loop, 1 where the loop only repeats what is inside it.

    Args:
        stream: any.
        within: so many tokens make a block; loops that repeat whole blocks are kept.
    """
    inner, trips = 1, []
    block = within or stream.tokens
    for loop, trip in reversed(list(enumerate(stream.trips))):
        inner *= trip
        repeats = block % inner == 0 and not any(row[loop] for row in stream.coefficients)
        trips.append(1 if repeats else trip)
    return tuple(reversed(trips))


def offsets(stream: ReferenceStream, trips: Sequence[int]) -> Offsets:
    """Offset of each token's slice: [*trips, data dims], for full or compact trips."""
    grid = np.zeros((*trips, len(stream.element)), dtype=np.int64)
    for dim, (row, low) in enumerate(zip(stream.coefficients, stream.start, strict=True)):
        grid[..., dim] = low
        for loop, trip in enumerate(trips):
            values = np.arange(trip, dtype=np.int64) * (stream.steps[loop] * row[loop])
            grid[..., dim] += values.reshape([-1 if axis == loop else 1 for axis in range(len(trips))])
    return grid


def expanded(stream: ReferenceStream, values: Array) -> Array:
    """All tokens of a stream, [tokens, *element]; no copy where none is repeated."""
    full = np.broadcast_to(values, (*stream.trips, *stream.element))
    return full.reshape(stream.tokens, *stream.element)


def row_major(coordinates: Offsets, shape: Sequence[int]) -> Offsets:
    """Row-major number of each coordinate, [..., dims] to [...], in a tensor of that shape."""
    number = np.zeros(coordinates.shape[:-1], dtype=np.int64)
    for dim, size in enumerate(shape):
        number = number * size + coordinates[..., dim]
    return number


def element_numbers(element: Sequence[int], shape: Sequence[int]) -> Offsets:
    """Row-major numbers that the elements of a slice have in a tensor of that shape, the slice lying at its start."""
    indices = np.indices(element, dtype=np.int64).reshape(len(element), prod(element)).T
    return row_major(indices, shape)


def gathered(flat: Array, base: Offsets, pattern: Offsets) -> Array:
    """``flat[base + pattern]`` for every base: [bases, pattern]."""
    out = np.empty((len(base), len(pattern)), dtype=flat.dtype)
    for piece in _pieces(len(base), len(pattern)):
        out[piece] = flat[base[piece, None] + pattern]
    return out


def scatter(flat: Array, base: Offsets, pattern: Offsets, values: Array) -> None:
    """``flat[base + pattern] = values`` base after base; of values [bases, pattern]."""
    for piece in _pieces(len(base), len(pattern)):
        flat[base[piece, None] + pattern] = values[piece]


def _pieces(count: int, width: int) -> list[slice]:
    step = max(1, _PIECE // max(1, width))
    return [slice(first, first + step) for first in range(0, count, step)]


def image_bytes(layout: MemoryLayout, dtype: str) -> int:
    """Length of an image: whole beats."""
    beat = layout.beat_bits // 8
    return -(-prod(layout.shape) * BITS[dtype] // (8 * beat)) * beat


def pack(tensor: Array, layout: MemoryLayout, stream: ReferenceStream) -> Bytes:
    """The image of a tensor.

    Args:
        tensor: of the layout's shape, in the numpy type of the stream's elements (narrower integers as int8).
        layout: how it lies in memory.
        stream: of the DMA; a packed layout has its order of tiles.

    Raises:
        InputError: a tensor of another shape or type, or integers that its element type does not hold.
    """
    dtype = stream.dtype
    if tensor.shape != layout.shape or tensor.dtype != NUMPY[dtype]:
        what = f"{tensor.dtype} {list(tensor.shape)} where {dtype} {list(layout.shape)} lies in memory"
        raise InputError("bad-tensor", what, where=stream.name, hints=["pass the tensor that the design was made for"])
    tiles = _tiled(tensor, layout.grid, layout.tile).reshape(-1, *layout.tile)
    ordered = tiles[tile_order(layout, stream)] if layout.packed else tiles
    beats = _tiled(ordered, layout.beats, layout.beat)
    image = np.zeros(image_bytes(layout, dtype), dtype=np.uint8)
    data = _encoded(beats.reshape(-1), dtype, stream.name)
    image[: len(data)] = data
    return image


def unpack(image: Bytes, layout: MemoryLayout, stream: ReferenceStream) -> Array:
    """The tensor of an image: the inverse of :func:`pack`.

    Raises:
        InputError: an image of another length or type.
    """
    tiles = tiles_of(image, layout, stream)
    if layout.packed:
        ordered, tiles = tiles, np.empty_like(tiles)
        tiles[tile_order(layout, stream)] = ordered
    return _untiled(tiles.reshape((*layout.grid, *layout.tile)), layout.grid)


def tiles_of(image: Bytes, layout: MemoryLayout, stream: ReferenceStream) -> Array:
    """The tiles as they follow each other in an image, [tiles, *tile].

    Raises:
        InputError: see :func:`unpack`.
    """
    wanted = image_bytes(layout, stream.dtype)
    if image.dtype != np.uint8 or image.shape != (wanted,):
        what = f"{image.dtype} {list(image.shape)} where memory has {wanted} bytes"
        raise InputError("bad-memory", what, where=stream.name, hints=["make the images with memory_images"])
    elements = decoded(image, stream.dtype)[: prod(layout.shape)]
    return _untiled(elements.reshape(-1, *layout.beats, *layout.beat), layout.beats)


def element_addresses(layout: MemoryLayout, stream: ReferenceStream, *, written: bool = False) -> Offsets:
    """Numbers in memory of the elements of every token, [tokens, elements].

    Args:
        layout: how the tensor lies in memory.
        stream: of the DMA.
        written: whether the DMA writes memory.

    Raises:
        InputError: see :func:`tile_order`.
    """
    numbers = np.arange(prod(layout.shape), dtype=np.int64).reshape(-1, *layout.beats, *layout.beat)
    tiles = _untiled(numbers, layout.beats)
    if layout.packed:
        ordered, tiles = tiles, np.empty_like(tiles)
        tiles[tile_order(layout, stream)] = ordered
    trips = compact_trips(stream)
    if written:
        where = offsets(stream, trips).reshape(prod(trips), len(stream.element))
        flat = _untiled(tiles.reshape((*layout.grid, *layout.tile)), layout.grid).reshape(-1)
        base, shape = row_major(where, layout.shape), layout.shape
    else:
        number, place = tiles_and_places(layout, stream)
        flat, base, shape = tiles.reshape(-1), number * prod(layout.tile) + place, layout.tile
    found = gathered(flat, base, element_numbers(stream.element, shape))
    return expanded(stream, found.reshape(*trips, *stream.element)).reshape(stream.tokens, -1)


def beat_numbers(layout: MemoryLayout, stream: ReferenceStream, *, written: bool = False) -> Offsets | None:
    """Numbers in memory of the beats of every token, [tokens, beats]; None where a token has a part of a beat.

    A beat is taken for an element of a tensor of beats, so that this is as many times quicker than
    :func:`element_addresses` as a beat has elements.

    Args:
        layout: how the tensor lies in memory.
        stream: of the DMA.
        written: whether the DMA writes memory.

    Raises:
        InputError: see :func:`tile_order`.
    """
    if len(layout.beat) != len(stream.element):
        return None
    rows = [[step * each for step, each in zip(stream.steps, row, strict=True)] for row in stream.coefficients]
    moved = zip(layout.beat, stream.element, stream.start, rows, strict=True)
    if any(number % size for size, extent, low, row in moved for number in (extent, low, *row)):
        return None
    size = layout.beat
    of_beats = replace(
        stream,
        element=tuple(extent // each for extent, each in zip(stream.element, size, strict=True)),
        start=tuple(low // each for low, each in zip(stream.start, size, strict=True)),
        steps=(1,) * len(stream.steps),
        coefficients=tuple(tuple(move // each for move in row) for row, each in zip(rows, size, strict=True)),
    )
    return element_addresses(replace(layout, beat=(1,) * len(size)), of_beats, written=written)


def tile_order(layout: MemoryLayout, stream: ReferenceStream) -> Offsets:
    """Row-major numbers of the tiles, in the order in which a stream first touches them.

    Raises:
        InputError: the stream does not touch every tile, or tokens reach from one into the next.
    """
    touched, _ = tiles_and_places(layout, stream)
    _, first = np.unique(touched, return_index=True)
    order = touched[np.sort(first)]
    if len(order) != prod(layout.grid):
        raise _misfit(stream, f"{len(order)} of {prod(layout.grid)} tiles are streamed")
    return order


def tiles_and_places(layout: MemoryLayout, stream: ReferenceStream) -> tuple[Offsets, Offsets]:
    """The row-major number of every token's tile and the token's start in it, repetitions left out.

    Raises:
        InputError: a token lies outside of memory, or reaches from one tile into the next.
    """
    if len(layout.tile) != len(stream.element):
        raise _misfit(stream, f"tokens of {len(stream.element)} dims, memory has {len(layout.tile)}")
    trips = compact_trips(stream)
    where = offsets(stream, trips).reshape(prod(trips), len(stream.element))
    tile = np.array(layout.tile, dtype=np.int64)
    number, place = where // tile, where % tile
    inside = (number >= 0) & (number < np.array(layout.grid)) & (place + np.array(stream.element) <= tile)
    if not inside.all():
        token = int(np.argmin(inside.all(axis=1)))
        raise _misfit(stream, f"the token at {where[token].tolist()} is no part of a tile of {list(layout.tile)}")
    return row_major(number, layout.grid), row_major(place, layout.tile)


def _misfit(stream: ReferenceStream, what: str) -> InputError:
    return InputError("bad-layout", what, where=stream.name, hints=["write the package anew"])


def _tiled(tensor: Array, grid: Sequence[int], tile: Sequence[int]) -> Array:
    """The last dims of a tensor as a grid of tiles, [..., *grid, *tile]."""
    lead = tensor.shape[: tensor.ndim - len(tile)]
    split = tensor.reshape([*lead, *(size for pair in zip(grid, tile, strict=True) for size in pair)])
    first, rank = len(lead), len(tile)
    axes = [*range(first), *range(first, first + 2 * rank, 2), *range(first + 1, first + 2 * rank, 2)]
    return split.transpose(axes)


def _untiled(tiles: Array, grid: Sequence[int]) -> Array:
    """The inverse of :func:`_tiled`: [..., *grid, *tile] to the tensor."""
    rank = len(grid)
    first = tiles.ndim - 2 * rank
    pairs = [axis for dim in range(rank) for axis in (first + dim, first + rank + dim)]
    shape = [count * size for count, size in zip(grid, tiles.shape[first + rank :], strict=True)]
    return tiles.transpose([*range(first), *pairs]).reshape((*tiles.shape[:first], *shape))


def _encoded(elements: Array, dtype: str, where: str) -> Bytes:
    if dtype == "i1":
        raise _no_bits(where)
    if dtype not in NARROW:
        return np.ascontiguousarray(elements).view(np.uint8)
    reach = 1 << BITS[dtype] - 1
    if elements.size and (elements.min() < -reach or elements.max() >= reach):
        what = f"integers outside of {-reach} to {reach - 1}"
        raise InputError("bad-tensor", what, where=where, hints=[f"quantize to int{BITS[dtype]} first"])
    return _joined(np.bitwise_and(elements.view(np.uint8), 2 * reach - 1, dtype=np.uint8), BITS[dtype])


def _joined(codes: Bytes, bits: int) -> Bytes:
    """Numbers of so many bits one after the other, the first in the low bits of the first byte."""
    if 8 % bits:
        single = np.unpackbits(codes.reshape(-1, 1), axis=1, count=bits, bitorder="little")
        return np.packbits(single.reshape(-1), bitorder="little")
    in_byte = 8 // bits
    whole = np.zeros(-(-len(codes) // in_byte) * in_byte, dtype=np.uint8)
    whole[: len(codes)] = codes
    parts = (np.left_shift(whole[place::in_byte], place * bits, dtype=np.uint8) for place in range(in_byte))
    return reduce(np.bitwise_or, parts)


def _split(data: Bytes, bits: int) -> Bytes:
    """The inverse of :func:`_joined`, as many as whole bytes hold."""
    if 8 % bits:
        single = np.unpackbits(data, bitorder="little")
        rows = single[: len(single) // bits * bits].reshape(-1, bits)
        return np.packbits(rows, axis=1, bitorder="little").reshape(-1)
    in_byte = 8 // bits
    codes = np.empty(in_byte * len(data), dtype=np.uint8)
    for place in range(in_byte):
        codes[place::in_byte] = data >> place * bits & (1 << bits) - 1
    return codes


def decoded(image: Bytes, dtype: str) -> Array:
    """The elements of an image in their order, with those that fill its last beat."""
    if dtype == "i1":
        raise _no_bits("memory")
    if dtype not in NARROW:
        # Copied: the image stays the caller's.
        size = NUMPY[dtype].itemsize
        return image[: len(image) // size * size].copy().view(NUMPY[dtype])
    # Shifted to the top of the byte and back, a sign spreads.
    unused = 8 - BITS[dtype]
    return np.left_shift(_split(image, BITS[dtype]), unused, dtype=np.uint8).view(np.int8) >> unused


def _no_bits(where: str) -> InputError:
    return InputError("bad-layout", "memory holds no i1", where=where, hints=["store i8"])


# --- A tensor as the bytes of its tokens, in the order in which a stream first has them


def coded_tensor(tensor: Array, coded: Coded, stream: ReferenceStream) -> Bytes:
    """The bytes, uint8 [tokens * bytes].

    Args:
        tensor: int8, of the argument's shape.
        coded: code of its tokens, or of shares of them.
        stream: the stream behind the decoder.

    Raises:
        InputError: integers that the code does not have.
    """
    code, shares = codes()[coded.code], _cut(tensor, coded.dim, stream.element[coded.dim], coded.shares)
    found = []
    for number in range(coded.shares):
        share = np.ascontiguousarray(shares.take(number, axis=coded.dim + 1)).reshape(_share_shape(coded))
        base, pattern = _places(stream, share.shape)
        found.append(encode(gathered(share.reshape(-1), base, pattern), code, stream.name))
    return np.concatenate(found, 1).reshape(-1)


def decoded_tensor(data: Bytes, coded: Coded, stream: ReferenceStream) -> Array:
    """The inverse of :func:`coded_tensor`."""
    code, shape, extent = codes()[coded.code], _share_shape(coded), stream.element[coded.dim]
    base, pattern = _places(stream, shape)
    found = []
    for part in np.split(data.reshape(len(base), -1), coded.shares, 1):
        flat = np.zeros(prod(shape), np.int8)
        scatter(flat, base, pattern, decode(part, code, len(pattern)))
        found.append(_cut(flat.reshape(shape), coded.dim, extent, 1))
    return np.concatenate(found, coded.dim + 1).reshape(coded.shape)


def _share_shape(coded: Coded) -> tuple[int, ...]:
    return tuple(size // (coded.shares if dim == coded.dim else 1) for dim, size in enumerate(coded.shape))


def _cut(tensor: Array, dim: int, extent: int, slices: int) -> Array:
    """The tensor with a dim in three: whole tokens, slices of a token, and the ``extent`` elements of one."""
    return tensor.reshape(*tensor.shape[:dim], -1, slices, extent, *tensor.shape[dim + 1 :])


def _places(stream: ReferenceStream, shape: tuple[int, ...]) -> tuple[Array, Array]:
    trips = compact_trips(stream)
    where = offsets(stream, trips).reshape(prod(trips), len(stream.element))
    return row_major(where, shape), element_numbers(stream.element, shape)


# --- Between the tensors that a design computes on and the images of memory that its DMAs read and write


def memory_images(graph: ReferenceGraph, tensors: Mapping[str, Array]) -> dict[str, Bytes]:
    """One image per load of a design, by the load's name.

    Args:
        graph: the design.
        tensors: by argument, of the argument's shape; integers of less than 8 bits in int8.

    Raises:
        InputError: a tensor is missing, belongs to no argument, or has another shape or type.
    """
    for name in graph.argument:
        if name not in tensors:
            raise InputError("missing-argument", f"the argument '{name}' has no values", where=graph.name)
    return images_of(graph, tensors)


def images_of(graph: ReferenceGraph, tensors: Mapping[str, Array]) -> dict[str, Bytes]:
    """The images of some arguments, as :func:`memory_images` gives those of all: parameters stay from run to run.

    Raises:
        InputError: a tensor belongs to no argument, or has another shape or type.
    """
    for name in tensors:
        if name not in graph.argument:
            hints = [did_you_mean(name, graph.argument)]
            raise InputError("unknown-argument", f"there is no argument '{name:.80}'", where=graph.name, hints=hints)
    wanted = [load for load in graph.loads if load.argument in tensors]
    return {
        load.name: _image(load, _stored(graph, load, tensors[load.argument]), graph.stream[load.sink])
        for load in wanted
    }


def _stored(graph: ReferenceGraph, load: Load, tensor: Array) -> Array:
    """What memory has of an argument: itself, or bytes that are its codes."""
    coded = load.coded
    if coded is None:
        return tensor
    if tensor.shape != coded.shape or tensor.dtype != np.int8:
        what = f"{tensor.dtype} {list(tensor.shape)} where int8 {list(coded.shape)} is coded"
        raise InputError("bad-tensor", what, where=load.name, hints=["pass the tensor that the design was made for"])
    return coded_tensor(tensor, coded, graph.stream[coded.stream]).view(np.int8)


def read_results(graph: ReferenceGraph, images: Mapping[str, Bytes]) -> dict[str, Array]:
    """The tensors that a design returns, by name, from the images of its stores.

    Raises:
        InputError: an image is missing, or has another length.
    """
    return {result.name: read_result(graph, result.name, images) for result in graph.results}


def read_argument(graph: ReferenceGraph, name: str, images: Mapping[str, Bytes]) -> Array:
    """The tensor of an argument from the images of its loads, by load: the inverse of :func:`images_of`.

    Raises:
        InputError: an image has another length.
    """
    loads = [load for load in graph.loads if load.argument == name]
    parts = {
        0 if load.part is None else load.part.number: unpack(images[load.name], load.layout, graph.stream[load.sink])
        for load in loads
    }
    part, coded, shape = loads[0].part, loads[0].coded, graph.argument[name].shape
    if coded is not None:
        whole = np.stack(
            [each.reshape(-1, each.size // _tokens_of(graph, coded)) for _, each in sorted(parts.items())], 1
        )
        return decoded_tensor(whole.view(np.uint8).reshape(-1), coded, graph.stream[coded.stream])
    if part is None:
        return parts[0]
    before, after = shape[: part.dim], shape[part.dim + 1 :]
    cut = [parts[number].reshape(*before, -1, part.extent // part.slices, *after) for number in sorted(parts)]
    return np.stack(cut, axis=part.dim + 1).reshape(shape)


def _tokens_of(graph: ReferenceGraph, coded: Coded) -> int:
    """Tokens that memory has of an argument."""
    return prod(coded.shape) // (coded.shares * prod(graph.stream[coded.stream].element))


def _image(load: Load, tensor: Array, stream: ReferenceStream) -> Bytes:
    """What a load reads of its argument as it lies in memory: of parts the image of each, one after the other."""
    parts = load.parts
    if parts is None:
        return pack(_read_by(load, tensor), load.layout, stream)
    if tensor.shape != load.shape:
        what = f"{tensor.dtype} {list(tensor.shape)} where {stream.dtype} {list(load.shape)} lies in memory"
        raise InputError("bad-tensor", what, where=stream.name, hints=["pass the tensor that the design was made for"])
    # As many at a time as the stream has, which so say where their words lie.
    groups = [range(first, first + parts.count) for first in range(0, parts.parts, parts.count)]
    images = [
        pack(_read_by(load, np.concatenate([tensor[n % parts.parts] for n in group], parts.dim)), load.layout, stream)
        for group in groups
    ]
    size, room = run_bytes(load, stream.dtype)
    rows = np.zeros((len(images) * parts.count, parts.runs, room), np.uint8)
    runs = np.stack([image[: parts.runs * parts.count * size] for image in images])
    runs = runs.reshape(len(images), parts.runs, parts.count, size).swapaxes(1, 2)
    rows[..., :size] = runs.reshape(-1, parts.runs, size)
    return rows[: parts.parts].reshape(-1)


def run_bytes(load: Load, dtype: str) -> tuple[int, int]:
    """Bytes of a run of a load of parts, and those that it takes in memory, whole beats."""
    assert load.parts is not None
    size = prod(load.layout.shape) * BITS[dtype] // (8 * load.parts.runs * load.parts.count)
    beat = load.layout.beat_bits // 8
    return size, -(-size // beat) * beat


def chosen_image(load: Load, image: Bytes, numbers: Array, dtype: str) -> Bytes:
    """The image of the parts that a load reads, side by side.

    Args:
        load: load with parts.
        image: image of all parts, see :func:`images_of`.
        numbers: what the index stream carries, float32 [count].
        dtype: type of the elements.
    """
    parts = load.parts
    assert parts is not None
    inside = (numbers >= 0) & (numbers < parts.parts)
    chosen = np.where(inside, numbers, 0).astype(np.int64)
    size, room = run_bytes(load, dtype)
    found = image.reshape(parts.parts, parts.runs, room)[chosen, :, :size].swapaxes(0, 1).reshape(-1)
    return np.pad(found, (0, image_bytes(load.layout, dtype) - found.size))


def _read_by(load: Load, tensor: Array) -> Array:
    """The part of its argument that a load reads."""
    part = load.part
    if part is None or tensor.shape != load.streamed_shape:
        return tensor
    cut = _cut(tensor, part.dim, part.extent // part.slices, part.slices)
    return cut.take(part.number, axis=part.dim + 1).reshape(load.layout.shape)


def read_result(graph: ReferenceGraph, name: str, images: Mapping[str, Bytes]) -> Array:
    """One of the tensors that a design returns, from the image of its store.

    Raises:
        InputError: see :func:`read_results`.
    """
    result = next(each for each in graph.results if each.name == name)
    store = next(node for node in graph.stores if node.name == result.store)
    if store.name not in images:
        raise InputError("missing-image", f"there is no image of '{store.name}'", where=graph.name)
    tensor = unpack(images[store.name], store.layout, graph.stream[store.source])
    for view in result.views:
        tensor = _seen(tensor, view)
    return np.asarray(tensor, order="C")


def _seen(tensor: Array, view: View) -> Array:
    if view.dims is None:
        return tensor.reshape(view.shape)
    kept = [axis for axis, dim in enumerate(view.dims) if dim != -1]
    walked = [view.dims[axis] for axis in kept]
    tensor = tensor.reshape([tensor.shape[axis] for axis in kept])
    ordered = tensor.transpose(np.argsort(walked))
    lined_up = ordered.reshape([size if dim in walked else 1 for dim, size in enumerate(view.shape)])
    return np.broadcast_to(lined_up, view.shape)
