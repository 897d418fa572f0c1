"""The schedule of DMAs that wait: for the token whose row they read, a cache's new entry, or numbers of parts."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from sttest.compile.channels.cache_entries import cache_entries
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import stream_of
from sttest.compile.schedule.process_schedule import AddedFifo, MemoryWalk, Nest, Port
from sttest.sim.graph import COPY_CYCLES, MIN_DEPTH

_HERE = "schedule"


def waits(dma: df.DmaOp, turns: Sequence[df.NodeOp]) -> bool:
    """Whether a DMA, or another one of its queue, waits for tokens."""
    loads = (each for each in (dma, *turns) if isinstance(each, df.DmaReadOp))
    return any(len(load.sources) > 1 for load in loads)


def held_walk(
    kernel: df.KernelOp, dma: df.DmaReadOp, walk: MemoryWalk, ahead: str, latency: int, refetch: int
) -> tuple[AddedFifo, MemoryWalk, tuple[Nest, ...]]:
    """The FIFO between the memory port and the nests that pass its tokens on, the port's walk, and the nests.

    The port asks ahead before it can know for what.  Where that matters, for parts whose numbers come first, what it
    has in flight by then counts as read again: nothing passes for the time that takes.

    Args:
        kernel: kernel at the stream level.
        dma: the DMA that waits.
        walk: its walk, as if it waited for nothing.
        ahead: name of the FIFO.
        latency: latency of a read, cycles; a write is taken to have the same.
        refetch: cycles in which that is read again; 0 behind another DMA of the queue, which had the numbers before.
    """
    held = AddedFifo(ahead, MIN_DEPTH, 8 * walk.token_bytes)
    copied = (Port(held.name, False, (0,)), Port(walk.fifo, True, (COPY_CYCLES - 1,)))
    copies = Nest((walk.tokens,), 0, 1, COPY_CYCLES, copied)
    nests = (copies,)
    if len(dma.sources) > 1:
        awaited, stream = df.itensor_of(dma.sources[1]).tokens, stream_of(dma.sources[1], _HERE).sym_name.data
        takes = Nest((awaited,), 0, 1, latency, (Port(stream, False, (0,)),))
        if dma.parts is None:
            nests = (copies, takes, *_written(kernel, dma, latency))
        else:
            nests = (replace(takes, latency=latency + refetch if refetch else 1), copies)
    return held, replace(walk, fifo=held.name), nests


def _written(kernel: df.KernelOp, dma: df.DmaReadOp, latency: int) -> tuple[Nest, ...]:
    """Every run of an entry is put into its word: read, changed, written."""
    if not dma.takes_entries:
        return ()
    entries = cache_entries(kernel, dma)
    return (Nest((entries.runs,), 0, 1 if entries.is_apart else 2 * latency, 2 * latency),)


# --- Parts that are read by number: each run begins with a word of the port


def run_bytes(op: df.DmaOp, word_bytes: int) -> int:
    """Bytes of whole words in which a run of a chosen part lies; 0 of what is read otherwise."""
    if not isinstance(op, df.DmaReadOp) or op.parts is None:
        return 0
    chosen, _, _, runs = op.parts.values
    stream = df.itensor_of(op.port)
    return word_bytes * ceil(stream.tokens * stream.token_bits / (8 * chosen * runs * word_bytes))


def bytes_per_token(op: df.DmaOp, stream: df.ITensorType, run: int) -> int:
    """Bytes of a token, with what fills the words of a run that chosen parts come in."""
    if not run or not isinstance(op, df.DmaReadOp) or op.parts is None:
        return -(-stream.token_bits // 8)
    chosen, _, _, runs = op.parts.values
    return ceil(run * chosen * runs / stream.tokens)
