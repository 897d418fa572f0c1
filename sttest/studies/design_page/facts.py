"""What the page of a design holds, as JSON values: shares of time, slices, occupancies, the critical path.

Everything is bounded: a page that would be too large gets fewer processes, slices and samples, and a line says so.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sttest.sim import MemoryPort, Process
from sttest.sim.deadlock import Deadlock
from sttest.sim.export import occupancy, window_cycles
from sttest.sim.graph import MAX_DEPTH, fifo_ends
from sttest.studies.design_page.boxes import LABEL_CHARS, cut, fifo_note, fifo_text, process_text, shares_of, wait_label
from sttest.studies.design_page.grouping import Entry, tree
from sttest.studies.design_page.subject import Subject
from sttest.studies.design_page.timelines import PARTS, full_cycles, timelines

SCHEMA = "sttest.design-page/1"
MAX_BYTES = 1_100_000
"""Bytes of the data of a page, whose scripts and tables take less than 900,000 more."""
MAX_ABOUT_CHARS = 300
MAX_WAITS = 40
"""Waits of a deadlock that are written out."""
_MOST_SLICES, _LEAST_SLICES = 240, 8
_MOST_SAMPLES, _LEAST_SAMPLES = 300, 40


@dataclass(frozen=True)
class PageLimits:
    """What a page holds at most; ``slices`` and ``samples`` of all processes and of all FIFOs together."""

    processes: int = 2000
    fifos: int = 4000
    slices: int = 60_000
    samples: int = 90_000
    segments: int = 3000

    def halved(self) -> "PageLimits":
        """Half of everything."""
        return PageLimits(*(max(value // 2, 1) for value in vars(self).values()))


LIMITS = PageLimits()


@dataclass(frozen=True)
class Facts:
    """``data``: JSON values that the scripts draw; ``notes``: what was cut, a sentence each."""

    data: dict[str, Any]
    notes: list[str]


def facts_of(subject: Subject, say: Callable[[str], None] = lambda _: None) -> Facts:
    """The facts of a design, as many as fit a page; ``say`` gets lines of progress."""
    limits = LIMITS
    while True:
        facts = _Cut(subject, limits, say).facts()
        if len(json.dumps(facts.data, separators=(",", ":"))) <= MAX_BYTES or limits.processes == 1:
            return facts
        limits = limits.halved()


class _Cut:
    """A subject within limits."""

    def __init__(self, subject: Subject, limits: PageLimits, say: Callable[[str], None]) -> None:
        self._subject, self._limits = subject, limits
        self._graph, self._ends = subject.graph, fifo_ends(subject.graph)
        shown = min(len(self._graph.processes), limits.processes)
        self._most_slices = int(np.clip(limits.slices // shown, _LEAST_SLICES, _MOST_SLICES))
        self._timelines = timelines(subject, self._most_slices, say)
        self._by_process = Counter[str]()
        for segment in subject.path:
            self._by_process[segment.process] += segment.cycles
        self._processes = self._chosen_processes()
        self._place = {number: place for place, number in enumerate(self._processes)}

    def facts(self) -> Facts:
        run, graph = self._subject.run, self._graph
        end, fifos = self._subject.end, self._chosen_fifos()
        processes = self._process_columns(end)
        data = {
            "schema": SCHEMA,
            "name": graph.name,
            "clock_mhz": graph.clock_mhz,
            "engine": run.engine,
            "verdict": run.verdict,
            "cycles": run.cycles,
            "throughput": None if run.throughput is None else [run.throughput.numerator, run.throughput.denominator],
            "end": end,
            "counts": {"processes": len(graph.processes), "fifos": len(graph.fifos)},
            "critical_path": self._path_sums(),
            "processes": processes,
            "fifos": self._fifo_columns(fifos),
            "bundles": self._bundles(fifos),
            "tree": [self._entry(each, processes, end) for each in tree(graph, self._processes)],
            "segments": self._segments(end),
            "curves": self._curves(fifos, end),
            "deadlock": self._deadlock(run.deadlock, fifos),
        }
        return Facts(data, self._notes(fifos, data))

    # --- What is chosen

    def _waits(self, deadlock: Deadlock | None) -> list[Any]:
        return [] if deadlock is None else list(deadlock.cycle[:MAX_WAITS])

    def _chosen_processes(self) -> list[int]:
        """All, or those that wait for each other, are on the critical path, or stand still longest."""
        processes = self._graph.processes
        if len(processes) <= self._limits.processes:
            return list(range(len(processes)))
        waiting = {name for wait in self._waits(self._subject.run.deadlock) for name in (wait.process, wait.peer)}

        def rank(number: int) -> tuple[bool, int, int, int]:
            name, parts = processes[number].name, self._timelines[number].shares
            still = sum(parts.get(kind, 0) for kind in ("stall_in", "stall_out", "memory"))
            return name not in waiting, -self._by_process[name], -still, number

        return sorted(sorted(range(len(processes)), key=rank)[: self._limits.processes])

    def _chosen_fifos(self) -> list[int]:
        """FIFOs between processes that are shown: those that somebody waits for first, then those that held most."""
        waited = {wait.fifo for wait in self._waits(self._subject.run.deadlock)}
        held = self._held()
        between = [
            index for index, end in enumerate(self._ends) if end.writer in self._place and end.reader in self._place
        ]

        def rank(index: int) -> tuple[bool, int, int]:
            fifo = self._graph.fifos[index]
            return fifo.name not in waited, -held.get(fifo.name, 0) * fifo.bits, index

        return sorted(between, key=rank)[: self._limits.fifos]

    def _held(self) -> dict[str, int]:
        return {} if self._subject.shown is None else self._subject.shown.max_occupancy

    # --- Columns

    def _process_columns(self, end: int) -> dict[str, list[Any]]:
        chosen = [self._graph.processes[number] for number in self._processes]
        shown, deadlock = self._subject.shown, self._subject.run.deadlock
        lines = [self._timelines[number] for number in self._processes]
        columns = {
            "name": [each.name for each in chosen],
            "kind": [_kind(each) for each in chosen],
            "category": [each.category for each in chosen],
            "origin": [each.origin[:MAX_ABOUT_CHARS] for each in chosen],
            "start": [each.start for each in chosen],
            "finish": [None if shown is None else shown.finish.get(each.name) for each in chosen],
            **{part: [line.shares.get(part) for line in lines] for part in PARTS},
            "critical": [self._by_process[each.name] if self._subject.path else None for each in chosen],
            "slices": [line.slices for line in lines],
        }
        waiting = {wait.process for wait in self._waits(deadlock)}
        return {**columns, "note": ["in the deadlock" if each.name in waiting else "" for each in chosen]}

    def _fifo_columns(self, chosen: Sequence[int]) -> dict[str, list[Any]]:
        fifos, held = [self._graph.fifos[index] for index in chosen], self._held()
        least, deadlock = self._subject.least, self._subject.run.deadlock
        live, lossless = ({}, {}) if isinstance(least, str) else (least.live, least.lossless)
        return {
            "name": [fifo.name for fifo in fifos],
            "from": [self._place[self._ends[index].writer] for index in chosen],
            "to": [self._place[self._ends[index].reader] for index in chosen],
            "depth": [fifo.depth if fifo.depth < MAX_DEPTH else None for fifo in fifos],  # None: never full
            "bits": [fifo.bits for fifo in fifos],
            "total": [fifo.bits * fifo.depth if fifo.depth < MAX_DEPTH else None for fifo in fifos],
            "kind": [fifo.kind for fifo in fifos],
            "initial": [fifo.initial_tokens for fifo in fifos],
            "held": [held.get(fifo.name) for fifo in fifos],
            "live": [live.get(fifo.name) for fifo in fifos],
            "lossless": [lossless.get(fifo.name) for fifo in fifos],
            "full": [full_cycles(self._subject, index) for index in chosen],
            "text": [fifo_text(fifo, held.get(fifo.name)) for fifo in fifos],
            "note": [fifo_note(fifo.name, deadlock) for fifo in fifos],
        }

    def _entry(self, entry: Entry, columns: dict[str, list[Any]], end: int) -> Any:
        """A place among the processes that are shown, or a group of such, with what is drawn of it."""
        is_process = isinstance(entry, int)
        members = [self._place[number] for number in ([entry] if is_process else entry.members())]
        own = shares_of(columns, members, end)
        has = {"dead": columns["note"], "critical": columns["critical"]}
        own["marks"] = " ".join(mark for mark, values in has.items() if any(values[place] for place in members))
        if is_process:
            name, place = columns["name"][members[0]], members[0]
            is_done = columns["finish"][place] is not None
            text = process_text(name, own["text"], self._subject.run.deadlock, is_done=is_done)
            return {**own, "label": cut(name, LABEL_CHARS), "about": name, "text": text, "number": place}
        text = [f"{len(members):,} processes", *own["text"]]
        entries = [self._entry(each, columns, end) for each in entry.entries]
        about = {"label": cut(entry.label, LABEL_CHARS), "about": entry.about[:MAX_ABOUT_CHARS], "entries": entries}
        return {**own, **about, "text": text}

    def _bundles(self, chosen: Sequence[int]) -> list[list[int]]:
        """From, to and number of the FIFOs that are not listed, so that their edges are drawn."""
        left = Counter[tuple[int, int]]()
        listed = set(chosen)
        for index, end in enumerate(self._ends):
            if index not in listed and end.writer in self._place and end.reader in self._place:
                left[self._place[end.writer], self._place[end.reader]] += 1
        return [[source, target, count] for (source, target), count in left.items()]

    # --- Over time

    def _curves(self, chosen: Sequence[int], end: int) -> list[list[int]]:
        """Per FIFO, in the order of the columns, window and tokens where they change; empty where there are none."""
        shown = self._subject.shown
        if shown is None or shown.record is None or not chosen:
            return []
        samples = self._samples(len(chosen))
        window = window_cycles(end, samples)
        curves: list[list[int]] = []
        for index in chosen[: self._limits.samples // samples]:
            writes, reads = shown.record.writes[index], shown.record.reads[index]
            points = occupancy(writes, reads, self._graph.fifos[index].initial_tokens, end, samples)
            curves.append(_changes([(cycle // window, tokens) for cycle, tokens in points]))
        return [[window], *curves]

    def _samples(self, fifos: int) -> int:
        return int(np.clip(self._limits.samples // fifos, _LEAST_SAMPLES, _MOST_SAMPLES))

    def _segments(self, end: int) -> list[list[int]]:
        """Process, first cycle and the one after the last of each stretch of the critical path, the longest first."""
        merged: list[list[int]] = []
        number_of = {self._graph.processes[number].name: place for number, place in self._place.items()}
        for segment in self._subject.path:
            place = number_of.get(segment.process)
            if place is None:
                continue
            if merged and merged[-1][0] == place and merged[-1][2] == segment.start_cycle:
                merged[-1][2] = segment.end_cycle
            else:
                merged.append([place, segment.start_cycle, segment.end_cycle])
        return sorted(merged, key=lambda each: each[1] - each[2])[: self._limits.segments]

    def _path_sums(self) -> dict[str, Any] | None:
        """The critical path in cycles by kind and by process, the longest first; None where there is none."""
        if not self._subject.path:
            return None
        categories = {process.name: process.category for process in self._graph.processes}
        kinds = Counter[tuple[str, str]]()
        for segment in self._subject.path:
            kinds[categories[segment.process], segment.kind] += segment.cycles
        by_kind = [{"category": category, "kind": kind, "cycles": n} for (category, kind), n in kinds.most_common()]
        return {"by_kind": by_kind, "by_process": dict(self._by_process.most_common(self._limits.processes))}

    # --- A deadlock, and what was left out

    def _deadlock(self, deadlock: Deadlock | None, fifos: Sequence[int]) -> dict[str, Any] | None:
        if deadlock is None:
            return None
        names = {self._graph.processes[number].name: place for number, place in self._place.items()}
        listed = {self._graph.fifos[index].name: place for place, index in enumerate(fifos)}
        waits = [
            {
                "process": names[wait.process],
                "peer": names[wait.peer],
                "fifo": listed[wait.fifo],
                "to": wait.waits_to,
                "occupancy": wait.occupancy,
                "depth": wait.depth,
                "lines": wait_label(number, wait, deadlock.fix),
            }
            for number, wait in enumerate(self._waits(deadlock), 1)
            if wait.fifo in listed
        ]
        fix = [[listed.get(name), name, depth] for name, depth in list(deadlock.fix.items())[:MAX_WAITS]]
        return {"is_closed": deadlock.is_closed, "waits": waits, "members": len(deadlock.cycle), "fix": fix}

    def _notes(self, fifos: Sequence[int], data: dict[str, Any]) -> list[str]:
        graph, notes = self._graph, list[str]()
        if len(self._processes) < len(graph.processes):
            notes.append(
                f"{len(self._processes):,} of {len(graph.processes):,} processes are shown: those that wait for each "
                "other, that are on the critical path, or that stand still longest."
            )
        if len(fifos) < len(graph.fifos):
            drawn = len(fifos) + sum(count for _, _, count in data["bundles"])
            notes.append(
                f"{len(fifos):,} of {len(graph.fifos):,} FIFOs are named, those that held most; {drawn:,} are drawn."
            )
        curves = max(len(data["curves"]) - 1, 0)
        if data["curves"] and curves < len(fifos):
            notes.append(f"Occupancy over time is of the {curves:,} FIFOs that held most bits.")
        if any(len(row) > 2 * (self._most_slices - 4) for row in data["processes"]["slices"]):
            notes.append(
                f"A process has at most {self._most_slices} slices; where it has that many, each stands for the "
                "sum of shorter ones nearby. The trace of 'sttest simulate --trace' is finer."
            )
        if len(data["segments"]) == self._limits.segments:
            notes.append(f"The critical path is underlined where its {self._limits.segments:,} longest stretches are.")
        return notes


def _kind(process: Process) -> str:
    return f"memory port, {process.op}s" if isinstance(process, MemoryPort) else type(process).__name__.lower()


def _changes(points: Sequence[tuple[int, int]]) -> list[int]:
    kept: list[int] = []
    for window, tokens in points:
        if not kept or kept[-1] != tokens:
            kept += [window, tokens]
    return kept
