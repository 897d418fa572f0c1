"""Lanes of a contraction of integers in DSPs: two products that share a factor in each, sums down the cascade.

Products of a task that multiplies in fabric are in LUTs, one result like the other.

Results that lie next to each other along a parallel loop share the factor that does not move along it.  Two products
of factors of up to 9 bits with a third one of up to 18 bits are one product of a DSP48E2.

Each product of a chain is added a cycle after the one before it.  That of the second waits in the DSP's own registers;
factors of those behind wait here, once for all results that share them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from xdsl.dialects.arith import MuliOp
from xdsl.ir import SSAValue

from sttest.compile.dialects import df
from sttest.compile.rtl.cells import products_part, shortest_products
from sttest.compile.rtl.expressions import Expression, Signal
from sttest.compile.rtl.task_body import TaskBody
from sttest.compile.rtl.tree import Set, Statement, in_loops
from sttest.compile.schedule.cascades import FACTOR_BITS, cascade_length
from sttest.compile.schedule.packed_products import moves_along, source_of

_OTHER_BITS, _FIELD_BITS = 9, 18
"""Widths of the other factors and of the lower of two sums; 27 bits are both of the other factors (AMD UG579)."""
_AT_ONCE = 2
"""Products of a chain whose factors come in the same cycle."""


@dataclass(frozen=True)
class _Products:
    """How the results of a step are put into DSPs."""

    shared: int  # source of the factor that two results share
    other: int  # source of the other one
    bits: tuple[int, int]  # width of the shared factor and of the other one
    groups: tuple[tuple[int, ...], ...]  # results that are one or two to a DSP


def products_of_integers(body: TaskBody, term: SSAValue, cycles: int) -> Expression | None:
    """The sums of the lanes of each result: the array that they are in, None for what is no sum of such products.

    Args:
        body: the module.
        term: products that are summed up.
        cycles: from operands to sums.
    """
    lanes = body.walk.shared
    chain = 0 if body.task.multiplies_in_fabric else max(cascade_length(body.task, lanes), min(lanes, _AT_ONCE))
    found = _products(body, term, max(chain - 1, 0).bit_length())
    if found is None or cycles < shortest_products(lanes, max(chain, 1)):
        return None
    width = sum(found.bits) + (lanes - 1).bit_length()
    summed = body.array("summed", body.results_at_once, width)
    factors = {source: _skewed(body, source, chain) for source in (found.shared, found.other)}
    for number, group in enumerate(found.groups):
        part = products_part(lanes, *found.bits, len(group), cycles, chain)
        shared, *others = (
            factors[source](result)
            for source, result in ((found.shared, group[0]), *((found.other, result) for result in group))
        )
        body.instance(part, f"products{number}", [shared, *others, *(summed[result] for result in group)])
    return summed


def _skewed(body: TaskBody, source: int, chain: int) -> Callable[[int], Expression]:
    """The factors of a source by result, each later by its place in a chain behind the second.

    Args:
        body: the module.
        source: number of the source.
        chain: products in a row.
    """
    lanes, name = body.walk.shared, f"in{source}"
    factors = Signal(f"{name}_lane")
    if chain <= _AT_ONCE:
        return lambda result: factors.part(result * lanes, lanes)
    bits = df.itensor_of(body.task.sources[source]).element_bits
    first = [_first_with_factors(body, source, result) for result in range(body.results_at_once)]
    kept = sorted({*first})
    starts, r, k = body.table(f"{name}_FIRST", kept), Signal("r"), Signal("k")
    skewed = Signal(f"{name}_skewed")
    statements: list[Statement] = []
    for place in range(chain):
        chains = -(-(lanes - place) // chain)
        loops = [("r", len(kept)), ("k", chains)]
        early = factors[starts[r] * lanes + k * chain + place]
        if place >= _AT_ONCE:
            skew = body.array(f"{name}_skew{place}", len(kept) * chains, bits)
            body.always(in_loops(loops, [Set(skew[r * chains + k], early)]))
            early = body.delayed(skew, bits, len(kept) * chains, place - 1, "skew")[r * chains + k]
        statements += in_loops(loops, [Set(skewed[r * lanes + k * chain + place], early)])
    body.array(skewed.name, len(kept) * lanes, bits)
    body.always(statements)
    return lambda result: skewed.part(kept.index(first[result]) * lanes, lanes)


def _first_with_factors(body: TaskBody, source: int, result: int) -> int:
    """The first result that has the same factors of a source."""
    found, stride = 0, 1
    for loop in reversed(body.walk.parallel):
        count = body.walk.lanes[loop]
        found += result // stride % count * stride * moves_along(body.task, source, loop)
        stride *= count
    return found


def _products(body: TaskBody, term: SSAValue, carries: int) -> _Products | None:
    if not isinstance(term.owner, MuliOp):
        return None
    sources = [source_of(factor, body.task) for factor in term.owner.operands]
    if None in sources or sources[0] == sources[1]:
        return None
    pair = [number for number in sources if number is not None]
    bits = {number: df.itensor_of(body.task.sources[number]).element_bits for number in pair}
    for loop in () if body.task.multiplies_in_fabric else reversed(body.walk.parallel):
        moving = [number for number in pair if moves_along(body.task, number, loop)]
        if body.walk.lanes[loop] % 2 or len(moving) != 1:
            continue
        (other,) = moving
        shared = next(number for number in pair if number != other)
        if bits[other] <= _OTHER_BITS and bits[shared] <= FACTOR_BITS and sum(bits.values()) + carries <= _FIELD_BITS:
            return _Products(shared, other, (bits[shared], bits[other]), _pairs(body, loop))
    shared, other = sorted(pair, key=lambda number: bits[number])
    alone = tuple((result,) for result in range(body.results_at_once))
    return _Products(shared, other, (bits[shared], bits[other]), alone) if bits[other] <= FACTOR_BITS else None


def _pairs(body: TaskBody, loop: int) -> tuple[tuple[int, ...], ...]:
    """Results that are neighbors along a loop."""
    inside = body.walk.parallel[body.walk.parallel.index(loop) + 1 :]
    stride = prod(body.walk.lanes[each] for each in inside)
    return tuple((result, result + stride) for result in range(body.results_at_once) if result // stride % 2 == 0)
