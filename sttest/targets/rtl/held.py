"""Memory that a launch reads by what it computed: a table's rows, chosen parts, and caches that grow.

A port does not know what it will bring before the token or the cache's entry has come, so that in simulation the
data are with the process behind it that waits (`sttest.compile.rtl.movers.hold_module`).  Addresses are those of the
emitted C++: numbers of elements in the DMA's memory.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

import numpy as np

from sttest.compile.channels.cache_entries import CacheEntries, cache_entries
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, stream_of
from sttest.compile.sharing.processes import node_label
from sttest.reference.graph import BITS, Array, Load, ReferenceGraph, ReferenceStream
from sttest.reference.launch import Launch, Rows
from sttest.reference.memory import decoded, element_addresses, element_numbers, offsets, row_major

HELD = "held"
"""The folder of what these memories have at first."""


@dataclass(frozen=True)
class HeldMemory:
    """A module in the place of what a port has read ahead."""

    module: str
    parameters: Mapping[str, int]
    arrays: Mapping[str, Array] = field(repr=False)  # content by suffix of its file; integers, or elements
    bits: int = 32  # of an element of ``content``

    def instance(self, stem: str, place: int, taken: str) -> str:
        """The instance that drives what the process takes out of a FIFO.

        Args:
            stem: prefix of the FIFO's wires.
            place: number of the FIFO in the log.
            taken: prefix of the wires of the FIFO from which the process takes what it waits for.
        """
        values = ", ".join(f".{name}({value})" for name, value in {**self.parameters, "ID": place}.items())
        return (
            f"  {self.module} #({values}) {stem}_held (.clk(clk), .next({stem}_take), "
            f".data({stem}_out[{self.parameters['WIDTH'] - 1}:0]), "
            f".come({taken}_take), .what({taken}_out));\n"
        )


def held_memories(kernel: df.KernelOp, launch: Launch, memory: Rows) -> dict[str, tuple[str, HeldMemory]]:
    """By the name of the FIFO between a port and the process that waits: the FIFO with what it waits for, and memory.

    Args:
        kernel: kernel at the stream level.
        launch: what it does in a launch.
        memory: what memory holds before.
    """
    found = {}
    for dma in all_of(kernel, df.DmaReadOp):
        if len(dma.sources) == 1:
            continue
        name, awaited = node_label(dma), stream_of(dma.sources[1], "RTL")
        load = next(each for each in launch.graph.loads if each.name == name)
        if dma.parts is not None:
            held = _chosen_parts(launch.graph, load, memory[name], df.itensor_of(dma.sources[1]).token_elements)
        elif dma.row_count:
            held = _token_table(launch.graph, load, memory[name])
        else:
            made = stream_of(awaited.writer.sources[0], "RTL").sym_name.data
            held = _growing_cache(launch, load, memory[name], cache_entries(kernel, dma), launch.graph.stream[made])
        found[f"{name}_ahead"] = awaited.sym_name.data, held
    return found


def _token_table(graph: ReferenceGraph, load: Load, rows: Array) -> HeldMemory:
    """The rows in the order of the stream."""
    stream = graph.stream[load.sink]
    elements = decoded(rows.reshape(-1), stream.dtype).reshape(len(rows), -1)
    tokens = elements[:, element_addresses(load.layout, stream)].reshape(len(rows) * stream.tokens, -1)
    parameters = {"WIDTH": _bits(stream), "TOKENS": stream.tokens, "ROWS": len(rows)}
    return HeldMemory("token_table", parameters, {"content": tokens}, BITS[stream.dtype])


def _chosen_parts(graph: ReferenceGraph, load: Load, layers: Array, numbers: int) -> HeldMemory:
    """The tokens of all parts of each layer, part by part in the order of its runs."""
    stream, parts = graph.stream[load.sink], load.parts
    assert parts is not None
    words = layers.reshape(len(layers) * parts.parts, -1)
    groups = [words.take(range(first, first + parts.count), 0, mode="wrap") for first in range(0, len(words), parts.count)]
    addresses, width = element_addresses(load.layout, stream), prod(stream.element)
    rows = []
    for group in groups:
        image = group.reshape(parts.count, parts.runs, -1).swapaxes(0, 1).reshape(-1)
        tokens = decoded(image, stream.dtype)[addresses].reshape(parts.runs, parts.count, -1, width)
        rows.append(tokens.swapaxes(0, 1).reshape(parts.count, -1, width))
    content = np.concatenate(rows)[: len(words)].reshape(-1, width)
    parameters = {
        "WIDTH": _bits(stream), "LAYERS": len(layers), "PARTS": parts.parts, "CHOSEN": parts.count, "RUNS": parts.runs,
        "TOKENS": stream.tokens // (parts.runs * parts.count), "NUMBERS": numbers,
    }  # fmt: skip
    return HeldMemory("chosen_parts", parameters, {"content": content}, BITS[stream.dtype])


def _growing_cache(
    launch: Launch, load: Load, layers: Array, entries: CacheEntries, entry: ReferenceStream
) -> HeldMemory:
    """The caches of all layers, element by element, and where tokens and entries lie in each."""
    stream, size = launch.graph.stream[load.sink], prod(load.layout.shape)
    elements = decoded(layers.reshape(-1), stream.dtype).reshape(len(layers), -1)[:, :size]
    parameters = {
        "WIDTH": _bits(stream), "BITS": BITS[stream.dtype], "TOKENS": stream.tokens, "LAYERS": len(layers),
        "SIZE": size, "STEPS": launch.steps, "ENTRY_WIDTH": _bits(entry), "ENTRY_TOKENS": entry.tokens,
    }  # fmt: skip
    arrays = {
        "content": elements.reshape(-1, 1), "reads": element_addresses(load.layout, stream),
        "writes": _entry_addresses(entries, entry),
    }  # fmt: skip
    return HeldMemory("growing_cache", parameters, arrays, BITS[stream.dtype])


def _entry_addresses(entries: CacheEntries, stream: ReferenceStream) -> Array:
    """Where each token's elements of an entry go, [steps, tokens, elements]; -1 where another slice has them."""
    shape = entries.entry.full_shape
    base = row_major(offsets(stream, stream.trips).reshape(stream.tokens, -1), shape)
    numbers = base[:, None] + element_numbers(stream.element, shape)
    places = [
        [entries.place(*at) if entries.is_here(*at) else -1
         for at in ((number // entries.columns, entries.first + step, number % entries.columns)
                    for number in numbers.reshape(-1).tolist())]
        for step in range(entries.steps)
    ]  # fmt: skip
    return np.array(places)


def _bits(stream: ReferenceStream) -> int:
    return prod(stream.element) * BITS[stream.dtype]
