"""Words of memory that a DMA moves: those of its tokens, or more where tokens share words and come in another order."""

from math import gcd, prod

from sttest.compile.channels.bursts_ahead import contiguous_elements
from sttest.compile.dialects import df
from sttest.compile.dialects.stream_order import raw_loops, without_outer_repeats


def words_of_token(token: int, word: int, tensor: int) -> int:
    """Words that a token may touch, wherever among other tokens it starts.

    Args:
        token: elements of a token.
        word: elements of a word.
        tensor: elements of the tensor.

    >>> words_of_token(3, 16, 96), words_of_token(36, 16, 72), words_of_token(4, 16, 16)
    (2, 3, 1)
    """
    return min(-(-(token + word - gcd(token, word)) // word), -(-tensor // word))


def scattered_words(op: df.DmaOp) -> int:
    """Words that are read for each token anew, since it may share them with tokens that come at another time.

    0 where words are read once for all tokens in them: tokens follow each other as in memory, or are whole words, or
    even parts of one.
    """
    if op.layout is None or op.beat_bits is None:
        return 0
    stream, word = df.itensor_of(op.port), op.beat_bits.value.data // df.itensor_of(op.port).element_bits
    token = stream.token_elements
    if max(token, word) % min(token, word) == 0 or _walks_in_order(op):
        return 0
    return words_of_token(token, word, prod(op.layout.values))


def _walks_in_order(op: df.DmaOp) -> bool:
    """Whether the stream walks memory from end to end, once or several times."""
    assert op.layout is not None
    stream = without_outer_repeats(df.itensor_of(op.port))
    if op.is_packed:
        return not any(loop.repeats and loop.trip > 1 for loop in raw_loops(stream))
    return contiguous_elements(stream, op.layout.values) == prod(op.layout.values)
