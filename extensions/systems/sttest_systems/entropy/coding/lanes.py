"""bfloat16 weights as lanes of bits: exponents in a prefix code, signs and mantissas as they are (DFloat11).

A word of memory has an equal part for each lane of a decoder, and a lane's parts are one string of bits, the highest
bit of a part first.  Weights go round the lanes in groups of ``symbols``.  A weight is its exponent's codeword, its
sign and its mantissa.  Every word brings all lanes equally many bits, but they need unequally many: a lane that lags
behind runs ahead in memory, and what it does not need yet is held in its FIFO.  So that this is bounded for any
weights, the encoder gives a lane that is ``skew_bits`` behind the others *fill*: bits that carry no weight.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sttest.core.errors import InputError
from sttest_systems.entropy.coding.huffman import PrefixCode, prefix_code

SIGN_AND_MANTISSA_BITS, MANTISSA_BITS = 8, 7
EXPONENTS = 256
FILL = EXPONENTS
"""The symbol of fill, one behind the exponents."""


@dataclass(frozen=True)
class LaneFormat:
    """How weights lie in lanes.

    Raises:
        InputError: lanes that no decoder could read.
    """

    lanes: int = 16
    symbols: int = 2  # weights of a lane's group, decoded in one cycle
    word_bits: int = 32  # bits of a lane in a word of memory
    longest: int = 12  # bits of the longest codeword
    skew_bits: int = 256  # lag in bits from which on a lane gets fill

    def __post_init__(self) -> None:
        if min(self.lanes, self.symbols, self.longest) < 1 or self.word_bits < 8 or self.word_bits % 8:
            what = f"{self.lanes} lanes of {self.symbols} weights in words of {self.word_bits} bits"
            raise InputError("bad-lanes", what, where="entropy code", hints=["words are whole bytes"])
        if self.skew_bits < self.group_bits:
            raise InputError(
                "bad-skew",
                "fill would overtake what it waits for",
                where="entropy code",
                demand=self.group_bits,
                bound=self.skew_bits,
                unit="bits",
                hints=[f"allow a skew of {self.group_bits} bits"],
            )

    @property
    def group_bits(self) -> int:
        """Bits of the longest group; fill takes as many."""
        return self.symbols * (self.longest + SIGN_AND_MANTISSA_BITS)

    @property
    def weights(self) -> int:
        """Weights of one group in every lane."""
        return self.lanes * self.symbols

    @property
    def word_bytes(self) -> int:
        """Bytes of a word of memory."""
        return self.lanes * self.word_bits // 8

    @property
    def refill_bits(self) -> int:
        """A lane takes its part of a word when it holds fewer bits: then the next cycle's group is always there."""
        return 2 * self.group_bits

    @property
    def held_bits(self) -> int:
        """The most bits that a lane holds."""
        return self.refill_bits - 1 + self.word_bits

    def code(self, weights: NDArray[np.uint16]) -> PrefixCode:
        """The code of these weights' exponents, fill among them.

        Raises:
            InputError: more exponents occur than have codewords of so many bits.
        """
        return prefix_code(histogram(weights), self.longest)


@dataclass(frozen=True)
class EncodedWeights:
    """Weights in memory."""

    format: LaneFormat
    code: PrefixCode
    count: int  # weights
    bits: NDArray[np.int64]  # [groups, lanes], bits of each group
    fills: NDArray[np.int64]  # [groups, lanes], fill before each group
    words: NDArray[np.uint8]  # [words, bytes]

    @property
    def groups(self) -> int:
        """Groups of every lane."""
        return self.bits.shape[0]

    @cached_property
    def bits_per_weight(self) -> float:
        """Bits of memory for a weight, fill and the last word's rest included."""
        return 8 * self.words.size / self.count


def histogram(weights: NDArray[np.uint16]) -> NDArray[np.int64]:
    """How often each exponent of bfloat16 bits occurs, and fill, as the rarest of all."""
    counts = np.bincount(exponents(weights).ravel(), minlength=EXPONENTS + 1).astype(np.int64)
    counts[FILL] = 1
    return counts


def exponents(weights: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """The exponent fields of bfloat16 bits."""
    return (weights >> np.uint16(MANTISSA_BITS)) & np.uint16(0xFF)


def bfloat16_bits(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    """The bits of float32 numbers rounded to bfloat16, halves to even; NaN stays NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(values), (bits >> np.uint32(16)) | np.uint32(0x40), rounded).astype(np.uint16)


def encode(weights: NDArray[np.uint16], lane_format: LaneFormat, code: PrefixCode | None = None) -> EncodedWeights:
    """Puts weights into lanes.

    Args:
        weights: bfloat16 bits, a list; zeros follow it up to a whole group in every lane.
        lane_format: lanes.
        code: code of exponents and fill; that of these weights if None.

    Raises:
        InputError: no weights, or an exponent that the code has no codeword for.
    """
    padded = _padded(weights, lane_format)
    code = code or lane_format.code(padded)
    lengths = np.array(code.lengths, dtype=np.int64)
    used = exponents(padded)
    if code.longest != lane_format.longest or len(lengths) != EXPONENTS + 1 or not lengths[FILL]:
        raise InputError("bad-code", "not a code of exponents and fill for these lanes", where="entropy code")
    if not lengths[used].all():
        missing = int(used[lengths[used] == 0][0])
        raise InputError(
            "no-codeword",
            f"the code has no codeword for exponent {missing}",
            where="entropy code",
            hints=["make the code of these weights"],
        )
    shaped = used.reshape(-1, lane_format.lanes, lane_format.symbols)
    bits = (lengths[shaped] + SIGN_AND_MANTISSA_BITS).sum(-1)
    fills = fill_before(bits, lane_format)
    parts = [_lane_bits(lane, padded, fills, lane_format, code) for lane in range(lane_format.lanes)]
    return EncodedWeights(lane_format, code, weights.size, bits, fills, _words(parts, lane_format))


def _padded(weights: NDArray[np.uint16], lane_format: LaneFormat) -> NDArray[np.uint16]:
    if not weights.size:
        raise InputError("no-weights", "nothing to encode", where="entropy code")
    return np.pad(weights.ravel(), (0, -weights.size % lane_format.weights))


def fill_before(bits: NDArray[np.int64], lane_format: LaneFormat) -> NDArray[np.int64]:
    """How often each lane gets fill before each group.

    Args:
        bits: [groups, ..., lanes], bits of groups.
        lane_format: lanes.
    """
    fills = np.zeros_like(bits)
    skew, size = lane_format.skew_bits, lane_format.group_bits
    place = np.zeros_like(bits[0])
    for group, needed in enumerate(bits):
        behind = place.max(-1, keepdims=True) - place
        if (behind >= skew).any():
            fills[group] = np.where(behind >= skew, (behind - skew) // size + 1, 0)
            place += size * fills[group]
        place += needed
    return fills


def _lane_bits(
    lane: int, padded: NDArray[np.uint16], fills: NDArray[np.int64], lane_format: LaneFormat, code: PrefixCode
) -> NDArray[np.uint8]:
    """A lane's string of bits."""
    weights = padded.reshape(-1, lane_format.lanes, lane_format.symbols)[:, lane].astype(np.int64)
    exponent = (weights >> MANTISSA_BITS) & 0xFF
    rest = ((weights >> 8) & 0x80) | (weights & 0x7F)
    values = (np.array(code.codewords, dtype=np.int64)[exponent] << SIGN_AND_MANTISSA_BITS) | rest
    sizes = np.array(code.lengths, dtype=np.int64)[exponent] + SIGN_AND_MANTISSA_BITS
    # Fill is its codeword, then zeros; both stand before the group.
    before = np.repeat(np.arange(len(weights)), fills[:, lane]) * lane_format.symbols
    at = np.repeat(before, 2)
    fill_bits = code.lengths[FILL]
    fill_values = np.tile([code.codewords[FILL], 0], len(before))
    fill_sizes = np.tile([fill_bits, lane_format.group_bits - fill_bits], len(before))
    return _string(np.insert(values.ravel(), at, fill_values), np.insert(sizes.ravel(), at, fill_sizes))


def _string(values: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Numbers of so many bits one after the other, highest bit first, as zeros and ones."""
    ends = np.cumsum(sizes)
    after = np.repeat(ends, sizes) - np.arange(int(ends[-1])) - 1
    # Numbers are below 2^63; of fill's zeros the bits above are zeros too.
    return ((np.repeat(values, sizes) >> np.minimum(after, 62)) & 1).astype(np.uint8)


def _words(parts: list[NDArray[np.uint8]], lane_format: LaneFormat) -> NDArray[np.uint8]:
    """Words of memory, lane 0 in the lowest bits."""
    size = lane_format.word_bits
    count = -(-max(map(len, parts)) // size)
    lanes = [np.packbits(np.pad(part, (0, count * size - len(part)))).reshape(count, size // 8) for part in parts]
    return np.concatenate([lane[:, ::-1] for lane in lanes], axis=1)


def decode(encoded: EncodedWeights) -> NDArray[np.uint16]:
    """The weights, bit by bit from the words and the code alone: the golden decoder."""
    words, lane_format = encoded.words, encoded.format
    found = np.zeros((encoded.groups, lane_format.lanes, lane_format.symbols), dtype=np.uint16)
    size = lane_format.word_bits // 8
    for lane in range(lane_format.lanes):
        text = words[:, lane * size : (lane + 1) * size][:, ::-1].tobytes()
        reader = _weights_of_lane(int.from_bytes(text), 8 * len(text), lane_format, encoded.code)
        for group in range(encoded.groups):
            found[group, lane] = next(reader)
    return found.ravel()[: encoded.count]


def _weights_of_lane(bits: int, size: int, lane_format: LaneFormat, code: PrefixCode) -> Iterator[list[int]]:
    """Groups of a lane."""
    by_codeword = {
        (bits, word): s for s, (bits, word) in enumerate(zip(code.lengths, code.codewords, strict=True)) if bits
    }
    text, at = f"{bits:0{size}b}", 0

    def symbol() -> int:
        nonlocal at
        word = 0
        for length in range(1, code.longest + 1):
            word = 2 * word + int(text[at])
            at += 1
            if (length, word) in by_codeword:
                return by_codeword[length, word]
        raise InputError("bad-codeword", f"no codeword at bit {at - code.longest}", where="entropy code")

    while True:
        group: list[int] = []
        while len(group) < lane_format.symbols:
            began, exponent = at, symbol()
            if exponent == FILL and not group:
                at = began + lane_format.group_bits
                continue
            if exponent == FILL:
                raise InputError("bad-codeword", f"fill within a group, at bit {began}", where="entropy code")
            rest = int(text[at : at + SIGN_AND_MANTISSA_BITS], 2)
            at += SIGN_AND_MANTISSA_BITS
            group.append((rest & 0x80) << 8 | exponent << MANTISSA_BITS | rest & 0x7F)
        yield group
