"""DMAs of tokens that are neither whole words nor an even part of one, in C++: one loop, a word or a token per cycle.

Elements pass through a shift register, in which new ones always take the same places; where what leaves it begins
depends on how many have come.
"""

from math import gcd

from sttest.compile.dialects.stream_order import StreamLoop
from sttest.compile.hls.memory_layout import PortLayout, first_time, tile_loops, tile_place
from sttest.compile.hls.process import Process
from sttest.compile.hls.writer import CodeWriter, CountedLoop, affine
from sttest.compile.schedule.memory_words import words_of_token


def emit_uneven_read(code: CodeWriter, layout: PortLayout, process: Process, element_of_word: str) -> None:
    """Writes the loop that cuts tokens from words.

    Args:
        code: tree that is appended to.
        layout: a row of tokens in memory.
        process: the DMA's process.
        element_of_word: name of the function that takes an element out of a word.
    """
    passes = layout.passes
    if passes is None:
        _read_anywhere(code, layout, process, element_of_word)
    elif layout.tile_size > layout.word_size:
        _read_wide(code, layout, passes, process, element_of_word)
    else:
        _read_narrow(code, layout, passes, process, element_of_word)


def emit_uneven_write(code: CodeWriter, layout: PortLayout, process: Process, into_word: str) -> None:
    """Writes the loop that makes words of tokens, which come in the order of memory; see :func:`emit_uneven_read`."""
    is_wide = layout.tile_size > layout.word_size and layout.is_sequential
    write = _write_wide if is_wide else _write_tokens
    write(code, layout, process, into_word)


# --- Reads


def _read_wide(
    code: CodeWriter, layout: PortLayout, passes: tuple[StreamLoop, ...], process: Process, element_of_word: str
) -> None:
    """A word per cycle; a token leaves when its last element has come."""
    size, word = layout.tile_size, layout.word_size
    code.registers(layout.word_type, "words", _words(layout))
    code.variable("int", "held")
    with code.loops([*_again(passes), CountedLoop("words", "w", layout.words)], "pipeline II=1"):
        _take_word(code, layout, f"{process.inputs[0]}[w]")
        code.assign("held", f"w == 0 ? {word} : held + {word}")
        with code.scope([f"held >= {size}"]):
            _give_token(code, layout, process, element_of_word, f"{_kept_words(layout)} - held")
            code.line(f"held -= {size};")


def _read_narrow(
    code: CodeWriter, layout: PortLayout, passes: tuple[StreamLoop, ...], process: Process, element_of_word: str
) -> None:
    """A token per cycle; a word is read when a token needs it, and the one before is kept."""
    size, word = layout.tile_size, layout.word_size
    code.registers(layout.word_type, "words", _words(layout))
    with code.loops([*_again(passes), CountedLoop("tokens", "t", layout.elements // size)], "pipeline II=1"):
        code.constant("int", "end", f"{size} * t + {size - 1}")
        with code.scope([f"t == 0 || end % {word} < {size}"]):
            _take_word(code, layout, f"{process.inputs[0]}[end / {word}]")
        _give_token(code, layout, process, element_of_word, f"{_kept_words(layout) - word - size + 1} + end % {word}")


def _read_anywhere(code: CodeWriter, layout: PortLayout, process: Process, element_of_word: str) -> None:
    """All words that a token may touch, one per cycle, for each token anew."""
    size, word = layout.tile_size, layout.word_size
    words = _words(layout)
    code.registers(layout.word_type, "words", _words(layout))
    with code.loops([*tile_loops(layout), CountedLoop("words", "w", words)], "pipeline II=1"):
        code.constant("int", "first", affine(tile_place(layout, size)))
        # A token that ends early in its last word may have no word after it: it reads that one again.
        code.constant("int", "at", f"first / {word} + w")
        last = layout.words - 1
        _take_word(code, layout, f"{process.inputs[0]}[at < {last} ? at : {last}]")
        with code.scope([f"w == {words - 1}"]):
            _give_token(code, layout, process, element_of_word, f"first % {word}")


def _again(passes: tuple[StreamLoop, ...]) -> list[CountedLoop]:
    return [CountedLoop(f"passes_{n}", f"p{n}", loop.trip) for n, loop in enumerate(passes)]


def _words(layout: PortLayout) -> int:
    return words_of_token(layout.tile_size, layout.word_size, layout.elements)


def _kept_words(layout: PortLayout) -> int:
    """Elements of the words that are kept."""
    return _words(layout) * layout.word_size


def _take_word(code: CodeWriter, layout: PortLayout, word: str) -> None:
    """The newest word comes last."""
    last = _words(layout) - 1
    if last:
        with code.unrolled([CountedLoop("older", "n", last)]):
            code.assign("words[n]", "words[n + 1]")
    code.assign(f"words[{last}]", word)


def _give_token(code: CodeWriter, layout: PortLayout, process: Process, element_of_word: str, first: str) -> None:
    """A token out of the words that are kept, from an element on."""
    layout.token.declare(code, "token")
    with code.unrolled([CountedLoop("elements", "e", layout.tile_size)]):
        code.constant("int", "number", f"{first} + e")
        element = f"{element_of_word}(words[number / {layout.word_size}], number % {layout.word_size})"
        code.assign(layout.token.at("token", "e"), element)
    layout.token.write(code, process.outputs[0], "token")


# --- Writes


def _write_wide(code: CodeWriter, layout: PortLayout, process: Process, into_word: str) -> None:
    """A word per cycle; a token is taken when there are too few elements for one."""
    size, word = layout.tile_size, layout.word_size
    kept, rest, last = _kept_elements(layout), layout.elements % word, layout.words - 1
    code.registers(layout.token.element.c_type, "kept", kept)
    code.variable("int", "held")
    with code.loops([CountedLoop("words", "w", layout.words)], "pipeline II=1"):
        with code.scope(["w == 0"]):
            code.assign("held", "0")
        with code.scope([f"held < {word}", *([f"w < {last}"] if rest else [])]):
            layout.token.take(code, "token", process.inputs[0])
            _keep_token(code, layout)
            code.line(f"held += {size};")
        code.variable(layout.word_type, "word", "0")
        with (
            code.unrolled([CountedLoop("elements", "e", word)]),
            code.scope([f"e < {rest} || w < {last}"] if rest else []),
        ):
            code.call(into_word, "word", "e", f"kept[{kept} - held + e]")
        code.line(f"held -= {word};")
        code.assign(f"{process.outputs[0]}[w]", "word")


def _write_tokens(code: CodeWriter, layout: PortLayout, process: Process, into_word: str) -> None:
    """A token at a time; a word leaves when its last element has come, and what is left of the last one at the end."""
    size, word = layout.tile_size, layout.word_size
    kept, rest, words = _kept_elements(layout), layout.elements % word, -(-size // word)
    memory = process.outputs[0]
    code.registers(layout.token.element.c_type, "kept", kept)
    with code.loops(tile_loops(layout), f"pipeline II={words}"):
        layout.token.take(code, "token", process.inputs[0])
        code.constant("int", "first", affine(tile_place(layout, size)))
        with first_time(code, layout):
            _keep_token(code, layout)
            with code.unrolled([CountedLoop("words", "n", words)] if words > 1 else []):
                number = f"first / {word}{' + n' if words > 1 else ''}"
                with code.scope([f"({number} + 1) * {word} <= first + {size}"]):
                    _put_word(code, layout, into_word, word, f"{kept - size} + ({number}) * {word} - first")
                    code.assign(f"{memory}[{number}]", "word")
    if rest:
        with code.scope():
            _put_word(code, layout, into_word, rest, f"{kept - rest}")
            code.assign(f"{memory}[{layout.words - 1}]", "word")


def _kept_elements(layout: PortLayout) -> int:
    """Elements that are kept at most: a word but for one step, and a token."""
    return layout.word_size - gcd(layout.word_size, layout.tile_size) + layout.tile_size


def _keep_token(code: CodeWriter, layout: PortLayout) -> None:
    """The newest elements come last."""
    older = _kept_elements(layout) - layout.tile_size
    with code.unrolled([CountedLoop("older", "n", older)]):
        code.assign("kept[n]", f"kept[n + {layout.tile_size}]")
    with code.unrolled([CountedLoop("newer", "n", layout.tile_size)]):
        code.assign(f"kept[{older} + n]", layout.token.at("token", "n"))


def _put_word(code: CodeWriter, layout: PortLayout, into_word: str, elements: int, first: str) -> None:
    """A word of some of the elements that are kept, zeros behind them."""
    code.variable(layout.word_type, "word", "0")
    with code.unrolled([CountedLoop("elements", "e", elements)]):
        code.call(into_word, "word", "e", f"kept[{first} + e]")
