"""A task's scalar payload as C++: one statement per operation, rounded one by one (docs/reference/values.md)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isinf, isnan
from operator import attrgetter

import numpy as np
from xdsl.dialects.arith import AddfOp, AddiOp, CmpfOp, ConstantOp, MuliOp
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from sttest.compile.dialects import df
from sttest.compile.hls.helpers import Helpers
from sttest.compile.hls.tree import Variable
from sttest.compile.hls.types import F16, F32, I1, I32, Element, element_of
from sttest.compile.ir.names import unique
from sttest.compile.schedule.conversions import is_inside_saturation, saturation_of
from sttest.compile.schedule.reductions import Reduction
from sttest.core.errors import InputError

# Predicates of arith.cmpf in MLIR's order of numbers.  `o` is false and `u` true where one side is NaN.
_COMPARISONS = (
    "false",
    "{a} == {b}",
    "{a} > {b}",
    "{a} >= {b}",
    "{a} < {b}",
    "{a} <= {b}",
    "{a} < {b} || {a} > {b}",
    "{a} == {a} && {b} == {b}",
    "!({a} < {b} || {a} > {b})",
    "!({a} <= {b})",
    "!({a} < {b})",
    "!({a} >= {b})",
    "!({a} > {b})",
    "{a} != {b}",
    "{a} != {a} || {b} != {b}",
    "true",
)


@dataclass(frozen=True)
class _Rule:
    """How an operation is written.

    ``name`` is that of the temporary, ``text`` the expression over ``{0}``, ``{1}`` … (operands) and ``{to}`` (the
    result's type), ``takes`` and ``gives`` the types it is defined for, ``helper`` the function that it calls.
    """

    name: str
    text: str
    takes: Callable[[Element], bool]
    gives: Callable[[Element], bool]
    helper: str | None = None


_f32, _f16, _truth, _integer = F32.__eq__, F16.__eq__, I1.__eq__, attrgetter("is_integer")


def _math(name: str, function: str) -> _Rule:
    return _Rule(name, f"hls::{function}({{0}})", _f32, _f32)


_RULES: Mapping[str, _Rule] = {
    "arith.addf": _Rule("sum", "{0} + {1}", _f32, _f32),
    "arith.subf": _Rule("difference", "{0} - {1}", _f32, _f32),
    "arith.mulf": _Rule("product", "{0} * {1}", _f32, _f32),
    "arith.divf": _Rule("quotient", "{0} / {1}", _f32, _f32),
    "arith.negf": _Rule("negated", "-{0}", _f32, _f32),
    "arith.maximumf": _Rule("maximum", "larger({0}, {1})", _f32, _f32, "larger"),
    "arith.minimumf": _Rule("minimum", "smaller({0}, {1})", _f32, _f32, "smaller"),
    "math.absf": _math("magnitude", "fabs"),
    # The tool's rint rounds in the mode that C starts with: halves to even.
    "math.roundeven": _math("nearest", "rint"),
    "math.exp": _Rule("exponential", "exp_f32({0})", _f32, _f32, "exp_f32"),
    "math.tanh": _Rule("tangent", "tanh_f32({0})", _f32, _f32, "tanh_f32"),
    "math.sqrt": _math("root", "sqrt"),
    "math.rsqrt": _Rule("inverse_root", "rsqrt_f32({0})", _f32, _f32, "rsqrt_f32"),
    "arith.addi": _Rule("sum", "{0} + {1}", _integer, _integer),
    "arith.andi": _Rule("masked", "{0} & {1}", _integer, _integer),
    "arith.subi": _Rule("difference", "{0} - {1}", _integer, _integer),
    "arith.maxsi": _Rule("maximum", "{0} < {1} ? {1} : {0}", _integer, _integer),
    "arith.minsi": _Rule("minimum", "{1} < {0} ? {1} : {0}", _integer, _integer),
    "arith.extsi": _Rule("wide", "{0}", _integer, _integer),
    "arith.trunci": _Rule("low", "{to}({0})", _integer, _integer),
    "arith.sitofp": _Rule("number", "static_cast<float>({0}.to_int())", _integer, _f32),
    "arith.fptosi": _Rule("integer", "{to}(static_cast<int>({0}))", _f32, _integer),
    "arith.extf": _Rule("wide", "static_cast<float>({0})", _f16, _f32),
    "arith.truncf": _Rule("narrow", "half({0})", _f32, _f16),
}


# A truth value is an integer of one bit whose sign bit it is.
_TRUTH_RULES: Mapping[str, _Rule] = {
    "arith.extsi": _Rule("wide", "{to}({0} ? -1 : 0)", _truth, _integer),
    "arith.sitofp": _Rule("number", "{0} ? -1.0f : 0.0f", _truth, _f32),
}


# The same 32 bits read as another type, by that which they have.
_BITS_RULES: Mapping[Element, _Rule] = {
    F32: _Rule("bits", "{to}(static_cast<int>(bits_of_float({0})))", _f32, _integer, "bits_of_float"),
    I32: _Rule("number", "float_of_bits({0}.to_uint())", _integer, _f32, "float_of_bits"),
}


class PayloadCode:
    """The statements of a payload for one point, given what its arguments are there."""

    def __init__(
        self,
        block: Block,
        arguments: Sequence[str],
        helpers: Helpers,
        where: str,
        reduction: Reduction | None = None,
        taken: Collection[str] = (),
        known: Mapping[SSAValue, str] | None = None,
        *,
        in_luts: bool = False,
    ) -> None:
        """Writes the statements.

        Args:
            block: the payload.
            arguments: texts of its arguments.
            helpers: functions that it calls.
            where: name of the task.
            reduction: the reduction whose terms it makes.
            taken: names that no temporary may have.
            known: texts of values that are computed elsewhere.
            in_luts: whether products of integers are made of LUTs, not in DSPs.
        """
        self._product = "lut_product" if in_luts else "dsp_product"
        # What joins terms in another order than one behind the other is left out: the result is the term.
        self.join = None if reduction is None or reduction.order == "chain" else reduction.join
        term = None if reduction is None else reduction.term
        self.temporaries: list[Variable] = []
        self.results: list[str] = []
        self.helpers = helpers
        self._where = where
        known = known or {}
        self._values: dict[SSAValue, str] = {**dict(zip(block.args, arguments, strict=True)), **known}
        removed = _only_for(block, known)
        self.needless = {value for value in block.args if all(use.operation in removed for use in value.uses)}
        self._taken = {*arguments, *taken}
        for op in block.ops:
            if op is self.join and term is not None:
                self._values[op.results[0]] = self._values[term]
            elif isinstance(op, df.YieldOp):
                self.results = [self._values[value] for value in op.arguments]
            elif isinstance(op, ConstantOp):
                literal = constant(op.value, self._element(op.result.type))
                self._values[op.result] = f"({literal})" if literal.startswith("-") else literal
            elif op not in removed and not is_inside_saturation(op):
                self._add(op)

    @property
    def sums(self) -> bool:
        """Whether terms are joined by addition."""
        return isinstance(self.join, AddfOp | AddiOp)

    def joined(self, left: str, right: str) -> str:
        """Two terms of the reduction joined, an expression."""
        assert self.join is not None
        return self._expression(self.join, (left, right))[1]

    def _add(self, op: Operation) -> None:
        saturated = saturation_of(op)
        if saturated is not None:
            # Only integers round and clamp: float comparisons and additions would be as many operators again.
            to, called = self._element(op.results[0].type).c_type, self.helpers.call("rounded")
            bounds = f"{saturated.low}, {saturated.high}"
            name, expression = "integer", f"{to}({called}({self._values[saturated.value]}, {bounds}))"
        else:
            name, expression = self._expression(op, [self._values[operand] for operand in op.operands])
        element = self._element(op.results[0].type)
        variable = unique(name, self._taken)
        self.temporaries.append(Variable(element.payload_type, variable, expression, constant=True))
        self._values[op.results[0]] = variable

    def _expression(self, op: Operation, operands: Sequence[str]) -> tuple[str, str]:
        types = [self._element(operand.type) for operand in op.operands]
        if isinstance(op, df.CallOp):
            return "own", f"{op.callee.data}({', '.join(operands)})"
        if isinstance(op, CmpfOp) and types[0] == F32:
            return "holds", _COMPARISONS[op.predicate.value.data].format(a=operands[0], b=operands[1])
        if op.name == "arith.select":
            return "chosen", "{} ? {} : {}".format(*operands)
        if isinstance(op, MuliOp) and all(map(_integer, types)):
            return "product", f"{self.helpers.call(self._product)}({', '.join(operands)})"
        rule = _rule(op, types)
        to = self._element(op.results[0].type) if op.results else None
        if rule is None or to is None or not rule.gives(to) or not all(map(rule.takes, types)):
            shown = ", ".join(element.tag for element in types)
            raise InputError(
                "no-cpp-operation",
                f"'{op.name}' of ({shown}) is not in docs/reference/values.md",
                where=self._where,
                hints=["rewrite it with the operations that are listed there"],
            )
        if rule.helper is not None:
            self.helpers.call(rule.helper)
        return rule.name, rule.text.format(*operands, to=to.c_type)

    def _element(self, dtype: Attribute) -> Element:
        return element_of(dtype, self._where)


def _only_for(block: Block, known: Collection[SSAValue]) -> set[Operation]:
    """Operations whose results are known, and those that nothing else needs."""
    found: set[Operation] = set()
    for op in reversed(list(block.ops)):
        uses = [use.operation for result in op.results for use in result.uses]
        if any(result in known for result in op.results) or (uses and all(use in found for use in uses)):
            found.add(op)
    return found


def _rule(op: Operation, types: Sequence[Element]) -> _Rule | None:
    if op.name == "arith.bitcast":
        return _BITS_RULES.get(types[0])
    return (_TRUTH_RULES if I1 in types else _RULES).get(op.name)


def constant(value: Attribute, element: Element) -> str:
    """A literal of exactly that value.

    Raises:
        InputError: neither a float nor an integer.
    """
    if isinstance(value, FloatAttr):
        literal = float_literal(value.value.data)
        return f"half({literal})" if element == F16 else literal
    if isinstance(value, IntegerAttr):
        number = value.value.data
        return ("true" if number else "false") if element.bits == 1 else f"{element.c_type}({number})"
    raise InputError("no-cpp-constant", f"no literal for {value}", where="payload")


def float_literal(number: float) -> str:
    """The shortest decimal literal that reads back as the binary32 number.

    >>> float_literal(1.0), float_literal(0.1), float_literal(-1e-5)
    ('1.0f', '0.1f', '-1e-05f')
    """
    single = np.float32(number)
    if isnan(single):
        return "NAN"
    if isinf(single):
        return "-INFINITY" if single < 0 else "INFINITY"
    text = np.format_float_scientific(single, trim="-") if not 1e-4 <= abs(single) < 1e7 and single else str(single)
    return f"{text}f"
