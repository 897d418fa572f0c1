"""Single checks of timed graphs, each refusing with one clear line, and the limits.

The upper limits keep a hostile or mistyped file from exhausting memory; real
designs are orders of magnitude below them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np

from sttest.errors import InputError, did_you_mean

MAX_FIFOS = 100_000
MAX_PROCESSES = 20_000
MAX_CHANNELS = 256
MAX_LANES = 16_384
"""Channels of all memory ports together, each counted as often as a port lists it."""
MAX_LOOPS = 65_536
MAX_LOOP_EVENTS = 131_072
MAX_ENDLESS = 2048
"""Actors that fire for ever."""
MAX_PHASES = 65_536
MAX_RATES = 262_144
"""FIFOs named by all phases of all actors together."""
MAX_DEPTH = 1 << 40
MAX_BITS = 1 << 24
MAX_CYCLES = 1 << 50
MAX_EVENTS = 1 << 26
"""Tokens of one access, of one phase, or there at the start."""
MAX_TOKENS = 1 << 31
MAX_NAME_CHARS = 200
MAX_ORIGIN_CHARS = 2000
DEFAULT_MAX_ACCESSES = 1 << 27
MAX_ACCESSES_VARIABLE = "STTEST_MAX_ACCESSES"
"""Environment variable that raises or lowers ``max_accesses``."""


def max_accesses() -> int:
    """FIFO accesses that a whole simulation may make; so many firings and bursts are possible, too.

    Raises:
        InputError: the environment variable is set to something else than a number.
    """
    asked = os.environ.get(MAX_ACCESSES_VARIABLE, "")
    if not asked:
        return DEFAULT_MAX_ACCESSES
    if not (asked.isascii() and asked.isdecimal()) or not 0 < len(asked) <= 12:
        what = f"'{asked:.40}' is no number of FIFO accesses"
        raise InputError("bad-limit", what, where=MAX_ACCESSES_VARIABLE, levers=["give up to 12 digits", "unset it"])
    return int(asked)


def check_work(value: int, what: str, where: str) -> None:
    """Refuses more than ``max_accesses`` of something that a simulation spells out, and says how to raise the limit."""
    most = max_accesses()
    if value > most:
        raise InputError(
            "too-large",
            f"{what} is {value}, at most {most} is possible",
            where=where,
            levers=[f"set {MAX_ACCESSES_VARIABLE} higher, at up to 100 bytes of memory each"],
        )


def check_whole(value: object, what: str, where: str, least: int, most: int) -> int:
    """``value`` as an int in [least, most].

    Raises:
        InputError: it is not a whole number, or out of range.
    """
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise InputError("not-whole", f"{what} is {value!r:.80}, not a whole number", where=where)
    if value < least:
        raise InputError("too-small", f"{what} is {_digits(value)}, at least {least} is needed", where=where)
    if value > most:
        raise InputError("too-large", f"{what} is {_digits(value)}, at most {most} is possible", where=where)
    return int(value)


def _digits(value: int | np.integer) -> str:
    """A number, or of one with thousands of digits only how long it is."""
    bits = int(value).bit_length()
    return str(value) if bits <= 256 else f"{'-' if value < 0 else ''}2^{bits - 1} or more"


def check_text(text: object, what: str, where: str, most_chars: int) -> None:
    """Refuses what is not text, is too long, or could steer a terminal that it is printed on."""
    if not isinstance(text, str) or len(text) > most_chars or not text.isprintable():
        raise InputError("bad-text", f"{what} {text!r:.80} is not up to {most_chars} printable characters", where=where)


def check_name(name: object, what: str) -> None:
    """Refuses a name that is empty, too long, not text, or holds characters that cannot be printed."""
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME_CHARS or not name.isprintable():
        raise InputError("bad-name", f"{what} name {name!r:.80} is not 1 to {MAX_NAME_CHARS} printable characters")


def check_choice(value: str, what: str, where: str, choices: Iterable[str]) -> None:
    """Refuses a value that is none of the choices; the nearest is named."""
    if value not in choices:
        raise InputError(
            "unknown-value", f"unknown {what} '{value:.80}'", where=where, levers=[did_you_mean(value, choices)]
        )
