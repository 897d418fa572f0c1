"""The timed graph of DMAs that wait: for the token whose row they read, a cache's new entry, or numbers of parts."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from sttest.compile.channels.cache_entries import cache_entries
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import stream_of
from sttest.compile.sharing.processes import AHEAD, HOLD
from sttest.sim.graph import COPY_CYCLES, MIN_DEPTH, Event, Fifo, Loop, MemoryPort, Pipeline

_HERE = "timed graph"


def waits(dma: df.DmaOp, turns: Sequence[df.NodeOp]) -> bool:
    """Whether a DMA, or another one of its queue, waits for tokens."""
    loads = (each for each in (dma, *turns) if isinstance(each, df.DmaReadOp))
    return any(len(load.sources) > 1 for load in loads)


def held_port(
    kernel: df.KernelOp, dma: df.DmaReadOp, port: MemoryPort, latency: int, refetch: int
) -> tuple[Fifo, MemoryPort, Pipeline]:
    """The FIFO between port and pipeline, and both.

    The port asks ahead before it can know for what.  Where that matters, for parts whose numbers come first, what it
    has in flight by then counts as read again: nothing passes for the time that takes.

    Args:
        kernel: kernel at the stream level.
        dma: the DMA that waits.
        port: its memory port, as if it waited for nothing.
        latency: latency of a read, cycles; a write is taken to have the same.
        refetch: cycles in which that is read again; 0 behind another DMA of the queue, which had the numbers before.
    """
    held = Fifo(f"{port.name}{AHEAD}", MIN_DEPTH, 8 * port.token_bytes)
    copies = Loop(
        (port.tokens,), 1, COPY_CYCLES, (Event(held.name, "read", 0), Event(port.fifo, "write", COPY_CYCLES - 1))
    )
    loops = (copies,)
    if len(dma.sources) > 1:
        awaited, stream = df.itensor_of(dma.sources[1]).tokens, stream_of(dma.sources[1], _HERE).sym_name.data
        takes = Loop((awaited,), 1, latency, (Event(stream, "read", 0),))
        if dma.parts is None:
            loops = (copies, takes, *_written(kernel, dma, latency))
        else:
            loops = (replace(takes, latency=latency + refetch if refetch else 1), copies)
    hold = Pipeline(f"{port.name}{HOLD}", loops, origin=port.origin, category="dma")
    return held, replace(port, fifo=held.name), hold


def _written(kernel: df.KernelOp, dma: df.DmaReadOp, latency: int) -> tuple[Loop, ...]:
    """Every run of an entry is put into its word: read, changed, written."""
    if not dma.takes_entries:
        return ()
    entries = cache_entries(kernel, dma)
    return (Loop((entries.runs,), 1 if entries.is_apart else 2 * latency, 2 * latency, ()),)


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
