"""A part of a payload as a function with the operators of the simulator: a behavioral model, not for synthesis."""

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from sttest.compile.dialects import df
from sttest.compile.own_kernels import SYSTEMVERILOG, kept_texts
from sttest.compile.rtl.payload import bits_of, constant_bits
from sttest.core.errors import InputError

_UNARY = {
    "math.exp": "fp_exp",
    "math.tanh": "fp_tanh",
    "math.sqrt": "fp_sqrt",
    "math.rsqrt": "fp_rsqrt",
    "math.roundeven": "fp_round",
    "arith.extf": "fp_extend",
    "arith.truncf": "fp_truncate",
}
_BINARY = {
    "arith.addf": "fp_add",
    "arith.subf": "fp_sub",
    "arith.mulf": "fp_mul",
    "arith.divf": "fp_div",
    "arith.maximumf": "fp_max",
    "arith.minimumf": "fp_min",
}


def payload_function(
    name: str,
    ops: Sequence[Operation],
    inputs: Sequence[SSAValue],
    outputs: Sequence[SSAValue],
    where: str,
    known: Mapping[SSAValue, int] | None = None,
) -> str:
    """A function of a point's values, whose results lie in its result one behind the other, the first one lowest.

    Args:
        name: name of the function.
        ops: operations, in order.
        inputs: values that are its arguments.
        outputs: values that are wanted.
        where: name of the task, for messages.
        known: bits of values that are constants.
    """
    width = sum(bits_of(value, where) for value in outputs)
    arguments = ", ".join(f"input logic [{bits_of(value, where) - 1}:0] i{n}" for n, value in enumerate(inputs))
    names = {value: f"i{n}" for n, value in enumerate(inputs)}
    for value, number in (known or {}).items():
        names[value] = _bits(number, bits_of(value, where))
    declared, lines = [], []
    own: dict[str, None] = {}
    for op in ops:
        if isinstance(op, df.CallOp):
            own[_own_function(op, where)] = None
        (result,) = op.results
        value = names[result] = f"v{len(names)}"
        declared.append(f"  logic [{bits_of(result, where) - 1}:0] {value};\n")
        lines.append(f"  {value} = {_expression(op, [names.get(each, '?') for each in op.operands], where)};\n")
    given = ", ".join(names[value] for value in reversed(outputs))
    return "".join(own) + (
        f"function automatic logic [{width - 1}:0] {name}({arguments});\n{''.join(declared)}{''.join(lines)}"
        f"  return {{{given}}};\nendfunction\n"
    )


def _own_function(op: df.CallOp, where: str) -> str:
    """The text that defines an own kernel."""
    callee = op.callee.data
    texts = kept_texts(op, SYSTEMVERILOG)
    if callee not in texts:
        raise InputError(
            "no-rtl",
            f"the own kernel '{callee}' has no SystemVerilog",
            where=where,
            hints=["give its systemverilog in the file of kernels", "emulate it with --backend csim"],
        )
    return f"{texts[callee].rstrip()}\n"


def _bits(number: int, bits: int) -> str:
    return f"{bits}'h{number & ((1 << bits) - 1):x}"


def _expression(op: Operation, names: Sequence[str], where: str) -> str:
    bits = bits_of(op.results[0], where)
    if isinstance(op, arith.ConstantOp):
        return _bits(constant_bits(op.value, where), bits)
    widths = [bits_of(each, where) for each in op.operands]
    if op.name in _UNARY:
        return f"fp::{_UNARY[op.name]}({names[0]})"
    if op.name in _BINARY:
        return f"fp::{_BINARY[op.name]}({names[0]}, {names[1]})"
    if isinstance(op, arith.CmpfOp):
        return f"fp::fp_compare({op.predicate.value.data}, {names[0]}, {names[1]})"
    if isinstance(op, df.CallOp):
        return f"{op.callee.data}({', '.join(names)})"
    match op.name:
        case "arith.negf":
            return f"{{~{names[0]}[{bits - 1}], {names[0]}[{bits - 2}:0]}}"
        case "math.absf":
            return f"{{1'b0, {names[0]}[{bits - 2}:0]}}"
        case "arith.select":
            return f"{names[0]} ? {names[1]} : {names[2]}"
        case "arith.addi":
            return f"{names[0]} + {names[1]}"
        case "arith.andi":
            return f"{names[0]} & {names[1]}"
        case "arith.subi":
            return f"{names[0]} - {names[1]}"
        case "arith.muli":
            return f"{bits}'($signed({names[0]}) * $signed({names[1]}))"
        case "arith.maxsi":
            return f"$signed({names[0]}) < $signed({names[1]}) ? {names[1]} : {names[0]}"
        case "arith.minsi":
            return f"$signed({names[1]}) < $signed({names[0]}) ? {names[1]} : {names[0]}"
        case "arith.extsi":
            return f"{{{{{bits - widths[0]}{{{names[0]}[{widths[0] - 1}]}}}}, {names[0]}}}"
        case "arith.trunci":
            return f"{names[0]}[{bits - 1}:0]"
        case "arith.bitcast":
            return names[0]
        case "arith.sitofp":
            wide = (
                f"{{{{{32 - widths[0]}{{{names[0]}[{widths[0] - 1}]}}}}, {names[0]}}}" if widths[0] < 32 else names[0]
            )
            return f"fp::fp_from_int({wide})"
        case "arith.fptosi":
            return f"{bits}'(fp::fp_to_int({names[0]}))"
    raise InputError(
        "no-rtl-operation",
        f"'{op.name}' is not in docs/reference/values.md",
        where=where,
        hints=["rewrite it with the operations that are listed there"],
    )


FP_PACKAGE = (
    "package fp;\n"
    + "".join(
        f'  import "DPI-C" function int unsigned {name}({", ".join(f"input int unsigned {each}" for each in args)});\n'
        for name, args in (
            *((name, "a") for name in (*_UNARY.values(), "fp_from_int", "fp_to_int")),
            *((name, "ab") for name in _BINARY.values()),
        )
    )
    + '  import "DPI-C" function bit fp_compare(input int predicate, input int unsigned a, input int unsigned b);\n'
    + "endpackage\n"
)
