"""The memories of a U280 that committed results rest on, which need not be those of today's board."""

from __future__ import annotations

import json
from pathlib import Path

BEAT_GB_PER_S = 16.0
"""What a port takes: 64 bytes in each cycle of 4 ns."""


def memories(results: Path) -> dict[str, dict[str, float]]:
    """Per memory its ``channels``, the ``gb_per_s_per_channel``, the ``read_ns`` and the ``response_ns`` of a write."""
    return json.loads((results / "manifest.json").read_text(encoding="utf-8"))["memories"]


def gb_per_s(results: Path, memory: str) -> float:
    """What copies got of all channels of a memory."""
    found = memories(results)[memory]
    return found["channels"] * min(found["gb_per_s_per_channel"], BEAT_GB_PER_S)
