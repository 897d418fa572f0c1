"""Memory that a launch reads by what it computed: a table's rows, chosen parts, and caches that grow.

A port does not know what it will bring before the token or the cache's entry has come, so that in simulation the
data are with the process behind it that waits (`sttest.compile.rtl.movers.hold_module`).  Addresses are those of the
emitted C++: numbers of elements in the DMA's memory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from sttest.compile.channels.cache_entries import CacheEntries, cache_entries
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, stream_of
from sttest.compile.rtl.walks import packed_words
from sttest.compile.sharing.layers import outside_layers
from sttest.compile.sharing.processes import AHEAD, node_label, processes_of
from sttest.reference.graph import BITS, Array, Load, ReferenceGraph, ReferenceStream
from sttest.reference.launch import Launch, Rows
from sttest.reference.memory import chosen_image, decoded, element_addresses, element_numbers, offsets, row_major

HELD = "held"
"""The folder of what these memories have at first."""


@dataclass(frozen=True)
class HeldMemory:
    """A module in the place of what a port has read ahead."""

    module: str
    width: int  # bits of a token
    parameters: Mapping[str, int | str]
    arrays: Mapping[str, Array] = field(repr=False)  # content by suffix of its file; integers, or elements
    bits: int = 32  # bits of an element of ``content``

    def instance(self, stem: str, place: int, taken: str) -> str:
        """The instance that drives what the process takes out of a FIFO.

        Args:
            stem: prefix of the FIFO's wires.
            place: number of the FIFO in the log.
            taken: prefix of the wires of the FIFO from which the process takes what it waits for.
        """
        values = ", ".join(
            f".{name}({value})" for name, value in {"WIDTH": self.width, **self.parameters, "ID": place}.items()
        )
        return (
            f"  {self.module} #({values}) {stem}_held (.clk(clk), .next({stem}_take), "
            f".data({stem}_out[{self.width - 1}:0]), "
            f".come({taken}_take), .what({taken}_out));\n"
        )


def held_memories(kernel: df.KernelOp, launch: Launch, memory: Rows) -> dict[str, tuple[str, HeldMemory]]:
    """By the name of the FIFO between a port and the process that waits: the FIFO with what it waits for, and memory.

    Args:
        kernel: kernel at the stream level.
        launch: what it does in a launch.
        memory: what memory holds before.
    """
    found = {
        f"{name}{AHEAD}": held
        for name, nodes in processes_of(kernel).items()
        if (held := _parts_of_queue(kernel, launch, memory, nodes)) is not None
    }
    for dma in all_of(kernel, df.DmaReadOp):
        if len(dma.sources) == 1 or dma.parts is not None:
            continue
        name, awaited = node_label(dma), stream_of(dma.sources[1], "RTL")
        load = next(each for each in launch.graph.loads if each.name == name)
        if dma.row_count:
            held = _token_table(launch.graph, load, memory[name])
        else:
            made = stream_of(awaited.writer.sources[0], "RTL").sym_name.data
            held = _growing_cache(launch, load, memory[name], cache_entries(kernel, dma), launch.graph.stream[made])
        found[f"{name}{AHEAD}"] = awaited.sym_name.data, held
    return found


def _token_table(graph: ReferenceGraph, load: Load, rows: Array) -> HeldMemory:
    """The rows in the order of the stream."""
    stream = graph.stream[load.sink]
    elements = decoded(rows.reshape(-1), stream.dtype).reshape(len(rows), -1)
    tokens = elements[:, element_addresses(load.layout, stream)].reshape(len(rows) * stream.tokens, -1)
    parameters = {"TOKENS": stream.tokens, "ROWS": len(rows)}
    return HeldMemory("token_table", _bits(stream), parameters, {"content": tokens}, BITS[stream.dtype])


@dataclass(frozen=True)
class _Segment:
    """What a DMA of a queue reads in a layer."""

    tokens: Array  # tokens of all parts, [parts, runs, tokens, elements]
    chosen: int  # parts that are read; 0 where there is one, which needs no number


def _parts_of_queue(
    kernel: df.KernelOp, launch: Launch, memory: Rows, nodes: Sequence[df.NodeOp]
) -> tuple[str, HeldMemory] | None:
    """What the DMAs of a process read in turn, if any of them reads parts by number; they share the numbers."""
    loads = [node for node in nodes if isinstance(node, df.DmaReadOp)]
    waiting = [load for load in loads if load.parts is not None]
    if not waiting:
        return None
    outside, named = outside_layers(kernel), {load.name: load for load in launch.graph.loads}
    turns = [(load, layer) for layer in range(kernel.layer_count) for load in loads if load not in outside]
    turns += [(load, 0) for load in loads if load in outside]
    segments = [
        _segment(launch.graph, named[node_label(load)], memory[node_label(load)], layer) for load, layer in turns
    ]
    starts = np.cumsum([0, *(segment.tokens[..., 0].size for segment in segments)])
    shapes = {
        "START": starts[:-1].tolist(),
        "CHOSEN": [segment.chosen for segment in segments],
        "PARTS": [segment.tokens.shape[0] for segment in segments],
        "RUNS": [segment.tokens.shape[1] for segment in segments],
        "TOKENS": [segment.tokens.shape[2] for segment in segments],
    }
    stream, awaited = launch.graph.stream[named[node_label(waiting[0])].sink], waiting[0].sources[1]
    parameters: dict[str, int | str] = {
        "SEGMENTS": len(segments),
        "ALL": int(starts[-1]),
        "NUMBERS": df.itensor_of(awaited).token_elements,
        "KNOWN": max(segment.chosen for segment in segments),
        **{name: packed_words(values[::-1]) for name, values in shapes.items()},
    }
    content = np.concatenate([segment.tokens.reshape(-1, segment.tokens.shape[-1]) for segment in segments])
    held = HeldMemory("chosen_parts", _bits(stream), parameters, {"content": content}, BITS[stream.dtype])
    return stream_of(awaited, "RTL").sym_name.data, held


def _segment(graph: ReferenceGraph, load: Load, layers: Array, layer: int) -> _Segment:
    stream, parts = graph.stream[load.sink], load.parts
    addresses, width = element_addresses(load.layout, stream), prod(stream.element)
    image = layers[layer if len(layers) > 1 else 0]
    if parts is None:
        return _Segment(decoded(image, stream.dtype)[addresses].reshape(1, 1, -1, width), 0)
    rows = []
    # As many parts at a time as the stream has, in the order of its words.
    for first in range(0, parts.parts, parts.count):
        numbers = np.arange(first, first + parts.count) % parts.parts
        together = decoded(chosen_image(load, image, numbers, stream.dtype), stream.dtype)
        rows.append(together[addresses].reshape(parts.runs, parts.count, -1, width).swapaxes(0, 1))
    return _Segment(np.concatenate(rows)[: parts.parts], parts.count)


def _growing_cache(
    launch: Launch, load: Load, layers: Array, entries: CacheEntries, entry: ReferenceStream
) -> HeldMemory:
    """The caches of all layers, element by element, and where tokens and entries lie in each."""
    stream, size = launch.graph.stream[load.sink], prod(load.layout.shape)
    elements = decoded(layers.reshape(-1), stream.dtype).reshape(len(layers), -1)[:, :size]
    parameters = {
        "BITS": BITS[stream.dtype],
        "TOKENS": stream.tokens,
        "LAYERS": len(layers),
        "SIZE": size,
        "STEPS": launch.steps,
        "ENTRY_WIDTH": _bits(entry),
        "ENTRY_TOKENS": entry.tokens,
    }
    arrays = {
        "content": elements.reshape(-1, 1),
        "reads": element_addresses(load.layout, stream),
        "writes": _entry_addresses(entries, entry),
    }
    return HeldMemory("growing_cache", _bits(stream), parameters, arrays, BITS[stream.dtype])


def _entry_addresses(entries: CacheEntries, stream: ReferenceStream) -> Array:
    """Where each token's elements of an entry go, [steps, tokens, elements]; -1 where another slice has them."""
    shape = entries.entry.full_shape
    base = row_major(offsets(stream, stream.trips).reshape(stream.tokens, -1), shape)
    numbers = base[:, None] + element_numbers(stream.element, shape)
    places = [
        [
            entries.place(*at) if entries.is_here(*at) else -1
            for at in (
                (number // entries.columns, entries.first + step, number % entries.columns)
                for number in numbers.reshape(-1).tolist()
            )
        ]
        for step in range(entries.steps)
    ]
    return np.array(places)


def _bits(stream: ReferenceStream) -> int:
    return prod(stream.element) * BITS[stream.dtype]
