"""The ping-pong buffer of a converter: how each side walks a block, and its banks.

A data dim has a bank for every element that the wider of the two tokens has there, so that each side moves a token per
cycle.  A bank holds every so-manieth element.  Where tokens of a side begin at any of them, no access has a bank of its
own; such a dim is then rows of one element per bank, and a token is rotated to the banks, or back, on its way.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, gcd, prod

from sttest.compile.dialects import df
from sttest.compile.dialects.itensor import ITensorType
from sttest.compile.dialects.stream_order import StreamLoop, cut_inside, lowest, merged
from sttest.compile.ir.module_walk import run_first
from sttest.core.errors import InputError


@dataclass(frozen=True)
class BlockSide:
    """How one side walks a block."""

    stream: ITensorType  # its stream
    loops: tuple[StreamLoop, ...]  # loops over the tokens of a block
    start: tuple[int, ...]  # place of the first token in the buffer, per data dim

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements of a token per data dim."""
        return self.stream.element_shape

    def offsets(self, dim: int, banks: int) -> list[int]:
        """The banks of a dim in which tokens begin, in ascending order."""
        found = {self.start[dim] % banks}
        for loop in self.loops:
            period = banks // gcd(loop.strides[dim], banks)
            steps = range(min(loop.trip, period))
            found = {(place + loop.strides[dim] * step) % banks for place in found for step in steps}
        return sorted(found)


@dataclass(frozen=True)
class BlockDim:
    """The banks of a data dim."""

    extent: int  # elements
    banks: int  # elements that can be touched in one cycle
    word: int  # elements that share a word of a bank
    is_rows: bool = False  # whether it is rows of one element per bank
    # rotates: whether tokens of the filling and of the draining side are rotated
    rotates: tuple[bool, bool] = (False, False)

    @staticmethod
    def of(extent: int, word: int, sides: Sequence[tuple[int, list[int]]], banks: int) -> "BlockDim":
        """The banks of a dim.

        Args:
            extent: its elements.
            word: elements that both sides only touch together.
            sides: elements of a token, and the banks in which tokens begin, of both sides.
            banks: elements of the wider token.
        """
        if banks >= extent or all(_apart(size, begin, banks) for size, begin in sides):
            return BlockDim(extent, min(banks, extent), word)
        filling, draining = (any(at + size > banks for at in begin) for size, begin in sides)
        return BlockDim(extent, banks, 1, True, (filling, draining))

    @property
    def rows(self) -> int:
        """Elements of a bank."""
        return ceil(self.extent / self.banks)

    @property
    def shape(self) -> tuple[int, ...]:
        """Its dims in the C++: one, or the rows and their elements."""
        return (self.rows, self.banks) if self.is_rows else (self.extent,)


def _apart(size: int, begin: list[int], banks: int) -> bool:
    """Whether no two elements of tokens that begin at these banks lie in one bank."""
    return all(far - near >= size for near, far in zip(begin, [*begin[1:], begin[0] + banks], strict=True))


@dataclass(frozen=True)
class ConverterBlock:
    """The buffer of a converter."""

    blocks: int  # number of times that it is filled
    dims: tuple[BlockDim, ...]  # its dims, one per data dim of the tensor
    # fill, drain: the two sides
    fill: BlockSide
    drain: BlockSide

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements per dim of the C++ array."""
        return tuple(size for dim in self.dims for size in dim.shape)

    @property
    def at_once(self) -> tuple[int, ...]:
        """Neighbors per dim of the C++ array that are touched in one cycle."""
        return tuple(size for dim in self.dims for size in ((1, dim.banks) if dim.is_rows else (dim.banks,)))

    @property
    def word(self) -> tuple[int, ...]:
        """Neighbors per dim of the C++ array that share a word."""
        return tuple(size for dim in self.dims for size in ((1, 1) if dim.is_rows else (dim.word,)))

    @property
    def banks(self) -> int:
        """Memories that are addressed by themselves."""
        return prod(ceil(dim.banks / dim.word) for dim in self.dims)

    @property
    def depth(self) -> int:
        """Words of a bank."""
        return prod(dim.rows for dim in self.dims)

    def positions(self, side: BlockSide) -> int:
        """Places among the banks at which tokens of a side begin."""
        return prod(len(side.offsets(number, dim.banks)) for number, dim in enumerate(self.dims))


def converter_block(op: df.ConverterOp, name: str) -> ConverterBlock:
    """The buffer of a converter; ``name`` is for messages.

    Raises:
        InputError: no buffer yet, or a side that leaves it.
    """
    if op.buffer is None or op.blocks is None:
        raise run_first("hls", f"{op.name} has no buffer", "materialize-converters")
    streams = df.itensor_of(op.sources[0]), df.itensor_of(op.sinks[0])
    blocks, shape = op.blocks.value.data, op.buffer.values
    nests = [cut_inside(stream, stream.tokens // blocks, name)[1] for stream in streams]
    corner = lowest(nests[0], len(shape))
    starts = [stream.origin for stream in streams]
    fill, drain = (
        BlockSide(stream, tuple(merged(nest)), _minus(_minus(start, starts[0]), corner))
        for stream, nest, start in zip(streams, nests, starts, strict=True)
    )
    for side in (fill, drain):
        _check_inside(side, shape, name)
    dims = []
    for dim, (extent, banks, word) in enumerate(zip(shape, op.at_once, op.word, strict=True)):
        sides = [(side.shape[dim], side.offsets(dim, banks)) for side in (fill, drain)]
        dims.append(BlockDim.of(extent, word, sides, banks))
    return ConverterBlock(blocks, tuple(dims), fill, drain)


def _minus(left: Iterable[int], right: Iterable[int]) -> tuple[int, ...]:
    return tuple(a - b for a, b in zip(left, right, strict=True))


def _check_inside(side: BlockSide, shape: Sequence[int], name: str) -> None:
    for dim, extent in enumerate(shape):
        low = side.start[dim] + lowest(side.loops, len(shape))[dim]
        high = side.start[dim] + side.shape[dim]
        high += sum((loop.trip - 1) * max(0, loop.strides[dim]) for loop in side.loops)
        if low < 0 or high > extent:
            raise InputError(
                "outside-buffer",
                f"a token reaches elements {low} to {high - 1} of dim {dim}, the buffer has {extent}",
                where=name,
                hints=["compile the design anew"],
            )
