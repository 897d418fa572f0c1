"""Which memory of the card every argument of a kernel is in, as the option ``tiers`` says."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from xdsl.dialects import func
from xdsl.ir import SSAValue

from sttest.boards.board import FpgaBoard
from sttest.boards.tiers import CARD_TIERS, TIERS, TierName
from sttest.compile.dialects import df
from sttest.compile.ir.names import argument_names
from sttest.core.errors import InputError, did_you_mean

_WHERE = "tiers (--tier)"


def tiers_of_arguments(kernel: df.KernelOp, entries: Sequence[str], board: FpgaBoard) -> dict[SSAValue, TierName]:
    """The memory of the arguments that an entry names, by their values inside of the kernel; the last entry holds.

    Args:
        kernel: kernel of a function whose arguments have names.
        entries: ``pattern:tier``; patterns as of a shell.
        board: the board that the kernel is for.

    Raises:
        InputError: a pattern that no argument has, or a memory that the board does not have or kernels cannot read.
    """
    function = kernel.parent_op()
    if not entries or not isinstance(function, func.FuncOp):
        return {}
    names = argument_names(function)
    found: dict[SSAValue, TierName] = {}
    for entry in entries:
        pattern, _, given = entry.rpartition(":")
        tier = _card_tier(given, board)
        named = [value for value, name in names.items() if fnmatchcase(name, pattern)]
        if not named:
            raise InputError(
                "unknown-argument",
                f"no argument is called '{pattern:.80}'",
                where=_WHERE,
                hints=[did_you_mean(pattern, names.values())],
            )
        found |= dict.fromkeys(named, tier)
    pairs = zip(kernel.inputs, kernel.body.block.args, strict=True)
    return {inner: found[outer] for outer, inner in pairs if outer in found}


def by_tier(
    ports: Mapping[str, Sequence[df.DmaOp]], tiers: Mapping[SSAValue, TierName]
) -> dict[TierName, dict[str, Sequence[df.DmaOp]]]:
    """The ports of each memory, those of the HBM first; results go to the HBM.

    Args:
        ports: DMAs behind each port.
        tiers: memory per argument; the HBM has the others.

    Raises:
        InputError: DMAs of one port read from several memories.
    """
    found: dict[TierName, dict[str, Sequence[df.DmaOp]]] = {name: {} for name in CARD_TIERS}
    for port, dmas in ports.items():
        used: set[TierName] = {"hbm" if dma.writes else tiers.get(dma.sources[0], "hbm") for dma in dmas}
        if len(used) > 1:
            raise InputError(
                "tiers-of-a-queue",
                f"loads that take turns at one port would read from {' and '.join(sorted(used))}",
                where=f"{_WHERE}, port '{port}'",
                hints=["give some a unit of their own with --own-unit", "put all weights into one memory"],
            )
        found[used.pop()][port] = dmas
    return {name: group for name, group in found.items() if group}


def _card_tier(name: str, board: FpgaBoard) -> TierName:
    """A memory that kernels of the board can read."""
    if name in TIERS and name not in CARD_TIERS:
        raise InputError(
            "tier-not-on-card",
            f"a kernel's ports do not reach '{name}'",
            where=_WHERE,
            hints=[f"take {' or '.join(CARD_TIERS)}, and bring data there first"],
        )
    return board.tier(name).name
