"""What a run of a design left behind, as timed graphs: one for each of five schedules."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sttest.core.errors import DeadlockError, InputError
from sttest.importers.cpp.layout import Layout, is_no_process
from sttest.importers.places import Access, DesignPlaces, Place
from sttest.sim import Fifo, Pipeline, TimedGraph, Trace
from sttest.sim.graph import MIN_DEPTH, PING_PONG


@dataclass
class ScheduleRun:
    """A run: its tables, and per process stages by schedule, ops and sites of its accesses."""

    facts: Mapping[str, Any]
    accesses: list[tuple[tuple[np.ndarray, ...], np.ndarray, np.ndarray]] = field(default_factory=list)


def read_run(path: Path) -> ScheduleRun:
    """What the runtime wrote to ``path.json`` and ``path.bin``."""
    facts = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    data = path.with_suffix(".bin").read_bytes()
    run, place = ScheduleRun(facts), 0
    for each in facts["processes"]:
        parts: list[np.ndarray] = []
        for kind in (*("<i8",) * 5, "<i4", "<i4"):
            parts.append(np.frombuffer(data, kind, each["count"], place))
            place += parts[-1].nbytes
        run.accesses.append((tuple(parts[:5]), parts[5], parts[6]))
    return run


@dataclass(frozen=True)
class NetworkRuns:
    """The design under five schedules.

    In ``early`` reads stand as early and writes as late as order and latencies allow, in ``late`` the other way round;
    in ``text`` lanes of an unrolled loop keep the order of the text, what a condition guards being a stage later; in
    ``apart`` the first of several lanes reads a stage before the others; in ``first`` all stand as early as may be.
    """

    early: TimedGraph
    late: TimedGraph
    text: TimedGraph
    apart: TimedGraph
    first: TimedGraph
    notes: tuple[str, ...]
    blocked: tuple[str, ...]  # processes that wait for ever although no FIFO is ever full, and where
    places: DesignPlaces  # of processes and accesses; the text tells where FIFOs are declared
    shown: str = "early"  # the schedule of the graph that stands for the design

    @property
    def graph(self) -> TimedGraph:
        """The design under the schedule that is shown."""
        return self.schedules[self.shown]

    @property
    def schedules(self) -> dict[str, TimedGraph]:
        """The graphs by the name of their schedule."""
        return {name: getattr(self, name) for name in ("early", "late", "text", "apart", "first")}


class NetworkMaker:
    """Makes the graphs of a run.

    Args:
        facts: of the design, from ``lower``.
        run: the run.
        layout: of its loops.
        name: of the graph.
        clock_mhz: of the design.
        default_depth: of streams for which nothing is said.
    """

    def __init__(
        self,
        facts: Mapping[str, Any],
        run: ScheduleRun,
        layout: Layout,
        name: str,
        clock_mhz: float,
        default_depth: int = MIN_DEPTH,
    ) -> None:
        self.facts, self.run, self.layout = facts, run, layout
        self.name, self.clock_mhz, self.default_depth = name, clock_mhz, default_depth
        self.processes = run.facts["processes"]
        self.notes: list[str] = []
        self.names = self._names()
        self.fifos: list[Fifo] = []
        self.number: dict[int, int] = {}  # of a stream, its FIFO
        self.touched: list[tuple[int, int, int]] = []  # process, FIFO of turns, and where it touches what they are of
        self.turns: dict[int, list[tuple[int, int]]] = {}  # of a process: FIFO that it takes from, FIFO that it puts to

    def network(self) -> NetworkRuns:
        """The graphs.

        Raises:
            InputError: a stream that no timed graph has, such as one with two writers.
        DeadlockError: processes wait for tokens that nobody writes before they wait.
        """
        self._check_tasks()
        self._streams()
        self._arrays()
        if len(self.names) > 1 and not self.fifos:
            what = f"{len(self.names)} tasks, and no token passes between any two of them"
            hints = ["give scalars that decide how often loops run: --set n=64", "name another function with --top"]
            raise InputError("no-channels", what, where=self.name, hints=hints)
        early, late, text, apart, first = (
            TimedGraph(
                self.name, self.clock_mhz, tuple(self.fifos), tuple(self._process(each, which) for each in self.names)
            )
            for which in range(5)
        )
        return NetworkRuns(
            early, late, text, apart, first, tuple(dict.fromkeys(self.notes)), tuple(self._blocked()), self._places()
        )

    def _check_tasks(self) -> None:
        """Refuses tasks that are not started by the top itself: whose streams are whose is not known."""
        for each in self.processes:
            starter = self.processes[each["parent"]] if each["task"] else each
            if each["task"] and starter["parent"] >= 0:
                place = self._place(each["site"])
                where = f" ({place.file.name} line {place.line})" if place else ""
                what = f"an hls::task is started in a loop or a function{where}, whose streams are not followed"
                hints = [
                    "write one call for each task into the top itself",
                    "give the solution folder of its synthesis",
                ]
                raise InputError("nested-tasks", what, where=self.name, hints=hints)

    def _names(self) -> dict[int, str]:
        """Processes that are in the graph, by number: not those that only begin others."""
        parents = {each["parent"] for each in self.processes}
        seen: Counter[str] = Counter()
        found: dict[int, str] = {}
        for number, each in enumerate(self.processes):
            if (number in parents or each["parent"] < 0) and not each["count"] and not each["blocked"]:
                continue
            if each["loop"] >= 0:
                if not each["count"] and is_no_process(self.layout.loops[each["loop"]]):
                    continue
                name = f"Loop_{self.layout.loops[each['loop']].label or each['loop']}_proc"
            else:
                name = (
                    self.facts["functions"][each["function"]]["name"].partition("<")[0]
                    if each["function"] >= 0
                    else "call"
                )
            found[number] = f"{name}_{seen[name]}" if seen[name] else name
            seen[name] += 1
        return found

    def _streams(self) -> None:
        ends: dict[int, tuple[set[int], set[int]]] = {}
        for number, (_, ops, _) in enumerate(self.run.accesses):
            for op in np.unique(ops):
                ends.setdefault(int(op) // 2, (set(), set()))[int(op) % 2].add(number)
        names: Counter[str] = Counter()
        for stream, each in enumerate(self.run.facts["streams"]):
            readers, writers = ends.get(stream, (set[int](), set[int]()))
            if each["port"] or not (readers or writers) or readers == writers:
                continue
            name = each["name"].replace("@", ".") if not each["name"].startswith("@") else f"stream{stream}"
            self._require_ends(each, name, readers, writers)
            if not readers or not writers:
                continue
            names[name] += 1
            self.number[stream] = len(self.fifos)
            depth = each["depth"] or self.default_depth
            fifo = f"{name}.{names[name] - 1}" if names[name] > 1 else name
            self.fifos.append(
                Fifo(fifo, max(depth, each["initial"]), max(1, each["bits"]), initial_tokens=each["initial"])
            )

    def _require_ends(self, stream: Mapping[str, Any], name: str, readers: set[int], writers: set[int]) -> None:
        for ends, does in ((readers, "read"), (writers, "written")):
            if len(ends) > 1:
                told = " and ".join(self.names.get(each, "the region") for each in sorted(ends))
                raise InputError("several-ends", f"stream '{name}' is {does} by {told}", where=self.name)
        if not readers:
            self.notes.append(f"nobody reads '{name}': it is left out, and hangs where it takes more than its depth")
        elif not writers and stream["initial"] == 0:
            waits = self._blocked()
            if len(waits) > 1:  # who would write it waits for ever, too
                hints = ["write before reading in one of them", "let the region write a first token"]
                what = f"it deadlocks whatever the depths are: {'; '.join(waits)}"
                raise DeadlockError("deadlock", what, where=self.name, hints=hints)
            where = self.names.get(next(iter(readers)), "the region")
            raise self._never_written(where, name)
        elif not writers:
            self.notes.append(f"nobody writes '{name}' after its first tokens: it is left out")

    def _never_written(self, reader: str, stream: str) -> InputError:
        what, hints = f"'{reader}' reads stream '{stream}', which nobody writes", ["write to it, or do not read it"]
        if any(each["cause"] == "data" for each in self.facts["findings"]):
            what += " for memory and streams full of zeros"
            hints = ["import the trace of a run, see 'sttest import'", "name a part of the design with --top"]
        return InputError("never-written", what, where=self.name, hints=hints)

    def _arrays(self) -> None:
        """FIFOs of turns for what one process fills and later ones read: arrays, and scalars by reference."""
        for each in self.run.facts["variables"]:
            known = {int(number): told for number, told in each["users"].items() if int(number) in self.names}
            users = {number: how for number, (how, _) in known.items()}
            filler = min((number for number, how in users.items() if how & 2), default=None)
            if each["stream"] >= 0 or filler is None or each["kind"] == "unsync":
                continue
            depth = each["depth"] if each["kind"] == "pipo" and each["depth"] else PING_PONG
            for number in sorted(users):
                if number <= filler:
                    continue
                name = f"{each['name']}.{self.names[number]}"
                full, origin = len(self.fifos), f"ping-pong buffer {each['name']}"
                self.fifos += [
                    Fifo(f"{name}.full", depth, 1, "srl", origin=origin),
                    Fifo(f"{name}.empty", depth, 1, "srl", depth, origin=origin),
                ]
                for end in (filler, number):
                    self.touched += [(end, full, known[end][1]), (end, full + 1, known[end][1])]
                self.turns.setdefault(filler, []).append((full + 1, full))
                self.turns.setdefault(number, []).append((full, full + 1))

    def _process(self, number: int, which: int) -> Pipeline:
        facts = self.processes[number]
        stages_of, ops, _ = self.run.accesses[number]
        stages = stages_of[which]
        streams = np.array(
            [self.number.get(stream, -1) for stream in range(len(self.run.facts["streams"]))] or [-1], np.int32
        )
        fifos = streams[ops // 2] if ops.size else ops
        kept = fifos >= 0
        ticks, made = stages[kept], (2 * fifos + ops % 2)[kept]
        turns = self.turns.get(number, [])
        if turns:
            runs = [(start, end) for start, end, _, _ in facts["runs"]]
            before = [(start, 2 * takes) for start, _ in runs for takes, _ in turns]
            after = [(end - 1, 2 * puts + 1) for _, end in runs for _, puts in turns]
            ticks = np.concatenate([[each for each, _ in before], ticks, [each for each, _ in after]]).astype(np.int64)
            made = np.concatenate([[each for _, each in before], made, [each for _, each in after]]).astype(np.int32)
        # Of the accesses in one stage those of the older iteration come first: the run wrote them down in that order.
        order = np.argsort(ticks, kind="stable")
        trace = Trace(ticks[order].astype(np.int64), made[order].astype(np.int32))
        end = max(facts["end"], int(trace.tick[-1]) + 1 if trace.tick.size else 0)
        return Pipeline(self.names[number], end=end, trace=trace, origin=self._origin(facts))

    def _origin(self, facts: Mapping[str, Any]) -> str:
        if facts["function"] < 0:
            return ""
        function = self.facts["functions"][facts["function"]]
        return f"{Path(function['file']).name} line {function['line']}" if function["file"] else ""

    def _places(self) -> DesignPlaces:
        """Where each process is called or begins, and where each FIFO is first accessed."""
        processes, accesses = dict[str, Place](), dict[Access, Place]()
        for number, name in self.names.items():
            facts = self.processes[number]
            function = self.facts["functions"][facts["function"]] if facts["function"] >= 0 else None
            loop = self.layout.loops[facts["loop"]].facts if facts["loop"] >= 0 else None
            found = self._place(facts["site"]) or _place_of(loop) or _place_of(function)
            if found is not None:
                processes[name] = found
            _, ops, sites = self.run.accesses[number]
            for op, site in zip(*np.unique(np.stack([ops, sites]), axis=1).tolist(), strict=True):
                fifo = self.number.get(op // 2)
                place = self._place(site)
                if fifo is not None and place is not None:
                    accesses.setdefault((name, "write" if op % 2 else "read", self.fifos[fifo].name), place)
        for number, fifo, site in self.touched:
            if place := self._place(site):
                accesses |= {(self.names[number], op, self.fifos[fifo].name): place for op in ("read", "write")}
        return DesignPlaces({}, processes, accesses)

    def _place(self, number: int) -> Place | None:
        sites = self.facts["sites"]
        _, _, file, line = sites[number] if 0 <= number < len(sites) else (0, "", "", 0)
        return Place(Path(file), line) if file and line else None

    def _blocked(self) -> list[str]:
        found: list[str] = []
        for number, each in enumerate(self.processes):
            if each["blocked"] and not each["task"]:
                stream = self.run.facts["streams"][each["stream"]]
                site = self.facts["sites"][each["at"]] if 0 <= each["at"] < len(self.facts["sites"]) else None
                where = f" ({Path(site[2]).name} line {site[3]})" if site and site[2] else ""
                found.append(f"{self.names.get(number, 'the region')} waits for '{stream['name']}'{where}")
        return found


def _place_of(facts: Mapping[str, Any] | None) -> Place | None:
    return Place(Path(facts["file"]), facts["line"]) if facts and facts["file"] and facts["line"] else None
