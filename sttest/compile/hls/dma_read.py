"""A `df.dma_read` as a C++ function: words of memory in, tokens out (docs/reference/values.md, section Memory).

By how tokens lie in words: a token is whole words; a word holds whole tokens, and the stream takes all of them in
turn or not; anything else is left to `uneven_tokens`.  Reads that no condition guards come in bursts (UG1399,
preconditions of burst transfers).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from sttest.compile.dialects.stream_order import StreamLoop
from sttest.compile.hls.helpers import Helpers
from sttest.compile.hls.memory_layout import (
    PortLayout,
    element_loops,
    first_time,
    tile_loops,
    tile_place,
    token_element,
)
from sttest.compile.hls.process import Process
from sttest.compile.hls.types import Token
from sttest.compile.hls.uneven_tokens import emit_uneven_read, emit_uneven_write
from sttest.compile.hls.writer import CodeWriter, CountedLoop, affine, counted
from sttest.compile.schedule.tile_ports import row_major_strides
from sttest.core.errors import InputError

# --- Index expressions of DMAs: tiles in memory, words in a tile, elements in a word


def part_loops(layout: PortLayout) -> list[CountedLoop]:
    """Over the tokens of a tile."""
    return [CountedLoop(f"parts_{n}", f"p{n}", loop.trip) for n, loop in enumerate(layout.parts) if loop.trip > 1]


def word_loops(layout: PortLayout) -> list[CountedLoop]:
    """Over the words of a token that is made of whole words, per data dim."""
    beats = (size // part for size, part in zip(layout.token.shape, layout.beat, strict=True))
    return [CountedLoop(f"words_{dim}", f"w{dim}", count) for dim, count in enumerate(beats) if count > 1]


def word_address(layout: PortLayout) -> str:
    """Number in memory of the word that the loops stand at, for tokens of whole words."""
    terms = tile_place(layout, layout.tile_size // layout.word_size)
    for n, loop in enumerate(layout.parts):
        step = sum(
            stride // size * beats
            for stride, size, beats in zip(loop.strides, layout.beat, layout.beat_strides, strict=True)
        )
        terms += [(f"p{n}", step)] if loop.trip > 1 else []
    for dim, beats in enumerate(layout.beat_strides):
        terms += [(f"w{dim}", beats)] if layout.token.shape[dim] > layout.beat[dim] else []
    return affine(terms)


def _runs(layout: PortLayout) -> list[tuple[int, int]]:
    """Dims of a beat and so many elements along each; what lies in a row in the token, too, is one run."""
    found: list[tuple[int, int]] = []
    is_whole = True  # whether the beat has all of the dims inside
    for dim in reversed(range(len(layout.beat))):
        size = layout.beat[dim]
        if found and is_whole:
            found[0] = found[0][0], found[0][1] * size
        elif size > 1:
            found.insert(0, (dim, size))
        is_whole = is_whole and size == layout.token.shape[dim]
    return found


def beat_loops(layout: PortLayout) -> list[CountedLoop]:
    """Over the elements of a beat, per run of them."""
    return [CountedLoop(f"elements_{n}", f"e{n}", size) for n, (_, size) in enumerate(_runs(layout))]


def number_in_beat(layout: PortLayout) -> list[tuple[str, int]]:
    """Which element of its beat the loops stand at, as terms of a sum."""
    strides = row_major_strides(layout.beat)
    return [(f"e{n}", strides[dim]) for n, (dim, _) in enumerate(_runs(layout))]


def number_in_token(layout: PortLayout) -> str:
    """Which element of the token the loops over words and over the elements of a beat stand at."""
    strides = row_major_strides(layout.token.shape)
    runs = {dim: n for n, (dim, _) in enumerate(_runs(layout))}
    terms: list[tuple[str, int]] = []
    for dim, size in enumerate(layout.token.shape):
        terms += [(f"w{dim}", layout.beat[dim] * strides[dim])] if size > layout.beat[dim] else []
        terms += [(f"e{runs[dim]}", strides[dim])] if dim in runs else []
    return affine(terms)


# --- A `df.dma_write` as a C++ function: tokens in, words of memory out; mirrors ``dma_read``


def emit_dma_write(code: CodeWriter, layout: PortLayout, process: Process, helpers: Helpers) -> None:
    """Writes the function that streams a tensor into memory.

    Args:
        code: tree that is appended to.
        layout: layout of the tensor in memory.
        process: the DMA's process; its first parameter is the memory.
        helpers: helper functions, such as the one that puts an element into a word.
    """
    into_word = helpers.write_element(layout.token.element)
    code.comment("Streams a tensor into memory.")
    with process.every_layer(code, f"store_{layout.token.element.tag}"):
        row = layout.in_tokens
        if row.has_whole_words:
            _write_words(code, row, process, into_word)
        elif row.has_tiles_in_word:
            _write_tiles_of_word(code, row, process, into_word)
        else:
            emit_uneven_write(code, row, process, into_word)


def _write_words(code: CodeWriter, layout: PortLayout, process: Process, into_word: str) -> None:
    memory, source = process.outputs[0], process.inputs[0]
    words = word_loops(layout)
    layout.token.declare(code, "token")
    with code.loops([*tile_loops(layout), *part_loops(layout), *words], "pipeline II=1"):
        with code.scope([f"{loop.variable} == 0" for loop in words]):
            layout.token.read(code, "token", source)
        code.variable(layout.word_type, "word", "0")
        with code.unrolled(beat_loops(layout)):
            element = layout.token.at("token", number_in_token(layout))
            code.call(into_word, "word", affine(number_in_beat(layout)), element)
        code.assign(f"{memory}[{word_address(layout)}]", "word")


def _write_tiles_of_word(code: CodeWriter, layout: PortLayout, process: Process, into_word: str) -> None:
    """Tokens come in the order of memory: a word is written when it is full, and at the end."""
    memory, source = process.outputs[0], process.inputs[0]
    in_word = layout.word_size // layout.tile_size
    tiles = layout.elements // layout.tile_size
    code.variable(layout.word_type, "word")
    with code.loops(tile_loops(layout), "pipeline II=1"):
        code.constant("int", "tile", affine(tile_place(layout)))
        layout.token.take(code, "token", source)
        with first_time(code, layout):
            with code.scope([f"tile % {in_word} == 0"]):
                code.assign("word", "0")
            with code.unrolled(beat_loops(layout)):
                number = affine([(f"(tile % {in_word})", layout.tile_size), *number_in_beat(layout)])
                code.call(into_word, "word", number, layout.token.at("token", number_in_token(layout)))
            full = f"tile % {in_word} == {in_word - 1}"
            condition = f"{full} || tile == {tiles - 1}" if tiles % in_word else full
            with code.scope([condition]):
                code.assign(f"{memory}[tile / {in_word}]", "word")


# --- Tensors that lie in memory one after the other, for the one process that reads them in that order


@dataclass(frozen=True)
class Numbers:
    """Which parts of memory a DMA reads."""

    token: Token  # type of the tokens that have their numbers
    chosen: int  # parts that are read, side by side
    parts: int  # parts in memory, one after the other
    runs: int  # runs of each, which come in turn

    def run(self, layout: PortLayout) -> PortLayout:
        """The layout of a run, from that of the chosen parts side by side; it begins with a word."""
        tiles = prod(layout.grid) // (self.runs * self.chosen)
        return replace(layout, grid=(tiles, *(1 for _ in layout.grid[1:])), tiles=(StreamLoop(tiles, (1,)),))


@dataclass(frozen=True)
class Placed:
    """A tensor and the word that it starts at."""

    start: int
    layout: PortLayout
    numbers: Numbers | None = None
    source: str = ""  # parameter of the function from which the numbers come

    @property
    def words(self) -> int:
        """Words in memory."""
        parts = self.numbers
        return self.layout.words if parts is None else parts.parts * parts.runs * parts.run(self.layout).words


def in_a_row(
    layouts: Sequence[PortLayout], numbers: Sequence[Numbers | None] = (), sources: Sequence[str] = ()
) -> list[Placed]:
    """Where tensors lie that follow each other, each from a whole word on; those that one loop can read are one.

    Args:
        layouts: layout of each.
        numbers: parts that are read of each, None of one that is read whole; empty if all are.
        sources: parameters of the function from which the numbers come, in order.
    """
    row: list[Placed] = []
    start, named = 0, iter(sources)
    for layout, parts in zip(layouts, numbers or [None] * len(layouts), strict=True):
        each = Placed(start, layout, parts, "" if parts is None else next(named))
        if row and parts is None and row[-1].numbers is None and _goes_on(row[-1].layout, layout):
            row[-1] = replace(row[-1], layout=_with(row[-1].layout, layout))
        else:
            row.append(each)
        start += each.words
    return row


def _goes_on(first: PortLayout, second: PortLayout) -> bool:
    """Whether both are read from end to end in the same steps, with nothing between them."""
    alike = replace(first, grid=(), tiles=()) == replace(second, grid=(), tiles=())
    return alike and first.is_sequential and second.is_sequential and first.elements % first.word_size == 0


def _with(first: PortLayout, second: PortLayout) -> PortLayout:
    tiles = prod(first.grid) + prod(second.grid)
    return replace(first, grid=(tiles, *(1 for _ in first.grid[1:])), tiles=(StreamLoop(tiles, (1,)),))


def emit_dma_read(
    code: CodeWriter, row: Sequence[Placed], process: Process, helpers: Helpers, behind: Sequence[Placed] = ()
) -> None:
    """Writes the function that streams tensors out of memory, one after the other.

    Args:
        code: tree that is appended to.
        row: the tensors of a layer, of one element type.
        process: the DMA's process; its first parameter is the memory.
        helpers: helper functions, such as the one that takes an element out of a word.
        behind: the tensors that come once, after those of all layers.
    """
    element = row[0].layout.token.element
    element_of_word = helpers.read_element(element)
    code.comment(f"Streams {'a tensor' if len(row) + len(behind) == 1 else 'tensors'} out of memory.")
    kind = f"load_{element.tag}"
    for number, each in enumerate(row):
        if each.numbers is not None:
            parts = counted(each.numbers.chosen, "part")
            code.comment(f"Of tensor {number + 1}: {parts} of {each.numbers.parts}, whose numbers come first.")
    # Parameters wait for nothing: one loop requests them layer after layer, if it keeps nothing from word to word.
    layer = row[0].layout.in_tokens
    waits = any(each.numbers is not None for each in row)
    is_one_loop = len(row) == 1 and not waits and (layer.has_whole_words or layer.walks_words)
    with process.defined(code, kind), code.every_step():
        with code.every_layer_in_a_row() if is_one_loop else code.every_layer():
            read_row(code, row, process, element_of_word)
        if not behind:
            return
        with code.scope():
            memory = replace(process, inputs=(process.memory, *process.inputs[1:]))
            read_row(code, behind, memory, element_of_word)


def read_row(code: CodeWriter, row: Sequence[Placed], process: Process, element_of_word: str) -> None:
    """Writes the loops that stream tensors which lie one after the other, from where the process' memory begins."""
    if len(row) == 1:
        _read_placed(code, row[0], process, element_of_word)
        return
    memory, *others = process.inputs
    for each in row:
        place = f"({memory} + {each.start})" if each.start else memory
        with code.scope():
            _read_placed(code, each, replace(process, inputs=(place, *others)), element_of_word)


def _read_placed(code: CodeWriter, placed: Placed, process: Process, element_of_word: str) -> None:
    if placed.numbers is None:
        _read(code, placed.layout, process, element_of_word)
    else:
        _read_parts(code, placed, placed.numbers, process, element_of_word)


def _read_parts(code: CodeWriter, placed: Placed, numbers: Numbers, process: Process, element_of_word: str) -> None:
    """The next run of each chosen part in turn, as often as there are runs.

    Raises:
        InputError: parts that are not read from end to end.
    """
    if not placed.layout.is_sequential:
        raise InputError("bad-layout", "chosen parts are not read from end to end", where=process.name)
    run = numbers.run(placed.layout)
    code.variable("int", "part", extents=f"[{numbers.chosen}]")
    _take_numbers(code, placed.source, numbers)
    nest = [CountedLoop("runs", "r", numbers.runs), CountedLoop("chosen", "c", numbers.chosen)]
    with code.loops([loop for loop in nest if loop.trip > 1], "loop_flatten off"):
        terms = [("part[c]" if numbers.chosen > 1 else "part[0]", numbers.runs * run.words)]
        terms += [("r", run.words)] if numbers.runs > 1 else []
        _read(code, run, replace(process, inputs=(f"({process.inputs[0]} + {affine(terms)})",)), element_of_word)


def _take_numbers(code: CodeWriter, source: str, numbers: Numbers) -> None:
    index = numbers.token
    tokens, strides = numbers.chosen // index.size, row_major_strides(index.shape)
    terms = [("n", index.size)] if tokens > 1 else []
    terms += [(f"e{dim}", strides[dim]) for dim, size in enumerate(index.shape) if size > 1]
    with code.loops([CountedLoop("numbers", "n", tokens)] if tokens > 1 else [], "pipeline II=1"):
        index.take(code, "number", source)
        with code.unrolled(element_loops(index)):
            # Whatever comes, no address lies outside of memory: what is no number fails both comparisons.
            wanted = token_element(index, "number")
            known = f"{wanted} >= 0 && {wanted} < {numbers.parts} ? static_cast<int>({wanted}) : 0"
            code.assign(f"part[{affine(terms)}]", known)


def _read(code: CodeWriter, layout: PortLayout, process: Process, element_of_word: str) -> None:
    row = layout.in_tokens
    if row.has_whole_words:
        _read_words(code, row, process, element_of_word)
    elif row.walks_words:
        _read_whole_words_of_tiles(code, row, process, element_of_word)
    elif row.has_tiles_in_word:
        _read_tiles_of_word(code, row, process, element_of_word)
    else:
        emit_uneven_read(code, row, process, element_of_word)


def _read_words(code: CodeWriter, layout: PortLayout, process: Process, element_of_word: str) -> None:
    memory, output = process.inputs[0], process.outputs[0]
    words = word_loops(layout)
    layout.token.declare(code, "token")
    nest = [*tile_loops(layout), *part_loops(layout), *words]
    with code.loops(nest, "pipeline II=1"):
        code.constant(layout.word_type, "word", f"{memory}[{word_address(layout)}]")
        with code.unrolled(beat_loops(layout)):
            target = layout.token.at("token", number_in_token(layout))
            code.assign(target, f"{element_of_word}(word, {affine(number_in_beat(layout))})")
        with code.scope([f"{loop.variable} == {loop.trip - 1}" for loop in words]):
            layout.token.write(code, output, "token")


def _read_whole_words_of_tiles(code: CodeWriter, layout: PortLayout, process: Process, element_of_word: str) -> None:
    """A word after the other, all tiles of each: the stream's port takes as many cycles as there are tiles."""
    memory, output = process.inputs[0], process.outputs[0]
    in_word = layout.word_size // layout.tile_size
    outer, words = tile_loops(layout)[:-1], CountedLoop("words", "w", layout.tiles[-1].trip // in_word)
    address = affine([*((name, tiles // in_word) for name, tiles in tile_place(layout)[:-1]), ("w", 1)])
    with code.loops([*outer, words], f"pipeline II={in_word}"):
        code.constant(layout.word_type, "word", f"{memory}[{address}]")
        with code.unrolled([CountedLoop("tiles_of_word", "n", in_word)]):
            layout.token.declare(code, "token")
            with code.unrolled(beat_loops(layout)):
                target = layout.token.at("token", number_in_token(layout))
                number = affine([("n", layout.tile_size), *number_in_beat(layout)])
                code.assign(target, f"{element_of_word}(word, {number})")
            layout.token.write(code, output, "token")


def _read_tiles_of_word(code: CodeWriter, layout: PortLayout, process: Process, element_of_word: str) -> None:
    """Several tiles lie in a word: it is read when the stream comes to it, and kept."""
    memory, output = process.inputs[0], process.outputs[0]
    in_word = layout.word_size // layout.tile_size
    code.variable(layout.word_type, "word", "" if layout.is_sequential else "0")
    if not layout.is_sequential:
        code.variable("int", "held", "-1")
    with code.loops(tile_loops(layout), "pipeline II=1"):
        code.constant("int", "tile", affine(tile_place(layout)))
        with code.scope([f"tile % {in_word} == 0" if layout.is_sequential else f"tile / {in_word} != held"]):
            if not layout.is_sequential:
                code.assign("held", f"tile / {in_word}")
            code.assign("word", f"{memory}[tile / {in_word}]" if layout.is_sequential else f"{memory}[held]")
        layout.token.declare(code, "token")
        with code.unrolled(beat_loops(layout)):
            number = affine([(f"(tile % {in_word})", layout.tile_size), *number_in_beat(layout)])
            target = layout.token.at("token", number_in_token(layout))
            code.assign(target, f"{element_of_word}(word, {number})")
        layout.token.write(code, output, "token")
