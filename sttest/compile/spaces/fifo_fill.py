"""How full a FIFO ever is, from the curves of its two ends."""

from __future__ import annotations

import numpy as np

from sttest.compile.spaces.fifo_curves import Curve, Whole
from sttest.compile.spaces.fifo_gap import latest_token

_GUESSES = 64
"""Tokens, evenly spread, from whose fill the search starts."""
_FEW = 1 << 12
"""Tokens of which each is looked at sooner than a search is done."""


def most_held(writes: Curve, reads: Curve, delay: int) -> int:
    """The most tokens ever inside: the least depth with which no write waits.

    A token leaves after the cycle of its read.  ``held`` tokens are enough if every
    token is read before the write that comes ``held`` tokens later; the one for which
    this fails most says how many are needed at least, so that the search ends.

    Args:
        writes: from the source's start.
        reads: from the target's start, as many.
        delay: cycles from the source's start to the target's start, enough that no read waits.
    """
    if len(reads) <= _FEW:
        return int(_held_by_each(writes, reads, delay).max())
    held = int(_held(writes, reads, delay, np.linspace(0, len(reads) - 1, _GUESSES).astype(np.int64)).max())
    while (latest := latest_token(reads, writes, skip=held, above=-delay - 1)) is not None:
        held = int(_held(writes, reads, delay, np.array([latest]))[0])
    return held


def _held(writes: Curve, reads: Curve, delay: int, tokens: Whole) -> Whole:
    """Tokens inside in the cycles in which some tokens are read, these included."""
    return writes.count_before(reads.at(tokens) + delay + 1) - tokens


def _held_by_each(writes: Curve, reads: Curve, delay: int) -> Whole:
    """Tokens inside in the cycle in which each token is read, that one included."""
    tokens = np.arange(len(reads))
    return np.searchsorted(writes.at(tokens), reads.at(tokens) + delay + 1) - tokens
