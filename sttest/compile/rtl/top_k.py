"""The top-k engine in SystemVerilog."""

from sttest.compile.rtl import Instance
from sttest.reference.top_k import TopKFormat


def top_k(engine: TopKFormat) -> Instance:
    """The module of an engine with its parameters and what it is made of."""
    parameters = {"LANES": engine.lanes, "ROWS": engine.rows, "BITS": engine.bits}
    return Instance("top_k", parameters, ("memory", "zero_eliminator"))
