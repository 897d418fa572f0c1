"""How wide a port is: a word that it moves per cycle, and the words of a token."""

PORT_BITS = 512
"""The widest word of a FIFO, bits, as wide as a memory port; Vitis HLS refuses words above 4,096 bits."""


def words_of_token(elements: int, element_bits: int) -> int:
    """Words of a token, each of which goes through a FIFO of its own, all of them in one cycle.

    Args:
        elements: elements of a token.
        element_bits: width of an element, bits.

    >>> words_of_token(16, 32), words_of_token(256, 4), words_of_token(22, 32)
    (1, 2, 2)
    """
    least = max(1, -(-elements * element_bits // PORT_BITS))
    return next(words for words in range(least, elements + 1) if elements % words == 0)
