"""How the tokens of a memory port lie in words of memory, as loops that a counter walks through.

It is read off the addresses of all elements: every layout that the reference engine knows is covered, or refused.  A
port may read several tensors one after the other, those of every layer of a launch, and others once behind them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import gcd, prod

import numpy as np

from sttest.boards.resources import MemoryKind
from sttest.core.errors import InputError
from sttest.reference.graph import BITS, Load, MemoryLayout, Parts, ReferenceStream, Store
from sttest.reference.memory import Offsets, element_addresses, image_bytes, run_bytes

_MOST_ROOM = 512
"""Words that a port has places for, at most: the depth of a BRAM18 that is 36 bits wide."""
_LUTRAM_ROOM = 64
"""Words up to which they lie in LUTs: a block of LUT memory, seven bits of 64 words in eight LUTs."""


def room_kind(room: int) -> MemoryKind:
    """What the words of a port lie in, which has places for so many."""
    return "lutram" if room <= _LUTRAM_ROOM else "bram"


@dataclass(frozen=True)
class Walk:
    """Numbers that nested loops count through."""

    start: int
    trips: tuple[int, ...]  # of the loops, outermost first, each more than 1
    strides: tuple[int, ...]  # what a step of each loop adds

    @staticmethod
    def of(numbers: Offsets) -> "Walk | None":
        """The loops behind numbers [count], or None where they do not follow any.

        >>> Walk.of(np.array([0, 1, 2, 8, 9, 10]))
        Walk(start=0, trips=(2, 3), strides=(8, 1))
        """
        start, trips, strides = int(numbers[0]), list[int](), list[int]()
        while len(numbers) > 1:
            steps = np.diff(numbers)
            other = np.flatnonzero(steps != steps[0])
            trip = int(other[0]) + 1 if other.size else len(numbers)
            if len(numbers) % trip:
                return None
            rows = numbers.reshape(-1, trip)
            if (rows - rows[:, :1] != np.arange(trip) * steps[0]).any():
                return None
            trips.append(trip)
            strides.append(int(steps[0]))
            numbers = rows[:, 0]
        return Walk(start, tuple(reversed(trips)), tuple(reversed(strides)))

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return prod(self.trips)

    @property
    def run(self) -> int:
        """How many numbers follow each other at the innermost."""
        return self.trips[-1] if self.trips and self.strides[-1] == 1 else 1

    @property
    def runs(self) -> "Walk":
        """The first numbers of the runs."""
        return Walk(self.start, self.trips[:-1], self.strides[:-1]) if self.run > 1 else self

    @property
    def last(self) -> int:
        """The last number."""
        return self.start + sum((trip - 1) * stride for trip, stride in zip(self.trips, self.strides, strict=True))

    @property
    def numbers(self) -> Offsets:
        """All numbers in order, [count]."""
        found = np.array([self.start], dtype=np.int64)
        for trip, stride in zip(self.trips, self.strides, strict=True):
            found = (found[:, None] + np.arange(trip, dtype=np.int64) * stride).reshape(-1)
        return found

    def in_units(self, unit: int) -> "Walk":
        """The same numbers divided by one that divides all."""
        return Walk(self.start // unit, self.trips, tuple(stride // unit for stride in self.strides))


@dataclass(frozen=True)
class Route:
    """Walks one after the other: those of a row several times, each time so much further on, then others once."""

    row: tuple[Walk, ...]
    repeats: int = 1
    stride: int = 0
    behind: tuple[Walk, ...] = ()

    @staticmethod
    def of(row: Sequence[Offsets], repeats: int, stride: int, behind: Sequence[Offsets]) -> "Route | None":
        """The route through numbers, one walk where that is possible; None where some follow no loops.

        Args:
            row: numbers [count] of each tensor of the row.
            repeats, stride: how often the row comes, and how far it is from one to the next.
            behind: numbers of each tensor behind them.
        """
        once = np.concatenate(row)
        steps = np.arange(repeats, dtype=np.int64)[:, None] * stride
        whole = Walk.of(np.concatenate([(once + steps).reshape(-1), *behind]))
        if whole is not None:
            return Route((whole,))
        first, then = _walks(row), _walks(behind)
        return None if first is None or then is None else Route(first, repeats, stride, then)

    @property
    def legs(self) -> tuple[Walk, ...]:
        """All walks, each once."""
        return (*self.row, *self.behind)

    @cached_property
    def numbers(self) -> Offsets:
        """All numbers in order, [count]."""
        once = np.concatenate([walk.numbers for walk in self.row])
        steps = np.arange(self.repeats, dtype=np.int64)[:, None] * self.stride
        return np.concatenate([(once + steps).reshape(-1), *(walk.numbers for walk in self.behind)])

    @property
    def counter_bits(self) -> int:
        """Bits of what counts legs, repetitions and loops in ``address_walk``."""
        loops = zip(*(walk.trips[::-1] + (1,) * (self._loops - len(walk.trips)) for walk in self.legs), strict=True)
        return sum((most - 1).bit_length() for most in (len(self.legs), self.repeats, *map(max, loops)))

    @property
    def number_bits(self) -> int:
        """Bits of the numbers where they are added up; one loop that counts from 0 has none but its counter."""
        counts = len(self.legs) == 1 and self.legs[0].start == 0 and self.legs[0].strides in ((), (1,))
        return 0 if counts else int(self.numbers.max()).bit_length()

    @property
    def _loops(self) -> int:
        return max(1, *(len(walk.trips) for walk in self.legs))

    def in_units(self, unit: int) -> "Route":
        """The same numbers divided by one that divides all."""
        row, behind = (tuple(walk.in_units(unit) for walk in walks) for walks in (self.row, self.behind))
        return replace(self, row=row, stride=self.stride // unit, behind=behind)

    @property
    def unit(self) -> int:
        """The largest power of two that divides all numbers and what lies between them."""
        common = gcd(self.stride, *(each for walk in self.legs for each in (walk.start, *walk.strides)))
        return common & -common if common else 1

    @property
    def parameters(self) -> dict[str, str]:
        """Parameters of the module ``address_walk``."""
        legs, loops = self.legs, self._loops
        padded = [(1,) * (loops - len(walk.trips)) for walk in legs]
        trips = [(*pad, *walk.trips) for pad, walk in zip(padded, legs, strict=True)]
        deltas = [(*(0 for _ in pad), *_deltas(walk)) for pad, walk in zip(padded, legs, strict=True)]
        ends = [walk.last + (self.repeats - 1) * self.stride for walk in self.row] + [each.last for each in self.behind]
        # Within the row a jump is the same in all of its repetitions.
        starts = [walk.start + (self.repeats - 1) * self.stride for walk in self.row]
        starts += [walk.start for walk in self.behind]
        jumps = [after - before for before, after in zip(ends, starts[1:], strict=False)] + [0]
        return {
            "BITS": str(max(1, int(self.numbers.max()).bit_length())), "LEGS": str(len(legs)),
            "ROW": str(len(self.row)), "REPEATS": str(self.repeats), "LOOPS": str(loops),
            "START": f"32'd{legs[0].start}", "MOST": _words([max(each) for each in zip(*trips, strict=True)]),
            "TRIPS": _words([trip for each in reversed(trips) for trip in each]),
            "DELTAS": _words([delta for each in reversed(deltas) for delta in each]),
            "JUMPS": _words(jumps[::-1]), "BACK": _words([self.row[0].start + self.stride - self.row[-1].last]),
        }  # fmt: skip


def _walks(numbers: Sequence[Offsets]) -> tuple[Walk, ...] | None:
    """A walk for each, or for several in a row that are one; None where some follow no loops."""
    walks: list[Walk] = []
    together: Offsets | None = None
    for each in numbers:
        joined = None if together is None else Walk.of(np.concatenate([together, each]))
        if joined is not None and together is not None:
            walks[-1], together = joined, np.concatenate([together, each])
            continue
        alone = Walk.of(each)
        if alone is None:
            return None
        walks.append(alone)
        together = each
    return tuple(walks)


def _deltas(walk: Walk) -> list[int]:
    """What is added when each loop steps and those inside it start again."""
    return [
        stride - sum((trip - 1) * inner for trip, inner in zip(walk.trips[loop + 1 :], walk.strides[loop + 1 :],
                                                               strict=True))
        for loop, stride in enumerate(walk.strides)
    ]  # fmt: skip


def _words(numbers: Sequence[int], bits: int = 32) -> str:
    """Words of so many bits, the first number highest."""
    words = (f"{bits}'h{number & (1 << bits) - 1:x}" for number in numbers)
    return f"{{{', '.join(words)}}}"


MOST_BEATS = 256
"""Words of a burst of AXI4, at most."""
PAGE_BYTES = 4096
"""No burst of AXI goes across its boundary; arguments begin at one."""


@dataclass(frozen=True)
class Bursts:
    """A route through words, cut into bursts."""

    route: Route  # of their first words, in units of `unit`
    unit: int
    full: tuple[int, ...]  # words of a burst, per leg
    rest: tuple[int, ...]  # of the last one of its innermost loop

    @staticmethod
    def of(words: Route, most: int, word_bytes: int) -> "Bursts":
        """The longest bursts that are possible.

        Args:
            words: numbers in memory of the words that are moved.
            most: most words of a burst.
            word_bytes: bytes of a word, a power of two.
        """
        shorter = [1 << bit for bit in reversed(range(most.bit_length())) if 1 << bit < most]
        found = (_cut(words, length) for length in (most, *shorter))
        return next(each for each in found if each.stays_in_pages(PAGE_BYTES // word_bytes))

    @staticmethod
    def longest(burst_bytes: int, word_bits: int) -> int:
        """Words of the longest burst of a port that asks for so many bytes at a time."""
        return max(1, min(MOST_BEATS, burst_bytes * 8 // word_bits))

    @property
    def most(self) -> int:
        """Words of the longest one."""
        return max(*self.full, *self.rest)

    def room(self, outstanding: int) -> int:
        """Words that a port with so many bursts in flight has places for."""
        return max(self.most, min(_MOST_ROOM, self.most * outstanding))

    def stays_in_pages(self, page: int) -> bool:
        """Whether none goes across a multiple of so many words."""
        first = self.route.numbers * self.unit
        row, behind = self._lengths(self.route.row, 0), self._lengths(self.route.behind, len(self.route.row))
        words = np.concatenate([np.tile(row, self.route.repeats), behind])
        return bool((first % page + words <= page).all())

    def _lengths(self, walks: Sequence[Walk], place: int) -> Offsets:
        lengths = [np.zeros(0, np.int64)]
        for leg, walk in enumerate(walks, place):
            each = np.full((walk.count // (walk.trips or (1,))[-1], (walk.trips or (1,))[-1]), self.full[leg])
            each[:, -1] = self.rest[leg]
            lengths.append(each.reshape(-1))
        return np.concatenate(lengths)

    @property
    def parameters(self) -> dict[str, str]:
        """Parameters of the module ``burst_walk``, but the size of a word."""
        full, rest = (_words(each[::-1], 9) for each in (self.full, self.rest))
        return {"UNIT": str(self.unit), **self.route.parameters, "FULL": full, "REST": rest}


def _cut(words: Route, length: int) -> Bursts:
    """Runs of words in bursts of one length, and a rest."""
    cut = {walk: _cut_walk(walk, length) for walk in words.legs}
    row, behind = (tuple(cut[walk] for walk in walks) for walks in (words.row, words.behind))
    route = replace(words, row=row, behind=behind)
    runs = [walk.run for walk in words.legs]
    full = tuple(min(run, length) for run in runs)
    rest = tuple(run - (-(-run // length) - 1) * length for run in runs)
    return Bursts(route.in_units(route.unit), route.unit, full, rest)


def _cut_walk(walk: Walk, length: int) -> Walk:
    bursts, runs = -(-walk.run // length), walk.runs
    return runs if bursts == 1 else Walk(runs.start, (*runs.trips, bursts), (*runs.strides, length))


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
class Segment:
    """A tensor of such a port, and the bits of a walk's numbers: word of the run lowest, chosen part, run."""

    start: int  # first word in memory
    words: int  # of a tensor that is read whole; else 0
    run_words: int = 0
    part_words: int = 0  # in memory
    runs: int = 1
    chosen: int = 1

    @staticmethod
    def of(tensor: PortTensor, start: int) -> "Segment":
        """That of a tensor."""
        if tensor.parts is None:
            return Segment(start, tensor.words)
        runs, run_words = tensor.parts.runs, tensor.run_words
        return Segment(start, 0, run_words, runs * run_words, runs, tensor.parts.count)

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

    segments: tuple[Segment, ...]
    layer_words: int  # from a layer's tensors to the next one's

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
            "START": [each.start for each in self.segments], "PART": [each.part_words for each in self.segments],
            "RUN": [each.run_words for each in self.segments], "RUN_BITS": [each.run_bits for each in self.segments],
            "CHOSEN_BITS": [each.chosen_bits for each in self.segments],
        }  # fmt: skip
        return {
            "SEGMENTS": str(len(self.segments)), "LOW": str(self.low_bits), "SEGMENT_BITS": str(self.segment_bits),
            "LAYER": str(self.layer_words), "CHOSEN": str(max(each.chosen for each in self.segments)),
            **{name: _words(values[::-1]) for name, values in rows.items()},
        }  # fmt: skip


@dataclass(frozen=True)
class PortTensors:
    """What a memory port moves in a launch: a row of tensors for each layer, then others once."""

    row: tuple[PortTensor, ...]
    repeats: int = 1  # of the row, one per layer
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
        segments = tuple(Segment.of(each, start) for each, start in zip(every, starts, strict=True))
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
    parts: Route | None  # per token the number in memory of its part of a word; None where they are all parts, in order
    order: tuple[int, ...]  # per element of a token its place behind the first bit of the token's words or part
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
    parts: Offsets | None  # per token the number of its part; None for whole words

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
    first, then = ([each + start * per_word for each, start in zip(some, places, strict=True)]
                   for some, places in zip((row, behind), tensors.walk[:2], strict=True))  # fmt: skip
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
    address = element_addresses(layout, stream, written=isinstance(node, Store))
    if tensor.parts is not None:
        run = prod(layout.shape) // (tensor.parts.runs * tensor.parts.count)
        padded = address // run * tensor.run_words * per_word + address % run
        address = Segment.of(tensor, 0).walked(padded // per_word) * per_word + padded % per_word
    if size % per_word == 0:
        return _whole_words(node, address, bits, per_word)
    return _parts_of_words(node, address, bits, per_word)


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
