"""Runs a folder of emitted SystemVerilog under Verilator or Icarus Verilog."""

from sttest.boards.backends.rtl.drive import run_folder
from sttest.boards.backends.rtl.run import Blocked, RtlRun, Violation
from sttest.boards.backends.rtl.simulators import INSTALL, SIMULATORS, find_simulator

__all__ = ["INSTALL", "SIMULATORS", "Blocked", "RtlRun", "Violation", "find_simulator", "run_folder"]
