"""How the tokens of a memory port lie in words of memory, as loops that a counter walks through.

It is read off the addresses of all elements: every layout that the reference engine knows is covered, or refused.  A
port may read several tensors one after the other, those of every layer of a launch, and others once behind them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd, prod

import numpy as np

from sttest.compile.rtl.walks import MOST_BEATS, Route, Walk, packed_words
from sttest.core.errors import InputError
from sttest.reference.graph import BITS, Load, MemoryLayout, Parts, ReferenceStream, Store
from sttest.reference.memory import Offsets, beat_numbers, element_addresses, image_bytes, run_bytes


@dataclass(frozen=True)
class PortTensor:
    """A tensor that a DMA moves, with the order of its tokens."""

    node: Load | Store
    stream: ReferenceStream

    @property
    def word_bytes(self) -> int:
        """Bytes of a word."""
        return self.node.layout.beat_bits // 8

    @property
    def parts(self) -> Parts | None:
        """The parts that are read by number."""
        return self.node.parts if isinstance(self.node, Load) else None

    @property
    def run_words(self) -> int:
        """Words of a run of a part."""
        assert isinstance(self.node, Load)
        return run_bytes(self.node, self.stream.dtype)[1] // self.word_bytes

    @property
    def words(self) -> int:
        """Words that it takes in memory."""
        if self.parts is not None:
            return self.parts.parts * self.parts.runs * self.run_words
        return image_bytes(self.node.layout, self.stream.dtype) // self.word_bytes


# --- Ports that read parts by number: they walk through numbers that say which run of which chosen part a word is of


@dataclass(frozen=True)
class TensorSegment:
    """A tensor of such a port, and the bits of a walk's numbers: word of the run lowest, chosen part, run."""

    start: int  # first word in memory
    words: int  # words of a tensor that is read whole; else 0
    run_words: int = 0
    part_words: int = 0  # words of a part in memory
    runs: int = 1
    chosen: int = 1

    @staticmethod
    def of(tensor: PortTensor, start: int) -> "TensorSegment":
        """That of a tensor."""
        if tensor.parts is None:
            return TensorSegment(start, tensor.words)
        runs, run_words = tensor.parts.runs, tensor.run_words
        return TensorSegment(start, 0, run_words, runs * run_words, runs, tensor.parts.count)

    @property
    def run_bits(self) -> int:
        """Bits of a word's number in its run, with one to spare: no run goes on where another ends."""
        return self.run_words.bit_length()

    @property
    def chosen_bits(self) -> int:
        """Bits of the number of a chosen part."""
        return (self.chosen - 1).bit_length()

    @property
    def bits(self) -> int:
        """Bits of all."""
        if not self.part_words:
            return self.words.bit_length()
        return self.run_bits + self.chosen_bits + (self.runs - 1).bit_length()

    def walked(self, words: Offsets) -> Offsets:
        """Numbers of words of the chosen parts side by side, run after run, as the walk has them."""
        if not self.part_words:
            return words
        run, word = words // self.run_words, words % self.run_words
        return ((run // self.chosen << self.chosen_bits) + run % self.chosen << self.run_bits) + word


@dataclass(frozen=True)
class ChosenWords:
    """The tensors of a port that reads parts by number, those of a layer and those behind all."""

    segments: tuple[TensorSegment, ...]
    layer_words: int  # words from a layer's tensors to the next one's

    @property
    def low_bits(self) -> int:
        """Bits of a number within its tensor."""
        return max(segment.bits for segment in self.segments)

    @property
    def segment_bits(self) -> int:
        """Bits of the number of a tensor."""
        return (len(self.segments) - 1).bit_length()

    @property
    def stride(self) -> int:
        """From a layer to the next in the walk."""
        return 1 << self.low_bits + self.segment_bits

    @property
    def longest(self) -> int:
        """Words of a burst that lies in one page, wherever a part begins."""
        common = gcd(self.layer_words, *(n for each in self.segments for n in (each.start, each.run_words)))
        return common & -common if common else MOST_BEATS

    @property
    def parameters(self) -> dict[str, str]:
        """Parameters of the module ``chosen_bursts``."""
        rows = {
            "START": [each.start for each in self.segments],
            "PART": [each.part_words for each in self.segments],
            "RUN": [each.run_words for each in self.segments],
            "RUN_BITS": [each.run_bits for each in self.segments],
            "CHOSEN_BITS": [each.chosen_bits for each in self.segments],
        }
        return {
            "SEGMENTS": str(len(self.segments)),
            "LOW": str(self.low_bits),
            "SEGMENT_BITS": str(self.segment_bits),
            "LAYER": str(self.layer_words),
            "CHOSEN": str(max(each.chosen for each in self.segments)),
            **{name: packed_words(values[::-1]) for name, values in rows.items()},
        }


@dataclass(frozen=True)
class PortTensors:
    """What a memory port moves in a launch: a row of tensors for each layer, then others once."""

    row: tuple[PortTensor, ...]
    repeats: int = 1  # repeats of the row, one per layer
    is_per_layer: bool = False  # whether each layer has tensors of its own, one behind the other
    behind: tuple[PortTensor, ...] = ()

    @property
    def stride(self) -> int:
        """Words from one layer to the next."""
        return sum(each.words for each in self.row) if self.is_per_layer else 0

    @cached_property
    def chosen(self) -> ChosenWords | None:
        """What reads parts by number, if any of its tensors does."""
        every = (*self.row, *self.behind)
        if all(each.parts is None for each in every):
            return None
        starts = [start for some in self.starts for start in some]
        segments = tuple(TensorSegment.of(each, start) for each, start in zip(every, starts, strict=True))
        return ChosenWords(segments, self.stride)

    @property
    def walk(self) -> tuple[list[int], list[int], int]:
        """Where the walk through each tensor of the row, and of those behind it, begins, and its stride per layer."""
        if self.chosen is None:
            return (*self.starts, self.stride)
        places = [number << self.chosen.low_bits for number in range(len(self.chosen.segments))]
        stride = self.chosen.stride if self.is_per_layer else 0
        return places[: len(self.row)], places[len(self.row) :], stride

    @property
    def starts(self) -> tuple[list[int], list[int]]:
        """The first word of each tensor of the row, and of those behind it."""
        row, behind = [0], [self.repeats * self.stride]
        for each in self.row:
            row.append(row[-1] + each.words)
        for each in self.behind:
            behind.append(behind[-1] + each.words)
        return row[:-1], behind[:-1]

    @property
    def tokens(self) -> int:
        """Tokens of a launch."""
        row, behind = (sum(each.stream.tokens for each in tensors) for tensors in (self.row, self.behind))
        return self.repeats * row + behind


@dataclass(frozen=True)
class PortWords:
    """Tokens in words: a token is ``words_per_token`` whole words, or one of ``tokens_per_word`` parts of a word."""

    word_bits: int
    token_bits: int
    element_bits: int
    words_per_token: int
    tokens_per_word: int
    words: Route  # numbers in memory of the words that are moved, in order
    parts: Route | None  # number in memory of each token's part of a word; None where they are all parts, in order
    order: tuple[int, ...]  # place of each element of a token behind the first bit of the token's words or part
    chosen: ChosenWords | None = None  # what the numbers of words mean where parts are read by number

    @property
    def used_parts(self) -> int:
        """Parts of a word that any token is."""
        return self.tokens_per_word if self.parts is None else len({*self.parts.numbers % self.tokens_per_word})

    def token_of(self, memory: str) -> str:
        """The token, from the bits in the order of memory."""
        return self._wired(memory, self.order)

    def memory_of(self, token: str) -> str:
        """The bits in the order of memory, from a token."""
        return self._wired(token, np.argsort(self.order).tolist())

    def _wired(self, name: str, order: Sequence[int]) -> str:
        if list(order) == list(range(len(order))):
            return name
        bits = self.element_bits
        parts = (f"{name}[{place * bits} +: {bits}]" for place in reversed(order))
        return f"{{{', '.join(parts)}}}"


@dataclass(frozen=True)
class _Tokens:
    """How the tokens of one tensor lie in its words."""

    format: tuple[int, ...]  # what must be the same for all tensors of a port, the places of elements last
    words: Offsets  # numbers of the words, in order
    parts: Offsets | None  # number of each token's part; None for whole words

    @property
    def per_word(self) -> int:
        """Tokens in a word."""
        return self.format[4]

    @property
    def has_all_parts(self) -> bool:
        """Whether tokens are all parts of every word, in order."""
        if self.parts is None:
            return True
        if len(self.parts) % self.per_word:
            return False
        first = self.parts[:: self.per_word]
        alike = self.parts == (first[:, None] + np.arange(self.per_word)).reshape(-1)
        return bool(alike.all() and not (first % self.per_word).any())


def port_words(tensors: PortTensors) -> PortWords:
    """How the tokens of a DMA lie in memory.

    Raises:
        InputError: tokens that neither fill words nor lie within one, or come in an order that is no loop nest;
            tensors that differ in that.
    """
    row, behind = ([_tokens(each) for each in some] for some in (tensors.row, tensors.behind))
    node = tensors.row[0].node
    if len({each.format for each in (*row, *behind)}) > 1:
        raise _refused(node, "tokens of its tensors lie in words in different ways")
    word_bits, token_bits, bits, per_token, per_word, *order = row[0].format
    parts, stride = None, tensors.walk[2]
    if all(each.has_all_parts for each in (*row, *behind)):
        moved = _placed(tensors, [each.words for each in row], [each.words for each in behind], 1)
        words = Route.of(moved[0], tensors.repeats, stride, moved[1])
    elif tensors.chosen is not None:
        raise _refused(node, "runs of chosen parts are not whole words")
    else:
        numbers = _placed(tensors, [_parts(each) for each in row], [_parts(each) for each in behind], per_word)
        parts = Route.of(numbers[0], tensors.repeats, stride * per_word, numbers[1])
        if parts is None:
            raise _refused(node, "parts of words do not come in an order of loops")
        words = _words_of(parts, per_word)
    if words is None:
        raise _refused(node, "words do not come in an order of loops")
    if tensors.chosen is not None and int(words.numbers.max()) >= 1 << 31:
        raise _refused(node, "too many words to count")
    return PortWords(word_bits, token_bits, bits, per_token, per_word, words, parts, tuple(order), tensors.chosen)


def _placed(
    tensors: PortTensors, row: Sequence[Offsets], behind: Sequence[Offsets], per_word: int
) -> tuple[list[Offsets], list[Offsets]]:
    """Numbers of words, or of so many parts of each, from where each tensor begins."""
    first, then = (
        [each + start * per_word for each, start in zip(some, places, strict=True)]
        for some, places in zip((row, behind), tensors.walk[:2], strict=True)
    )
    return first, then


def _parts(tokens: _Tokens) -> Offsets:
    assert tokens.parts is not None
    return tokens.parts


def _words_of(parts: Route, per_word: int) -> Route | None:
    """The words of parts, each as often as it is come to; None where they follow no loops."""
    changed = _changes(parts.numbers // per_word)
    walk = Walk.of(changed)
    if walk is not None:
        return Route((walk,))
    row, behind = ([_changes(each.numbers // per_word) for each in some] for some in (parts.row, parts.behind))
    found = Route.of(row, parts.repeats, parts.stride // per_word, behind)
    # Where a leg begins in the word in which the one before it ends, there are fewer.
    return found if found is not None and np.array_equal(found.numbers, changed) else None


def _changes(words: Offsets) -> Offsets:
    return words[np.flatnonzero(np.diff(words, prepend=-1))]


def _tokens(tensor: PortTensor) -> _Tokens:
    """How the tokens of a tensor lie in its words."""
    node, stream = tensor.node, tensor.stream
    layout: MemoryLayout = node.layout
    bits = BITS[stream.dtype]
    if layout.beat_bits % bits or layout.beat_bits & (layout.beat_bits - 1):
        raise _refused(node, "elements do not fill a word")
    per_word, size = layout.beat_bits // bits, prod(stream.element)
    if tensor.parts is None and prod(layout.beat) == per_word:
        words = beat_numbers(layout, stream, written=isinstance(node, Store))
        if words is not None:
            return _whole_beats(layout, stream, words, bits)
    address = element_addresses(layout, stream, written=isinstance(node, Store))
    if tensor.parts is not None:
        run = prod(layout.shape) // (tensor.parts.runs * tensor.parts.count)
        padded = address // run * tensor.run_words * per_word + address % run
        address = TensorSegment.of(tensor, 0).walked(padded // per_word) * per_word + padded % per_word
    if size % per_word == 0:
        return _whole_words(node, address, bits, per_word)
    return _parts_of_words(node, address, bits, per_word)


def _whole_beats(layout: MemoryLayout, stream: ReferenceStream, words: Offsets, bits: int) -> _Tokens:
    """Tokens of whole beats, each a word: they come in the order in which they lie in a token."""
    beats = [extent // each for extent, each in zip(stream.element, layout.beat, strict=True)]
    place = np.arange(prod(stream.element), dtype=np.int64).reshape(*beats, *layout.beat)
    axes = [axis for dim in range(len(beats)) for axis in (dim, len(beats) + dim)]
    order = place.transpose(axes).reshape(-1)
    per_word = prod(layout.beat)
    return _Tokens(
        (per_word * bits, order.size * bits, bits, words.shape[1], 1, *order.tolist()), words.reshape(-1), None
    )


def _whole_words(node: Load | Store, address: Offsets, bits: int, per_word: int) -> _Tokens:
    """Tokens of whole words: their first elements say in which order the words come."""
    size = address.shape[1]
    pattern = address[0] // per_word
    _, first = np.unique(pattern, return_index=True)
    columns = np.sort(first)  # elements at which a word is first touched
    rank = np.searchsorted(columns, first)  # by the words' numbers, when each comes
    if len(columns) * per_word != size:
        raise _refused(node, "a token has parts of words")
    words = address[:, columns] // per_word
    place = rank[np.searchsorted(np.unique(pattern), pattern)]
    order = place * per_word + address[0] % per_word
    same = words[:, place] * per_word + address[0] % per_word
    if (same != address).any():
        raise _refused(node, "words do not come in an order of loops")
    return _Tokens((per_word * bits, size * bits, bits, len(columns), 1, *order.tolist()), words.reshape(-1), None)


def _parts_of_words(node: Load | Store, address: Offsets, bits: int, per_word: int) -> _Tokens:
    size = address.shape[1]
    first = address.min(axis=1)
    order = address[0] - first[0]
    if per_word % size or (first % size).any() or (address - first[:, None] != order).any() or order.max() >= size:
        raise _refused(node, "a token is neither whole words nor a part of one")
    part, count = first // size, per_word // size
    same = (per_word * bits, size * bits, bits, 1, count, *order.tolist())
    return _Tokens(same, (part // count)[::count], part)


def _refused(node: Load | Store, what: str) -> InputError:
    return InputError("no-rtl", f"{what}: such a port has no RTL yet", where=node.name)
