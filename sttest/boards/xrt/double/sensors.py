"""Sensor readings in the shape that XRT gives them (core/common/sensor.cpp): JSON whose numbers are text.

They are of the board's description, not measured: they are there for the reader of such JSON to be tested on.
"""

from __future__ import annotations

import json

from sttest.boards.xrt.double.card import Card

_TEMPERATURE_C = 40
_RAIL_VOLTS = 12.0


def electrical(card: Card) -> str:
    """Power of the board when idle or, while a kernel runs, under load."""
    power = card.board.power
    watts = (power.load_w if card.flights else power.idle_w).value
    rail = {
        "id": "12v_pex",
        "description": "12 Volts PCI Express",
        "voltage": {"volts": f"{_RAIL_VOLTS:.3f}", "is_present": "true"},
        "current": {"amps": f"{watts / _RAIL_VOLTS:.3f}", "is_present": "true"},
    }
    reading = {
        "power_rails": [rail],
        "power_consumption_max_watts": f"{power.tdp_w.value:g}",
        "power_consumption_watts": f"{watts:.6f}",
        "power_consumption_warning": "false",
    }
    return json.dumps(reading, indent=4)


def thermal() -> str:
    """One temperature, of no meaning."""
    reading = {"location_id": "fpga0", "description": "FPGA", "temp_C": str(_TEMPERATURE_C), "is_present": "true"}
    return json.dumps({"thermals": [reading]}, indent=4)
