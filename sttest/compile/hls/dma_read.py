"""A `df.dma_read` as a C++ function: words of memory in, tokens out (docs/values.md, section Memory).

By how tokens lie in words: a token is whole words; a word holds whole tokens, and the stream takes all of them in
turn or not; anything else, for which a tile is buffered.  Reads that no condition guards come in bursts (UG1399,
preconditions of burst transfers).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sttest.compile.hls.helpers import Helpers
from sttest.compile.hls.memory_layout import MemoryLayout
from sttest.compile.hls.process import Process
from sttest.compile.hls.tensor_row import Placed
from sttest.compile.hls.token_text import element_loops, token_element
from sttest.compile.hls.word_walk import (
    beat_loops,
    number_in_beat,
    number_in_tile,
    number_in_token,
    part_loops,
    tile_loops,
    tile_place,
    word_address,
    word_loops,
)
from sttest.compile.hls.writer import Code, CountedLoop, affine


def emit_dma_read(
    code: Code, row: Sequence[Placed], process: Process, helpers: Helpers, behind: Sequence[Placed] = ()
) -> None:
    """Writes the function that streams tensors out of memory, one after the other.

    Args:
        code: where to.
        row: the tensors of a layer, of one element type.
        process: whose first parameter is the memory.
        helpers: for the function that takes an element out of a word.
        behind: the tensors that come once, after those of all layers.
    """
    element_of_word = helpers.read_element(row[0].layout.token.element)
    if not behind:
        with code.process(process.name, process.parameters):
            read_row(code, row, process, element_of_word)
        return
    with code.function(f"static void {process.name}", process.parameters), code.every_step():
        with code.every_layer():
            read_row(code, row, process, element_of_word)
        with code.scope():
            memory = replace(process, inputs=(process.memory, *process.inputs[1:]))
            read_row(code, behind, memory, element_of_word)


def read_row(code: Code, row: Sequence[Placed], process: Process, element_of_word: str) -> None:
    """Writes the loops that stream tensors which lie one after the other, from where the process' memory begins."""
    if len(row) == 1:
        _read(code, row[0].layout, process, element_of_word)
        return
    memory, *others = process.inputs
    for each in row:
        place = f"({memory} + {each.start})" if each.start else memory
        with code.scope():
            _read(code, each.layout, replace(process, inputs=(place, *others)), element_of_word)


def _read(code: Code, layout: MemoryLayout, process: Process, element_of_word: str) -> None:
    if layout.has_whole_words:
        _read_words(code, layout, process, element_of_word)
    elif layout.walks_words:
        _read_whole_words_of_tiles(code, layout, process, element_of_word)
    elif layout.has_tiles_in_word:
        _read_tiles_of_word(code, layout, process, element_of_word)
    else:
        _read_tiles(code, layout, process, element_of_word)


def _read_words(code: Code, layout: MemoryLayout, process: Process, element_of_word: str) -> None:
    memory, output = process.inputs[0], process.outputs[0]
    words = word_loops(layout)
    code.line(f"{layout.token.c_type} token;")
    nest = [*tile_loops(layout), *part_loops(layout), *words]
    with code.loops(nest, "pipeline II=1"):
        code.line(f"const {layout.word_type} word = {memory}[{word_address(layout)}];")
        with code.unrolled(beat_loops(layout)):
            target = layout.token.at("token", number_in_token(layout))
            code.line(f"{target} = {element_of_word}(word, {affine(number_in_beat(layout))});")
        last = " && ".join(f"{loop.variable} == {loop.trip - 1}" for loop in words)
        code.line(f"if ({last}) {output}.write(token);" if last else f"{output}.write(token);")


def _read_whole_words_of_tiles(code: Code, layout: MemoryLayout, process: Process, element_of_word: str) -> None:
    """A word after the other, all tiles of each: the stream's port takes as many cycles as there are tiles."""
    memory, output = process.inputs[0], process.outputs[0]
    in_word = layout.word_size // layout.tile_size
    outer, words = tile_loops(layout)[:-1], CountedLoop("words", "w", layout.tiles[-1].trip // in_word)
    address = affine([*((name, tiles // in_word) for name, tiles in tile_place(layout)[:-1]), ("w", 1)])
    with code.loops([*outer, words], f"pipeline II={in_word}"):
        code.line(f"const {layout.word_type} word = {memory}[{address}];")
        with code.unrolled([CountedLoop("tiles_of_word", "n", in_word)]):
            code.line(f"{layout.token.c_type} token;")
            with code.unrolled(beat_loops(layout)):
                target = layout.token.at("token", number_in_token(layout))
                number = affine([("n", layout.tile_size), *number_in_beat(layout)])
                code.line(f"{target} = {element_of_word}(word, {number});")
            code.line(f"{output}.write(token);")


def _read_tiles_of_word(code: Code, layout: MemoryLayout, process: Process, element_of_word: str) -> None:
    """Several tiles lie in a word: it is read when the stream comes to it, and kept."""
    memory, output = process.inputs[0], process.outputs[0]
    in_word = layout.word_size // layout.tile_size
    code.line(f"{layout.word_type} word = 0;")
    if not layout.is_sequential:
        code.line("int held = -1;")
    with code.loops(tile_loops(layout), "pipeline II=1"):
        code.line(f"const int tile = {affine(tile_place(layout))};")
        if layout.is_sequential:
            code.line(f"if (tile % {in_word} == 0) word = {memory}[tile / {in_word}];")
        else:
            with code.block(f"if (tile / {in_word} != held)"):
                code.line(f"held = tile / {in_word};")
                code.line(f"word = {memory}[held];")
        code.line(f"{layout.token.c_type} token;")
        with code.unrolled(beat_loops(layout)):
            number = affine([(f"(tile % {in_word})", layout.tile_size), *number_in_beat(layout)])
            target = layout.token.at("token", number_in_token(layout))
            code.line(f"{target} = {element_of_word}(word, {number});")
        code.line(f"{output}.write(token);")


def _read_tiles(code: Code, layout: MemoryLayout, process: Process, element_of_word: str) -> None:
    """A tile's words are buffered, since its tokens share words with each other or with those of other tiles."""
    memory, output = process.inputs[0], process.outputs[0]
    size = layout.word_size
    words = words_of_tile(layout)
    code.line(f"{layout.word_type} words[{words}];")
    code.pragma("array_partition variable=words type=complete dim=1")
    with code.loops(tile_loops(layout)):
        code.line(f"const int first = {affine(tile_place(layout, layout.tile_size))};")
        with code.loops([CountedLoop("words_of_tile", "w", words)], "pipeline II=1"):
            # A tile that ends early in its last word has no word after it.
            code.line(f"if (first / {size} + w < {layout.words}) words[w] = {memory}[first / {size} + w];")
        with code.loops(part_loops(layout), "pipeline II=1"):
            code.line(f"{layout.token.c_type} token;")
            with code.unrolled(element_loops(layout.token)):
                code.line(f"const int number = first % {size} + {number_in_tile(layout)};")
                code.line(
                    f"{token_element(layout.token)} = {element_of_word}(words[number / {size}], number % {size});"
                )
            code.line(f"{output}.write(token);")


def words_of_tile(layout: MemoryLayout) -> int:
    """Words that a tile may touch, wherever it starts."""
    if layout.tile_size % layout.word_size == 0:
        return layout.tile_size // layout.word_size
    return (layout.tile_size + layout.word_size - 2) // layout.word_size + 1
