"""Lanes of a contraction of integers in DSPs: two products that share a factor in each, sums down the cascade.

Results that lie next to each other along a parallel loop share the factor that does not move along it.  Two products
of factors of up to 9 bits with a third one of up to 18 bits are one product of a DSP48E2.
"""

from dataclasses import dataclass
from math import prod

from xdsl.dialects.arith import MuliOp
from xdsl.ir import SSAValue

from sttest.compile.dialects import df
from sttest.compile.rtl.cells import products_part, shortest_products
from sttest.compile.rtl.task_body import TaskBody
from sttest.compile.schedule.packed_products import moves_along, source_of

_OTHER_BITS, _SHARED_BITS, _FIELD_BITS = 9, 18, 18
"""Widths of factors and of the lower of two products; 27 bits are both of the other factors (AMD UG579)."""


@dataclass(frozen=True)
class _Products:
    """How the results of a step are put into DSPs."""

    shared: int  # source of the factor that two results share
    other: int  # source of the other one
    bits: tuple[int, int]  # width of the shared factor and of the other one
    groups: tuple[tuple[int, ...], ...]  # results that are one or two to a DSP


def products_in_dsps(body: TaskBody, term: SSAValue, cycles: int) -> str | None:
    """The sums of the lanes of each result: the array that they are in, None for what is not made of DSPs.

    Args:
        body: the module.
        term: what is summed up.
        cycles: from operands to sums.
    """
    lanes = body.walk.shared
    found = _products(body, term)
    if found is None or cycles < shortest_products(lanes) or body.task.multiplies_in_fabric:
        return None
    width = sum(found.bits) + (lanes - 1).bit_length()
    body.array("summed", body.results_at_once, width)
    for number, group in enumerate(found.groups):
        part = products_part(lanes, *found.bits, len(group), cycles)
        shared, *others = (
            f"in{source}_lane[{result * lanes} +: {lanes}]"
            for source, result in ((found.shared, group[0]), *((found.other, result) for result in group))
        )
        wires = [shared, *others, *(f"summed[{result}]" for result in group)]
        body.instance(part, [part.instance(f"products{number}", wires)])
    return "summed"


def _products(body: TaskBody, term: SSAValue) -> _Products | None:
    if not isinstance(term.owner, MuliOp):
        return None
    sources = [source_of(factor, body.task) for factor in term.owner.operands]
    if None in sources or sources[0] == sources[1]:
        return None
    pair = [number for number in sources if number is not None]
    bits = {number: df.itensor_of(body.task.sources[number]).element_bits for number in pair}
    for loop in reversed(body.walk.parallel):
        moving = [number for number in pair if moves_along(body.task, number, loop)]
        if body.walk.lanes[loop] % 2 or len(moving) != 1:
            continue
        (other,) = moving
        shared = next(number for number in pair if number != other)
        if bits[other] <= _OTHER_BITS and bits[shared] <= _SHARED_BITS and sum(bits.values()) < _FIELD_BITS:
            return _Products(shared, other, (bits[shared], bits[other]), _pairs(body, loop))
    shared, other = sorted(pair, key=lambda number: bits[number])
    alone = tuple((result,) for result in range(body.results_at_once))
    return _Products(shared, other, (bits[shared], bits[other]), alone) if bits[other] <= _SHARED_BITS else None


def _pairs(body: TaskBody, loop: int) -> tuple[tuple[int, ...], ...]:
    """Results that are neighbors along a loop."""
    inside = body.walk.parallel[body.walk.parallel.index(loop) + 1 :]
    stride = prod(body.walk.lanes[each] for each in inside)
    return tuple((result, result + stride) for result in range(body.results_at_once) if result // stride % 2 == 0)
