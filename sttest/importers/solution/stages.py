"""A run's trace at the stages of its schedule: calls and accesses of each call of a function, in its own time.

Every call has a *static* stage, that of the schedule, and a *dynamic* one, the cycles since its begin if nothing waits.
A block of stages ``start`` to ``end`` that is entered with an overlap takes its length less the overlap.  The rules:

1. In an FSM a block begins in the state after the last, also along a back edge; states without work are skipped.
2. A pipelined loop begins its next iteration an interval after the last.
3. On entry its first stage follows in the next state, whatever stages the schedule leaves out.
4. On exit only what decides on the exit counts, up to the branch.
5. A call that takes time begins a state later in an FSM, at once in a pipeline; one that takes none begins at once.
6. A function that is a pipeline has absolute stages, and its depth less 1 as latency.
7. A loop that is a function of its own ends depth - 1 after the start of its last iteration where it begins by itself:
   as the top, or as a process.  Called in sequence it takes two stages more, which synthesis reports in either case.
8. Stages of a dataflow region count from its own begin: it begins with its function, or in the state after the last if
   that has more than one before it, and what is behind it begins in the state after its last.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from sttest.core.errors import InputError
from sttest.importers.solution.matching import CALL, FIFO, MatchedFunction, VisibleStep
from sttest.importers.solution.program import BLOCK, CHANNEL, READ_REQUEST, WRITE, WRITE_REQUEST, ReachableCode
from sttest.importers.solution.schedule import ScheduledBlock, ScheduledRegion

_OVERREPORTED = 2
"""Stages that synthesis reports of a loop that is a function of its own and that co-simulation does not take."""
_REQUESTS = ("ReadReq", "WriteReq")


@dataclass(frozen=True, eq=False)
class StagedAccess:
    """A FIFO access, or a request, beat or response of memory, ``count`` beats; ``channel`` is -1 of ports."""

    stage: int
    step: VisibleStep
    is_write: bool
    pointer: int
    channel: int = -1
    bits: int = 0
    count: int = 0


@dataclass(eq=False)
class Call:
    """A call of a function; ``stage`` and ``end_stage`` are those of its caller, its own begin at 0.

    ``left`` has the stages at which its dataflow loops were left for the last time.
    """

    function: MatchedFunction
    step: VisibleStep | None = None  # None of the top
    region: ScheduledRegion | None = None  # of the caller's block
    stage: int = 0
    end_stage: int = 0
    delay: int = 0  # from its stage to its begin
    end: int = 0
    latency: int | None = None  # cycles if nothing stalls, calls in it included; None where these are processes
    unreported: int = 0  # cycles by which synthesis reports more than it takes
    has_told_trips: bool = True  # whether its loops ran as often as the schedule was told
    left: dict[ScheduledRegion, int] = field(default_factory=dict[ScheduledRegion, int])
    calls: "list[Call]" = field(default_factory=list["Call"])
    accesses: list[StagedAccess] = field(default_factory=list[StagedAccess])

    @property
    def is_process(self) -> bool:
        """Whether it is a process of a dataflow region."""
        return self.region is not None and self.region.is_dataflow


@dataclass(frozen=True)
class _Ends:
    """Dynamic and static stage behind a block, and the same behind what decides on an exit of its loop."""

    whole: tuple[int, int]
    branch: tuple[int, int]


class _Trips:
    """How often the loops of a call run, held against what the schedule was told, by a pragma or by constant bounds."""

    def __init__(self) -> None:
        self.is_as_told = True
        self._back: dict[ScheduledRegion, int] = {}

    def enter(self, block: ScheduledBlock, *, is_back: bool) -> None:
        """Counts a block that begins an iteration."""
        loop = block.loop
        if loop is None or loop.trips is None:
            return
        if is_back:
            self._back[loop] = self._back.get(loop, 0) + 1
        elif block.begins_loop:
            self.leave(loop)
            self._back[loop] = 0

    def leave(self, loop: ScheduledRegion) -> None:
        """A loop that tests its end first goes back once for each trip, one that tests it last once less."""
        back = self._back.pop(loop, None)
        if back is not None and loop.trips is not None and not loop.trips - 1 <= back <= loop.trips:
            self.is_as_told = False

    def finish(self) -> None:
        """The call is over."""
        for loop in list(self._back):
            self.leave(loop)


class _Frame:
    """The place where a call is."""

    def __init__(self, call: Call) -> None:
        self.call, self.function = call, call.function
        self.dynamic = self.static = 0
        self.latest = (0, 0)  # the latest end so far, dynamic and static
        self.pipeline: ScheduledRegion | None = None
        self.previous: ScheduledBlock | None = None
        self.open: _Ends | None = None  # the last block of a pipeline, until it is known where it goes
        self.iterations: tuple[int, int, ScheduledRegion] | None = None  # starts of the first and last of a pipeline
        self.block: ScheduledBlock | None = None
        self.steps: list[VisibleStep] = []
        self.place = self.done = 0  # step under way, and its accesses so far
        self.begin = 0  # dynamic stage at which the block begins
        self.trips = _Trips()

    def enter(self, block: ScheduledBlock, steps: list[VisibleStep]) -> None:
        """Enters a block."""
        pipeline = block.pipeline
        self._close(pipeline)
        is_entry = self.pipeline is not pipeline
        if is_entry:
            (self.dynamic, self.static), self.pipeline = self.latest, pipeline
        is_back = self.previous is not None and (self.previous.id, block.id) in self.function.back_edges
        self.trips.enter(block, is_back=is_back)
        self.dynamic += block.length - self._overlap(block, pipeline, is_entry=is_entry, is_back=is_back)
        self.static = block.end
        self.begin = self.dynamic - block.length
        if self.previous is not None and (left := self.previous.dataflow_loop) not in (None, block.dataflow_loop):
            self.call.left[left] = self.begin
        self._note_end(block, pipeline)
        if pipeline is not None and (is_back or self.iterations is None):
            self.iterations = self.iterations[0] if self.iterations else self.begin, self.begin, pipeline
        if self.function.schedule.function_pipeline is not None:  # rule 6
            self.begin = 0
            self.latest = self.function.schedule.function_pipeline.depth - 1, self.latest[1]
        self.previous = self.block = block
        self.steps, self.place, self.done = steps, 0, 0

    def _overlap(
        self, block: ScheduledBlock, pipeline: ScheduledRegion | None, *, is_entry: bool, is_back: bool
    ) -> int:
        """Stages of what is before a block that are its own as well; -1 where it begins a stage behind them."""
        before, overlap = self.previous, self.static - block.start
        if before is not None and before.region is not block.region:  # rule 8
            if before.region.is_dataflow:
                overlap = min(overlap, -1)
            elif block.region.is_dataflow:
                overlap = -1 if self.dynamic > 0 else min(overlap, 0)
        if pipeline is None:
            return -1 if is_back or overlap < -1 else overlap  # rule 1
        if is_entry and overlap < -1 and before is not None:  # rule 3
            first = min(each.start for each in self.function.blocks_of(pipeline))
            overlap = max(overlap, -1 - (block.start - first))
        return overlap - pipeline.ii if is_back else overlap  # rule 2

    def _close(self, pipeline: ScheduledRegion | None) -> None:
        """The last block of a pipeline ends at its branch if the loop is left (rule 4)."""
        if self.open is not None:
            ends = self.open.whole if self.pipeline is pipeline else self.open.branch
            if ends[0] >= self.latest[0]:
                self.latest = ends
        self.open = None

    def _note_end(self, block: ScheduledBlock, pipeline: ScheduledRegion | None) -> None:
        here = self.dynamic, self.static
        if pipeline is not None and not block.returns:
            branch = block.terminator.end
            self.open = _Ends(here, (self.dynamic - (block.end - branch), branch))
        elif self.dynamic >= self.latest[0]:
            self.latest = here

    def stages(self, step: VisibleStep) -> tuple[int, int]:
        """Dynamic stages at which a step begins and ends."""
        instruction, block = step.instruction, self.block
        assert block is not None
        if self.function.schedule.function_pipeline is not None:
            return instruction.start, instruction.end
        offset = 0 if instruction.start == block.start else instruction.start - block.end + block.length
        return self.begin + offset, self.begin + offset + instruction.length

    def next_step(self) -> VisibleStep:
        """The step of the next entry of the trace."""
        if self.block is None or self.place == len(self.steps):
            raise _broken(self.function, "an access that its schedule does not have")
        step = self.steps[self.place]
        self.done += 1
        if self.done >= step.accesses:
            self.place, self.done = self.place + 1, 0
        return step

    @property
    def is_over(self) -> bool:
        """Whether nothing of the call is left."""
        return self.block is not None and self.block.returns and self.place == len(self.steps)

    def finish(self) -> None:
        """Sets the end of the call."""
        self.trips.finish()
        end = self.latest[0]
        if self.iterations is not None and _is_outlined(self.function, self.iterations[2]):  # rule 7
            first, last, loop = self.iterations
            taken = last - first + max(0, loop.depth - 1 - loop.ii)
            if _shares_stage(self.function, loop):
                end = taken
            self.call.unreported = taken + _OVERREPORTED - end
        self.call.end = end
        self.call.has_told_trips = self.trips.is_as_told


def _is_outlined(function: MatchedFunction, loop: ScheduledRegion) -> bool:
    """Whether a function is a loop that the tool took out."""
    is_named = function.schedule.entry.pipeline is None and "_Pipeline_" in function.name
    return is_named or _shares_stage(function, loop)


def _shares_stage(function: MatchedFunction, loop: ScheduledRegion) -> bool:
    """Whether the entry of a function, a state of its own, shares the stage of the loop's header."""
    entry = function.schedule.entry
    if entry.pipeline is not None:
        return False
    return any(
        block.id in entry.successors and block.start == entry.end and block.states[0] > entry.states[1]
        for block in function.blocks_of(loop)
    )


def _broken(function: MatchedFunction, what: str) -> InputError:
    hints = ["report the folder: the schedule does not explain the run of its own bitcode"]
    return InputError("schedule-mismatch", f"function '{function.name:.80}' makes {what}", where="trace", hints=hints)


def staged(functions: dict[str, MatchedFunction], code: ReachableCode, trace: np.ndarray) -> Call:
    """The call of the top.

    Args:
        functions: all that the trace enters.
        code: what blocks and channels are numbered by.
        trace: int64, as it was recorded.

    Raises:
        InputError: the trace does what the schedule does not have.
    """
    return _Reader(functions, code).read(iter(trace.tolist()))


class _Reader:
    """Follows a trace through its calls."""

    def __init__(self, functions: dict[str, MatchedFunction], code: ReachableCode) -> None:
        self.functions, self.code = functions, code
        self.frames: list[_Frame] = []
        self.top: Call | None = None
        self.channels: dict[int, int] = {}

    def read(self, entries: Iterator[int]) -> Call:
        for entry in entries:
            kind, number = entry & 7, entry >> 3
            if kind == CHANNEL:
                self.channels[number] = next(entries) >> 3
            elif kind == BLOCK:
                self._block(*self.code.blocks[number])
            else:
                count = next(entries) >> 3 if kind in (READ_REQUEST, WRITE_REQUEST) else 0
                self._access(number, kind, count)
            while self.frames and self.frames[-1].is_over:
                self.frames.pop().finish()
        if self.top is None or self.frames:
            raise InputError("trace-cut", "the run did not return", where="trace")
        return self.top

    def _block(self, name: str, place: int) -> None:
        function = self.functions[name]
        if not self.frames:
            self.top = Call(function)
            self.frames.append(_Frame(self.top))
        elif (frame := self.frames[-1]).place < len(frame.steps):
            self.frames.append(_Frame(self._call(frame, function)))
        self.frames[-1].enter(function.blocks[place], function.steps[place])

    @staticmethod
    def _call(frame: _Frame, function: MatchedFunction) -> Call:
        step = frame.next_step()
        if step.kind != CALL or step.callee != function.name or frame.block is None:
            raise _broken(frame.function, f"a call of '{function.name:.80}' that its schedule does not have")
        stage, end = frame.stages(step)
        block = frame.block
        is_late = block.is_sequential and block.region.ii < 0 and step.instruction.length > 0  # rule 5
        call = Call(function, step, block.region, stage, end, int(is_late))
        frame.call.calls.append(call)
        return call

    def _access(self, pointer: int, kind: int, count: int) -> None:
        if self.top is not None and not self.frames:
            raise _broken(self.top.function, "an access that its schedule does not have")
        frame = self.frames[-1]
        place = frame.done
        step = frame.next_step()
        if step.kind == CALL:
            raise _broken(frame.function, "an access where its schedule has a call")
        begin, end = frame.stages(step)
        stage = begin if step.operation in _REQUESTS else end
        bits = step.bits[place] if step.kind == FIFO else 0
        frame.call.accesses.append(
            StagedAccess(stage, step, kind == WRITE, pointer, self.channels.get(pointer, -1), bits, count)
        )
