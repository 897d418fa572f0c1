"""A payload, or a part of it, as a pipelined Verilog module: xDSL operations to DSLX, and DSLX through XLS.

XLS (``pip install 'sttest[rtl]'``) cuts what the operations are made of into as many stages as the schedule has, at
places that even out the delays.  The module takes operands in every cycle in which ``ce`` is high and holds everything
in any other.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.arith import CmpfOp, ConstantOp
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue

from sttest.compile.dialects import df
from sttest.compile.rtl.dslx import definitions
from sttest.compile.schedule.conversions import is_inside_saturation, saturation_of
from sttest.core.errors import InputError, SttestError, ToolMissingError, did_you_mean
from sttest.core.files import write_text
from sttest.reference.graph import BITS, check_op

# --- From operations to a function in DSLX


@dataclass(frozen=True)
class Port:
    """A value that goes into a module or comes out of it."""

    name: str
    bits: int


@dataclass(frozen=True)
class PayloadFunction:
    """A payload in DSLX."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    operations: Mapping[str, int]  # operators of fp32 by name; those with a constant end in ``_constant``
    # a function ``payload`` from the inputs, ``p0`` and so on, to a tuple of the outputs, and those that it calls
    text: str


# Predicates of arith.cmpf in MLIR's order of numbers, and what of (less, equal, greater, unordered) each asks for.
_PREDICATES = (
    "false",
    "oeq",
    "ogt",
    "oge",
    "olt",
    "ole",
    "one",
    "ord",
    "ueq",
    "ugt",
    "uge",
    "ult",
    "ule",
    "une",
    "uno",
    "true",
)
_ASKS = {
    "eq": ("equal",),
    "gt": ("greater",),
    "ge": ("greater", "equal"),
    "lt": ("less",),
    "le": ("less", "equal"),
    "ne": ("less", "greater"),
    "rd": ("less", "equal", "greater"),
    "no": (),
}
_SIGNIFICAND = (1 << 23) - 1
_INTEGERS: Mapping[str, str] = {
    "arith.addi": "{0} + {1}",
    "arith.andi": "{0} & {1}",
    "arith.subi": "{0} - {1}",
    "arith.muli": "{0} * {1}",
    "arith.maxsi": "if ({0} as {s}) < ({1} as {s}) {{ {1} }} else {{ {0} }}",
    "arith.minsi": "if ({1} as {s}) < ({0} as {s}) {{ {1} }} else {{ {0} }}",
    "arith.extsi": "(({0} as {s}) as {to_s}) as {to}",
    "arith.trunci": "{0} as {to}",
    "arith.bitcast": "{0}",
    "arith.select": "if {0} {{ {1} }} else {{ {2} }}",
}
"""Texts over ``{0}``, ``{1}`` … (operands), their signed type ``{s}``, the result's ``{to}`` and ``{to_s}``."""
_CALLS: Mapping[str, tuple[str, str]] = {
    **{
        f"arith.{name}": (name, f"{name}({{0}}, {{1}})")
        for name in ("addf", "subf", "mulf", "divf", "maximumf", "minimumf")
    },
    **{f"math.{name}": (name, f"{name}({{0}})") for name in ("exp", "tanh", "sqrt", "rsqrt", "roundeven", "absf")},
    **{f"arith.{name}": (name, f"{name}({{0}})") for name in ("negf", "extf", "truncf")},
    "arith.sitofp": ("sitofp", "sitofp(({0} as {s}) as s32)"),
    "arith.fptosi": ("fptosi", "fptosi({0}) as {to}"),
}
"""The function that an operation calls, and how."""


def payload_function(
    inputs: Sequence[tuple[str, SSAValue]],
    outputs: Sequence[tuple[str, SSAValue]],
    where: str,
    known: Mapping[SSAValue, int] | None = None,
) -> PayloadFunction:
    """What computes values of a payload from others.

    Args:
        inputs: names of ports and the values that come in through them, of one block.
        outputs: names of ports and the values that leave through them.
        where: task, for error messages.
        known: bits of further values, which are constants.

    Raises:
        InputError: an operation without a defined value, or an output that the inputs do not determine.
    """
    writer = _Writer(where)
    writer.names.update({value: f"p{number}" for number, (_, value) in enumerate(inputs)})
    for value, bits in (known or {}).items():
        writer.names[value] = _literal(bits, bits_of(value, where))
    for op in _needed([value for _, value in outputs], writer.names, where):
        writer.add(op)
    ports_in = tuple(Port(name, bits_of(value, where)) for name, value in inputs)
    ports_out = tuple(Port(name, bits_of(value, where)) for name, value in outputs)
    arguments = ", ".join(f"p{number}: u{port.bits}" for number, port in enumerate(ports_in))
    types = ", ".join(f"u{port.bits}" for port in ports_out)
    results = ", ".join(writer.names[value] for _, value in outputs)
    body = "".join(f"  {line}\n" for line in writer.lines)
    text = f"pub fn payload({arguments}) -> ({types},) {{\n{body}  ({results},)\n}}\n"
    return PayloadFunction(ports_in, ports_out, writer.operations, f"{definitions(writer.called)}\n{text}")


def _needed(outputs: Sequence[SSAValue], given: Mapping[SSAValue, str], where: str) -> list[Operation]:
    """The operations between values that are given and those that are wanted, in order."""
    found: set[Operation] = set()
    waiting = [value for value in outputs if value not in given]
    while waiting:
        value = waiting.pop()
        op = value.owner
        if not isinstance(op, Operation):
            raise InputError("no-input", "a payload needs an argument that is no input of its module", where=where)
        if op not in found:
            found.add(op)
            waiting += [operand for operand in op.operands if operand not in given]
    block = next(iter(found)).parent if found else None
    return [] if block is None else [op for op in block.ops if op in found]


class _Writer:
    """The statements of a function."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.names: dict[SSAValue, str] = {}
        self.lines: list[str] = []
        self.called: set[str] = set()
        self.operations: Counter[str] = Counter()

    def add(self, op: Operation) -> None:
        if is_inside_saturation(op):
            return
        result = op.results[0]
        bits = bits_of(result, self.where)
        if isinstance(op, ConstantOp):
            self.names[result] = _literal(constant_bits(op.value, self.where), bits)
            return
        name = self.names[result] = f"v{len(self.lines)}"
        self.lines.append(f"let {name} = {self._expression(op)};")

    def _expression(self, op: Operation) -> str:
        if isinstance(op, df.CallOp):
            raise InputError(
                "no-rtl",
                f"the own kernel '{op.callee.data}' has no pipeline for synthesis",
                where=self.where,
                hints=["simulate it", "compile without --kernels"],
            )
        to = bits_of(op.results[0], self.where)
        saturated = saturation_of(op)
        if saturated is not None:
            self._call("rounded", op)
            return f"rounded({self.names[saturated.value]}, s32:{saturated.low}, s32:{saturated.high}) as u{to}"
        predicate = _PREDICATES[op.predicate.value.data] if isinstance(op, CmpfOp) else ""
        types = [_tag(operand, self.where) for operand in op.operands]
        check_op(op.name, types, _tag(op.results[0], self.where), predicate)
        names = [self.names[operand] for operand in op.operands]
        if predicate:
            return self._compared(op, predicate, names)
        if op.name in _CALLS:
            called, text = _CALLS[op.name]
            self._call(called, op)
        else:
            text = _INTEGERS[op.name]
        return text.format(*names, s=f"s{BITS[types[0]]}", to=f"u{to}", to_s=f"s{to}")

    def _call(self, name: str, op: Operation) -> None:
        self.called.add(name)
        self.operations[f"{name}{'' if name == 'rounded' else self._ease(name, op)}"] += 1

    def _ease(self, name: str, op: Operation) -> str:
        """What makes an operator smaller: a constant, one that is a power of two, both operands the same."""
        # A quotient of a constant is no easier than another one.
        factors = op.operands[1:] if name == "divf" else op.operands
        owner = next((each.owner for each in factors if isinstance(each.owner, ConstantOp)), None)
        if owner is None:
            return "_square" if name == "mulf" and op.operands[0] is op.operands[1] else ""
        is_power = name == "mulf" and not constant_bits(owner.value, self.where) & _SIGNIFICAND
        return "_power" if is_power else "_constant"

    def _compared(self, op: Operation, predicate: str, names: Sequence[str]) -> str:
        if predicate in ("false", "true"):
            return f"u1:{int(predicate == 'true')}"
        self._call("relations", op)
        asked = [*_ASKS[predicate[1:]], *(("unordered",) if predicate[0] == "u" else ())]
        taken = ", ".join(name if name in asked else "_" for name in ("less", "equal", "greater", "unordered"))
        return f"{{ let ({taken}) = relations({', '.join(names)}); {' || '.join(asked)} }}"


def _tag(value: SSAValue, where: str) -> str:
    tag = str(value.type)
    if tag not in BITS:
        hints = [did_you_mean(tag, BITS)]
        raise InputError("no-values", f"elements of {tag:.40} have no defined values", where=where, hints=hints)
    return tag


def bits_of(value: SSAValue, where: str) -> int:
    """Width of a value of a payload.

    Raises:
        InputError: no type of docs/reference/values.md.
    """
    return BITS[_tag(value, where)]


def _literal(number: int, bits: int) -> str:
    return f"u{bits}:{number & ((1 << bits) - 1):#x}"


def constant_bits(value: Attribute, where: str) -> int:
    """The bits of a constant, as an integer that may be negative.

    Raises:
        InputError: neither a float nor an integer.
    """
    if isinstance(value, IntegerAttr):
        return value.value.data
    if not isinstance(value, FloatAttr):
        raise InputError("no-constant", f"no bits for {value}", where=where)
    if str(value.type) == "f16":
        return int(np.float16(value.value.data).view(np.uint16))
    return int(np.float32(value.value.data).view(np.uint32))


# --- From DSLX to Verilog


@dataclass(frozen=True)
class PayloadModule:
    """A Verilog module, ports ``clk``, ``ce``, the inputs and the outputs."""

    name: str
    stages: int  # cycles with ``ce`` from operands to results, each behind a register; 0 is wires
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    text: str  # SystemVerilog of the module and of the one inside it that XLS made


DELAY_MODEL = "asap7"
"""Delays by which XLS places registers: of a 7 nm library, for lack of one for FPGAs."""
_MODULE = "pipeline_of_{0}"
_CLOCKED = "always @ (posedge clk) begin"


def payload_module(function: PayloadFunction, name: str, stages: int, kept_in: Path | None = None) -> PayloadModule:
    """A payload as a pipeline of so many stages.

    Args:
        function: the payload.
        name: name of the module.
        stages: cycles from operands to results.
        kept_in: folder with modules made before, by content; None for no such folder.

    Raises:
        ToolMissingError: XLS is not installed.
        SttestError: XLS did not make what it was asked for.
    """
    made = _verilog(function.text, name, stages) if kept_in is None else _kept(kept_in, function.text, name, stages)
    return PayloadModule(name, stages, function.inputs, function.outputs, _wrapped(function, name, stages) + made)


def _kept(folder: Path, text: str, name: str, stages: int) -> str:
    asked = "\0".join((text, name, str(stages), DELAY_MODEL))
    path = folder / f"{name}-{sha256(asked.encode()).hexdigest()[:16]}.v"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        write_text(path, _verilog(text, name, stages))
    return path.read_text(encoding="utf-8")


def require_xls() -> Any:
    """The module ``xls``.

    Raises:
        ToolMissingError: it is not installed.
    """
    if find_spec("xls") is None:
        raise ToolMissingError(
            "no-xls",
            "XLS, which makes pipelines of payloads, is not installed",
            where="rtl",
            hints=["pip install 'sttest[rtl]'"],
        )
    return import_module("xls")


@cache
def _verilog(text: str, name: str, stages: int) -> str:
    xls = require_xls()
    top = xls.mangle_dslx_name("payload", "payload")
    package = xls.parse_ir_package(xls.optimize_ir(xls.convert_dslx_to_ir(text, "payload.x", "payload"), top))
    package.set_top(top)
    options = {"module_name": _MODULE.format(name), "use_system_verilog": False, "output_port_name": "results"}
    if stages:
        options |= {
            "generator": "pipeline",
            "pipeline_stages": stages,
            "flop_inputs": False,
            "flop_outputs": True,
            "with_delay_model": True,
            "delay_model": DELAY_MODEL,
        }
    verilog = str(package.schedule_and_codegen(**options).get_verilog_text())
    return _with_clock_enable(verilog, name) if stages else verilog


def _with_clock_enable(verilog: str, name: str) -> str:
    """Registers that keep what they have unless ``ce`` is high; XLS knows no such signal.

    Raises:
        SttestError: the text has other registers than those that are known.
    """
    clocked = verilog.count(_CLOCKED)
    if not clocked or len(re.findall(r"\balways\b", verilog)) != clocked or verilog.count("input wire clk,") != 1:
        raise SttestError("unknown-verilog", f"XLS wrote module '{name}' in a way that is not known", where="rtl")
    with_port = verilog.replace("input wire clk,", "input wire clk,\n  input wire ce,")
    return with_port.replace(_CLOCKED, "always @ (posedge clk) if (ce) begin")


def _wrapped(function: PayloadFunction, name: str, stages: int) -> str:
    """The module with a port for each result; XLS gives them as one, the first one highest."""
    ports = [f"input wire {_range(port)}{port.name}" for port in function.inputs]
    ports += [f"output wire {_range(port)}{port.name}" for port in function.outputs]
    total = sum(port.bits for port in function.outputs)
    listed = "".join(f",\n  {port}" for port in ports)
    connected = [f".p{number}({port.name})" for number, port in enumerate(function.inputs)] + [".results(results)"]
    connected = [".clk(clk)", ".ce(ce)", *connected] if stages else connected
    return (
        f"module {name}(\n  input wire clk,\n  input wire ce{listed}\n);\n"
        f"  wire [{total - 1}:0] results;\n"
        f"  {_MODULE.format(name)} pipeline(\n    {', '.join(connected)}\n  );\n"
        f"  assign {{{', '.join(port.name for port in function.outputs)}}} = results;\n"
        "endmodule\n\n"
    )


def _range(port: Port) -> str:
    return f"[{port.bits - 1}:0] " if port.bits > 1 else ""
