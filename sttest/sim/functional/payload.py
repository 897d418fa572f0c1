"""A payload's scalar operations as one function over arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sttest.errors import InputError, did_you_mean
from sttest.sim.functional.element_types import BITS, Array, is_integer
from sttest.sim.functional.graph import Payload, ScalarOp
from sttest.sim.functional.scalar_ops import (
    ARITY,
    FLOAT_OPS,
    INTEGER_OPS,
    Function,
    compare,
    constant,
    converted,
    integer_op,
)

Evaluate = Callable[[Sequence[Array]], list[Array]]
_FLOATS = ("f16", "f32")


def compiled(payload: Payload, where: str) -> Evaluate:
    """The payload as a function from the arrays of its arguments, which broadcast, to those of its results.

    Args:
        payload: any.
        where: of errors.

    Raises:
        InputError: an operation that docs/values.md does not have, or types that it does not take; at the call,
            an integer that overflows.
    """
    functions: list[tuple[Function, tuple[int, ...]]] = []
    constants: dict[int, Array] = {}
    first = len(payload.arguments)
    for number, op in enumerate(payload.ops, start=first):
        types = [payload.types[operand] for operand in op.operands]
        _check(op, types, where)
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


def reads(payload: Payload, argument: int) -> bool:
    """Whether the payload depends on one of its arguments."""
    return argument in payload.results or any(argument in op.operands for op in payload.ops)


def _function(op: ScalarOp, types: list[str]) -> Function:
    if op.op in FLOAT_OPS:
        return FLOAT_OPS[op.op]
    if op.op in INTEGER_OPS:
        return integer_op(op.op, op.dtype)
    if op.op == "arith.cmpf":
        found = compare(op.predicate)
        assert found is not None
        return found
    if op.op == "arith.select":
        return np.where
    return converted(op.op, types[0], op.dtype) if types else np.array


def _check(op: ScalarOp, types: list[str], where: str) -> None:
    if op.op not in ARITY:
        levers = [did_you_mean(op.op, ARITY)]
        raise InputError("unsupported-op", f"there is no operation '{op.op:.80}'", where=where, levers=levers)
    if len(types) != ARITY[op.op] or not _fits(op, types):
        found = f"({', '.join(types)}) -> {op.dtype}"
        predicate = f" {op.predicate:.40}" if op.predicate else ""
        raise InputError("unsupported-op", f"{op.op}{predicate} of {found} has no defined value", where=where)


def _fits(op: ScalarOp, types: list[str]) -> bool:
    result = op.dtype
    if op.op in FLOAT_OPS:
        return all(dtype == "f32" for dtype in (*types, result))
    if op.op in INTEGER_OPS:
        return is_integer(result) and all(dtype == result for dtype in types)
    if op.op == "arith.cmpf":
        return types == ["f32", "f32"] and result == "i1" and compare(op.predicate) is not None
    if op.op == "arith.select":
        return types == ["i1", result, result]
    if op.op == "arith.constant":
        return True
    return _converts(op.op, types[0], result)


def _converts(name: str, source: str, target: str) -> bool:
    integers = is_integer(source), is_integer(target)
    if name == "arith.sitofp":
        return integers[0] and target == "f32"
    if name == "arith.fptosi":
        return integers[1] and source == "f32"
    if name in ("arith.extsi", "arith.trunci"):
        wider = BITS[target] > BITS[source]
        return all(integers) and BITS[target] != BITS[source] and wider == (name == "arith.extsi")
    return (source, target) == (_FLOATS if name == "arith.extf" else _FLOATS[::-1])
