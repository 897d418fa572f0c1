"""Brings a card back after a kernel that hung: nothing less than a reset frees its compute unit."""

from __future__ import annotations

import re
import shutil

from sttest.boards.tools.ask import ask
from sttest.boards.tools.probe_hardware import XRT_TOOLS

RESET_LIMIT_S = 120.0
_PLACE = re.compile(r"^[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$")


def reset_card(place: str) -> str:
    """Resets a card of this machine; whoever else uses it loses it too.

    Args:
        place: on PCIe, as the card gave it.

    Returns:
        What came of it, in a few words.
    """
    tool = next((name for name in XRT_TOOLS if shutil.which(name)), None)
    if tool is None or not _PLACE.match(place):
        return "not reset: no xrt-smi or xbutil, or no place on PCIe"
    answer = ask((tool, "reset", "--device", place, "--force"), RESET_LIMIT_S)
    if answer.outcome == "answered":
        return f"reset with {tool}"
    return f"not reset: {tool} {answer.trouble}"
