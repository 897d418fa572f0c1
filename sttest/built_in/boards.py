"""The boards of sttest."""

from sttest.core.extensions import Offer

_TARGETS = ("f2", "kv260", "u280", "u50", "u55c", "v80", "vck5000", "vhk158")
_OPPONENTS = ("a100", "duplex", "pim-gpt", "rtx2080ti", "sn40l", "wse-2")
_FILES = sorted((*_TARGETS, *_OPPONENTS))
OFFERS = tuple(Offer("boards", name, f"sttest.boards:data/{name}.yaml") for name in _FILES)
