"""Where the new entry of a cache goes in memory: the last places of a cache are those of a launch's own tokens."""

from dataclasses import dataclass
from math import gcd, prod

from xdsl.dialects.builtin import TensorType

from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import slice_dim
from sttest.compile.ir.module_walk import run_first
from sttest.core.errors import InputError

_POSITIONS = 1
"""The dim of a cache [heads, positions, columns], or of its scales [heads, positions]."""


@dataclass(frozen=True)
class CacheEntries:
    """The places of one DMA's new entries, of which each launch writes one per layer and token.

    An entry is written in *runs*: columns that lie side by side in a word.
    """

    # heads, columns: shape of an entry
    heads: int
    columns: int
    run: int  # columns of a run
    first: int  # position of the launch's first entry
    steps: int  # entries per launch
    # grid, beats, beat: the cache in memory: tiles, beats in a tile, elements in a beat, per dim
    grid: tuple[int, ...]
    beats: tuple[int, ...]
    beat: tuple[int, ...]
    word: int  # elements of a word
    # sliced_dim, slice_size, slice_number, slices: which elements the DMA's memory holds
    sliced_dim: int
    slice_size: int
    slice_number: int
    slices: int
    entry: df.ITensorType  # the stream that they come in

    @property
    def runs(self) -> int:
        """The contiguous runs of an entry."""
        return self.heads * self.columns // self.run

    @property
    def is_apart(self) -> bool:
        """Whether all runs of an entry lie in words of their own: then one may be read before another is written."""
        for position in range(self.first, self.first + self.steps):
            words = [
                self.place(head, position, column) // self.word
                for head in range(self.heads)
                for column in range(0, self.columns, self.run)
            ]
            if len(set(words)) < len(words):
                return False
        return True

    def is_here(self, head: int, position: int, column: int) -> bool:
        """Whether the DMA's memory has an element of the cache: of slices each has its own."""
        if self.slices == 1:
            return True
        index = (head, position, column)[self.sliced_dim]
        return index % (self.slice_size * self.slices) // self.slice_size == self.slice_number

    def place(self, head: int, position: int, column: int) -> int:
        """The element's number in memory, in the slice that has it."""
        at = [head, position, column][: len(self.grid)]
        if self.slices > 1:
            at[self.sliced_dim] = self._inside(at[self.sliced_dim])
        tile = beat = element = 0
        for dim, index in enumerate(at):
            within = index % (self.beats[dim] * self.beat[dim])
            tile = tile * self.grid[dim] + index // (self.beats[dim] * self.beat[dim])
            beat = beat * self.beats[dim] + within // self.beat[dim]
            element = element * self.beat[dim] + within % self.beat[dim]
        return (tile * prod(self.beats) + beat) * prod(self.beat) + element

    def _inside(self, index: int) -> int:
        whole = self.slice_size * self.slices
        return index // whole * self.slice_size + index % self.slice_size


def cache_entries(kernel: df.KernelOp, dma: df.DmaReadOp) -> CacheEntries:
    """The entries that a DMA takes.

    Raises:
        InputError: its cache does not have the layout of docs/reference/values.md, or no room for the launch.
    """
    if dma.layout is None or dma.beat_bits is None:
        raise run_first("loop-tokens", f"{dma.name} has no layout", "materialize-dma")
    outer, stream, entry = dma.sources[0].type, df.itensor_of(dma.sinks[0]), df.itensor_of(dma.sources[1])
    assert isinstance(outer, TensorType)
    shape = outer.get_shape()
    heads, positions, columns = (*shape, 1)[:3]
    numbers, rank = dma.layout.values, len(shape)
    grid, beats, beat = numbers[:rank], numbers[rank : 2 * rank], numbers[2 * rank :]
    if rank not in (2, 3) or dma.packed is not None or prod(entry.full_shape) != heads * columns:
        raise InputError("bad-cache", f"{list(entry.full_shape)} is no entry of {list(shape)}", where="loop-tokens")
    if kernel.step_count > positions:
        raise InputError(
            "no-room",
            "a launch generates more tokens than the cache has places",
            where="loop-tokens",
            demand=kernel.step_count,
            bound=positions,
            unit="tokens",
            hints=["compile for a longer context"],
        )
    number, slices = dma.slice_of
    dim = slice_dim(stream.element_shape)
    word = dma.beat_bits.value.data // stream.element_bits
    run = gcd(word, beat[2]) if rank == 3 else 1
    if slices > 1 and dim == 2:
        run = gcd(run, stream.element_shape[dim])
    first = positions - kernel.step_count
    return CacheEntries(
        heads,
        columns,
        run,
        first,
        kernel.step_count,
        grid,
        beats,
        beat,
        word,
        dim,
        stream.element_shape[dim],
        number,
        slices,
        entry,
    )
