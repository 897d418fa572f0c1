"""How the loops of a design are laid out in stages: which are one pipeline, at which interval, and which are unrolled.

The report of a synthesis decides where there is one: its loop has the labels of those that the tool has flattened, in
order, and their iterations.  Without one, pragmas and the latencies of operators do.
"""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

from sttest.core.errors import InputError
from sttest.importers.hls.csynth_report import LoopReport
from sttest.importers.hls.reports import SynthesisReports

SEQUENTIAL, PIPELINE, MEMBER, UNROLLED = range(4)
"""Modes of a loop, as in headers/runtime.cpp."""
_LOOP = re.compile(r"(?:\b(\w+)\s*:\s*)?\b(?:for|while|do)\b")
_LABEL = re.compile(r"\b(\w+)\s*:\s*$")


@dataclass
class LoopLayout:
    """One loop; ``trips`` are iterations each time that it is entered, the most in a run."""

    number: int
    facts: Mapping[str, Any]
    label: str
    trips: int
    inner: "list[LoopLayout]" = field(default_factory=list)
    mode: int = SEQUENTIAL
    innermost: int = -1  # of a pipeline, the loop whose iterations it starts
    interval: int = 1
    latency: int = 0
    reported: bool = False
    factor: int = 1  # copies of its body that one iteration of the hardware has

    def row(self) -> str:
        """Its line of the runtime's table."""
        numbers = self.number, self.mode, self.innermost, self.interval, self.latency, int(self.reported), self.factor
        return f"loop {' '.join(map(str, numbers))}"

    def below(self) -> "Iterator[LoopLayout]":
        """All loops in it."""
        for each in self.inner:
            yield each
            yield from each.below()


class Layout:
    """The loops of all functions.

    Args:
        facts: of the design, from ``lower``.
        counts: entries, fewest and most iterations and the interval that accesses of one stream need, per loop.
        blocked: functions that wait for ever, so that their loops did not come to their ends.
        reports: of its synthesis; None where there are none.
    """

    def __init__(
        self, facts: Mapping[str, Any], counts: Sequence[Sequence[int]], reports: SynthesisReports | None,
        blocked: Container[int] = (),
    ) -> None:  # fmt: skip
        self.blocked = blocked
        self.facts, self.reports = facts, reports
        self.notes: list[str] = []
        self.straight: dict[int, int] = {}
        self.joins: dict[int, int] = {}
        labels = _labels(facts["loops"])
        self.loops = [
            LoopLayout(number, each, labels[number], counts[number][2] if number < len(counts) else 0)
            for number, each in enumerate(facts["loops"])
        ]
        self.tops: dict[int, list[LoopLayout]] = {}
        for loop in self.loops:
            parent = loop.facts["parent"]
            (self.loops[parent].inner if parent >= 0 else self.tops.setdefault(loop.facts["function"], [])).append(loop)
        for number, function in enumerate(facts["functions"]):
            self._function(number, function)

    def table(self) -> str:
        """What the runtime reads, but for its limits."""
        lines = [each.row() for each in self.loops]
        lines += polls(self.facts)
        lines += [f"need {first} {second} {stages} 0 0 0 0" for first, second, stages in self.facts["needs"]]
        lines += [f"least {site} {stages} 0 0 0 0 0" for site, stages in self.facts["least"]]
        lines += [f"tail {site} {stages} 0 0 0 0 0" for site, stages in self.facts["tail"]]
        lines += [f"exclusive {first} {second} 0 0 0 0 0" for first, second in self.facts["exclusive"]]
        lines += [f"within {site} {block} 0 0 0 0 0" for site, block in self.facts["within"]]
        lines += [f"guarded {site} 0 0 0 0 0 0" for site in self.facts["guarded"]]
        lines += [f"joins {number} {head} 0 0 0 0 0" for number, head in self.joins.items()]
        lines += [f"straight {number} {stages} 0 0 0 0 0" for number, stages in self.straight.items()]
        return "\n".join(lines) + "\n"

    def with_ports(self, counts: Sequence[Sequence[int]]) -> bool:
        """Raises estimated intervals to what accesses of one stream need; whether one was raised."""
        changed = False
        for loop in self.loops:
            if loop.mode == PIPELINE and not loop.reported and counts[loop.number][3] > loop.interval:
                loop.interval, changed = counts[loop.number][3], True
        return changed

    # --- One function

    def _function(self, number: int, function: Mapping[str, Any]) -> None:
        loops = [each for each in self.tops.get(number, []) if each.trips]
        if function["markers"].get("pipeline", -1) >= 0:
            for loop in loops:
                for each in (loop, *loop.below()):
                    each.mode = UNROLLED
            return
        if "region" in function["role"]:
            self._region(loops)
            return
        if self.reports is None or "sttest_np" in function["symbol"]:
            for loop in loops:
                self._estimate(loop)
            return
        module = self._module(function)
        further = [each for each in self.reports.modules if re.fullmatch(rf"{re.escape(module)}_\d+", each)]
        fit = _Fit(self.reports, [module, *further], self.notes, is_blocked=number in self.blocked)
        for loop in loops:
            fit.loop(loop)
        fit.check()
        cycles = self.reports.modules[module].cycles
        if not loops and cycles is not None:
            # Where there is nothing else, the module takes a cycle more than its statements.
            self.straight[number] = max(1, cycles - 1)

    def _region(self, loops: Sequence[LoopLayout]) -> None:
        """Loops of a region that access streams are processes of their own; those that begin processes take no time."""
        head: LoopLayout | None = None
        fit: _Fit | None = None
        for loop in loops:
            if is_no_process(loop):
                for each in (loop, *loop.below()):
                    each.mode = UNROLLED
            elif self.reports is None:
                self._estimate(loop)
            else:
                pattern = re.compile(rf"Loop_{re.escape(loop.label)}(_\d+)?_proc\d*")
                module = next((name for name in self.reports.modules if pattern.fullmatch(name)), "")
                if module:
                    head, fit = loop, _Fit(self.reports, [module], self.notes)
                elif head is not None and fit is not None:
                    self.joins[loop.number] = head.number  # loops that follow may be part of one module
                else:
                    self.reports.module(f"Loop_{loop.label}_proc")
                assert fit is not None
                fit.loop(loop)

    def _module(self, function: Mapping[str, Any]) -> str:
        """The module that a function became: templates are named by their arguments."""
        assert self.reports is not None
        name = function["name"]
        plain, tool = name.partition("<")[0], re.sub(r"\W+", "_", name)
        for each in (f"{tool}s" if tool.endswith("_") else tool, tool.rstrip("_"), plain):
            if each in self.reports.modules:
                return each
        numbered = [
            each
            for each in self.reports.modules
            if re.fullmatch(rf"{re.escape(plain)}(_.*)?_s?|{re.escape(plain)}_\d+", each)
        ]
        return numbered[0] if len(numbered) == 1 else self.reports.module(plain).name

    def _estimate(self, loop: LoopLayout) -> None:
        """Modes and times of a loop without a report."""
        markers = loop.facts["markers"]
        inner = [each for each in loop.inner if each.trips]
        factor = markers.get("unroll", -1)
        if factor == 0 or factor >= max(2, loop.trips):
            for each in (loop, *loop.below()):
                each.mode = UNROLLED
            return
        is_asked = markers.get("pipeline", -1) >= 0
        busy = [each for each in inner if not _is_unrolled(each)]
        if is_asked or not busy:
            for each in loop.below():
                each.mode = UNROLLED
            self._pipeline(loop, max(1, factor), is_off=markers.get("pipeline", 0) == -1)
            return
        for each in inner:
            self._estimate(each)
        only = busy[0]
        # The pragma stands in the innermost loop; in one around it, it is about that one.
        may_flatten = all(each.facts["markers"].get("flatten", 1) for each in (loop, only))
        if len(inner) == 1 and only.mode == PIPELINE and loop.facts["is_bare"] and may_flatten:
            loop.mode, loop.innermost, loop.factor = PIPELINE, only.innermost, only.factor
            loop.interval, loop.latency = only.interval, only.latency
            only.mode = MEMBER

    def _pipeline(self, loop: LoopLayout, factor: int, *, is_off: bool) -> None:
        loop.mode, loop.innermost, loop.factor = PIPELINE, loop.number, factor
        loop.latency = self.facts["depth"][str(loop.number)] + 1
        asked = loop.facts["markers"].get("pipeline", 0)
        loop.interval = max(1, asked, self.facts["recurrence"].get(str(loop.number), 0))
        if is_off:
            loop.interval = loop.latency


def polls(facts: Mapping[str, Any]) -> list[str]:
    """Lines of the runtime's table for sites that ask a stream until it has something."""
    return [f"poll {site} {is_empty} 0 0 0 0 0" for site, is_empty in facts["polls"]]


def is_no_process(loop: LoopLayout) -> bool:
    """Whether a loop of a region only begins processes, or only makes an array of streams, which no line says."""
    return loop.facts["spawns"] or not loop.facts["line"]


def _is_unrolled(loop: LoopLayout) -> bool:
    factor = loop.facts["markers"].get("unroll", -1)
    return factor == 0 or factor >= max(2, loop.trips)


class _Fit:
    """Finds the reports of the loops of one function, which may have become several modules."""

    def __init__(
        self, reports: SynthesisReports, modules: Sequence[str], notes: list[str], *, is_blocked: bool = False
    ) -> None:
        self.is_blocked = is_blocked
        self.reports, self.module, self.notes = reports, modules[0], notes
        self.unmatched = [loop for each in modules for loop in reports.innermost(each)]
        self.timeless: list[str] = []  # loops that no report names, as of those that synthesis took away

    def loop(self, loop: LoopLayout) -> None:
        """Sets modes and times of a loop and of those in it.

        Raises:
            InputError: no report fits.
        """
        chain = [loop]
        while len(inner := [each for each in chain[-1].inner if each.trips and not _is_unrolled(each)]) == 1:
            chain.append(inner[0])
        for length in range(len(chain), 0, -1):
            for first in range(len(chain) - length + 1):
                part = chain[first : first + length]
                found = self._fitting(part, is_last=first + length == len(chain) and not inner)
                if found is not None:
                    self._apply(chain[:first], part, *found)
                    return
        inner = [each for each in loop.inner if each.trips]
        if inner and not _is_unrolled(loop):
            self._sequential(loop)
            for each in inner:
                self.loop(each)
            return
        if _is_unrolled(loop) or not loop.facts["accesses"]:
            if not _is_unrolled(loop):
                name = loop.label or loop.facts["line"]
                self.timeless.append(f"loop '{name}'")
                self.notes.append(f"{self.timeless[-1]} of {self.module} has no report: it takes no time")
            for each in (loop, *loop.below()):
                each.mode = UNROLLED
            return
        trips = "x".join(str(each.trips) for each in chain)
        name = "_".join(each.label or f"line {each.facts['line']}" for each in chain)
        where = f"{Path(loop.facts['file']).name} line {loop.facts['line']}"
        hints = ["give the reports of the same source"]
        raise InputError(
            "report-does-not-fit", f"no report fits loop '{name}' with {trips} iterations", where=where, hints=hints
        )

    def check(self) -> None:
        """Refuses reports of a module with a loop that the source does not have, where the source has one more, too.

        Raises:
            InputError: they are those of another source.
        """
        left = [each for each in self.reports.innermost(self.module) if each in self.unmatched]
        if self.timeless and left:
            what = f"no report fits {self.timeless[0]}, and loop '{left[0].name}' of the reports is not in the source"
            hints = ["give the reports of the same source"]
            raise InputError("report-does-not-fit", what, where=str(self.module), hints=hints)

    def _fitting(self, part: Sequence[LoopLayout], *, is_last: bool) -> tuple[LoopReport, int] | None:
        """The report of loops that are flattened, and how many copies of the body it has."""
        count = prod(each.trips for each in part)
        several = [each for each in part if each.trips != 1]
        for loops in [part, several] if several and len(several) < len(part) else [part]:
            pattern = re.compile("_".join(_names(each) for each in loops))
            named = [each for each in self.unmatched if pattern.fullmatch(each.name)]
            found = next((each for each in named if each.trips == count), named[0] if named else None)
            found = found or self.reports.loop_named(pattern)
            if found is None or not found.trips:
                continue
            factor = part[-1].facts["markers"].get("unroll", 1) or 1
            is_whole = found.trips == count or (self.is_blocked and found.trips > count)
            if is_whole or (found.trips * factor == count and len(part) == 1):
                if found.interval is None and not is_last:
                    continue
                if found in self.unmatched:
                    self.unmatched.remove(found)
                return found, 1 if is_whole else factor
        return None

    def _apply(self, around: Sequence[LoopLayout], part: Sequence[LoopLayout], report: LoopReport, factor: int) -> None:
        for each in around:
            self._sequential(each)
        head, last = part[0], part[-1]
        for each in last.below():
            each.mode = UNROLLED
        for each in part[1:]:
            each.mode = MEMBER
        head.mode, head.innermost, head.factor, head.reported = PIPELINE, last.number, factor, True
        latency = report.depth
        if latency is None and report.interval is None and report.cycles is not None and report.trips:
            latency = report.cycles // report.trips
        if latency is None:
            what = f"the report says no iteration latency of loop '{report.name}'"
            raise InputError(
                "report-does-not-fit", what, where=self.module, hints=["give the reports of the same source"]
            )
        head.interval, head.latency = max(1, report.interval or latency), max(1, latency)

    def _sequential(self, loop: LoopLayout) -> None:
        named = self.reports.loop_named(re.compile(_names(loop)))
        if named is not None and named.depth is not None:
            loop.latency, loop.reported = named.depth, True


def _names(loop: LoopLayout) -> str:
    """What the tool calls a loop; one without a label gets a name from its line."""
    return re.escape(loop.label) or rf"VITIS_LOOP_{loop.facts['line']}_\d+"


def _labels(loops: Sequence[Mapping[str, Any]]) -> list[str]:
    """The label of each loop, from the source; of several on one line, in order."""
    columns: dict[tuple[str, int], set[int]] = {}
    for each in loops:
        columns.setdefault((each["file"], each["line"]), set()).add(each["column"])
    texts: dict[str, list[str]] = {}
    found: list[str] = []
    for each in loops:
        file, line = each["file"], each["line"]
        if file not in texts:
            path = Path(file)
            texts[file] = path.read_text(encoding="utf-8", errors="replace").split("\n") if path.is_file() else []
        rank = sorted(columns[file, line]).index(each["column"])
        text = texts[file][line - 1] if 0 < line <= len(texts[file]) else ""
        names = [match[1] or "" for match in _LOOP.finditer(text)]
        label = names[rank] if rank < len(names) else ""
        if (
            not label
            and line > 1
            and rank == 0
            and (above := _LABEL.search(texts[file][line - 2] if texts[file] else ""))
        ):
            label = above[1]
        found.append(label)
    return found
