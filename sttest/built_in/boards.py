"""The boards of sttest."""

from sttest.core.extensions import Offer

_FILES = (
    "a100",
    "duplex",
    "f2",
    "kv260",
    "pim-gpt",
    "rtx2080ti",
    "sn40l",
    "u280",
    "u50",
    "u55c",
    "v80",
    "vck5000",
    "vhk158",
    "wse-2",
)
OFFERS = tuple(Offer("boards", name, f"sttest.boards:data/{name}.yaml") for name in _FILES)
