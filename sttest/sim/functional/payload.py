"""A payload's scalar operations as one function over arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sttest.sim.functional.element_types import Array
from sttest.sim.functional.graph import Payload, ScalarOp
from sttest.sim.functional.scalar_ops import (
    FLOAT_OPS,
    INTEGER_OPS,
    Function,
    compare,
    constant,
    converted,
    integer_op,
)

Evaluate = Callable[[Sequence[Array]], list[Array]]


def compiled(payload: Payload) -> Evaluate:
    """The payload as a function from the arrays of its arguments, which broadcast, to those of its results.

    Raises:
        InputError: a constant that its type does not hold; at the call, a value that an integer does not hold.
    """
    functions: list[tuple[Function, tuple[int, ...]]] = []
    constants: dict[int, Array] = {}
    first = len(payload.arguments)
    for number, op in enumerate(payload.ops, start=first):
        types = [payload.types[operand] for operand in op.operands]
        if op.op == "arith.constant":
            constants[number] = constant(op.value, op.dtype)
        functions.append((_function(op, types), op.operands))

    def evaluate(arguments: Sequence[Array]) -> list[Array]:
        values = list(arguments)
        for number, (function, operands) in enumerate(functions, start=first):
            known = constants.get(number)
            values.append(known if known is not None else function(*(values[operand] for operand in operands)))
        return [values[result] for result in payload.results]

    return evaluate


def _function(op: ScalarOp, types: list[str]) -> Function:
    if op.op in FLOAT_OPS:
        return FLOAT_OPS[op.op]
    if op.op in INTEGER_OPS:
        return integer_op(op.op, op.dtype)
    if op.op == "arith.cmpf":
        return compare(op.predicate)
    if op.op == "arith.select":
        return np.where
    return converted(op.op, types[0], op.dtype) if types else np.array
