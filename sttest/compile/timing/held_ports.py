"""The timed graph of DMAs that wait: for the token whose row they read, or for a cache's new entry.

A port of the timed graph asks ahead for what comes next and waits for nobody.  So such a DMA is one, whose bursts are
asked for ahead, and a pipeline that holds back what they bring: it passes on the tokens of a layer (or of a row), one
per cycle as any port, takes what the DMA waits for, and goes on after the latency of the memory.  Bursts have their
place on the channel at another time than on the card: what was asked for ahead of a wait is there right after it.  The
words that an entry changes have time, but no place on the channel.
"""

from __future__ import annotations

from dataclasses import replace

from sttest.compile.channels.cache_entries import cache_entries
from sttest.compile.dialects.df import DmaReadOp, KernelOp, itensor_of
from sttest.compile.ir.stream_level import stream_of
from sttest.sim.graph import Event, Fifo, Loop, Memory, Pipeline

_HERE = "timed graph"
_COPY_LATENCY = 2
_HELD = 2


def held_port(kernel: KernelOp, dma: DmaReadOp, port: Memory, latency: int) -> tuple[Fifo, Memory, Pipeline]:
    """The FIFO between port and pipeline, and both.

    Args:
        kernel: at the stream level.
        dma: that waits for something.
        port: as if it waited for nothing.
        latency: of a read, in cycles; that of a write is taken to be the same, as everywhere.
    """
    held = Fifo(f"{port.name}_ahead", _HELD, 8 * port.token_bytes)
    awaited = itensor_of(dma.sources[1]).tokens
    copies = Loop(
        (port.tokens,), 1, _COPY_LATENCY,
        (Event(held.name, "read", 0), Event(port.fifo, "write", _COPY_LATENCY - 1)),
    )  # fmt: skip
    takes = Loop((awaited,), 1, latency, (Event(stream_of(dma.sources[1], _HERE).sym_name.data, "read", 0),))
    hold = Pipeline(
        f"{port.name}_hold", (copies, takes, *_written(kernel, dma, latency)), origin=port.origin, category="dma"
    )
    return held, replace(port, fifo=held.name), hold


def _written(kernel: KernelOp, dma: DmaReadOp, latency: int) -> tuple[Loop, ...]:
    """Every run of an entry is put into its word: read, changed, written."""
    if not dma.takes_entries:
        return ()
    entries = cache_entries(kernel, dma)
    return (Loop((entries.runs,), 1 if entries.is_apart else 2 * latency, 2 * latency, ()),)
