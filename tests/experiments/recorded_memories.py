"""The memories of a U280 that committed results rest on, which need not be those of today's board."""

from __future__ import annotations

import json
from pathlib import Path

UNRECORDED = {
    "hbm": {"channels": 32, "gb_per_s_per_channel": 13.27, "read_ns": 229, "response_ns": 229},
    "ddr": {"channels": 2, "gb_per_s_per_channel": 18, "read_ns": 261, "response_ns": 261},
    "host": {"channels": 1, "gb_per_s_per_channel": 10.9392, "read_ns": 1000, "response_ns": 1000},
    "flash": {"channels": 1, "gb_per_s_per_channel": 3.5, "read_ns": 150_000, "response_ns": 150_000},
}
"""Those of results whose manifest has none: before MB of XRT were taken for the 2^20 bytes that they are."""
BEAT_GB_PER_S = 16.0
"""What a port takes: 64 bytes in each cycle of 4 ns."""


def memories(results: Path) -> dict[str, dict[str, float]]:
    """Per memory its ``channels``, the ``gb_per_s_per_channel``, the ``read_ns`` and the ``response_ns`` of a write."""
    return json.loads((results / "manifest.json").read_text(encoding="utf-8")).get("memories", UNRECORDED)


def gb_per_s(results: Path, memory: str) -> float:
    """What copies got of all channels of a memory."""
    found = memories(results)[memory]
    return found["channels"] * min(found["gb_per_s_per_channel"], BEAT_GB_PER_S)
