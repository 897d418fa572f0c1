"""Small things of SystemVerilog text: identifiers, widths, literals."""

from __future__ import annotations

import re

_NAME_LENGTH = 40


def identifier(prefix: str, number: int, name: str) -> str:
    """An identifier that is unique by ``prefix`` and ``number``; ``name`` is data, only its plain letters stay."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name[:_NAME_LENGTH]).strip("_")
    return f"{prefix}{number}_{plain}".rstrip("_")


def width_of(most: int) -> int:
    """Bits that hold 0 to ``most``."""
    return max(1, most.bit_length())


def literal(value: int, width: int) -> str:
    """A sized decimal constant."""
    return f"{width}'d{value}"


def any_of(terms: list[str]) -> str:
    """The or of conditions."""
    return " | ".join(terms) if terms else "1'b0"


def all_of(terms: list[str]) -> str:
    """The and of conditions."""
    return " & ".join(terms) if terms else "1'b1"


def sum_of(terms: list[str]) -> str:
    """The sum of 32-bit numbers."""
    return " + ".join(terms) if terms else "32'd0"
