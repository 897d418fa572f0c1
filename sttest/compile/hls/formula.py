"""What a task computes, as a formula over its loops: the comment above its C++."""

from string import ascii_lowercase

from xdsl.dialects.arith import CmpfOp, ConstantOp
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from sttest.compile.dialects import df

_INFIX = {
    "arith.addf": "+", "arith.addi": "+", "arith.subf": "-", "arith.subi": "-", "arith.mulf": "*", "arith.muli": "*",
    "arith.divf": "/",
}  # fmt: skip
_NAMED = {
    "arith.maximumf": "max", "arith.maxsi": "max", "arith.minimumf": "min", "arith.minsi": "min",
    "math.absf": "abs", "math.roundeven": "round", "math.powf": "pow", "arith.bitcast": "bits",
    "arith.fptosi": "int", "arith.trunci": "low",
}  # fmt: skip
_COMPARED = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 8: "==", 9: ">", 10: ">=", 11: "<", 12: "<=", 13: "!="}
"""Predicates of arith.cmpf by MLIR's numbers, those about NaN alone left out."""
_SILENT = ("arith.extsi", "arith.sitofp", "arith.extf", "arith.truncf")
_MOST_LETTERS = 240


def formula(task: df.TaskOp) -> str:
    """The payload over the elements that it works on, conversions left out, with the loops that it sums over.

    Args:
        task: task whose accesses are known.
    """
    names = _loop_names(len(task.trip_counts))
    maps = [access.data for access in task.accesses or ()]
    arity = len(task.sources)
    elements = [_element(f"in{number}", each, names) for number, each in enumerate(maps[:arity])]
    elements += [_element(f"out{number}", each, names) for number, each in enumerate(maps[arity:])]
    values: dict[SSAValue, str] = dict(zip(task.payload.block.args, elements, strict=False))
    found: list[str] = []
    for op in task.payload.block.ops:
        if isinstance(op, df.YieldOp):
            found = [_bare(values[value]) for value in op.arguments]
        else:
            values[op.results[0]] = _text(op, values)
    sums = [names[loop] for loop, kind in enumerate(task.loop_kinds) if kind == "reduction"]
    over = f", for all {', '.join(sums)}" if sums else ""
    text = "; ".join(f"{left} = {right}" for left, right in zip(elements[arity:], found, strict=False)) + over
    return text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]} ..."


def _loop_names(count: int) -> list[str]:
    return [ascii_lowercase[(8 + loop) % 26] for loop in range(count)]


def _element(array: str, access: AffineMap, names: list[str]) -> str:
    """An element by loops: each data dim is a sum of them."""
    zero = access.eval((0,) * access.num_dims, ())
    units = [tuple(int(dim == unit) for dim in range(access.num_dims)) for unit in range(access.num_dims)]
    columns = [access.eval(unit, ()) for unit in units]
    index: list[str] = []
    for dim, start in enumerate(zero):
        factors = [(names[loop], column[dim] - start) for loop, column in enumerate(columns)]
        index.append(" + ".join(name if factor == 1 else f"{factor} {name}" for name, factor in factors if factor))
    shown = [each for each in index if each]
    return f"{array}[{', '.join(shown)}]" if shown else array


def _text(op: Operation, values: dict[SSAValue, str]) -> str:
    operands = [values[each] for each in op.operands]
    if isinstance(op, ConstantOp):
        return f"{op.value.value.data:g}" if isinstance(op.value, FloatAttr | IntegerAttr) else str(op.value)
    if op.name in _SILENT:
        return operands[0]
    if op.name in _INFIX:
        return f"({f' {_INFIX[op.name]} '.join(operands)})"
    if op.name == "arith.negf":
        return f"(-{operands[0]})"
    if op.name == "arith.select":
        return "({} ? {} : {})".format(*operands)
    if isinstance(op, CmpfOp) and op.predicate.value.data in _COMPARED:
        return f"({f' {_COMPARED[op.predicate.value.data]} '.join(operands)})"
    name = _NAMED.get(op.name, op.name.partition(".")[2])
    return f"{name}({', '.join(map(_bare, operands))})"


def _bare(text: str) -> str:
    """A text without brackets around all of it."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and place < len(text) - 1:
            return text
    return text[1:-1] if text.startswith("(") else text
