"""The boards of sttest, kinds of machine and kinds of memory."""

from sttest.core.extensions import Offer

_FILES = (
    "a100", "duplex", "kv260", "pim-gpt", "rtx2080ti", "sn40l", "u280", "u55c", "v80", "vhk158", "wse-2",
)  # fmt: skip
BOARDS = (
    *(Offer("boards", name, f"sttest.boards:data/{name}.yaml") for name in _FILES),
    *(Offer("parts", name, f"sttest.boards.board:{name.title()}Board") for name in ("fpga", "gpu")),
    *(Offer("parts", name, f"sttest.boards.systems:{name.title()}Board") for name in ("pim", "mesh", "duplex", "rdu")),
    Offer("memories", "hbm", "sttest.boards.memories:Hbm"),
    *(Offer("memories", name, "sttest.boards.memories:LowerMemory") for name in ("ddr", "host", "flash")),
)
