"""How long values take: between accesses of an iteration, before the first, after the last, and around recurrences.

A load takes a stage more than its address; what operators take, :mod:`~sttest.importers.cpp.operators` says.
"""

import re
from dataclasses import dataclass
from typing import Any

from sttest.importers.cpp.instrument import Instrumented
from sttest.importers.cpp.ir import Instruction, IrFunction, IrModule, NaturalLoop
from sttest.importers.cpp.operators import Operators

LOAD_STAGES = 1
_MOST_SOURCES = 1024


class Latencies:
    """Longest ways through the values of each function.

    Args:
        module: the design.
        instrumented: its functions, loops and sites.
    """

    def __init__(self, module: IrModule, instrumented: Instrumented) -> None:
        self.module, self.instrumented = module, instrumented
        self.operators = Operators(module, instrumented)

    def facts(self) -> dict[str, Any]:
        """``needs``, ``least`` and ``tail`` of sites, ``depth`` and ``recurrence`` of loops, and facts of operators."""
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
            **self.operators.facts(),
        }

    def _stages(self, each: Instruction, operand: str) -> int:
        """From one of its operands to its result."""
        return LOAD_STAGES if each.opcode == "load" else self.operators.stages(each, operand)

    def _ways(self, function: IrFunction) -> "_Ways":
        ways = _Ways()
        made: dict[str, _Value] = {}
        filled: dict[str, _Value] = {}
        pipelines = self._pipelines(function)
        for block, each in function.instructions():
            here = pipelines[block.name]
            before = [(made[one], one) for one in _operands(each) if one in made]
            if each.opcode == "load" and each.operands and (base := function.base_of(each.operands[0])) in filled:
                before.append((filled[base], base))
            # What another loop made is there when that one has ended; what is made before all loops delays the first.
            found = [(value, self._stages(each, name)) for value, name in before if value.pipeline in (here, -1)]
            start = max((value.start for value, _ in found), default=0)
            end = max([value.start + stages for value, stages in found] + [self._stages(each, "")])
            sources: dict[int, int] = {}
            for value, stages in found:
                for site, gap in value.sources.items() if value.pipeline == here else ():
                    sources[site] = max(gap + stages, sources.get(site, 0))
            if (site := self.instrumented.site_of.get(id(each))) is not None:
                stages = self._stages(each, "") if each.opcode == "load" else 0
                # Also where another access is before it: memory that is loaded from is none but where it is a FIFO.
                ways.before[site] = start
                ways.between |= {
                    (source, site): max(value.sources.get(source, 0) for value, _ in found) for source in sources
                }
                sources, end = {site: stages}, start + stages
            after = _Value(end, _few(sources), here)
            for source, gap in after.sources.items():
                ways.after[source] = max(gap, ways.after.get(source, 0))
            ways.at[id(each)] = end
            if each.result:
                made[each.result] = after
            if each.opcode == "store" and each.operands:
                filled[function.base_of(each.operands[-1])] = after
            elif each.callee == "sttest_read_bytes" and len(each.operands) > 1:
                filled[function.base_of(each.operands[1])] = after
        return ways

    def _pipelines(self, function: IrFunction) -> dict[str, int]:
        """Of each block, the outermost loop that is not unrolled, whichever of those in it is the pipeline; else -1."""
        if self.instrumented.markers[function.name].get("pipeline", -1) >= 0:
            return dict.fromkeys(function.blocks, -1)
        found: dict[str, int] = {}
        for name in function.blocks:
            found[name], loop = -1, function.loop_of[name]
            while loop is not None:
                if self.instrumented.loop_markers[loop.number].get("unroll", -1) != 0:
                    found[name] = loop.number
                loop = loop.parent
        return found

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
        ways = {one: self._way(function, loop, start, one, known) for one in made.operands}
        known[end] = max((way + self._stages(made, one) for one, way in ways.items() if way >= 0), default=-1)
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


@dataclass(frozen=True)
class _Value:
    """Stages before it is there, and from each access that it is made of."""

    start: int
    sources: dict[int, int]
    pipeline: int


def _operands(each: Instruction) -> tuple[str, ...]:
    return () if each.opcode in ("phi", "br") else each.operands


class _Ways:
    """Of one function: stages before each instruction, and between its sites."""

    def __init__(self) -> None:
        self.at: dict[int, int] = {}
        self.before: dict[int, int] = {}
        self.after: dict[int, int] = {}
        self.between: dict[tuple[int, int], int] = {}


def _few(sources: dict[int, int]) -> dict[int, int]:
    """The sources that are nearest: of one stream those farther away are read before them."""
    if len(sources) <= _MOST_SOURCES:
        return sources
    return dict(sorted(sources.items(), key=lambda each: each[1])[:_MOST_SOURCES])
