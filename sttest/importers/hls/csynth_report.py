"""What Vitis HLS achieved: the report ``csynth.xml`` of C synthesis.

Its shape differs between releases; each of these is read, as found in published reports:

* up to 2020.1 (Vivado HLS) loops stand, nested, below the root, and DSPs are called ``DSP48E``;
* from 2020.2 on ``ModuleInformation`` has every function, too, with the loops that are in it;
* from 2021.1 on a pipelined loop may be a function of its own, ``TOP_Pipeline_LABELS``: the loop around it names its
  instance, and ``RTLDesignHierarchy`` says whose it is.

A number may be a range (``<range>`` with ``<min>`` and ``<max>``, or ``21 ~ 2316``), and ``undef`` or ``?`` where the
tool does not know it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from xml.etree.ElementTree import Element

from sttest.core.errors import InputError
from sttest.core.files import read_xml

FIRST_YEAR, LAST_YEAR = 2018, 2025
"""Of the releases whose reports have one of the shapes above."""
RESOURCES = ("dsp", "lut", "ff", "bram18", "uram")
_TAGS = {"dsp": ("DSP", "DSP48E"), "lut": ("LUT",), "ff": ("FF",), "bram18": ("BRAM_18K",), "uram": ("URAM",)}
_VERSION = re.compile(r"^(\d{4})\.\d+(?:\.\d+)?$")
_WHOLE = re.compile(r"^\d{1,15}$")
_INSTANCE = re.compile(r"^(?:grp_)?(\w+?)_(?:fu_\d+|U\d+)$")
PIPELINE = "_Pipeline_"
"""In the name of a function that was a loop."""
_Known = TypeVar("_Known")
_HINTS = ["synthesize it again"]


@dataclass(frozen=True)
class LoopReport:
    """A loop, with what the tool has flattened into it."""

    name: str
    trips: int | None  # iterations, the most there may be; None where they are not known
    cycles: int | None  # latency of all iterations
    depth: int | None  # latency of one iteration
    interval: int | None  # achieved initiation interval; None where it is not pipelined
    inner: tuple["LoopReport", ...] = ()  # loops in its body


@dataclass(frozen=True)
class ModuleReport:
    """A function that became a module."""

    name: str
    cycles: int | None  # latency
    interval: int | None  # cycles from a start to the next
    loops: tuple[LoopReport, ...]  # outermost loops, in order


@dataclass(frozen=True)
class CsynthReport:
    """What the tool says of one job."""

    version: str  # release of the tool
    part: str
    top: str
    target_ns: float  # clock that was asked for
    estimated_ns: float  # clock that it reckons with
    resources: Mapping[str, int]  # by :data:`RESOURCES`
    modules: Mapping[str, ModuleReport]  # by function; reports up to 2020.1 have the top alone


def read_report(path: Path, *, top: str = "", part: str = "") -> CsynthReport:
    """Reads a report and makes sure that it is about what was asked for.

    Args:
        path: ``csynth.xml``.
        top: function that should have been synthesized; empty for any.
        part: device that it should have been synthesized for; empty for any.

    Raises:
        InputError: no such report, cut, too large, of another job or of a release whose reports are not known.
    """
    return _Reader(path, read_xml(path)).report(top, part)


@dataclass(frozen=True)
class _Reader:
    path: Path
    root: Element

    def report(self, top: str, part: str) -> CsynthReport:
        if self.root.tag != "profile":
            raise self._bad(f"its root is <{self.root.tag:.40}>, not <profile>")
        version = self._version()
        for tag, wanted in (("TopModelName", top), ("Part", part)):
            found = self._text(f"UserAssignments/{tag}")
            if wanted and found.lower() != wanted.lower():
                raise InputError(
                    "other-report", f"{tag} is '{found:.80}', not '{wanted}'", where=str(self.path), hints=_HINTS
                )
        top, part = (self._text(f"UserAssignments/{tag}") for tag in ("TopModelName", "Part"))
        return CsynthReport(
            version, part, top, self._ns("UserAssignments/TargetClockPeriod"),
            self._ns("PerformanceEstimates/SummaryOfTimingAnalysis/EstimatedClockPeriod"), self._resources(),
            self._modules(top),
        )  # fmt: skip

    def _version(self) -> str:
        version = self._text("ReportVersion/Version")
        found = _VERSION.match(version)
        if found is None or not FIRST_YEAR <= int(found[1]) <= LAST_YEAR:
            raise InputError(
                "other-version", f"a report of release '{version:.40}', known are {FIRST_YEAR} to {LAST_YEAR}",
                where=str(self.path), hints=["synthesize with a release between these"],
            )  # fmt: skip
        return version

    def _resources(self) -> dict[str, int]:
        used = self._needed(self.root.find("AreaEstimates/Resources"), "AreaEstimates/Resources")
        found: dict[str, int] = {}
        for name, tags in _TAGS.items():
            text = next((text for tag in tags if (text := used.findtext(tag)) is not None), None)
            if text is None and name == "uram":  # parts without any may leave it out
                text = "0"
            value = _whole(text)
            if value is None:
                raise self._bad(f"no count of {tags[0]} among its resources")
            found[name] = value
        return found

    def _modules(self, top: str) -> dict[str, ModuleReport]:
        elements = {each.findtext("Name", ""): each for each in self.root.iterfind("ModuleInformation/Module")}
        children = dict(_hierarchy(self.root.find("RTLDesignHierarchy/TopModule")))
        # The root says of the top what older reports say nowhere else.
        elements.setdefault(top, self.root)
        return {name: self._module(name, elements, children) for name in elements}

    def _module(
        self, name: str, elements: Mapping[str, Element], children: Mapping[str, list[str]], depth: int = 0
    ) -> ModuleReport:
        performance = self._needed(elements[name].find("PerformanceEstimates"), f"PerformanceEstimates of {name}")
        overall = self._needed(performance.find("SummaryOfOverallLatency"), f"SummaryOfOverallLatency of {name}")
        outlined: dict[str, tuple[LoopReport, ...]] = {}
        for child in children.get(name, ()):
            if child in elements and PIPELINE in child and child != name and depth < _MOST_DEPTH:
                outlined[child] = self._module(child, elements, children, depth + 1).loops
        summary = performance.find("SummaryOfLoopLatency")
        own = tuple(_loop(each, outlined) for each in summary) if summary is not None else ()
        rest = tuple(loop for loops in outlined.values() for loop in loops)
        interval = _number(overall, "PipelineInitiationInterval") or _number(overall, "Interval-max")
        return ModuleReport(name, _number(overall, "Worst-caseLatency"), interval, (*rest, *own))

    def _text(self, path: str) -> str:
        text = self.root.findtext(path)
        return self._needed(text.strip() if text else None, path)

    def _ns(self, path: str) -> float:
        text = self._text(path)
        if not re.match(r"^\d{1,6}(?:\.\d{1,6})?$", text):
            raise self._bad(f"{path} is '{text:.40}', not a time in ns")
        return float(text)

    def _needed(self, value: _Known | None, name: str) -> _Known:
        if value is None:
            raise self._bad(f"no {name}")
        return value

    def _bad(self, what: str) -> InputError:
        return InputError(
            "bad-csynth-report", f"not a report of C synthesis: {what}", where=str(self.path), hints=_HINTS
        )


_MOST_DEPTH = 8
"""Of loops that are functions of their own; the tool nests them twice at most."""


def _hierarchy(instance: Element | None) -> Iterator[tuple[str, list[str]]]:
    """Modules with those that they hold, from the top down."""
    if instance is None:
        return
    below = instance.findall("InstancesList/Instance")
    yield instance.findtext("ModuleName", ""), [each.findtext("ModuleName", "") for each in below]
    for each in below:
        yield from _hierarchy(each)


def _loop(element: Element, outlined: dict[str, tuple[LoopReport, ...]]) -> LoopReport:
    """A loop; takes the functions that it holds out of ``outlined``."""
    inner = [_loop(each, outlined) for each in element if _is_loop(each)]
    for each in element.iterfind("InstanceList/Instance"):
        named = _INSTANCE.match((each.text or "").strip())
        inner += outlined.pop(named[1], ()) if named else ()
    interval = _number(element, "PipelineII")
    depth = _number(element, "PipelineDepth") or _number(element, "IterationLatency")
    name = element.findtext("Name", element.tag)
    return LoopReport(name, _number(element, "TripCount"), _number(element, "Latency"), depth, interval, tuple(inner))


def _is_loop(element: Element) -> bool:
    return element.find("TripCount") is not None or element.find("Latency") is not None


def _number(element: Element, tag: str) -> int | None:
    """A number, the largest of a range; None where there is none."""
    found = element.find(tag)
    if found is None:
        return None
    return _whole(found.findtext("range/max")) if found.find("range") is not None else _whole(found.text)


def _whole(text: str | None) -> int | None:
    last = (text or "").rpartition("~")[2].strip()
    return int(last) if _WHOLE.match(last) else None
