"""The kinds of memory of sttest."""

from sttest.core.extensions import Offer

OFFERS = (
    Offer("memories", "hbm", "sttest.boards.memories:Hbm"),
    *(Offer("memories", name, "sttest.boards.memories:LowerMemory") for name in ("ddr", "host", "flash")),
)
