"""What a task computes, as a formula over its loops: the comment above its C++."""

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from xdsl.dialects.arith import CmpfOp, ConstantOp
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from sttest.compile.dialects import df
from sttest.compile.hls.value_names import ValueNames, chosen

_INFIX = {
    "arith.addf": "+",
    "arith.addi": "+",
    "arith.subf": "-",
    "arith.subi": "-",
    "arith.mulf": "*",
    "arith.muli": "*",
    "arith.divf": "/",
    "arith.andi": "&",
}
_NAMED = {
    "arith.maximumf": "max",
    "arith.maxsi": "max",
    "arith.minimumf": "min",
    "arith.minsi": "min",
    "math.absf": "abs",
    "math.roundeven": "round",
    "arith.bitcast": "bits",
    "arith.fptosi": "int",
    "arith.trunci": "low",
}
_COMPARED = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 8: "==", 9: ">", 10: ">=", 11: "<", 12: "<=", 13: "!="}
"""Predicates of arith.cmpf by MLIR's numbers, those about NaN alone left out."""
_SILENT = ("arith.extsi", "arith.sitofp", "arith.extf", "arith.truncf")
_MOST_LETTERS = 240


def formula(task: df.TaskOp, values: ValueNames) -> str:
    """The payload over the elements that it works on, conversions left out, with the loops that it sums over.

    Args:
        task: task whose accesses are known.
        values: names of its sources and results.
    """
    names = _loop_names(len(task.trip_counts))
    maps = [access.data for access in task.accesses or ()]
    arity = len(task.sources)
    elements = [
        _element(name, each, names) for name, each in zip((*values.sources, *values.results), maps, strict=False)
    ]
    terms: dict[SSAValue, _Term] = dict(zip(task.payload.block.args, map(_Term, elements), strict=False))
    found: list[str] = []
    for op in task.payload.block.ops:
        if isinstance(op, df.YieldOp):
            found = [terms[value].text for value in op.arguments]
        else:
            terms[op.results[0]] = _term(op, [terms[each] for each in op.operands])
    sums = [names[loop] for loop, kind in enumerate(task.loop_kinds) if kind == "reduction"]
    over = f", for all {', '.join(sums)}" if sums else ""
    text = "; ".join(map(_assigned, elements[arity:], found)) + over
    return text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]} ..."


def _assigned(left: str, right: str) -> str:
    """An assignment, short where it adds."""
    for added in (right.removeprefix(f"{left} + "), right.removesuffix(f" + {left}")):
        if added != right and left not in added:
            return f"{left} += {added}"
    return f"{left} = {right}"


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


@dataclass(frozen=True)
class _Term:
    """A part of a formula."""

    text: str
    binds: int = 3  # how firmly: 3 an element or a call, 2 a product, 1 a sum, 0 a choice

    def at_least(self, binds: int) -> str:
        """The text, in brackets where it binds less."""
        return self.text if self.binds >= binds else f"({self.text})"


def _term(op: Operation, operands: Sequence[_Term]) -> _Term:
    if isinstance(op, ConstantOp):
        return _Term(f"{op.value.value.data:g}" if isinstance(op.value, FloatAttr | IntegerAttr) else str(op.value))
    if op.name in _SILENT:
        return operands[0]
    if op.name in _INFIX:
        sign, (left, right) = _INFIX[op.name], operands
        binds = 1 if sign in "+-" else 2
        return _Term(f"{left.at_least(binds)} {sign} {right.at_least(binds + 1)}", binds)
    if op.name == "arith.negf":
        return _Term(f"-{operands[0].at_least(3)}", 2)
    if which := chosen(op):
        return _Term(f"{which[:3]}({operands[1].text}, {operands[2].text})")
    if op.name == "arith.select":
        return _Term("{} ? {} : {}".format(*(each.at_least(1) for each in operands)), 0)
    if isinstance(op, CmpfOp) and op.predicate.value.data in _COMPARED:
        left, right = (each.at_least(1) for each in operands)
        return _Term(f"{left} {_COMPARED[op.predicate.value.data]} {right}", 0)
    name = op.callee.data if isinstance(op, df.CallOp) else _NAMED.get(op.name, op.name.partition(".")[2])
    return _Term(f"{name}({', '.join(each.text for each in operands)})")
