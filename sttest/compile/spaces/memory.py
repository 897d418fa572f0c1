"""Which kind of memory every FIFO and buffer is: shift registers, LUT memory, block RAM or UltraRAM.

StreamTensor (arXiv 2509.13694, section on resource allocation) chooses by size.  Ours
fills the board evenly: of all assignments it looks for the least sum of sixth powers of shares
that logic and memories take of the board's resources, so that what is scarce is spared.
A wide and shallow memory lands in LUTs, a deep and narrow one in blocks, a large one in
UltraRAM where its words are wide enough to fill it; and where logic has taken the LUTs,
more go into blocks.  Memories are decided in turn, largest first, each against all
others, until none changes: no single change makes the sum smaller.  Where the memories of a
process would take more than one process may, another kind is taken if that takes less.

Two things are settled before: which FIFOs are shift registers, because the timed graph
reads those a cycle sooner, and LUT memory ends where Vitis HLS ends it.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import sub
from typing import Literal, TypeAlias

from sttest.boards.resources import (
    LUTRAM_MAX_WORDS,
    MemoryKind,
    Resources,
    capacity_bits,
    fifo_resources,
    memory_resources,
    share_of,
)
from sttest.compile.assumptions import FULLEST_POWER, LEAST_GAIN
from sttest.core.errors import InputError

Role: TypeAlias = Literal["fifo", "converter", "tile"]
_BLOCKS: tuple[MemoryKind, ...] = ("bram", "uram")


@dataclass(frozen=True)
class MemoryFacts:
    """A memory to be placed."""

    name: str  # name of the FIFO or buffer
    owner: str  # process whose SLR it lies in
    role: Role  # ``fifo`` with its control, or an addressed memory
    depth: int  # words per bank
    bits: int  # width of a word, bits
    banks: int = 1  # equal memories that are addressed by themselves
    shift_register: bool = False  # the timed graph reads the FIFO as one

    @property
    def used_bits(self) -> int:
        """Bits that hold data."""
        return self.depth * self.bits * self.banks


@dataclass(frozen=True)
class MemoryChoice:
    """A memory with its kind."""

    facts: MemoryFacts  # the memory that was asked for
    kind: MemoryKind  # chosen kind of memory
    resources: Resources  # resources of all banks, control included
    capacity_bits: int  # capacity of the cells taken, bits

    @property
    def waste(self) -> float:
        """The share of the capacity that holds nothing: words narrower than a block, fewer words than it has."""
        return 1 - self.facts.used_bits / self.capacity_bits


def choose_memories(
    memories: Sequence[MemoryFacts], board: Resources, logic: Resources | None = None, most: Resources | None = None
) -> tuple[MemoryChoice, ...]:
    """The kind of every memory, in the order given.

    Args:
        memories: memories of a design.
        board: resources that the board has for kernels.
        logic: resources of the design without its memories.
        most: bound on the memories of one process, as far as other kinds can help it.

    Raises:
        InputError: a memory without words or bits.
    """
    for facts in memories:
        if min(facts.depth, facts.bits, facts.banks) < 1:
            raise InputError("empty-memory", "a memory of no bits", where=facts.name, hints=["give it a word of 1 bit"])
    options = [[choice_of(facts, kind) for kind in _candidates(facts)] for facts in memories]
    chosen: list[MemoryChoice | None] = [None] * len(options)
    bound, most_of_one = tuple(board), None if most is None else tuple(most)
    used, of_owner = tuple(logic or Resources()), defaultdict[str, _Amounts](lambda: tuple(Resources()))
    least = unevenness(used, bound)
    largest_first = sorted(range(len(options)), key=lambda number: -memories[number].used_bits)
    changed = True
    while changed:
        changed = False
        for number in largest_first:
            now, owner = chosen[number], memories[number].owner
            others, beside = (_without(amounts, now) for amounts in (used, of_owner[owner]))
            allowed = _within(options[number], beside, most_of_one)
            after = [unevenness(_plus(others, choice.resources), bound) for choice in allowed]
            best = allowed[after.index(min(after))]
            if now is None or now not in allowed or min(after) < least - LEAST_GAIN:
                chosen[number], used, changed = best, _plus(others, best.resources), True
                of_owner[owner] = _plus(beside, best.resources)
                least = unevenness(used, bound)
    return tuple(choice for choice in chosen if choice is not None)


_Amounts: TypeAlias = tuple[float, ...]
"""The five amounts of :class:`Resources`: one after the other, they are added up and compared thousands of times."""


def _plus(amounts: _Amounts, resources: Resources) -> _Amounts:
    dsp, lut, ff, bram18, uram = amounts
    return (
        dsp + resources.dsp,
        lut + resources.lut,
        ff + resources.ff,
        bram18 + resources.bram18,
        uram + resources.uram,
    )


def _without(amounts: _Amounts, choice: MemoryChoice | None) -> _Amounts:
    if choice is None:
        return amounts
    return tuple(map(sub, amounts, choice.resources))


def _within(choices: list[MemoryChoice], beside: _Amounts, most: _Amounts | None) -> list[MemoryChoice]:
    """The choices with which a process takes no more than ``most``, beside its other memories; all if none does."""
    if most is None:
        return choices
    return [each for each in choices if all(map(_is_within, _plus(beside, each.resources), most))] or choices


def _is_within(amount: float, bound: float) -> bool:
    return share_of(amount, bound) <= 1


def unevenness(used: Iterable[float], board: Iterable[float]) -> float:
    """The sum of sixth powers of shares of a board's resources: the fullest counts most, by far."""
    return sum(share_of(amount, bound) ** FULLEST_POWER for amount, bound in zip(used, board, strict=True))


def _candidates(facts: MemoryFacts) -> tuple[MemoryKind, ...]:
    if facts.role == "fifo" and facts.shift_register:
        return ("srl",)
    if facts.role != "fifo" and facts.depth == 1:
        return ("register",)
    return ("lutram", *_BLOCKS) if facts.depth <= LUTRAM_MAX_WORDS else _BLOCKS


def choice_of(facts: MemoryFacts, kind: MemoryKind) -> MemoryChoice:
    """A memory in a kind that is given."""
    cost = fifo_resources if facts.role == "fifo" else memory_resources
    cells = memory_resources(kind, facts.depth, facts.bits)
    capacity = capacity_bits(kind, cells, facts.depth, facts.bits)
    return MemoryChoice(facts, kind, cost(kind, facts.depth, facts.bits) * facts.banks, capacity * facts.banks)
