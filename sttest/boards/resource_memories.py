"""What a memory or a FIFO takes, by kind: the geometry of AMD's blocks and the control that Vitis HLS puts around them.

Nothing here is fitted: block shapes are those of AMD UG573 (block RAM as simple dual
port, UltraRAM) and UG574 (LUTs as memory); the control around a FIFO is read off rows of
the Stream-HLS FPGA'25 reports, named at each constant (docs/resources.md).
"""

from __future__ import annotations

from math import ceil
from typing import Literal, TypeAlias

from sttest.boards.part import URAM_BYTES
from sttest.boards.resources import Resources

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
        kind: of its cells.
        depth: words.
        bits: of a word.
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
