"""What logic takes of an FPGA: the five resources that a design is built of, and how they add up."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from math import ceil, log2
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from sttest.boards.operators import WORD_BITS, Operator
from sttest.boards.part import URAM_BYTES, BoardPart, Budget, BudgetName, Fabric, Slr
from sttest.core.files import read_yaml
from sttest.core.results import Kind
from sttest.core.validation import validated

__depends__ = ("sttest/boards/data/resources.yaml",)

# A CLB of UltraScale+ has 8 LUTs and 16 flip-flops (AMD UG574).  What shells leave is given in LUTs alone, so how many
# flip-flops they take is unknown: as many per LUT as a CLB has is assumed.
FF_PER_LUT = 2


@dataclass(frozen=True)
class Resources:
    """Amounts of programmable logic; halves of a DSP are instances that share one."""

    dsp: float = 0  # DSP slices
    lut: float = 0  # 6-input LUTs, those used as memory included
    ff: float = 0  # flip-flops
    bram18: float = 0  # block memories of 18 Kib
    uram: float = 0  # UltraRAM blocks of 288 Kib

    def __add__(self, other: "Resources") -> "Resources":
        # Spelled out, as searches add up many.
        return Resources(
            self.dsp + other.dsp,
            self.lut + other.lut,
            self.ff + other.ff,
            self.bram18 + other.bram18,
            self.uram + other.uram,
        )

    def __mul__(self, factor: float) -> "Resources":
        return Resources(
            self.dsp * factor, self.lut * factor, self.ff * factor, self.bram18 * factor, self.uram * factor
        )

    def __iter__(self) -> Iterator[float]:
        # astuple would copy every number, and searches add up many.
        return iter((self.dsp, self.lut, self.ff, self.bram18, self.uram))

    def shares_of(self, budget: "Resources") -> "Resources":
        """Each amount over that of ``budget``; infinite where there is none of what is asked for."""
        return Resources(
            share_of(self.dsp, budget.dsp),
            share_of(self.lut, budget.lut),
            share_of(self.ff, budget.ff),
            share_of(self.bram18, budget.bram18),
            share_of(self.uram, budget.uram),
        )

    @property
    def largest(self) -> float:
        """The largest of the five amounts: of shares, the resource that runs out first."""
        return max(self)


KINDS = tuple(field.name for field in fields(Resources))
"""Names of the resources, in the order in which they are reported."""


def total(parts: Iterable[Resources]) -> Resources:
    """The sum of all parts; nothing at all is zero."""
    return sum(parts, start=Resources())


def most(parts: Iterable[Resources]) -> Resources:
    """The largest amount of each kind."""
    return Resources(*map(max, zip(Resources(), *parts, strict=True)))


def slr_capacity(slr: Slr) -> Resources:
    """What an SLR has for kernels, the shell taken off and no margin kept."""
    lut = slr.lut.count
    return Resources(slr.dsp.count, lut, FF_PER_LUT * lut, slr.bram18.count, slr.uram.count)


def hbm_switch(fabric: Fabric, ports: int) -> Resources:
    """What the switch in front of the HBM takes of the SLR there.

    Args:
        fabric: logic of the board.
        ports: pseudo-channels in use, each behind a 512-bit port.
    """
    return Resources(lut=fabric.hbm_port_lut.value, ff=fabric.hbm_port_ff.value) * ports


def slr_budgets(fabric: Fabric, name: BudgetName, ports: int) -> tuple[Resources, ...]:
    """What a design may fill of each SLR: a share of what the shell and the HBM switch leave.

    Args:
        fabric: logic of the board.
        name: one of its budgets.
        ports: pseudo-channels in use.
    """
    budget: Budget = getattr(fabric.budgets, name)
    switch = hbm_switch(fabric, ports) * budget.hbm_switch.value
    left = (
        _without(slr_capacity(slr), switch) if number == fabric.hbm_slr.count else slr_capacity(slr)
        for number, slr in enumerate(fabric.slrs)
    )
    shares = Resources(*(getattr(budget, kind).value for kind in KINDS))
    return tuple(_part(each, shares) for each in left)


def process_bound(fabric: Fabric, name: BudgetName) -> Resources:
    """What one process may take: the budget's share of the least of each resource that an SLR has."""
    share = getattr(fabric.budgets, name).process.value
    return Resources(*map(min, zip(*map(slr_capacity, fabric.slrs), strict=True))) * share


def _without(amounts: Resources, taken: Resources) -> Resources:
    return Resources(*(max(0.0, had - gone) for had, gone in zip(amounts, taken, strict=True)))


def _part(amounts: Resources, shares: Resources) -> Resources:
    return Resources(*(amount * share for amount, share in zip(amounts, shares, strict=True)))


def share_of(amount: float, bound: float) -> float:
    """One amount over that of a budget; infinite where there is none of what is asked for."""
    if amount == 0:
        return 0.0
    return amount / bound if bound else float("inf")


# --- What a pipelined loop takes: its operators, and what Vitis HLS wraps around them


RESOURCES_FILE = Path(__file__).parent / "data" / "resources.yaml"
TERMS = ("stages", "ports", "shared_ports", "shared_operators", "shared_accesses", "counter_bits")
"""What the fitted coefficients stand before, in the order of :meth:`Pipeline.terms`."""


class Overhead(BoardPart):
    """Fitted coefficients of one resource, per unit of each term."""

    stages: Annotated[float, Field(ge=0)]
    ports: Annotated[float, Field(ge=0)]
    shared_ports: Annotated[float, Field(ge=0)]
    shared_operators: Annotated[float, Field(ge=0)]
    shared_accesses: Annotated[float, Field(ge=0)]
    counter_bits: Annotated[float, Field(ge=0)]
    source: str
    kind: Kind

    def of(self, terms: tuple[float, ...]) -> float:
        """The sum of terms, each with its coefficient."""
        return sum(getattr(self, name) * term for name, term in zip(TERMS, terms, strict=True))


class Adapter(BoardPart):
    """An AXI master adapter of Vitis HLS with its buffers, by the width of its port."""

    lut: Annotated[int, Field(ge=0)]
    ff: Annotated[int, Field(ge=0)]
    bram18: Annotated[int, Field(ge=0)]
    source: str
    kind: Kind

    @property
    def resources(self) -> Resources:
        """The amounts as :class:`Resources`, which add up."""
        return Resources(lut=self.lut, ff=self.ff, bram18=self.bram18)


class DecoderLogic(BoardPart):
    """What takes the code of a group of elements apart."""

    lut: Annotated[int, Field(ge=0)]
    source: str
    kind: Kind


class ResourceModel(BoardPart):
    """The parts of the resource model that are numbers (``data/resources.yaml``)."""

    lut: Overhead
    ff: Overhead
    whole_operators: tuple[str, ...]
    adapters: Mapping[int, Adapter]
    decoders: Mapping[str, DecoderLogic]

    def adapter(self, port_bits: int) -> Resources:
        """The adapter of a port: the narrowest one that is known and wide enough, or the widest."""
        known = sorted(self.adapters)
        return self.adapters[next((bits for bits in known if bits >= port_bits), known[-1])].resources


@dataclass(frozen=True)
class PipelineLogic:
    """A pipelined loop as the resource model sees it."""

    # instances of the library's operators by name, after sharing
    operators: Mapping[str, float] = field(default_factory=dict)
    ports: int = 0  # FIFOs that the loop reads or writes
    trip: int = 1  # iterations of the flattened loop
    interval: int = 1  # cycles between iterations for which operators are shared
    shared_operators: float = 0  # operations of an iteration beyond the instances that carry them out
    accesses: float = 0  # accesses of arrays per iteration; charged where the interval is above 1

    def terms(self, library: Mapping[str, Operator], whole: tuple[str, ...]) -> tuple[float, ...]:
        """What the coefficients multiply; operators in ``whole`` were reported with their surroundings."""
        stages = sum(_words(library[name]) * count for name, count in self.operators.items() if name not in whole)
        shared = self.interval > 1
        return (
            stages,
            self.ports,
            self.ports * shared,
            self.shared_operators * shared,
            self.accesses * shared,
            log2(max(self.trip, 2)),
        )


def _words(operator: Operator) -> float:
    """Stages, counted in words of those that the model was fitted on."""
    return operator.stages * operator.bits / WORD_BITS


def operator_resources(operators: Mapping[str, float], library: Mapping[str, Operator]) -> Resources:
    """The operators alone."""
    areas = [(library[name].area, count) for name, count in operators.items()]
    return Resources(
        sum(area.dsp * count for area, count in areas),
        sum(area.lut * count for area, count in areas),
        sum(area.ff * count for area, count in areas),
    )


def pipeline_resources(pipeline: PipelineLogic, library: Mapping[str, Operator]) -> Resources:
    """A pipelined loop without its arrays and FIFOs."""
    model = load_resource_model()
    terms = pipeline.terms(library, model.whole_operators)
    return operator_resources(pipeline.operators, library) + Resources(lut=model.lut.of(terms), ff=model.ff.of(terms))


@cache
def load_resource_model(path: Path = RESOURCES_FILE) -> ResourceModel:
    """The shipped numbers.

    Raises:
        InputError: the file does not hold them.
    """
    return validated(ResourceModel, read_yaml(path), str(path))


# --- What a memory or a FIFO takes, by kind: the geometry of AMD's blocks and the control that Vitis HLS puts around t


MemoryKind: TypeAlias = Literal["register", "srl", "lutram", "bram", "uram"]

BRAM18_BITS = 18 * 1024
URAM_BITS = URAM_BYTES * 8
SRL_DEPTH = 32
LUTRAM_DEPTH = 64
LUTRAM_MAX_WORDS = 128
"""Vitis HLS keeps arrays and FIFOs up to here in LUTs (125 words) and takes a block from there on (160 words)."""

# Words by bits per word of one block; parity bits hold data where words are 9 bits or wider.
_BRAM18_SHAPES = ((512, 36), (1024, 18), (2048, 9), (4096, 4), (8192, 2), (16384, 1))
_URAM_SHAPE = (4096, 72)

# Full flag, empty flag and pointers of a shift register: 32-bit FIFO of 25 words, 8 FF and 50 LUT.
_SRL_CONTROL = Resources(ff=8, lut=18)
# Output and bypass words are registers; pointers and flags: 32-bit FIFO of 1024 words, 95 FF and 78 LUT.
_BLOCK_CONTROL = Resources(ff=31, lut=46)
# The same around LUT memory, with its write enables: 32-bit FIFO of 125 words, 121 FF and 179 LUT.
_LUTRAM_CONTROL = Resources(ff=57, lut=83)


def memory_resources(kind: MemoryKind, depth: int, bits: int) -> Resources:
    """An addressable memory with one write and one read port.

    Args:
        kind: kind of its cells.
        depth: words.
        bits: width of a word, bits.
    """
    if kind == "register":
        return Resources(ff=depth * bits)
    if kind == "srl":
        return Resources(lut=bits * ceil(depth / SRL_DEPTH))
    if kind == "lutram":
        return Resources(lut=bits * ceil(depth / LUTRAM_DEPTH) + 1, ff=bits)
    if kind == "bram":
        return Resources(bram18=bram18_blocks(depth, bits))
    return Resources(uram=ceil(depth / _URAM_SHAPE[0]) * ceil(bits / _URAM_SHAPE[1]))


def bram18_blocks(depth: int, bits: int) -> int:
    """The fewest 18 Kib blocks that hold ``depth`` words of ``bits`` bits, all of one shape."""
    return min(ceil(depth / words) * ceil(bits / width) for words, width in _BRAM18_SHAPES)


def fifo_resources(kind: MemoryKind, depth: int, bits: int) -> Resources:
    """A FIFO: its memory, its control and the word that is shown ahead."""
    cells = memory_resources(kind, depth, bits)
    if kind == "register":
        return cells + Resources(ff=4, lut=bits + _SRL_CONTROL.lut)
    if kind == "srl":
        return cells + _SRL_CONTROL
    if kind == "lutram":
        # The output register is the memory's own; the bypass word is another.
        return cells + _LUTRAM_CONTROL + Resources(lut=bits, ff=bits)
    return cells + _BLOCK_CONTROL + Resources(lut=bits, ff=2 * bits)


def capacity_bits(kind: MemoryKind, cells: Resources, depth: int, bits: int) -> int:
    """Bits that the cells of a memory could hold in that kind, used or not."""
    if kind == "register":
        return depth * bits
    if kind == "srl":
        return round(cells.lut) * SRL_DEPTH
    if kind == "lutram":
        return bits * ceil(depth / LUTRAM_DEPTH) * LUTRAM_DEPTH
    if kind == "bram":
        return round(cells.bram18) * BRAM18_BITS
    return round(cells.uram) * URAM_BITS
