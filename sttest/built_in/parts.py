"""The kinds of machine of sttest."""

from sttest.core.extensions import Offer

OFFERS = (
    *(Offer("parts", name, f"sttest.boards.board:{name.title()}Board") for name in ("fpga", "gpu")),
    *(Offer("parts", name, f"sttest.boards.systems:{name.title()}Board") for name in ("pim", "mesh", "duplex", "rdu")),
)
