"""DMAs that wait between tokens, as C++ functions: for the token whose row they read, or for new entries of a cache."""

from collections.abc import Sequence
from dataclasses import replace

from sttest.compile.channels.cache_entries import CacheEntries
from sttest.compile.dialects.stream_order import cut_inside
from sttest.compile.hls.dma_read import Placed, read_row
from sttest.compile.hls.helpers import Helpers
from sttest.compile.hls.memory_layout import element_loops, token_element
from sttest.compile.hls.process import Process
from sttest.compile.hls.types import Token
from sttest.compile.hls.writer import CodeWriter, CountedLoop, affine
from sttest.compile.schedule.tile_ports import row_major_strides


def emit_chosen_read(code: CodeWriter, row: Sequence[Placed], process: Process, helpers: Helpers, tokens: int) -> None:
    """Writes the function that reads a row of a table for each token: the first one's, then those of the chosen.

    Args:
        code: tree that is appended to.
        row: the layout of a row.
        process: the DMA's process; its sources are the memory and the chosen tokens.
        helpers: helper functions, such as the one that takes an element out of a word.
        tokens: size of the vocabulary, whose rows follow the first token's row.
    """
    memory, chosen = process.inputs
    element_of_word = helpers.read_element(row[0].layout.token.element)
    words = sum(each.layout.words for each in row)
    code.comment(f"The first token's row, then those of {tokens} tokens.")
    with process.defined(code):
        code.variable("int", "row", "0")
        with code.every_step():
            read_row(code, row, replace(process, inputs=(f"({memory} + row * {words})",)), element_of_word)
            # Whatever comes, no address lies outside of the table: what is no number fails both comparisons.
            code.constant("float", "number", f"{chosen}.read()")
            code.assign("row", f"number >= 0 && number < {tokens} ? 1 + static_cast<int>(number) : 1")


def emit_cache_read(
    code: CodeWriter, row: Sequence[Placed], process: Process, helpers: Helpers, entries: CacheEntries
) -> None:
    """Writes the function that streams a layer's cache, and then puts the token's entry in its place.

    Args:
        code: tree that is appended to.
        row: the cache's layout.
        process: the DMA's process; its sources are the memory and the entries.
        helpers: helper functions that take elements out of words and put them there.
        entries: places of the entries in memory.
    """
    memory, source = process.inputs
    element = row[0].layout.token.element
    names = helpers.read_element(element), helpers.write_element(element)
    with process.every_layer(code):
        read_row(code, row, replace(process, inputs=(memory,)), names[0])
        code.comment("The token's entry goes into its place before more is read, of the next token at the latest.")
        _take(code, source, entries, Token.of(entries.entry, process.name), process.name)
        _put(code, memory, entries, row[0].layout.word_type, names[1])


def _take(code: CodeWriter, source: str, entries: CacheEntries, token: Token, where: str) -> None:
    """The whole entry, in the order of heads and columns."""
    loops, _ = cut_inside(entries.entry, 1, where)
    nest = [CountedLoop(f"entry_{n}", f"n{n}", loop.trip) for n, loop in enumerate(loops) if loop.trip > 1]
    strides = row_major_strides(entries.entry.full_shape)
    terms = [
        (f"n{n}", sum(step * stride for step, stride in zip(loop.strides, strides, strict=True)))
        for n, loop in enumerate(loops)
        if loop.trip > 1
    ]
    terms += [(f"e{dim}", strides[dim]) for dim, size in enumerate(token.shape) if size > 1]
    code.variable(token.element.c_type, "entry", extents=f"[{entries.heads * entries.columns}]")
    if entries.run > 1:
        code.pragma(f"array_partition variable=entry type=cyclic factor={entries.run} dim=1")
    with code.loops(nest, "pipeline II=1"):
        token.take(code, "token", source)
        with code.unrolled(element_loops(token)):
            code.assign(f"entry[{affine(terms)}]", token_element(token))


def _put(code: CodeWriter, memory: str, entries: CacheEntries, word_type: str, into_word: str) -> None:
    """Run by run: the word is read, changed and written."""
    nest = [CountedLoop("heads", "h", entries.heads), CountedLoop("runs", "r", entries.columns // entries.run)]
    # Runs in words of their own do not wait for each other; of others each waits for the one before.
    name = memory.strip("(").split()[0]
    apart = f"dependence variable={name} type=inter direction=RAW distance={entries.runs} dependent=true"
    directives = ["pipeline II=1", apart] if entries.is_apart else ["pipeline off"]
    with code.loops([loop for loop in nest if loop.trip > 1], *directives):
        head = "h" if entries.heads > 1 else "0"
        column = f"({affine([('r', entries.run)])})" if entries.columns > entries.run else "0"
        code.constant("int", "position", f"{entries.first} + step")
        with code.scope(cpp_is_here(entries, head, column)):
            code.constant("int", "place", cpp_place(entries, head, column))
            code.variable(word_type, "word", f"{memory}[place / {entries.word}]")
            with code.unrolled([CountedLoop("columns", "c", entries.run)] if entries.run > 1 else []):
                offset = " + c" if entries.run > 1 else ""
                value = f"entry[{entries.columns} * {head} + {column}{offset}]"
                code.call(into_word, "word", f"place % {entries.word}{offset}", value)
            code.assign(f"{memory}[place / {entries.word}]", "word")


def cpp_is_here(entries: CacheEntries, head: str, column: str) -> list[str]:
    """Where a slice holds part of the cache: whether the run lies in it."""
    if entries.slices == 1:
        return []
    at = (head, "position", column)[entries.sliced_dim]
    whole = entries.slice_size * entries.slices
    return [f"{at} % {whole} / {entries.slice_size} == {entries.slice_number}"]


def cpp_place(entries: CacheEntries, head: str, column: str) -> str:
    """The run's first element as memory counts them; as `CacheEntries.place`."""
    at = [head, "position", column][: len(entries.grid)]
    if entries.slices > 1:
        index, size = at[entries.sliced_dim], entries.slice_size
        at[entries.sliced_dim] = f"({index} / {size * entries.slices} * {size} + {index} % {size})"
    terms: list[tuple[str, int]] = []
    levels = row_major_strides((*entries.grid, *entries.beats, *entries.beat))
    rank = len(at)
    for dim, index in enumerate(at):
        beat, tile = entries.beat[dim], entries.beats[dim] * entries.beat[dim]
        within = index if entries.grid[dim] == 1 else f"{index} % {tile}"
        terms += [(_divided(index, tile), levels[dim])] if entries.grid[dim] > 1 else []
        terms += [(_divided(within, beat), levels[rank + dim])] if entries.beats[dim] > 1 else []
        inside = within if entries.beats[dim] == 1 else f"{within} % {beat}"
        terms += [(f"({inside})", levels[2 * rank + dim])] if beat > 1 else []
    return affine(terms)


def _divided(index: str, size: int) -> str:
    return index if size == 1 else f"({index} / {size})"
