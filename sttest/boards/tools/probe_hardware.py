"""Probes for cards: FPGAs through XRT's own tool, GPUs through NVIDIA's."""

from __future__ import annotations

import re
from collections import Counter

from sttest.boards.tools.ask import printable
from sttest.boards.tools.finding import Finding
from sttest.boards.tools.probe_program import first_answer, trouble

XRT_TOOLS = ("xrt-smi", "xbutil")
"""``xrt-smi`` is the name since XRT 2.18, ``xbutil`` the one before; both print the same two tables."""
_EXAMINE = tuple((tool, "examine") for tool in XRT_TOOLS)
_QUERY_GPUS = (("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"),)
# "[0000:81:00.1]  :  xilinx_u55c_gen3x16_xdma_base_3  …  Yes", with bars instead of blanks since 2.18.
_CARD = re.compile(r"^\W*\[([0-9a-fA-F:.]+)\][\s:|]+([A-Za-z0-9_]+)(.*)$", re.MULTILINE)
_GPU = re.compile(r"^([^,\n]+), (\d+(?:\.\d+)+)\s*$", re.MULTILINE)


def fpga_cards() -> Finding:
    """The cards that XRT sees, and whether they are ready."""
    answer = first_answer(_EXAMINE)
    found = trouble(answer, _EXAMINE)
    if found:
        return found
    cards = [(bdf, shell, "Yes" in re.split(r"[\s|]+", rest)) for bdf, shell, rest in _CARD.findall(answer.text)]
    if cards:
        told = [f"{shell} at {bdf}{'' if ready else ', not ready'}" for bdf, shell, ready in cards]
        any_ready = any(ready for _, _, ready in cards)
        return Finding("ok" if any_ready else "failed", detail=printable("; ".join(told)))
    if "0 devices found" in answer.text:
        return Finding("missing", detail="XRT finds no card")
    return Finding("unreadable", detail=printable(f"{answer.path}: no list of cards in its answer"))


def gpus() -> Finding:
    """The GPUs that NVIDIA's driver sees; the version is the driver's."""
    answer = first_answer(_QUERY_GPUS)
    found = trouble(answer, _QUERY_GPUS)
    if found:
        return found
    cards = _GPU.findall(answer.text)
    if not cards:
        told = printable(answer.text, most=60)
        return Finding("unreadable", detail=printable(f"{answer.path}: no list of GPUs in its answer '{told}'"))
    counted = Counter(name for name, _ in cards)
    return Finding("ok", cards[0][1], printable(", ".join(f"{n} x {name}" for name, n in counted.items())))
