"""Which tasks have hardware of their own and which take turns."""

from __future__ import annotations

from typing import Literal, TypeAlias

Sharing: TypeAlias = Literal["none", "weights", "all"]
"""Spatial dataflow; one engine for the products with parameters; one engine for whatever is alike."""
