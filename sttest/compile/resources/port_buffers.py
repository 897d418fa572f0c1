"""The buffers of a design's DMAs for data on the way."""

from __future__ import annotations

from collections import Counter

from sttest.boards.resource_memories import LUTRAM_MAX_WORDS, memory_resources
from sttest.boards.resources import Resources
from sttest.compile.channels.bursts_ahead import BurstsAhead, port_of
from sttest.compile.dialects.df import KernelOp, itensor_of
from sttest.compile.turns.port_names import dma_port
from sttest.compile.turns.processes import process_name


def buffer_words(kernel: KernelOp, in_flight: int, port_bits: int) -> dict[str, int]:
    """Words of the buffer of every DMA: of what it asks for ahead, as many as the largest tensor of its port at most.

    Args:
        kernel: at the stream level; its DMAs have channels.
        in_flight: words that a port has in flight in each direction.
        port_bits: of a word.
    """
    ahead, bits, largest = BurstsAhead(kernel), Counter[str](), Counter[tuple[int, bool]]()
    for dma in ahead.dmas:
        stream = itensor_of(dma_port(dma))
        bits[process_name(dma)] += stream.tokens * stream.token_bits
        largest[port_of(dma)] = max(largest[port_of(dma)], bits[process_name(dma)])
    return {
        process_name(dma): min(ahead.of(dma, in_flight), -(-largest[port_of(dma)] // port_bits)) for dma in ahead.dmas
    }


def buffer_resources(words: int, bits: int) -> Resources:
    """The buffer of a port for data on the way: in LUTs where it is short, as any memory of the tool."""
    return memory_resources("lutram" if words <= LUTRAM_MAX_WORDS else "bram", words, bits)
