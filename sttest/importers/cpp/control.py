"""What a run of a design depends on besides its text: numbers that are not given, data, and how full streams are.

Values are followed from the scalars of the top, from memory and from streams to the branches that decide which
streams are accessed, and how often.
"""

import re
from typing import Any

from sttest.importers.cpp.instrument import ACCESSES, Instrumented
from sttest.importers.cpp.ir import (
    NAME,
    Instruction,
    IrFunction,
    IrModule,
    NaturalLoop,
    dominators,
    ordered,
    scalar_name,
)

_DATA = "data"


class UnknownBranches:
    """Finds branches whose way is not known.

    Args:
        module: the design.
        instrumented: its functions and sites.
        top: name of the top.
        given: scalars of the top whose number is given.
    """

    def __init__(self, module: IrModule, instrumented: Instrumented, top: str, given: set[str]) -> None:
        self.module, self.instrumented, self.top = module, instrumented, top
        self.causes: dict[tuple[str, str], str] = {}  # of a value in a function: a scalar's name, or data
        self.functions = {each.name: each for each in instrumented.functions}
        function = self.functions[top]
        for text, name in zip(function.parameters, function.parameter_names, strict=True):
            if not text.startswith("ptr") and scalar_name(name) not in given:
                self.causes[top, name] = scalar_name(name)
        self.ports = {
            (top, name)
            for text, name in zip(function.parameters, function.parameter_names, strict=True)
            if text.startswith("ptr")
        }

    def findings(self) -> list[dict[str, Any]]:
        """Each branch that decides on accesses and is not known, with its cause and its place."""
        for _ in range(4):  # functions call each other a few levels deep
            before = len(self.causes) + len(self.ports)
            for function in self.functions.values():
                self._spread(function)
            if len(self.causes) + len(self.ports) == before:
                break
        found: list[dict[str, Any]] = []
        for function in self.functions.values():
            found += self._branches(function)
        return found

    def _spread(self, function: IrFunction) -> None:
        """Follows causes through a function until nothing new is found."""
        changed = True
        while changed:
            changed = False
            for _, each in function.instructions():
                cause = self._cause(function, each)
                if each.opcode == "call":
                    self._hand_on(function, each)
                target = self._target(function, each)
                if cause and target and (function.name, target) not in self.causes:
                    self.causes[function.name, target] = cause
                    changed = True

    def _target(self, function: IrFunction, each: Instruction) -> str:
        """The value that an instruction makes, or the memory that it fills."""
        if each.opcode == "store":
            return f"*{function.base_of(each.operands[-1])}" if each.operands else ""
        return each.result

    def _cause(self, function: IrFunction, each: Instruction) -> str:
        if self.instrumented.site_of.get(id(each), -1) in self.instrumented.polls:
            return ""
        if each.callee in ("sttest_read", "sttest_untimed"):
            return _DATA
        if each.opcode == "load":
            base = function.base_of(each.operands[0]) if each.operands else ""
            if (function.name, base) in self.ports:
                return _DATA
            return self.causes.get((function.name, f"*{base}"), "") or self.causes.get(
                (function.name, each.operands[0]) if each.operands else ("", ""), ""
            )
        operands = each.operands[:-1] if each.opcode == "store" else each.operands
        if each.opcode == "phi":
            operands = tuple(NAME.findall(" ".join(re.findall(r"\[ (.*?),", each.text))))
        return next((cause for one in operands if (cause := self.causes.get((function.name, one)))), "")

    def _hand_on(self, function: IrFunction, each: Instruction) -> None:
        """Follows causes into a function that is called, through memory that it is given, and back."""
        given = each.arguments
        if each.callee == "sttest_read_bytes":
            self.causes.setdefault((function.name, f"*{function.base_of(given[1])}"), _DATA)
        if each.callee.startswith("llvm.memcpy"):
            source = function.base_of(given[1])
            if (function.name, source) in self.ports or (function.name, f"*{source}") in self.causes:
                self.causes.setdefault((function.name, f"*{function.base_of(given[0])}"), _DATA)
        callee = self.functions.get(each.callee)
        if callee is None:
            return
        for one, name in zip(given, callee.parameter_names, strict=False):
            if cause := self.causes.get((function.name, one)):
                self.causes.setdefault((callee.name, name), cause)
            base = function.base_of(one)
            if (function.name, base) in self.ports:
                self.ports.add((callee.name, name))
            if cause := self.causes.get((function.name, f"*{base}")):
                self.causes.setdefault((callee.name, f"*{name}"), cause)
            if cause := self.causes.get((callee.name, f"*{name}")):
                self.causes.setdefault((function.name, f"*{base}"), cause)

    def _branches(self, function: IrFunction) -> list[dict[str, Any]]:
        after = _postdominators(function)
        found: list[dict[str, Any]] = []
        for name, block in function.blocks.items():
            last = block.instructions[-1]
            if len(block.successors) < 2:
                continue
            condition = last.operands[0] if last.operands else ""
            cause = self.causes.get((function.name, condition), "")
            if cause and (decides := self._decides(function, name, after)):
                file, line = self.module.place(last.location, self.instrumented.headers)
                loop = function.loop_of[name]
                ends_loop = loop is not None and any(each not in loop.blocks for each in block.successors)
                found.append({
                    "function": self.instrumented.numbers[function.name], "cause": cause, "file": file, "line": line,
                    "loop": loop.number if loop is not None and ends_loop else -1, "decides": decides,
                })  # fmt: skip
        return found

    def _decides(self, function: IrFunction, name: str, after: dict[str, str]) -> str:
        """What happens on some ways from a block and not on all.

        That streams are accessed (``access``), or that a loop takes time (``time``); empty for neither.
        """
        loop = function.loop_of[name]
        if loop is not None and any(each not in loop.blocks for each in function.blocks[name].successors):
            return "access"
        found = ""
        seen, todo = {after.get(name, "")}, list(function.blocks[name].successors)
        while todo:
            one = todo.pop()
            if one in seen or one not in function.blocks:
                continue
            seen.add(one)
            block = function.blocks[one]
            if any(each.callee in ACCESSES for each in block.instructions):
                return "access"
            inner = function.loop_of[one]
            if inner is not None and inner is not loop and inner.header == one and self._takes_time(function, inner):
                found = "time"
            todo += block.successors
        return found

    def _takes_time(self, function: IrFunction, loop: NaturalLoop) -> bool:
        """Whether a loop has iterations one after the other: it is not unrolled, as all in a pipeline are."""
        if self.instrumented.markers[function.name].get("pipeline", -1) >= 0:
            return False
        around: NaturalLoop | None = loop
        while around is not None:
            markers = self.instrumented.loop_markers[around.number]
            if markers.get("unroll", -1) == 0 or (around is not loop and markers.get("pipeline", -1) >= 0):
                return False
            around = around.parent
        return True


def _postdominators(function: IrFunction) -> dict[str, str]:
    backward = {name: list(function.predecessors[name]) for name in function.blocks}
    ends = [name for name, block in function.blocks.items() if not block.successors]
    backward["end"] = ends or list(function.blocks)[-1:]
    order = ordered("end", backward)
    forward = {name: list(block.successors) or ["end"] for name, block in function.blocks.items()}
    known = set(order)
    forward = {name: [each for each in following if each in known] for name, following in forward.items()}
    if not ends:
        forward[backward["end"][0]].append("end")
    return dominators(order, {"end": [], **forward})
