"""How long values take: between accesses of an iteration, before the first, after the last, and around recurrences.

Operators of floating point have the stages of the board's table, loads a stage more than their address, everything else
none.  What overloaded operators of ``ap_fixed`` are made of counts as integers' arithmetic.
"""

import re
from typing import Any

from sttest.importers.cpp.instrument import Instrumented
from sttest.importers.cpp.ir import Instruction, IrFunction, IrModule, NaturalLoop

_OPERATORS = {
    "fadd": "fadd", "fsub": "fsub", "fmul": "fmul", "fdiv": "fdiv", "fcmp": "fcmp", "sitofp": "sitofp",
    "uitofp": "sitofp", "fptosi": "fptosi", "fptoui": "fptosi",
}  # fmt: skip
_CALLS = {"expf": "fexp", "exp": "fexp", "sqrtf": "fsqrt", "sqrt": "fsqrt", "tanhf": "ftanh", "tanh": "ftanh"}
STAGES = {
    "fadd": 7, "fsub": 7, "fmul": 4, "fdiv": 12, "fcmp": 2, "sitofp": 6, "fptosi": 6, "fexp": 14, "fsqrt": 12,
    "ftanh": 7 + 14 + 7 + 12 + 7,
}  # fmt: skip
"""Of operators in single precision at 3.33 ns, as the data sheet of the boards has them (a test compares the two)."""
LOAD_STAGES = 1
_MOST_SOURCES = 64


class Latencies:
    """Longest ways through the values of each function.

    Args:
        module: the design.
        instrumented: its functions, loops and sites.
    """

    def __init__(self, module: IrModule, instrumented: Instrumented) -> None:
        self.module, self.instrumented = module, instrumented

    def facts(self) -> dict[str, Any]:
        """``needs``, ``least`` and ``tail`` of sites, ``depth`` and ``recurrence`` of loops."""
        needs: list[list[int]] = []
        least: dict[int, int] = {}
        tail: dict[int, int] = {}
        depth: dict[int, int] = {}
        recurrence: dict[int, int] = {}
        for function in self.instrumented.functions:
            ways = self._ways(function)
            for loop in function.loops:
                if not loop.inner:
                    recurrence[loop.number] = self._recurrence(function, loop)
                depth[loop.number] = (
                    max(
                        (ways.at[id(each)] for name in loop.blocks for each in function.blocks[name].instructions),
                        default=0,
                    )
                    + 1
                )
            needs += [[first, second, stages] for (first, second), stages in ways.between.items() if stages]
            least |= {site: stages for site, stages in ways.before.items() if stages}
            tail |= {site: stages for site, stages in ways.after.items() if stages}
        guarded = [
            self.instrumented.site_of[id(each)]
            for function in self.instrumented.functions
            for block, each in function.instructions()
            if id(each) in self.instrumented.site_of and _is_guarded(function, block.name)
        ]
        return {
            "guarded": guarded,
            "needs": needs,
            "least": [*least.items()],
            "tail": [*tail.items()],
            "depth": depth,
            "recurrence": recurrence,
        }

    def _stages(self, each: Instruction) -> int:
        name = _OPERATORS.get(each.opcode) or _CALLS.get(each.callee.removeprefix("llvm.").split(".")[0], "")
        if not name:
            return LOAD_STAGES if each.opcode == "load" else 0
        file, _ = self._scope(each)
        return 0 if file.startswith(self.instrumented.headers) else STAGES[name]

    def _scope(self, each: Instruction) -> tuple[str, int]:
        return self.module.place(each.location, "\0")

    def _ways(self, function: IrFunction) -> "_Ways":
        ways = _Ways()
        made: dict[str, tuple[int, dict[int, int]]] = {}
        filled: dict[str, tuple[int, dict[int, int]]] = {}
        for _, each in function.instructions():
            start, sources = 0, dict[int, int]()
            operands = () if each.opcode in ("phi", "br") else each.operands
            if each.opcode == "load" and each.operands:
                base = function.base_of(each.operands[0])
                if base in filled:
                    start, sources = filled[base][0], dict(filled[base][1])
            for one in operands:
                if one in made:
                    start = max(start, made[one][0])
                    for site, stages in made[one][1].items():
                        sources[site] = max(stages, sources.get(site, 0))
            site = self.instrumented.site_of.get(id(each))
            ways.at[id(each)] = start
            stages = self._stages(each)
            if site is not None:
                ways.before[site] = start if not sources else 0
                for source, gap in sources.items():
                    ways.between[source, site] = gap
                sources, start, stages = {site: 0}, start, 0 if each.opcode != "load" else stages
            after = start + stages, {source: gap + stages for source, gap in _few(sources).items()}
            for source, gap in after[1].items():
                ways.after[source] = max(gap, ways.after.get(source, 0))
            ways.at[id(each)] = after[0]
            if each.result:
                made[each.result] = after
            if each.opcode == "store" and each.operands:
                filled[function.base_of(each.operands[-1])] = after
            elif each.callee == "sttest_read_bytes" and len(each.operands) > 1:
                filled[function.base_of(each.operands[1])] = after
        return ways

    def _recurrence(self, function: IrFunction, loop: NaturalLoop) -> int:
        """Stages around a value that an iteration needs of the one before it."""
        longest = 0
        for phi in function.blocks[loop.header].instructions:
            if phi.opcode != "phi":
                break
            for value, block in re.findall(r'\[ (%(?:"[^"]*"|[\w.$-]+)), (%(?:"[^"]*"|[\w.$-]+)) \]', phi.text):
                if block in loop.blocks:
                    longest = max(longest, self._way(function, loop, phi.result, value, {}))
        return longest

    def _way(self, function: IrFunction, loop: NaturalLoop, start: str, end: str, known: dict[str, int]) -> int:
        """Stages from one value of an iteration to another; -1 where none leads to it."""
        if end == start:
            return 0
        if end in known:
            return known[end]
        known[end] = -1
        made = function.definitions.get(end)
        if made is None or not any(made in function.blocks[name].instructions for name in loop.blocks):
            return -1
        if made.opcode == "phi" and made in function.blocks[loop.header].instructions:
            return -1
        ways = [self._way(function, loop, start, one, known) for one in made.operands if not one.startswith("%sttest")]
        longest = max(ways, default=-1)
        known[end] = longest + self._stages(made) if longest >= 0 else -1
        return known[end]


def _is_guarded(function: IrFunction, name: str) -> bool:
    """Whether not every iteration of the loop around a block comes through it."""
    loop = function.loop_of[name]
    if loop is None or name == loop.header:
        return False
    seen, todo = {name}, [each for each in function.blocks[loop.header].successors if each in loop.blocks]
    while todo:
        one = todo.pop()
        if one == loop.header:
            return True
        if one not in seen and one in loop.blocks:
            seen.add(one)
            todo += function.blocks[one].successors
    return False


class _Ways:
    """Of one function: stages before each instruction, and between its sites."""

    def __init__(self) -> None:
        self.at: dict[int, int] = {}
        self.before: dict[int, int] = {}
        self.after: dict[int, int] = {}
        self.between: dict[tuple[int, int], int] = {}


def _few(sources: dict[int, int]) -> dict[int, int]:
    """The sources that are farthest away: a sum of many reads needs no more of them."""
    if len(sources) <= _MOST_SOURCES:
        return sources
    return dict(sorted(sources.items(), key=lambda each: -each[1])[:_MOST_SOURCES])
