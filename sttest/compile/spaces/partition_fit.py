"""What no assignment can mend: a design, or what is pinned to an SLR, that asks for more than there is."""

from __future__ import annotations

from collections.abc import Sequence

from sttest.boards.resources import KINDS, Resources, total
from sttest.compile.spaces.partition_facts import Die, ProcessFacts, WireFacts
from sttest.errors import DoesNotFitError, InputError, did_you_mean

UNITS = {"dsp": "DSP slices", "lut": "LUTs", "ff": "flip-flops", "bram18": "BRAM18 blocks", "uram": "URAM blocks"}
_FEWER_LANES = "lower --overall-unroll"
_SMALLER_BUFFERS = ("lower --tile", "take a shorter context or prompt")
LEVERS = {
    "dsp": (
        _FEWER_LANES,
        "multiply integers of some tasks in LUTs (--fabric)",
        "take a scheme with narrower weights (--precision w4a8)",
    ),
    "lut": (_FEWER_LANES, "lower --vector-bits"),
    "ff": (_FEWER_LANES, "lower --vector-bits"),
    "bram18": _SMALLER_BUFFERS,
    "uram": _SMALLER_BUFFERS,
}


def refuse_overfull(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> None:
    """Checks names, then the design against the die, then what is pinned to an SLR against that SLR.

    Raises:
        InputError: a FIFO's end is no process, or a pinned SLR is not there.
        DoesNotFitError: ``board-resources`` or ``slr-resources``, for the resource that is short by most.
    """
    _refuse_unknown(processes, wires, die)
    refuse_beyond(total(p.resources for p in processes), total(die.budgets), "board-resources", "all SLRs together")
    for slr, budget in enumerate(die.budgets):
        pinned = total(process.resources for process in processes if process.pinned == slr)
        refuse_beyond(pinned, budget, "slr-resources", f"SLR{slr}, pinned processes")


def refuse_beyond(demand: Resources, bound: Resources, code: str, where: str) -> None:
    """Refuses a demand of which some resource has too little.

    Raises:
        DoesNotFitError: for the resource with the largest share.
    """
    shares = demand.shares_of(bound)
    if shares.largest <= 1:
        return
    kind = max(KINDS, key=lambda name: getattr(shares, name))
    asked, offered = round(getattr(demand, kind), 1), round(getattr(bound, kind), 1)
    raise DoesNotFitError(
        code, f"more {UNITS[kind]} than the budget", where=where, demand=asked, bound=offered, unit=UNITS[kind],
        levers=[*LEVERS[kind], "take a larger board"],
    )  # fmt: skip


def _refuse_unknown(processes: Sequence[ProcessFacts], wires: Sequence[WireFacts], die: Die) -> None:
    names = {process.name for process in processes}
    if len(names) < len(processes):
        raise InputError("duplicate-name", "two processes have one name", where="partition")
    for wire in wires:
        for end in (wire.source, wire.target):
            if end not in names:
                raise InputError(
                    "unknown-process", f"no process '{end}'", where=wire.fifo, levers=[did_you_mean(end, names)]
                )
    for process in processes:
        if process.pinned is not None and not 0 <= process.pinned < len(die.budgets):
            raise InputError("no-such-slr", f"there is no SLR{process.pinned}", where=process.name)
