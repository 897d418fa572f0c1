"""The top-k engine in SystemVerilog."""

from pathlib import Path

from sttest.compile.rtl import Instance, module_text
from sttest_systems.spatten.top_k import TopKFormat

__depends__ = ("sttest_systems/spatten/*.sv",)

OWN = ("zero_eliminator", "top_k")


class OwnInstance(Instance):
    """A module that lies beside this file, and needs a memory of sttest's library."""

    @property
    def sources(self) -> tuple[tuple[str, str], ...]:
        """File names with their texts, in the order in which they are read."""
        own = ((f"{name}.sv", Path(__file__).with_name(f"{name}.sv").read_text(encoding="utf-8")) for name in OWN)
        return (("memory.sv", module_text("memory")), *own)


def top_k(engine: TopKFormat) -> Instance:
    """The module of an engine with its parameters and what it is made of."""
    return OwnInstance("top_k", {"LANES": engine.lanes, "ROWS": engine.rows, "BITS": engine.bits})
