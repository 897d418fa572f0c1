"""Settings that begin with ``board``: another board, or one quantity of it by its dotted path."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from experiments.whatif.study import Value
from sttest.boards.board import FpgaBoard
from sttest.boards.load import board_names, load_board, require_hbm
from sttest.boards.validation import validated
from sttest.errors import InputError, did_you_mean

BOARD = "board."
DEFAULT_BOARD = "u55c"
BANDWIDTH = f"{BOARD}hbm.bandwidth"
CHANNELS = f"{BOARD}hbm.channels"
_HBM = "memory.hbm."
Changes = list[tuple[str, Value]]


def board_of(settings: Mapping[str, Value], folder: Path) -> FpgaBoard:
    """The board of a point: ``board`` names it, ``board.<path>`` changes a quantity of it.

    Two paths are shorthands.  ``board.hbm.channels``: pseudo-channels, each with its AXI port, none faster than
    before.  ``board.hbm.bandwidth``: GB/s of all channels at their peak; what is sustained keeps its share of that,
    and ports get the clock that they need.

    Raises:
        InputError: no such board, no such path, or a value that the quantity cannot have.
    """
    base = _base(_place(settings, folder))
    changes = [(key.removeprefix(BOARD), value) for key, value in settings.items() if key.startswith(BOARD)]
    # Channels first: a bandwidth is shared out over them.
    for path, value in sorted(changes, key=lambda change: f"{BOARD}{change[0]}" != CHANNELS):
        data = base.model_dump(mode="json", exclude_none=True)
        for target, new in _spelled_out(path, value, base):
            _set(data, target, new)
        base = validated(FpgaBoard, data, f"study: {BOARD}{path}")
    return base


@cache
def _base(name_or_path: str) -> FpgaBoard:
    """A study has many points on few boards: each file is read once."""
    return require_hbm(load_board(name_or_path))


def unit_of(key: str, board: FpgaBoard) -> str:
    """Unit of a setting ``board.<path>``."""
    if key == BANDWIDTH:
        return "GB/s"
    if key == CHANNELS:
        return "count"
    return str(_quantity(board.model_dump(mode="json"), key.removeprefix(BOARD))["unit"])


def _place(settings: Mapping[str, Value], folder: Path) -> str:
    name = str(settings["board"].value) if "board" in settings else DEFAULT_BOARD
    return name if name in board_names() or not name.endswith((".yaml", ".yml")) else str(folder / name)


def _spelled_out(path: str, value: Value, board: FpgaBoard) -> Changes:
    if f"{BOARD}{path}" == CHANNELS:
        return [(f"{_HBM}pseudo_channels", value), (f"{_HBM}axi_ports", value)]
    if f"{BOARD}{path}" != BANDWIDTH:
        return [(path, value)]
    hbm, total = board.hbm, _number(path, value)
    peak = total / hbm.pseudo_channels.count
    sustained = peak * hbm.sustained_gb_per_s_per_channel.value / hbm.peak_gb_per_s_per_channel.value
    port_mhz = max(hbm.axi_port_mhz.value, hbm.axi_port_mhz.value * peak / hbm.axi_port_gb_per_s)
    numbers = {
        "peak_gb_per_s_per_channel": peak, "sustained_gb_per_s_per_channel": sustained, "axi_port_mhz": port_mhz,
    }  # fmt: skip
    return [(f"{_HBM}{name}", value.model_copy(update={"value": number})) for name, number in numbers.items()]


def _number(path: str, value: Value) -> float:
    if isinstance(value.value, str):
        raise InputError("bad-value", f"'{value.value}' is not a number", where=f"study: {BOARD}{path}")
    return float(value.value)


def _set(data: dict[str, Any], path: str, value: Value) -> None:
    quantity = _quantity(data, path)
    before = f"{quantity['value']:g} {quantity['unit']} ({quantity['source']})"
    source = value.source or f"what-if; before: {before}"
    quantity.update(value=_number(path, value), source=source, kind=value.kind)


def _quantity(data: Any, path: str) -> dict[str, Any]:
    """The quantity at a dotted path; steps into lists are numbers."""
    for step in path.split("."):
        known = [str(number) for number in range(len(data))] if isinstance(data, list) else list(data)
        if step not in known or not isinstance(data, dict | list):
            levers = [did_you_mean(step, [*known, "hbm.bandwidth", "hbm.channels"])]
            raise InputError("unknown-key", f"unknown key '{step}'", where=f"study: {BOARD}{path}", levers=levers)
        data = data[int(step)] if isinstance(data, list) else data[step]
        if not isinstance(data, dict | list):
            break
    if not isinstance(data, dict) or "unit" not in data:
        levers = ["name a quantity, see 'sttest board'"]
        raise InputError("not-a-quantity", "leads to no quantity", where=f"study: {BOARD}{path}", levers=levers)
    return data
