"""What the compiler assumes where neither a board's data sheet nor the published method gives a number.

Each constant says its unit and its kind: ``assumed`` (chosen here, with the reason), or the source that it follows.
Facts about FIFOs and processes are in `sttest.sim.graph`, those about a board in its file under ``sttest/boards/data``.
"""

from sttest.boards.resources import SRL_DEPTH

# --- Loops and tiles


SHORT_EXTENT = 4
"""Points.  Loops this short (the 2x2 rotations of RoPE) are stepped through, not tiled.  Assumed."""
MAX_ROWS = 16
"""Rows of tokens that one tile has room for.  Assumed: more would hold weights longer than they take to load."""
ADDER_STAGES = 4
"""Cycles of a fabric floating-point adder, and so the sums that keep it busy (docs/how-it-works/cost-model.md)."""
LONGEST_SUM = 128
"""Points of a sum that count for the width of a product where the weights have no groups.  Assumed: a group's."""
NARROW_WEIGHT_BITS = 4
"""Bits of the widest weight of the narrow multiply-accumulate, ``mac_w4a8`` (docs/hardware/resources.md)."""

# --- Memory channels


DEFAULT_PORT_BITS = 512
"""Bits of a beat where no DMA says another width: the widest AXI port of Vitis HLS (AMD UG1399)."""
SMALL_SHARE = 0.25
"""Share of an even load below which a DMA is not worth an AXI port of its own.  Assumed."""
SELDOM_SHARE = 1 / 8
"""Share of an even load below which a DMA of parameters, which are read ahead, moves little; and of what its port could
carry while its task is at work.  Assumed."""
SELDOM_BURSTS = 4
"""Bursts of one turn that a DMA which moves little has asked for, one by one, long before they are used.  Assumed."""
WORTH_SHARING = 0.8
"""Share of the cycles below which all DMAs share all channels.  Each slice costs a DMA of its own, and small DMAs wait
for large ones.  Assumed."""

# --- FIFOs and memories


STORED_TOKENS = {"dma": 1, "gather": 1, "converter": SRL_DEPTH}
"""Tokens that the FIFO of a process holds at least, by category, where the process has storage of its own.  Assumed: a
shift register of so many words costs what one word does."""
MOST_DEPTH_ROUNDS = 8
"""Rounds of simulation and sizing: a depth that changes a FIFO's kind changes times.  Assumed: few settle it."""
CREDITED_WEIGHT = 1e6
"""Bits per cycle that a credited stream counts for: it cannot wait, each token is a block of a buffer.  Assumed."""
FULLEST_POWER = 6
"""Exponent of shares in the choice of memory blocks.  Assumed: of squares, a resource at 30 % still counts half as much
per cell as one at 60 %, and the fullest runs out."""
LEAST_GAIN = 1e-12
"""Gain of a change below which the choice of memory blocks ends.  Assumed: below rounding."""

# --- Pipelines that are written out


MOST_ENGINE_LOOPS = 16_384
"""Loops of an engine that drains between passes, written out pass by pass.  Assumed: longer ones run slowly."""
MOST_DRAINS = 512
"""Drains of an engine's tasks together in one layer.  Assumed."""

# --- Die partition


NODE_LIMIT = 2000
"""Nodes of the branch-and-bound tree.  Assumed: an effort that does not depend on the machine's speed."""
PARTITION_GAP = 0.02
"""Relative distance from the best assignment at which the solver stops.  Assumed."""
SHARE_TOLERANCE = 1e-6
"""Share of a budget that rounding may add.  Assumed: the feasibility tolerance of HiGHS."""
RELAY_CHOICES = 4
"""Choices of SLRs, of which each but the first keeps room for the relays of those before.  Assumed."""
REGISTERS_PER_BOUNDARY = 2
"""Registers of a FIFO at an SLR boundary, one on either side (AMD UG949, SLR crossing registers)."""
