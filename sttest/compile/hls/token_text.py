"""Loops over the elements of a token, and the element that they stand at."""

from __future__ import annotations

from sttest.compile.hls.types import Token, row_major_strides
from sttest.compile.hls.writer import CountedLoop, affine, named_loops


def element_loops(token: Token, label: str = "elements") -> list[CountedLoop]:
    """Over ``e0``, ``e1`` …, one per dim of more than one element."""
    return named_loops(label, "e", token.shape)


def token_element(token: Token) -> str:
    """The element of the variable ``token`` that the loops stand at; a token of one element is that element."""
    strides = row_major_strides(token.shape)
    return token.at("token", affine([(f"e{dim}", strides[dim]) for dim, size in enumerate(token.shape) if size > 1]))
