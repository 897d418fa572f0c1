"""Synthesizable SystemVerilog: the modules that every design is made of."""

from importlib.resources import files

FIFO_MODULES = {"srl": "fifo_srl", "lutram": "fifo_ram", "bram": "fifo_ram", "uram": "fifo_ram"}
"""The module of a FIFO by the kind of its memory; a register of any other kind of memory has the law of a RAM."""
STYLES = {"lutram": "distributed", "bram": "block", "uram": "ultra", "register": "registers"}
"""The attribute ``ram_style`` of each kind of memory."""


def module_text(name: str) -> str:
    """The text of a module that designs are made of, such as ``fifo_srl``."""
    return files(__name__).joinpath("hdl", f"{name}.sv").read_text(encoding="utf-8")
