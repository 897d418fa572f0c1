"""Which tasks have hardware of their own and which take turns, the same of memory channels, and attention's passes."""

from __future__ import annotations

from typing import Literal, TypeAlias

Sharing: TypeAlias = Literal["none", "weights", "all"]
"""Spatial dataflow; one engine for the products with parameters; one engine for whatever is alike."""

ChannelUse: TypeAlias = Literal["auto", "apart", "together"]
"""A channel belongs to one large DMA, or all DMAs share all; by what memory takes, where nothing is said."""

Attention: TypeAlias = Literal["three-pass", "one-pass"]
"""The softmax over all keys: maximum, exponentials and their sum, mix; or chunk by chunk under a running maximum."""
