"""LightningSim: the trace of a run in C simulation, with the reports of the synthesis.

As LightningSim v0.2.3 reads it (https://github.com/sharc-lab/LightningSim, its module ``trace_file``).  The trace is
text, an entry per line, its fields separated by tabs:

* ``spec_channel ADDRESS NAME DEPTH`` declares a FIFO;
* ``trace_bb FUNCTION BLOCK`` enters a basic block; one that was entered before begins another iteration;
* ``fifo_read ADDRESS`` and ``fifo_write ADDRESS`` are accesses, in the order of the program;
* ``loop NAME TRIPS``, ``loop_bb FUNCTION BLOCK``, ``end_loop_blocks``, accesses, ``end_loop``: a loop whose blocks are
  told once, before the accesses of all its iterations;
* ``spec_interface``, ``axi_...`` and ``ap_ctrl_chain`` concern memory and control, and are passed over.

It has no times.  Those come from the reports: interval and iteration latency of the loop with as many iterations.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sttest.core.errors import InputError, did_you_mean
from sttest.core.plain_files import open_to_read
from sttest.importers.hls.csynth_report import LoopReport
from sttest.importers.hls.reports import SynthesisReports, read_reports
from sttest.sim import Fifo, Pipeline, TimedGraph, Trace
from sttest.sim.graph import MAX_CYCLES, MAX_FIFOS, MAX_PROCESSES, check_name, check_whole, check_work

TOKEN_BITS = 32
"""Of a token; the trace does not say."""
ENTRY, GAP = 1, 2
"""Stages before the first loop of a task, and from the end of a loop to the entry of the next."""
_MOST_LINE_CHARS = 4096
_MOST_BLOCKS = 65_536
"""Of one iteration."""
_FIELDS = {
    "spec_channel": 3, "spec_interface": 3, "ap_ctrl_chain": 0, "trace_bb": 2, "loop_bb": 2, "fifo_read": 1,
    "fifo_write": 1, "axi_readreq": 3, "axi_writereq": 3, "axi_read": 1, "axi_write": 1, "axi_writeresp": 1, "loop": 2,
    "end_loop_blocks": 2, "end_loop": 2,
}  # fmt: skip


@dataclass
class IterationSegment:
    """Iterations of one loop in a row: of each access its iteration and its op, 2 * FIFO + write."""

    header: str = ""  # block that begins an iteration, or the name of the loop; empty for what runs once
    count: int = 0
    iterations: "array[int]" = field(default_factory=lambda: array("q"))
    ops: "array[int]" = field(default_factory=lambda: array("i"))

    def add(self, ops: Sequence[int]) -> None:
        """Another iteration."""
        self.iterations.extend([self.count] * len(ops))
        self.ops.extend(ops)
        self.count += 1


@dataclass
class FunctionRun:
    """What a function did: its loops, each block of the iteration under way with its accesses."""

    segments: list[IterationSegment] = field(default_factory=list)
    header: str | None = None  # block that begins an iteration of the loop under way
    path: dict[str, list[int]] = field(default_factory=dict)

    def enter(self, block: str) -> None:
        """Enters a block."""
        if block in self.path:
            self._repeat(block)
        self.path[block] = []

    def access(self, op: int) -> None:
        """An access in the block entered last."""
        next(reversed(self.path.values())).append(op)

    def close(self) -> None:
        """Ends the iteration under way, and its loop."""
        if self.header is None:
            self.segments.append(IterationSegment())
        self.segments[-1].add([op for ops in self.path.values() for op in ops])
        self.header, self.path = None, {}

    def _repeat(self, block: str) -> None:
        blocks = list(self.path)
        place = blocks.index(block)
        before = [op for each in blocks[:place] for op in self.path[each]]
        body = [op for each in blocks[place:] for op in self.path[each]]
        if self.header != block or place:
            if self.header is not None:
                self.segments[-1].add(before)  # the last iteration of the loop before, and what followed it
            elif before:
                self.segments.append(IterationSegment())
                self.segments[-1].add(before)
            self.segments.append(IterationSegment(block))
        self.segments[-1].add(body)
        self.header, self.path = block, {}


class _TraceReader:
    """Reads the lines of one trace."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.number = self.accesses = 0
        self.channels: dict[str, int] = {}
        self.fifos: list[Fifo] = []
        self.named: Counter[str] = Counter()
        self.runs: dict[str, FunctionRun] = {}
        self.run: FunctionRun | None = None
        self.loop: tuple[str, int, list[int]] | None = None  # name, trips, and the accesses of all iterations

    def read(self) -> None:
        for fields in self._lines():
            match fields:
                case ["spec_channel", address, name, depth]:
                    self._channel(address, name, depth)
                case ["trace_bb" | "loop_bb", function, block]:
                    self._enter(function, block)
                case ["fifo_read" | "fifo_write" as kind, address]:
                    self._access(address, int(kind == "fifo_write"))
                case ["loop", name, trips]:
                    self._begin_loop(name, trips)
                case ["end_loop", *_]:
                    self._end_loop()
                case _:
                    pass
        for run in self.runs.values():
            if run.path:
                run.close()

    def _lines(self) -> Iterator[list[str]]:
        try:
            with open_to_read(self.path) as file:
                while line := file.readline(_MOST_LINE_CHARS + 1):
                    self.number += 1
                    if len(line) > _MOST_LINE_CHARS:
                        raise self._bad(f"longer than {_MOST_LINE_CHARS} characters")
                    fields = line.decode("utf-8").rstrip("\r\n").split("\t")
                    if fields == [""]:
                        continue
                    if _FIELDS.get(fields[0]) != len(fields) - 1:
                        raise self._unknown(fields)
                    yield fields
        except OSError as error:
            raise InputError("unreadable-file", f"cannot be read: {error.strerror}", where=str(self.path)) from error
        except UnicodeDecodeError as error:
            raise self._bad("not UTF-8") from error

    def _channel(self, address: str, name: str, depth: str) -> None:
        check_whole(len(self.fifos), "number of FIFOs", str(self.path), 0, MAX_FIFOS - 1)
        if not depth.isdecimal() or len(depth) > 12:
            raise self._bad(f"depth '{depth:.40}' is no number")
        check_name(name, "FIFO")
        again = self.named[name]
        self.named[name] += 1
        self.channels[address] = len(self.fifos)
        self.fifos.append(Fifo(f"{name}#{again}" if again else name, max(1, int(depth)), TOKEN_BITS))

    def _enter(self, function: str, block: str) -> None:
        if function not in self.runs:
            check_whole(len(self.runs), "number of functions", str(self.path), 0, MAX_PROCESSES - 1)
            self.runs[function] = FunctionRun()
        self.run = self.runs[function]
        if self.loop is not None:
            return
        if len(self.run.path) >= _MOST_BLOCKS:
            raise self._bad(f"an iteration of more than {_MOST_BLOCKS} blocks")
        self.run.enter(block)

    def _access(self, address: str, write: int) -> None:
        if address not in self.channels:
            raise self._bad(f"no FIFO at address '{address:.40}'")
        if self.run is None:
            raise self._bad("an access before any block")
        self.accesses += 1
        check_work(self.accesses, "number of FIFO accesses", str(self.path))
        op = 2 * self.channels[address] + write
        if self.loop is not None:
            self.loop[2].append(op)
        elif self.run.path:
            self.run.access(op)
        else:
            raise self._bad("an access after a loop, before any block")

    def _begin_loop(self, name: str, trips: str) -> None:
        if self.run is None or self.loop is not None:
            raise self._bad("a loop inside of a loop, or outside of any function")
        if not trips.isdecimal() or not 0 < len(trips) <= 12 or int(trips) < 1:
            raise self._bad(f"trip count '{trips:.40}' is no number above 0")
        if self.run.path:
            self.run.close()
        self.loop = name, int(trips), []

    def _end_loop(self) -> None:
        if self.loop is None or self.run is None:
            raise self._bad("the end of a loop that did not begin")
        (name, trips, ops), self.loop = self.loop, None
        if len(ops) % trips:
            raise self._bad(f"{len(ops)} accesses in {trips} iterations")
        each = len(ops) // trips
        segment = IterationSegment(f"loop {name}", trips, array("q"), array("i", ops))
        if each:
            segment.iterations = array("q", np.repeat(np.arange(trips, dtype=np.int64), each).tobytes())
        self.run.segments.append(segment)

    def _unknown(self, fields: list[str]) -> InputError:
        kind = fields[0]
        if kind in _FIELDS:
            return self._bad(f"'{kind}' has {len(fields) - 1} fields, not {_FIELDS[kind]}")
        return self._bad(f"unknown entry '{kind:.40}'", did_you_mean(kind[:40], _FIELDS))

    def _bad(self, what: str, hint: str = "name a trace of LightningSim") -> InputError:
        return InputError("bad-trace", what, where=f"{self.path} line {self.number}", hints=[hint])


def read_lightningsim(source: Path, *, reports: Path | None = None, notes: list[str] | None = None) -> TimedGraph:
    """The design that a trace is of.

    Args:
        source: trace.
        reports: folder of the synthesis reports, or ``csynth.xml``.
        notes: list that gets what was assumed.

    Raises:
        InputError: no such trace, or reports that do not fit it.
    """
    if reports is None:
        hints = ["add --reports PROJECT/solution1/syn/report"]
        raise InputError("no-reports", "a trace says nothing of intervals", where=str(source), hints=hints)
    reader = _TraceReader(source)
    reader.read()
    synthesis = read_reports(reports)
    runs = {name: run for name, run in reader.runs.items() if any(segment.ops for segment in run.segments)}
    if not runs:
        raise InputError("no-tasks", "no function accesses a FIFO", where=str(source))
    timed = {name: _timed(run.segments, name, synthesis) for name, run in runs.items()}
    kept = _joined(reader.fifos, timed)
    told = [fifo.name for number, fifo in enumerate(reader.fifos) if number not in kept]
    if notes is not None:
        notes.append(f"tokens have {TOKEN_BITS} bits, which the trace does not say")
        notes += [f"'{name}' has one end only: never empty, never full" for name in told]
    number_of = np.full(2 * len(reader.fifos), -1, np.int64)
    for new, old in enumerate(kept):
        number_of[2 * old : 2 * old + 2] = 2 * new, 2 * new + 1
    fifos = tuple(reader.fifos[old] for old in kept)
    processes = tuple(_process(name, *each, number_of) for name, each in timed.items())
    return TimedGraph(source.stem, synthesis.clock_mhz, fifos, processes)


def _joined(fifos: Sequence[Fifo], timed: "dict[str, tuple[np.ndarray, np.ndarray, np.ndarray, int]]") -> list[int]:
    """Numbers of the FIFOs that are written and read."""
    used = np.unique(np.concatenate([ops for _, _, ops, _ in timed.values()]))
    both = set(used[used % 2 == 0] // 2) & set(used[used % 2 == 1] // 2)
    return [number for number in range(len(fifos)) if number in both]


def _process(
    name: str, ticks: np.ndarray, entered: np.ndarray, ops: np.ndarray, end: int, number_of: np.ndarray
) -> Pipeline:
    numbers = number_of[ops]
    ticks, entered, numbers = ticks[numbers >= 0], entered[numbers >= 0], numbers[numbers >= 0]
    order = np.lexsort((entered, ticks))
    return Pipeline(name, end=end, trace=Trace(ticks[order], numbers[order].astype(np.int32)))


# --- Times from the reports


def _timed(
    segments: Sequence[IterationSegment], name: str, reports: SynthesisReports
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Stage of each access, stage in which its iteration was entered, and op; and the stage after the last."""
    fit = _LoopFit(name, reports, alone=len(segments) == 1)
    ticks: list[np.ndarray] = []
    entries: list[np.ndarray] = []
    stage = end = ENTRY
    for segment in segments:
        if segment.count == 1 and not segment.ops:
            continue
        trips, interval, latency = fit.pace(segment)
        iterations = np.frombuffer(segment.iterations, np.int64) if segment.iterations else np.empty(0, np.int64)
        ops = np.frombuffer(segment.ops, np.int32) if segment.ops else np.empty(0, np.int32)
        length = (trips - 1) * interval + latency
        times = check_whole(segment.count // trips, "entries of a loop", name, 1, MAX_CYCLES)
        check_whole(stage + times * (length + GAP), "length in stages", name, 0, MAX_CYCLES)
        entered = stage + iterations // trips * (length + GAP) + iterations % trips * interval
        ticks.append(entered + (ops % 2) * (latency - 1))
        entries.append(entered)
        end = stage + (times - 1) * (length + GAP) + length
        stage = end + GAP
    ops = np.concatenate([np.frombuffer(each.ops, np.int32) for each in segments if each.ops])
    return np.concatenate(ticks), np.concatenate(entries), ops, end


class _LoopFit:
    """Finds the report of each loop of a function; a loop that is entered again has the one that it had."""

    def __init__(self, name: str, reports: SynthesisReports, *, alone: bool) -> None:
        self.name, self.reports, self.alone = name, reports, alone
        self.unmatched = reports.innermost(name)
        self.matched: dict[str, LoopReport] = {}

    def pace(self, segment: IterationSegment) -> tuple[int, int, int]:
        """Iterations per entry, interval and latency of the loop that a segment is of.

        Raises:
            InputError: no report has a loop with so many iterations.
        """
        if segment.count == 1 and segment.header not in self.matched:
            cycles = self.reports.module(self.name).cycles
            is_all = self.alone and not self.unmatched and cycles is not None
            return 1, 1, max(1, cycles - ENTRY) if is_all and cycles is not None else 1
        loop = self.matched.get(segment.header) or self._next(segment.count)
        if loop.depth is None or not loop.trips or segment.count % loop.trips:
            raise self._unfit(segment.count)
        self.matched[segment.header] = loop
        return loop.trips, max(1, loop.interval or loop.depth), max(1, loop.depth)

    def _next(self, count: int) -> LoopReport:
        fitting = [loop for loop in self.unmatched if loop.trips == count]
        fitting += [loop for loop in self.unmatched if loop.trips and loop.trips > 1 and count % loop.trips == 0]
        if not fitting:
            raise self._unfit(count)
        self.unmatched.remove(fitting[0])
        return fitting[0]

    def _unfit(self, count: int) -> InputError:
        what = f"no report of '{self.name:.80}' has a loop of {count} iterations"
        hints = ["give the reports of the same source"]
        return InputError("report-does-not-fit", what, where=self.reports.where, hints=hints)
