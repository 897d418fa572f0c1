"""Three ways to say what a run cost, which must never be mixed in one ratio."""

from __future__ import annotations

from typing import Literal

from sttest.boards.board import FpgaBoard, GpuBoard
from sttest.boards.energy import Energy
from sttest.errors import InputError

Rule = Literal["tdp", "drawn", "net"]
RULES: dict[Rule, str] = {
    "tdp": "power limit of the data sheet times time",
    "drawn": "what the board draws, modelled for the FPGA, read for GPUs",
    "net": "what it draws above its idle power",
}


def fpga_joules(board: FpgaBoard, used: Energy, rule: Rule) -> float:
    """Joules of a modelled run under a rule."""
    if rule == "tdp":
        return board.power.tdp_w.value * used.seconds
    return used.total_j if rule == "drawn" else used.net_j


def gpu_watts(board: GpuBoard, rule: Rule) -> float:
    """Power that a rule charges a GPU of which only published readings are at hand.

    Raises:
        InputError: no reading of this board is published.
    """
    if rule == "tdp":
        return board.tdp_w.value
    if board.load_w is None or board.idle_w is None:
        raise InputError(
            "no-power-reading", f"no reading of '{board.name}' under load is published", where=f"rule '{rule}'",
            levers=["take the rule 'tdp'"],
        )  # fmt: skip
    return board.load_w.value - (board.idle_w.value if rule == "net" else 0.0)
