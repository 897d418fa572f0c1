"""The bitcode's blocks beside those of the schedule: which stage each instruction of a run is at.

Both graphs of a function are walked from their entries; successors stand in the order in which the terminator stores
them.  A block has the same instructions on both sides, apart from calls that only say something to the tool.  Whatever
does not match is refused: such a schedule is that of other code.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sttest.core.errors import InputError
from sttest.importers.solution.folder import Solution, file_name
from sttest.importers.solution.program import BlockCode, CallCode, FunctionCode, ReachableCode
from sttest.importers.solution.schedule import Instruction, Schedule, ScheduledBlock, ScheduledRegion, read_schedule

CALL, FIFO, MEMORY = "call", "fifo", "memory"
"""Kinds of steps."""
_ACCESS = re.compile(r"_ssdm_op_(ReadReq|WriteReq|WriteResp|Read|Write)\.(m_axi|ap_fifo)\b")
_POINTEE = re.compile(r"\bi(\d+)P|\bp\d+i(\d+)")


@dataclass(frozen=True, eq=False)
class VisibleStep:
    """What a block does that others notice: a call, a FIFO access, or a request, beat or response of memory."""

    kind: str
    instruction: Instruction
    callee: str
    operation: str = ""
    bits: tuple[int, ...] = ()  # of the streams of a FIFO access

    @property
    def accesses(self) -> int:
        """Entries of the trace that belong to it."""
        return len(self.bits) if self.kind == FIFO else 1


@dataclass(eq=False)
class MatchedFunction:
    """A function of the design: blocks and steps by the place of the block in the bitcode."""

    name: str
    schedule: Schedule
    blocks: list[ScheduledBlock]
    steps: list[list[VisibleStep]]
    channels: set[int]  # instructions that make FIFOs
    back_edges: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])

    def blocks_of(self, loop: ScheduledRegion) -> list[ScheduledBlock]:
        """The blocks whose innermost loop it is."""
        return [block for block in self.blocks if block.loop is loop]


def matched(solution: Solution, code: ReachableCode) -> dict[str, MatchedFunction]:
    """The functions by name.

    Raises:
        InputError: a function has no schedule, or one that does not fit.
    """
    return {name: _function(solution, name, each, code) for name, each in code.functions.items()}


def _function(solution: Solution, name: str, code: FunctionCode, whole: ReachableCode) -> MatchedFunction:
    path = solution.schedules.get(file_name(name))
    if path is None:
        what = f"the schedule of the function '{name:.80}', {file_name(name):.120}.sched.adb, is missing"
        hints = ["keep all of .autopilot/db", "synthesize the solution again"]
        raise InputError("no-schedule", what, where=str(solution.root), hints=hints)
    schedule = read_schedule(path)
    of = _walk(schedule, code, path)
    blocks = [of.get(place, schedule.entry) for place in range(len(code.blocks))]
    steps = [
        [step for call, each in zip(each_code.instructions, block.instructions, strict=True)
         if (step := _step(call, each, whole)) is not None] if place in of else []
        for place, (each_code, block) in enumerate(zip(code.blocks, blocks, strict=True))
    ]  # fmt: skip
    channels = {each.id for each in schedule.instructions.values() if each.name in code.channels}
    back_edges = _back_edges(schedule, set(of.values()))
    for _, header in back_edges:
        schedule.blocks[header].begins_loop = True
    return MatchedFunction(name, schedule, blocks, steps, channels, back_edges)


def _walk(schedule: Schedule, code: FunctionCode, path: Path) -> dict[int, ScheduledBlock]:
    """The schedule's block of each block of the bitcode that can be reached."""
    found: dict[int, ScheduledBlock] = {}
    waiting = [(0, schedule.entry)]
    while waiting:
        place, block = waiting.pop()
        if place in found:
            if found[place] is not block:
                raise _mismatch(path, f"block '{block.name}' is entered from elsewhere")
            continue
        found[place] = block
        _check(code.blocks[place], block, path)
        waiting += [
            (each, schedule.blocks[number])
            for each, number in zip(code.blocks[place].successors, block.successors, strict=True)
        ]
    return found


def _check(code: BlockCode, block: ScheduledBlock, path: Path) -> None:
    """Refuses a block that is another one in the schedule."""
    ours, theirs = len(code.instructions), len(block.instructions)
    if ours != theirs:
        raise _mismatch(path, f"block '{block.name}' has {theirs} instructions, {ours} in the bitcode")
    if len(code.successors) != len(block.successors):
        ends = f"{len(block.successors)} ways, {len(code.successors)} in the bitcode"
        raise _mismatch(path, f"block '{block.name}' ends in {ends}")
    for call, each in zip(code.instructions, block.instructions, strict=True):
        if call.name and each.name != call.name:
            raise _mismatch(path, f"block '{block.name}' has '{each.name:.60}', '{call.name:.60}' in the bitcode")


def _mismatch(path: Path, what: str) -> InputError:
    hints = ["a.o.3.bc and the schedule are of different runs: synthesize the solution again"]
    return InputError("schedule-mismatch", what, where=str(path), hints=hints)


def _step(call: CallCode, instruction: Instruction, code: ReachableCode) -> VisibleStep | None:
    if call.callee in code.functions:
        return VisibleStep(CALL, instruction, call.callee)
    found = _ACCESS.match(call.callee)
    if not found:
        return None
    if found[2] == "m_axi":
        return VisibleStep(MEMORY, instruction, call.callee, found[1])
    widths = [int(each[0] or each[1]) for each in _POINTEE.findall(call.callee)]
    bits = tuple((widths + [0] * call.pointers)[: call.pointers])
    return VisibleStep(FIFO, instruction, call.callee, found[1], bits)


def _back_edges(schedule: Schedule, blocks: set[ScheduledBlock]) -> set[tuple[int, int]]:
    """Edges to a block that dominates the one they leave."""
    numbers = [block.id for block in schedule.blocks.values() if block in blocks]
    before: dict[int, list[int]] = {number: [] for number in numbers}
    for number in numbers:
        for each in schedule.blocks[number].successors:
            before[each].append(number)
    dominators = _dominators(schedule.entry.id, numbers, before)
    return {(u, v) for u in numbers for v in schedule.blocks[u].successors if v in dominators[u]}


def _dominators(entry: int, numbers: Sequence[int], before: dict[int, list[int]]) -> dict[int, set[int]]:
    """Of each block, those that every way to it passes."""
    found = {number: set(numbers) for number in numbers}
    found[entry] = {entry}
    changed = True
    while changed:
        changed = False
        for number in numbers:
            if number == entry:
                continue
            now = set.intersection(*[found[each] for each in before[number]]) | {number}
            if now != found[number]:
                found[number], changed = now, True
    return found
