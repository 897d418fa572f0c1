"""Single checks of timed graphs, each refusing with one clear line, and the limits.

The upper limits keep a hostile or mistyped file from exhausting memory; real
designs are orders of magnitude below them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from sttest.errors import InputError, did_you_mean

MAX_FIFOS = 1_000_000
MAX_PROCESSES = 100_000
MAX_DEPTH = 1 << 40
MAX_BITS = 1 << 24
MAX_CYCLES = 1 << 50
MAX_EVENTS = 1 << 26
"""Accesses of one run of one process once spelled out: 12 bytes each, so 0.8 GB."""
MAX_TOKENS_PASSED = 1 << 28
"""Writes and reads of a whole simulation: 8 bytes each, so 2 GB."""
MAX_TOKENS = 1 << 31
MAX_BURSTS = 1 << 26
_NAME = re.compile(r"[^\x00-\x1f\x7f]{1,200}")


def check_whole(value: object, what: str, where: str, least: int, most: int) -> int:
    """``value`` as an int in [least, most].

    Raises:
        InputError: it is not a whole number, or out of range.
    """
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise InputError("not-whole", f"{what} is {value!r}, not a whole number", where=where)
    if value < least:
        raise InputError("too-small", f"{what} is {value}, at least {least} is needed", where=where)
    if value > most:
        raise InputError("too-large", f"{what} is {value}, at most {most} is possible", where=where)
    return int(value)


def check_name(name: object, what: str) -> None:
    """Refuses a name that is empty, too long, not text, or holds control characters."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError("bad-name", f"{what} name {name!r:.80} is not 1 to 200 printable characters")


def check_choice(value: str, what: str, where: str, choices: Iterable[str]) -> None:
    """Refuses a value that is none of the choices; the nearest is named."""
    if value not in choices:
        raise InputError(
            "unknown-value", f"unknown {what} '{value}'", where=where, levers=[did_you_mean(value, choices)]
        )
