"""Finds the simulators of SystemVerilog that may be installed."""

from __future__ import annotations

import shutil

from sttest.errors import InputError, ToolMissingError, did_you_mean

SIMULATORS = {"verilator": ("verilator", "make", "g++"), "icarus": ("iverilog", "vvp")}
"""The programs that each simulator needs."""

INSTALL = {"verilator": "apt-get install verilator make g++", "icarus": "apt-get install iverilog"}
"""How they come onto a Debian or Ubuntu machine."""


def find_simulator(name: str) -> None:
    """Makes sure that a simulator can be run.

    Raises:
        InputError: there is no such simulator.
        ToolMissingError: one of its programs is not installed; names the command that installs it.
    """
    if name not in SIMULATORS:
        raise InputError("unknown-simulator", f"no simulator '{name}'", levers=[did_you_mean(name, SIMULATORS)])
    missing = [program for program in SIMULATORS[name] if shutil.which(program) is None]
    if missing:
        other = next(other for other in SIMULATORS if other != name)
        raise ToolMissingError(
            "no-simulator", f"{' and '.join(missing)} not found", where=f"--simulator {name}",
            levers=[f"install with '{INSTALL[name]}'", f"use --simulator {other}"],
        )  # fmt: skip
