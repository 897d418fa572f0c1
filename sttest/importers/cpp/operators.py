"""What operators of C++ take: those of floating point have the stages of the boards' table, integers' none.

What the table does not have counts as no time, and is named: divisions of integers, most functions of ``math.h``.
Double precision counts as single precision, which is said, too.  What overloaded operators of ``ap_fixed`` are made of
counts as integers' arithmetic.
"""

import re
from typing import Any

from sttest.importers.cpp.instrument import Instrumented
from sttest.importers.cpp.ir import Instruction, IrModule

STAGES = {
    "fadd": 7, "fsub": 7, "fmul": 4, "fdiv": 12, "fcmp": 2, "sitofp": 6, "fptosi": 6, "fexp": 14, "fsqrt": 12,
    "ftanh": 7 + 14 + 7 + 12 + 7, "frsqrt": 10, "frecip": 14, "fround": 6, "fmax": 1, "fext": 2, "ftrunc": 3,
}  # fmt: skip
"""Of operators in single precision at 3.33 ns, as the data sheet of the boards has them (a test compares the two)."""
_OPCODES = {
    "fadd": "fadd", "fsub": "fsub", "fmul": "fmul", "fdiv": "fdiv", "fcmp": "fcmp", "sitofp": "sitofp",
    "uitofp": "sitofp", "fptosi": "fptosi", "fptoui": "fptosi", "fpext": "fext", "fptrunc": "ftrunc",
}  # fmt: skip
_CALLS = {
    "exp": "fexp", "sqrt": "fsqrt", "tanh": "ftanh",
    **dict.fromkeys(["floor", "ceil", "trunc", "round", "rint", "nearbyint", "roundeven"], "fround"),
    **dict.fromkeys(["fmax", "fmin", "maxnum", "minnum", "maximum", "minimum"], "fmax"),
}  # fmt: skip
_WIRES = ("fabs", "copysign")
_PRODUCT_AND_SUM = ("fma", "fmuladd")
_DIVISIONS = {
    "sdiv": "division of integers", "udiv": "division of integers", "srem": "remainder of integers",
    "urem": "remainder of integers", "frem": "fmod",
}  # fmt: skip
_FUSED = {("rsqrt", "fsqrt"): "frsqrt", ("rsqrt", "fdiv"): "", ("recip", "fdiv"): "frecip"}
"""Functions of ``hls_math.h`` that are one operator, and what those that they are made of here count as."""
_REAL = re.compile(r"\b(?:float|double|half)\b")
_CONSTANT = re.compile(r", (\d+)(?:,|$)")


class Operators:
    """Stages of instructions.

    Args:
        module: the design.
        instrumented: its functions.
    """

    def __init__(self, module: IrModule, instrumented: Instrumented) -> None:
        self.module, self.instrumented = module, instrumented
        self.unknown: set[str] = set()
        self.is_double = False

    def facts(self) -> dict[str, Any]:
        """``unknown``, operators without a time that were asked for, and whether there was one in ``double``."""
        return {"unknown": sorted(self.unknown), "double": self.is_double}

    def stages(self, each: Instruction, operand: str) -> int:
        """From one of the operands to the result.

        Args:
            each: the instruction.
            operand: name of a value; empty for a constant.
        """
        kind = each.opcode if each.opcode in _OPCODES or each.opcode in _DIVISIONS else ""
        called = _called(each) if each.opcode == "call" and each.callee not in self.instrumented.numbers else ""
        if not kind and not called:
            return 0
        file, _, function = self.module.scope(each.location, "\0")
        if file.startswith(self.instrumented.headers):
            if not file.endswith("/hls_math.h"):
                return 0
        else:
            function = ""
        if called in _PRODUCT_AND_SUM:
            self._note_precision(each)
            return STAGES["fadd"] + (0 if operand == each.arguments[2] else STAGES["fmul"])
        name = _OPCODES.get(kind) or _CALLS.get(called, "")
        if not name:
            self._note_unknown(each, kind, called)
            return 0
        self._note_precision(each)
        name = _FUSED.get((function, name), name)
        return STAGES[name] if name else 0

    def _note_precision(self, each: Instruction) -> None:
        is_between = each.opcode in ("fpext", "fptrunc")
        self.is_double |= not is_between and re.search(r"\bdouble\b", each.text.partition(", !dbg")[0]) is not None

    def _note_unknown(self, each: Instruction, kind: str, called: str) -> None:
        if called in _WIRES:
            return
        divisor = _CONSTANT.search(each.text.partition(", !dbg")[0])
        if kind and divisor and int(divisor[1]).bit_count() == 1:
            return  # bits are taken apart
        self.unknown.add(_DIVISIONS.get(kind, called))


def _called(each: Instruction) -> str:
    """The function of floating point that is called, without what says its precision; empty for any other."""
    if not each.callee or not _REAL.search(each.text.partition("@")[0]):
        return ""
    name = each.callee
    if name.startswith("llvm."):
        return name.split(".")[1]
    return name[:-1] if name[-1:] in "fl" and name not in ("ceil", "erf") else name
