"""Which operations a payload may have, and what element types each takes (the table of docs/values.md)."""

from __future__ import annotations

from collections.abc import Sequence

from sttest.errors import InputError, did_you_mean
from sttest.sim.functional.element_types import BITS, is_integer

_FLOAT_BINARY = (
    "arith.addf",
    "arith.subf",
    "arith.mulf",
    "arith.divf",
    "arith.maximumf",
    "arith.minimumf",
    "math.powf",
)
_FLOAT_UNARY = (
    "arith.negf", "math.absf", "math.roundeven", "math.exp", "math.tanh", "math.sqrt", "math.rsqrt", "math.sin",
    "math.cos", "math.log", "math.erf",
)  # fmt: skip
_INTEGER = ("arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.minsi")
_CONVERSIONS = (
    "arith.extsi",
    "arith.trunci",
    "arith.sitofp",
    "arith.fptosi",
    "arith.extf",
    "arith.truncf",
    "arith.bitcast",
)
_PREDICATES = {"false", "true", "ord", "uno"} | {f"{o}{r}" for o in "ou" for r in ("eq", "gt", "ge", "lt", "le", "ne")}
_ARITY: dict[str, int] = {
    **dict.fromkeys((*_FLOAT_BINARY, *_INTEGER, "arith.cmpf"), 2), **dict.fromkeys((*_FLOAT_UNARY, *_CONVERSIONS), 1),
    "arith.select": 3, "arith.constant": 0,
}  # fmt: skip


def check_op(name: str, operands: Sequence[str], result: str, predicate: str = "") -> None:
    """Refuses what docs/values.md does not have.

    Args:
        name: of the operation.
        operands: element types.
        result: element type.
        predicate: of a comparison.

    Raises:
        InputError: an unknown operation, or types that it does not take.
    """
    if name not in _ARITY:
        levers = [did_you_mean(name, _ARITY)]
        raise InputError("unsupported-op", f"{name:.80} has no defined value", where="payload", levers=levers)
    if len(operands) != _ARITY[name] or not _fits(name, list(operands), result, predicate):
        shown = f"{name} {predicate:.40}".rstrip()
        what = f"{shown} of ({', '.join(operands)}) -> {result} has no defined value"
        raise InputError("unsupported-op", what, where="payload")


def _fits(name: str, operands: list[str], result: str, predicate: str) -> bool:
    if name in (*_FLOAT_BINARY, *_FLOAT_UNARY):
        return {*operands, result} == {"f32"}
    if name in _INTEGER:
        return is_integer(result) and {*operands} == {result}
    if name == "arith.cmpf":
        return operands == ["f32", "f32"] and result == "i1" and predicate in _PREDICATES
    if name == "arith.select":
        return operands == ["i1", result, result]
    return name == "arith.constant" or _converts(name, operands[0], result)


def _converts(name: str, source: str, target: str) -> bool:
    if name == "arith.sitofp":
        return is_integer(source) and target == "f32"
    if name == "arith.fptosi":
        return is_integer(target) and source == "f32"
    if name == "arith.extf":
        return (source, target) == ("f16", "f32")
    if name == "arith.truncf":
        return (source, target) == ("f32", "f16")
    if name == "arith.bitcast":
        return {source, target} == {"f32", "i32"}
    integers = is_integer(source) and is_integer(target)
    return integers and (BITS[target] > BITS[source] if name == "arith.extsi" else BITS[target] < BITS[source])
