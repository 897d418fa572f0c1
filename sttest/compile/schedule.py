"""Which tasks have hardware of their own and which take turns, and the same of memory channels."""

from __future__ import annotations

from typing import Literal, TypeAlias

Sharing: TypeAlias = Literal["none", "weights", "all"]
"""Spatial dataflow; one engine for the products with parameters; one engine for whatever is alike."""

ChannelUse: TypeAlias = Literal["auto", "apart", "together"]
"""A channel belongs to one large DMA, or all DMAs share all; by what memory takes, where nothing is said."""
