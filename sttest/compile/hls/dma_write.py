"""A `df.dma_write` as a C++ function: tokens in, words of memory out; mirrors ``dma_read``.

A word is written once, whole.  Where tokens do not come in the order of memory and share words, the result is
gathered on chip first.
"""

from __future__ import annotations

from sttest.compile.hls.helpers import Helpers
from sttest.compile.hls.memory_layout import MemoryLayout
from sttest.compile.hls.process import Process
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


def emit_dma_write(code: Code, layout: MemoryLayout, process: Process, helpers: Helpers) -> None:
    """Writes the function that streams a tensor into memory.

    Args:
        code: where to.
        layout: of the tensor.
        process: whose first parameter is the memory.
        helpers: for the function that puts an element into a word.
    """
    into_word = helpers.write_element(layout.token.element)
    with code.process(process.name, process.parameters):
        if layout.has_whole_words:
            _write_words(code, layout, process, into_word)
        elif layout.has_tiles_in_word and layout.is_sequential:
            _write_tiles_of_word(code, layout, process, into_word)
        else:
            _write_gathered(code, layout, process, into_word)


def _write_words(code: Code, layout: MemoryLayout, process: Process, into_word: str) -> None:
    memory, source = process.outputs[0], process.inputs[0]
    words = word_loops(layout)
    code.line(f"{layout.token.c_type} token;")
    with code.loops([*tile_loops(layout), *part_loops(layout), *words], "pipeline II=1"):
        first = " && ".join(f"{loop.variable} == 0" for loop in words)
        code.line(f"if ({first}) token = {source}.read();" if first else f"token = {source}.read();")
        code.line(f"{layout.word_type} word = 0;")
        with code.unrolled(beat_loops(layout)):
            element = layout.token.at("token", number_in_token(layout))
            code.line(f"{into_word}(word, {affine(number_in_beat(layout))}, {element});")
        code.line(f"{memory}[{word_address(layout)}] = word;")


def _write_tiles_of_word(code: Code, layout: MemoryLayout, process: Process, into_word: str) -> None:
    """Tokens come in the order of memory: a word is written when it is full, and at the end."""
    memory, source = process.outputs[0], process.inputs[0]
    in_word = layout.word_size // layout.tile_size
    tiles = layout.elements // layout.tile_size
    code.line(f"{layout.word_type} word = 0;")
    with code.loops([CountedLoop("tiles", "t", tiles)], "pipeline II=1"):
        code.line(f"const {layout.token.c_type} token = {source}.read();")
        with code.unrolled(beat_loops(layout)):
            number = affine([(f"(t % {in_word})", layout.tile_size), *number_in_beat(layout)])
            code.line(f"{into_word}(word, {number}, {layout.token.at('token', number_in_token(layout))});")
        full = f"t % {in_word} == {in_word - 1}"
        with code.block(f"if ({full} || t == {tiles - 1})" if tiles % in_word else f"if ({full})"):
            code.line(f"{memory}[t / {in_word}] = word;")
            code.line("word = 0;")


def _write_gathered(code: Code, layout: MemoryLayout, process: Process, into_word: str) -> None:
    memory, source = process.outputs[0], process.inputs[0]
    size = layout.word_size
    code.line(f"{layout.word_type} words[{layout.words}];")
    with code.loops([CountedLoop("clear", "w", layout.words)], "pipeline II=1"):
        code.line("words[w] = 0;")
    with code.loops([*tile_loops(layout), *part_loops(layout)], "pipeline II=1"):
        code.line(f"const int first = {affine(tile_place(layout, layout.tile_size))};")
        code.line(f"const {layout.token.c_type} token = {source}.read();")
        with code.unrolled(element_loops(layout.token)):
            code.line(f"const int number = first + {number_in_tile(layout)};")
            element = token_element(layout.token)
            code.line(f"{into_word}(words[number / {size}], number % {size}, {element});")
    with code.loops([CountedLoop("store", "w", layout.words)], "pipeline II=1"):
        code.line(f"{memory}[w] = words[w];")
