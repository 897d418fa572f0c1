"""Staged calls as a timed graph: processes with traces, their FIFOs, and tokens where one waits for another.

A function that is called in sequence is part of its caller's process, whose later stages wait for its end.  A call of a
dataflow region is a process of its own.  Whoever waits for one takes a token that it puts at its end, and one that
begins when its caller gets there takes a token that the caller puts, so that a stall reaches all that waits.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from sttest.core.errors import InputError
from sttest.importers.solution.dataflow import is_stream
from sttest.importers.solution.drafts import Draft, End, Key
from sttest.importers.solution.folder import FifoModule
from sttest.importers.solution.matching import FIFO, MatchedFunction
from sttest.importers.solution.program import TopPort
from sttest.importers.solution.schedule import Instruction, ScheduledRegion
from sttest.importers.solution.stages import Call, StagedAccess
from sttest.sim import Fifo, Pipeline, TimedGraph, Trace
from sttest.sim.graph import MAX_CYCLES, MAX_DEPTH, MAX_NAME_CHARS, PING_PONG

READ_LATENCY, RESPONSE_LATENCY = 12, 7
"""Cycles of co-simulation's memory from a request to its first beat, and from the last beat to the response, besides
the latency of the interface, by LightningSim (its module ``axi_interface``)."""
INTERFACE_LATENCY = 1
"""Of ``m_axi`` interfaces that set none."""

_UNKNOWN_BITS = 32
"""Of a token whose width stands nowhere."""


@dataclass(frozen=True)
class _Wait:
    """At a stage of a call the caller waits until a time, and for the ends of processes."""

    stage: int
    time: int
    ends: tuple[End, ...] = ()


@dataclass
class FifoNames:
    """What FIFOs are called and how they are made."""

    channels: list[tuple[str, int]]  # name and depth
    modules: dict[str, FifoModule]
    ports: list[TopPort]

    def port(self, pointer: int) -> str:
        """The port of the top whose memory an address belongs to."""
        return next((each.name for each in self.ports if each.address <= pointer < each.address + each.size), "memory")


def assembled(
    top: Call, functions: Iterable[MatchedFunction], names: FifoNames, clock_mhz: float, notes: list[str]
) -> TimedGraph:
    """The timed graph of a run.

    Args:
        top: the call of the top, with all calls in it.
        functions: functions of the design.
        names: channels, FIFO modules and ports.
        clock_mhz: clock.
        notes: list that gets what was assumed.

    Raises:
        InputError: a FIFO has several writers or readers, or a region in a loop is entered in a way that nobody knows.
    """
    builder = _Builder(names)
    process = builder.draft(top)
    process.end = builder.lay_out(top, 0, process)
    process.open_ends()
    builder.link_regions({region: each for each in functions for region in each.schedule.regions.values()})
    return builder.graph(top.function.name, clock_mhz, notes)


class _Builder:
    """Puts the processes together."""

    def __init__(self, names: FifoNames) -> None:
        self.names = names
        self.drafts: list[Draft] = []
        self.sites: dict[tuple[int, Instruction], Draft] = {}  # by caller and call
        self.bits: dict[Key, int] = {}
        self.regions: dict[tuple[int, ScheduledRegion], dict[int, _Iterated]] = {}  # in loops, by caller: by call
        self.linked: set[Key] = set()
        self.halves: dict[Key, int] = {}  # tokens for halves of an array: how many are there initially

    def draft(self, call: Call, start: int = 0) -> Draft:
        """A new process."""
        origin = call.step.instruction.source if call.step is not None else ""
        made = Draft(len(self.drafts), call.function.name, start, origin)
        self.drafts.append(made)
        return made

    def lay_out(self, call: Call, base: int, into: Draft) -> int:
        """Adds what a call does from a time on to a process, and returns the time of its end if nothing stalls it.

        A loop with a region in it is waited for where it is left.
        """
        timeline = _Timeline(self, base, into)
        items: list[tuple[int, int, Call | StagedAccess | ScheduledRegion]] = []
        items += [(stage, -1, loop) for loop, stage in call.left.items()]
        items += [(each.stage, 0, each) for each in call.calls]
        items += [(each.stage, 1, each) for each in call.accesses]
        merged: dict[ScheduledRegion, dict[Draft, _Iterated]] = {}
        for stage, order, item in sorted(items, key=lambda each: each[:2]):
            if isinstance(item, ScheduledRegion):
                timeline.wait(_Wait(stage, 0, _ends(merged.pop(item, {}))))
                timeline.at(stage)
                continue
            # Starts of a stage do not wait for ends of the same stage.
            time = timeline.at(stage) if order else timeline.at(stage - 1) + 1
            if isinstance(item, StagedAccess):
                timeline.access(item, time)
            elif item.is_process and item.region is not None and item.region.is_loop:
                self.collect(item, time, into, merged.setdefault(item.region, {}))
            elif item.is_process:
                timeline.wait(self.process(item, time + item.delay, into))
            else:
                timeline.wait(_Wait(item.end_stage, self.lay_out(item, time + item.delay, into)))
        for loop in merged.values():
            timeline.wait(_Wait(call.end, 0, _ends(loop)))
        end = timeline.at(call.end)
        if all(not each.is_process and each.latency is not None for each in call.calls):
            call.latency = end - base
            call.unreported += _unreported(call.calls)
            call.has_told_trips &= all(each.has_told_trips for each in call.calls)
        return end

    def process(self, call: Call, time: int, caller: Draft) -> _Wait:
        """A process of a region that is entered at a time of its caller, and the caller's wait for its end."""
        assert call.step is not None
        site = caller.number, call.step.instruction
        before = self.sites.get(site)
        draft = self.draft(call, time) if before is None else Draft(before.number, "", time)
        if before is not None or caller.first < time or caller.starter is not None:
            self._begin_with_token(draft, time, caller)
        draft.end = self.lay_out(call, time, draft)
        behind, has_access = draft.open_ends(), draft.has_access_at_end
        if before is None:
            self.sites[site], offset = draft, 0
        else:
            offset = before.add_run(draft)
        own = End(self.sites[site], time + offset, draft.end + offset, has_access)
        return _Wait(call.end_stage, 0 if draft.end > time else time, (own, *behind))

    @staticmethod
    def _begin_with_token(draft: Draft, time: int, caller: Draft) -> None:
        """A token in the cycle before a time: what begins with its caller is begun by whoever begins that."""
        while time - 1 < caller.start and caller.starter is not None:
            caller = caller.starter
        draft.starter = caller
        caller.add(max(time - 1, caller.start), ("start", draft.number), is_write=True)
        draft.add(time, ("start", draft.number), is_write=False)

    def collect(self, call: Call, time: int, caller: Draft, merged: "dict[Draft, _Iterated]") -> None:
        """Runs of the processes of a region in a loop: each leaf is one process for all iterations."""
        if any(each.is_process for each in call.calls):
            for each in sorted(call.calls, key=lambda item: item.stage):
                self.collect(each, time + each.stage, caller, merged)
            return
        assert call.step is not None
        assert call.region is not None
        site = caller.number, call.step.instruction
        if site not in self.sites:
            self.sites[site] = draft = self.draft(call, next(iter(merged)).start if merged else time)
            if caller.first < draft.start or caller.starter is not None:
                self._begin_with_token(draft, draft.start, caller)
            draft.end = draft.start - 1
            merged[draft] = _Iterated(draft)
        draft = self.sites[site]
        if draft not in merged:
            what = f"the dataflow region with '{call.function.name:.80}' is in a loop that is entered more than once"
            hints = ["report the folder: no such region was known when this was written"]
            raise InputError("unknown-region", what, where=call.function.schedule.place, hints=hints)
        iterated = self.regions.setdefault((caller.number, call.region), {}).setdefault(
            call.step.instruction.id, merged[draft]
        )
        run = Draft(draft.number, "", draft.end + 1, starter=draft if iterated.runs else draft.starter)
        run.end = self.lay_out(call, run.start, run)
        iterated.behind = run.open_ends()
        draft.add_run(run)
        iterated.runs.append((run.start, draft.end))

    def link_regions(self, functions: dict[ScheduledRegion, MatchedFunction]) -> None:
        """Tokens between the processes of regions in loops: for starts, and for arrays and scalars in two halves."""
        for (_, region), inside in self.regions.items():
            for channel in region.channels:
                pairs = [
                    (a, b) for a in channel.sources for b in channel.sinks if a in inside and b in inside and a != b
                ]
                for source, sink in pairs:
                    self._link(inside[source], inside[sink])
                    if not is_stream(functions[region], channel):
                        self._halves(inside[source], inside[sink], channel.name)

    def _link(self, source: "_Iterated", sink: "_Iterated") -> None:
        key = "follows", source.draft.number, sink.draft.number
        if key in self.linked:
            return
        self.linked.add(key)
        for begin, _ in source.runs:
            source.draft.add(begin, key, is_write=True)
        for begin, _ in sink.runs:
            sink.draft.add(begin, key, is_write=False)

    def _halves(self, source: "_Iterated", sink: "_Iterated", name: str) -> None:
        empty, full = (
            (f"{name}.empty", source.draft.number, sink.draft.number),
            (name, source.draft.number, sink.draft.number),
        )
        if full in self.linked:
            return
        self.linked.add(full)
        for each, taken, put in ((source, empty, full), (sink, full, empty)):
            for begin, end in each.runs:
                each.draft.add(begin, taken, is_write=False)
                each.draft.add(end, put, is_write=True)
        self.halves |= {empty: PING_PONG, full: 0}

    def graph(self, name: str, clock_mhz: float, notes: list[str]) -> TimedGraph:
        """All of it."""
        fifos = self._fifos(notes)
        place = {key: number for number, key in enumerate(fifos)}
        names = _numbered([draft.name for draft in self.drafts])
        processes = [_pipeline(draft, each, place) for draft, each in zip(self.drafts, names, strict=True)]
        return TimedGraph(name[:MAX_NAME_CHARS], clock_mhz, tuple(fifos.values()), tuple(processes))

    def _fifos(self, notes: list[str]) -> dict[Key, Fifo]:
        """The FIFOs that are written and read."""
        ends: dict[Key, tuple[set[int], set[int]]] = {}
        for draft in self.drafts:
            for _, is_write, key in draft.events:
                ends.setdefault(key, (set(), set()))[is_write].add(draft.number)
        found: dict[Key, Fifo] = {}
        for key, (readers, writers) in ends.items():
            if len(readers) > 1 or len(writers) > 1:
                what = f"the FIFO '{self._name(key)}' has {len(writers)} writers and {len(readers)} readers"
                raise InputError("shared-fifo", what, where="import solution", hints=["report the folder"])
            if readers and writers:
                found[key] = self._fifo(key, notes)
            elif key[0] == "channel":
                notes.append(f"'{self._name(key)}' is left out: it is only {'read' if readers else 'written'}")
        names = _numbered([each.name for each in found.values()])
        return {key: replace(fifo, name=each) for (key, fifo), each in zip(found.items(), names, strict=True)}

    def _name(self, key: Key) -> str:
        if key[0] == "channel":
            return self.names.channels[int(key[1])][0]
        return f"{key[0]}.{'.'.join(self.drafts[int(each)].name for each in key[1:])}"

    def _fifo(self, key: Key, notes: list[str]) -> Fifo:
        name = self._name(key)
        if key[0] != "channel":
            return Fifo(name, PING_PONG if key in self.halves else MAX_DEPTH, 1, "srl", self.halves.get(key, 0))
        bits, depth = self.bits[key], max(1, self.names.channels[int(key[1])][1])
        if (module := self.names.modules.get(name)) is not None:
            return Fifo(name, max(1, module.depth), module.bits, module.impl)
        if not bits:
            bits = _UNKNOWN_BITS
            notes.append(f"tokens of '{name}' have {bits} bits: neither Verilog nor bitcode says it")
        return Fifo(name, depth, bits)


def _unreported(calls: Iterable[Call]) -> int:
    """What synthesis reports too much of calls: those that begin together count as the longest that it reports."""
    told, taken = Counter[int](), Counter[int]()
    for each in calls:
        latency = each.latency or 0
        told[each.stage] = max(told[each.stage], latency + each.unreported)
        taken[each.stage] = max(taken[each.stage], latency)
    return told.total() - taken.total()


def _pipeline(draft: Draft, name: str, place: dict[Key, int]) -> Pipeline:
    events = sorted(
        (stage - draft.start, 2 * place[key] + is_write) for stage, is_write, key in draft.events if key in place
    )
    if max([draft.end, *(tick for tick, _ in events)]) > MAX_CYCLES:
        what = f"process '{name}' takes more than {MAX_CYCLES:,} cycles"
        raise InputError("too-long", what, where="import solution", hints=["report the folder"])
    ticks = np.array([tick for tick, _ in events], dtype=np.int64)
    trace = Trace(ticks, np.array([op for _, op in events], dtype=np.int32))
    if not trace.is_ordered:
        raise InputError("before-start", f"process '{name}' accesses a FIFO before it begins", where="import solution")
    return Pipeline(name, start=draft.start, end=draft.end - draft.start, trace=trace, origin=draft.origin)


def _numbered(names: list[str]) -> list[str]:
    """Names that graphs admit, the second and further ones of a kind with a number."""
    seen: Counter[str] = Counter()
    found: list[str] = []
    for name in names:
        plain = re.sub(r"[^\w.]+", "_", name)[: MAX_NAME_CHARS - 8] or "unnamed"
        seen[plain] += 1
        found.append(plain if seen[plain] == 1 else f"{plain}#{seen[plain]}")
    return found


class _Timeline:
    """When the stages of one call are, in a process."""

    def __init__(self, builder: _Builder, base: int, into: Draft) -> None:
        self.builder, self.base, self.into = builder, base, into
        self.shift = 0  # cycles that waits have added
        self.waits: list[_Wait] = []
        self.requests: dict[str, tuple[int, bool]] = {}  # by port: time, and whether its first beat is still to come
        self.written: dict[str, int] = {}  # by port: time of the last beat

    def at(self, stage: int) -> int:
        """The time of a stage, behind all that it waits for."""
        due = [each for each in self.waits if each.stage <= stage]
        for each in sorted(due, key=lambda each: (each.stage, not each.time)):
            self.into.wait(self.delay_until(each.time, each.stage), each.ends)
        self.waits = [each for each in self.waits if each.stage > stage]
        return self.base + stage + self.shift

    def delay_until(self, time: int, stage: int) -> int:
        """Moves a stage, and all behind it, to a time if that is later; returns its time."""
        self.shift = max(self.shift, time - (self.base + stage))
        return self.base + stage + self.shift

    def wait(self, wait: _Wait) -> None:
        """A wait that a later stage has."""
        self.waits.append(wait)

    def access(self, access: StagedAccess, time: int) -> None:
        """Adds an access at a time."""
        if access.step.kind == FIFO:
            if access.channel >= 0:
                key = ("channel", access.channel, access.pointer)
                self.builder.bits[key] = max(access.bits, self.builder.bits.get(key, 0))
                self.into.add(time, key, is_write=access.is_write)
            return
        port = self.builder.names.port(access.pointer)
        match access.step.operation:
            case "ReadReq":
                self.requests[port] = time, True
            case "Read":
                begun, is_first = self.requests.get(port, (0, False))
                if is_first:
                    self.delay_until(begun + INTERFACE_LATENCY + READ_LATENCY, access.stage)
                    self.requests[port] = begun, False
            case "Write":
                self.written[port] = time
            case "WriteResp" if port in self.written:
                self.delay_until(self.written[port] + INTERFACE_LATENCY + RESPONSE_LATENCY, access.stage)
            case _:
                pass


@dataclass(eq=False)
class _Iterated:
    """A process of a region in a loop, and the stages at which its runs begin and end.

    ``behind`` are processes in the last run for which whoever waits for this one has to wait as well.
    """

    draft: Draft
    runs: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    behind: list[End] = field(default_factory=list[End])


def _ends(loop: dict[Draft, _Iterated]) -> tuple[End, ...]:
    """What follows a loop with a region in it waits for."""
    found: list[End] = []
    for draft, each in loop.items():
        begin, end = each.runs[-1]
        # In a cycle in which it both begins and ends it may wait for half of an array.
        found += [End(draft, draft.start, end, begin == end or draft.has_access_at_end), *each.behind]
    return tuple(found)
