"""Products of integers that are summed down the cascade of DSPs (AMD UG579).

A DSP48E2 adds its product to what its neighbor gave in the cycle before: a chain of so many products takes a cycle more
for each, and no adder in LUTs.  Chains of one result are joined by a tree.
"""

from xdsl.dialects.arith import AddiOp, MuliOp

from sttest.compile.dialects import df
from sttest.compile.schedule.packed_products import source_of
from sttest.compile.schedule.reductions import reduction_of

CASCADED = "_cascaded"
"""What the name of a multiply-accumulate operator ends in whose adder is that of its DSP."""
FACTOR_BITS = 18
"""Width of the narrower factor that a DSP48E2 multiplies, sign included: neither of two may be wider."""


def can_cascade(task: df.TaskOp) -> bool:
    """Whether a task does nothing but sum products of two sources that a DSP multiplies."""
    reduction = reduction_of(task)
    if task.multiplies_in_fabric or reduction is None or not isinstance(reduction.join, AddiOp):
        return False
    if reduction.term is None or not isinstance(reduction.term.owner, MuliOp):
        return False
    sources = [source_of(factor, task) for factor in reduction.term.owner.operands]
    if None in sources or sources[0] == sources[1]:
        return False
    widths = [df.itensor_of(task.sources[number]).element_bits for number in sources if number is not None]
    return max(widths) <= FACTOR_BITS


def cascade_length(task: df.TaskOp, shared: int) -> int:
    """DSPs of a result in a row, 1 where the schedule asks for no cascade.

    Args:
        task: task.
        shared: lanes that work on one result.
    """
    return 1 if task.cascade is None else min(task.cascade.value.data, shared)
