"""The memories that a board can hold data in, from the one that kernels are fed from to the host's flash.

A board's file has a memory of some kind per tier; a :class:`~sttest.boards.memories.Tier` is what the rest of sttest
knows of one.  Kernels address the
tiers of the card, whose channels are numbered as one row of banks, those of the HBM first.  Data of the others come
over PCIe, so none of them is faster than that.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

from pydantic import SerializeAsAny, ValidationInfo, field_validator, model_validator

from sttest.boards.memories import MemoryKind, Tier, TierName
from sttest.boards.part import BoardPart, Pcie
from sttest.core.errors import InputError, did_you_mean

TIERS: tuple[TierName, ...] = get_args(TierName)
"""All kinds, from the fastest down."""
CARD_TIERS: tuple[TierName, ...] = ("hbm", "ddr")
"""Those that a kernel's ports can be linked to."""


class BoardMemory(BoardPart):
    """Memories outside the die, each of some kind."""

    hbm: SerializeAsAny[MemoryKind] | None = None
    ddr: SerializeAsAny[MemoryKind] | None = None
    host: SerializeAsAny[MemoryKind] | None = None
    flash: SerializeAsAny[MemoryKind] | None = None

    @field_validator(*TIERS, mode="before")
    @classmethod
    def _of_its_kind(cls, value: Any, info: ValidationInfo) -> MemoryKind | None:
        return MemoryKind.of_place(str(info.field_name), value)

    @model_validator(mode="after")
    def _ports_alike(self) -> "BoardMemory":
        """Ports of a kernel are built alike, whichever memory of the card they are linked to."""
        bursts = {(each.burst_bytes, each.outstanding) for name, each in self.tiers.items() if name in CARD_TIERS}
        if len(bursts) > 1:
            raise ValueError("bursts of hbm and ddr differ in max_burst_bytes or outstanding_bursts")
        return self

    @property
    def tiers(self) -> dict[TierName, Tier]:
        """Those that there are, as if nothing were between them and their readers."""
        found: dict[TierName, Tier] = {}
        for name in TIERS:
            memory: MemoryKind | None = getattr(self, name)
            if memory is not None:
                found[name] = memory.tier(name)
        return found


def banks_text(banks: Sequence[int], hbm_banks: int) -> str:
    """Neighboring banks of the card as Vitis writes them.

    >>> banks_text((4, 5), 32), banks_text((33,), 32)
    ('HBM[4:5]', 'DDR[1]')
    """
    name, first = ("HBM", 0) if banks[0] < hbm_banks else ("DDR", hbm_banks)
    low, high = banks[0] - first, banks[-1] - first
    return f"{name}[{low}]" if low == high else f"{name}[{low}:{high}]"


def tier_of(memory: BoardMemory, pcie: Pcie | None, name: str, board: str) -> Tier:
    """A tier of a board.

    Args:
        memory: the board's memories.
        pcie: its link to the host; None where it has none, and then neither has it memory behind one.
        name: name of the tier.
        board: name of the board.

    Raises:
        InputError: no such tier (``unknown-tier``), or the board has none (``board-without-tier``).
    """
    if name not in TIERS:
        raise InputError("unknown-tier", f"unknown memory '{name:.80}'", hints=[did_you_mean(name, TIERS)])
    there = memory.tiers
    if name not in there:
        raise InputError(
            "board-without-tier",
            f"board '{board}' has no {name}",
            where=f"memory.{name}",
            hints=[f"it has {', '.join(there)}", "take a board that has it, such as u280"],
        )
    tier = there[name]
    if name in CARD_TIERS or pcie is None:
        return tier
    link = pcie.host_to_card_gb_per_s.value / tier.channels
    limit = "the link to the host, pcie.host_to_card_gb_per_s"
    return replace(tier, limit_gb_per_s_per_channel=link, limit=limit)
