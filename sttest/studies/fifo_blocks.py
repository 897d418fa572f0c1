"""Block memories that a FIFO takes on an AMD device."""

from sttest.boards.resources import bram18_blocks
from sttest.sim.graph import srl_depth


def fifo_blocks(depth: int, bits: int, impl: str) -> int:
    """Block memories of 18 Kib; what the LUTs hold, as shift registers, takes none.

    Args:
        depth: tokens.
        bits: width of a token.
        impl: ``srl`` takes none, ``ram`` always some, ``auto`` from the depth on at which no shift register is made.
    """
    if impl == "srl" or (impl == "auto" and depth <= srl_depth(bits)):
        return 0
    return bram18_blocks(depth, bits)
