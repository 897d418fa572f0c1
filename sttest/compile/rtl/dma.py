"""How the tokens of a memory port lie in words of memory, as loops that a counter walks through.

It is read off the addresses of all elements: every layout that the reference engine knows is covered, or refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from sttest.core.errors import InputError
from sttest.reference.graph import BITS, Load, MemoryLayout, ReferenceStream, Store
from sttest.reference.memory import Offsets, element_addresses


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
    def parameters(self) -> dict[str, str]:
        """Parameters of the module ``address_walk``."""
        trips, strides = self.trips or (1,), self.strides or (0,)
        deltas = [
            stride - sum((trip - 1) * inner for trip, inner in zip(trips[loop + 1 :], strides[loop + 1 :], strict=True))
            for loop, stride in enumerate(strides)
        ]
        return {
            "LOOPS": str(len(trips)), "START": f"32'd{self.start}", "TRIPS": _words(trips), "DELTAS": _words(deltas),
        }  # fmt: skip


def _words(numbers: Sequence[int]) -> str:
    """Words of 32 bits, the first number highest."""
    words = (f"32'h{number & 0xFFFFFFFF:x}" for number in numbers)
    return f"{{{', '.join(words)}}}"


@dataclass(frozen=True)
class PortWords:
    """Tokens in words: a token is ``words_per_token`` whole words, or one of ``tokens_per_word`` parts of a word."""

    word_bits: int
    token_bits: int
    element_bits: int
    words_per_token: int
    tokens_per_word: int
    words: Walk  # numbers in memory of the words that are moved, in order
    parts: Walk  # per token the number in memory of its part of a word; of its first word, where it is whole words
    order: tuple[int, ...]  # per element of a token its place behind the first bit of the token's words or part

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


def port_words(node: Load | Store, stream: ReferenceStream) -> PortWords:
    """How the tokens of a DMA lie in memory.

    Raises:
        InputError: tokens that neither fill words nor lie within one, or come in an order that is no loop nest.
    """
    layout: MemoryLayout = node.layout
    bits = BITS[stream.dtype]
    if layout.beat_bits % bits:
        raise _refused(node, "elements do not fill a word")
    per_word, size = layout.beat_bits // bits, prod(stream.element)
    address = element_addresses(layout, stream, written=isinstance(node, Store))
    if size % per_word == 0:
        return _whole_words(node, address, bits, per_word)
    return _parts_of_words(node, address, bits, per_word)


def _whole_words(node: Load | Store, address: Offsets, bits: int, per_word: int) -> PortWords:
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
    walk, firsts = Walk.of(words.reshape(-1)), Walk.of(words[:, 0])
    if (same != address).any() or walk is None or firsts is None:
        raise _refused(node, "words do not come in an order of loops")
    return PortWords(per_word * bits, size * bits, bits, len(columns), 1, walk, firsts, tuple(order.tolist()))


def _parts_of_words(node: Load | Store, address: Offsets, bits: int, per_word: int) -> PortWords:
    size = address.shape[1]
    first = address.min(axis=1)
    order = address[0] - first[0]
    if per_word % size or (first % size).any() or (address - first[:, None] != order).any() or order.max() >= size:
        raise _refused(node, "a token is neither whole words nor a part of one")
    part = first // size
    word = part * size // per_word
    changes = np.flatnonzero(np.diff(word, prepend=-1))
    words, parts = Walk.of(word[changes]), Walk.of(part)
    if words is None or parts is None:
        raise _refused(node, "parts of words do not come in an order of loops")
    return PortWords(per_word * bits, size * bits, bits, 1, per_word // size, words, parts, tuple(order.tolist()))


def _refused(node: Load | Store, what: str) -> InputError:
    return InputError("no-rtl", f"{what}: such a port has no RTL yet", where=node.name)
