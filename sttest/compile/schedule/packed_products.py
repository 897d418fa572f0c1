"""Two products of a narrow and a wide integer in one DSP, where neighboring lanes share a factor (AMD WP486).

A DSP48E2 multiplies 27 by 18 bits.  Two factors, far enough apart in one word, times a third are two products; the
upper one lacks 1 where the lower one is negative.
"""

from dataclasses import dataclass

from xdsl.dialects.arith import ExtSIOp, MuliOp
from xdsl.ir import BlockArgument, SSAValue

from sttest.compile.assumptions import NARROW_WEIGHT_BITS
from sttest.compile.dialects import df
from sttest.compile.schedule.reductions import lane_factors

PACKED = "_packed"
"""What the name of a multiply-accumulate operator ends in that shares its DSP with another."""
_WIDE, _NARROW = 27, 18
"""Bits of the two factors that a DSP48E2 multiplies, signs included (AMD UG579)."""


@dataclass(frozen=True)
class PackedProducts:
    """The products of neighboring lanes that share a DSP."""

    product: MuliOp  # the product of the payload
    loop: int  # the loop along which neighboring lanes are a pair
    shared: int  # number of the source whose element both lanes of a pair multiply
    other: int  # number of the source that gives two elements
    bits: int  # bits of a product


def packed_products(task: df.TaskOp, lanes: int) -> PackedProducts | None:
    """The pairs among so many lanes, None where no neighbors share a factor or the products are not so narrow."""
    if task.accesses is None or task.multiplies_in_fabric:
        return None
    products = [op for op in task.payload.block.ops if isinstance(op, MuliOp)]
    factors = [source_of(operand, task) for op in products for operand in op.operands]
    if len(products) != 1 or None in factors or factors[0] == factors[1]:
        return None
    pair = [number for number in factors if number is not None]
    widths = {number: df.itensor_of(task.sources[number]).element_bits for number in pair}
    bits = sum(widths.values())
    if min(widths.values()) > NARROW_WEIGHT_BITS:
        return None
    spread = lane_factors(task, lanes)
    for loop in reversed(range(len(spread))):
        moving = [number for number in pair if moves_along(task, number, loop)]
        if spread[loop] % 2 or task.loop_kinds[loop] != "parallel" or len(moving) != 1:
            continue
        (other,) = moving
        shared = next(number for number in pair if number != other)
        if bits + widths[other] < _WIDE and widths[shared] <= _NARROW:
            return PackedProducts(products[0], loop, shared, other, bits)
    return None


def source_of(factor: SSAValue, task: df.TaskOp) -> int | None:
    """The number of the source whose element a factor is, sign-extended or not."""
    while isinstance(factor.owner, ExtSIOp):
        factor = factor.owner.operands[0]
    return factor.index if isinstance(factor, BlockArgument) and factor.index < len(task.sources) else None


def moves_along(task: df.TaskOp, source: int, loop: int) -> bool:
    """Whether the elements of a source change along a loop."""
    assert task.accesses is not None
    access = list(task.accesses)[source].data
    unit = [int(dim == loop) for dim in range(access.num_dims)]
    return access.eval(unit, ()) != access.eval([0] * access.num_dims, ())
