"""Canonical Huffman codes with a longest codeword, and the entropy that bounds them.

Lengths are the best for their bound (package-merge, Larmore and Hirschberg, J. ACM 37(3), 1990).  Codewords are
canonical: of one length they are consecutive numbers, and shorter ones come first.  So a decoder compares the next
``longest`` bits with one limit per length, and needs a table of no more entries than there are symbols.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sttest.core.errors import InputError

Counts = NDArray[np.int64]


def entropy_bits(counts: NDArray[np.integer]) -> float:
    """Shannon's entropy of a histogram, bits per symbol."""
    seen = np.asarray(counts, dtype=np.float64)
    seen = seen[seen > 0]
    shares = seen / seen.sum()
    return float(-(shares * np.log2(shares)).sum())


@dataclass(frozen=True)
class PrefixCode:
    """A canonical prefix code; symbols without a codeword have length 0."""

    lengths: tuple[int, ...]  # bits of each symbol's codeword
    longest: int  # bits that a decoder looks at

    @cached_property
    def symbols(self) -> tuple[int, ...]:
        """The symbols that have codewords, in the order of these."""
        return tuple(sorted((s for s, bits in enumerate(self.lengths) if bits), key=lambda s: (self.lengths[s], s)))

    @cached_property
    def codewords(self) -> tuple[int, ...]:
        """The codeword of each symbol as a number; 0 for symbols without."""
        words, code, before = [0] * len(self.lengths), 0, 0
        for symbol in self.symbols:
            bits = self.lengths[symbol]
            code <<= bits - before
            words[symbol], before = code, bits
            code += 1
        return tuple(words)

    @cached_property
    def limits(self) -> tuple[int, ...]:
        """By length from 1: what the next ``longest`` bits are less than if the codeword is no longer than that."""
        found, limit = [], 0
        for bits in range(1, self.longest + 1):
            limit += self.lengths.count(bits) << (self.longest - bits)
            found.append(limit)
        return tuple(found)

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """By length from 1: what is added to a codeword for its place in ``symbols``; may be negative."""
        found, before, first = [], 0, 0
        for bits in range(1, self.longest + 1):
            first <<= 1
            found.append(before - first)
            count = self.lengths.count(bits)
            before, first = before + count, first + count
        return tuple(found)

    def mean_bits(self, counts: NDArray[np.integer]) -> float:
        """Mean length of a codeword, bits, over a histogram of symbols."""
        seen = np.asarray(counts, dtype=np.float64)
        return float((seen * np.array(self.lengths)).sum() / seen.sum())


def prefix_code(counts: Sequence[int] | NDArray[np.integer], longest: int) -> PrefixCode:
    """The best code with codewords of at most so many bits.

    Args:
        counts: how often each symbol occurs; one that does not gets no codeword.
        longest: bits of the longest codeword.

    Raises:
        InputError: no symbol occurs, or more do than there are codewords.
    """
    counts = np.asarray(counts, dtype=np.int64)
    seen = np.flatnonzero(counts > 0)
    if not seen.size or longest < 1 or seen.size > 1 << longest:
        raise InputError(
            "no-code",
            f"{seen.size} symbols have no codewords of at most {longest} bits",
            where="entropy code",
            hints=["allow longer codewords" if seen.size else "give a symbol that occurs"],
        )
    lengths = np.zeros(counts.size, dtype=np.int64)
    if seen.size == 1:
        lengths[seen] = 1
        return PrefixCode(tuple(lengths.tolist()), longest)
    for symbol in _packages(seen.tolist(), counts, longest):
        lengths[symbol] += 1
    return PrefixCode(tuple(lengths.tolist()), longest)


def _packages(seen: list[int], counts: Counts, longest: int) -> list[int]:
    """Symbols, each as often as its codeword has bits: those of the 2n - 2 cheapest packages."""
    singles = sorted((int(counts[symbol]), [symbol]) for symbol in seen)
    row = singles
    for _ in range(longest - 1):
        pairs = [(one[0] + other[0], one[1] + other[1]) for one, other in zip(row[::2], row[1::2], strict=False)]
        row = sorted(singles + pairs, key=lambda each: each[0])
    return [symbol for _, symbols in row[: 2 * len(seen) - 2] for symbol in symbols]
