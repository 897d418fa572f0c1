"""The reports of a synthesis, over all of its files: what the tool says of each function and of each loop.

A run of Vitis HLS leaves ``csynth.xml``, with all modules, and ``MODULE_csynth.xml`` per module; either is enough.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import MAX_XML_BYTES
from sttest.importers.hls.csynth_report import PIPELINE, CsynthReport, LoopReport, ModuleReport, read_report

WHOLE = "csynth.xml"
MOST_FILES = 4096


@dataclass(frozen=True)
class SynthesisReports:
    """What is known of each module.

    Args:
        target_ns: clock period that was asked for.
        top: function that was synthesized; empty where there is a report per module.
        modules: reports by module.
        where: the file or folder, in errors.
    """

    target_ns: float
    top: str
    modules: Mapping[str, ModuleReport]
    where: str

    @property
    def clock_mhz(self) -> float:
        """The clock that was asked for, to the megahertz, as people ask for whole ones."""
        return float(max(1, round(1000 / self.target_ns)))

    def module(self, name: str) -> ModuleReport:
        """The report of a function.

        Raises:
            InputError: there is none.
        """
        if name not in self.modules:
            hints = ["name the folder of the synthesis of the same source"]
            raise InputError("no-report", f"no report of '{name:.80}'", where=self.where, hints=hints)
        return self.modules[name]

    def innermost(self, name: str) -> list[LoopReport]:
        """The loops of a function that hold no other, with those that are modules of their own."""
        own = [*_innermost(self.module(name).loops)]
        known = {each.name for each in own}
        parts = [each for key, each in self.modules.items() if key.startswith(f"{name}{PIPELINE}")]
        return own + [loop for each in parts for loop in _innermost(each.loops) if loop.name not in known]

    def loop_named(self, pattern: re.Pattern[str]) -> LoopReport | None:
        """The one loop of all modules with such a name; None where there is none, or several that differ."""
        found = {
            loop for module in self.modules.values() for loop in _all(module.loops) if pattern.fullmatch(loop.name)
        }
        return found.pop() if len(found) == 1 else None


def read_reports(path: Path) -> SynthesisReports:
    """The reports of a folder, or those that a ``csynth.xml`` has of all modules.

    Raises:
        InputError: none there, or one that cannot be read.
    """
    files = [path] if path.is_file() else _files(path)
    if not files:
        hints = ["name the folder of a solution, or its syn/report"]
        raise InputError("no-report", "no csynth.xml and no *_csynth.xml", where=str(path), hints=hints)
    reports = [read_report(file) for file in files]
    modules: dict[str, ModuleReport] = {}
    for report in reports:
        modules |= {name: each for name, each in report.modules.items() if name not in modules or each.loops}
    return SynthesisReports(
        _one_clock(reports, path),
        reports[0].top if files[0].name == WHOLE or len(reports) == 1 else "",
        modules,
        str(path),
    )


def _files(folder: Path) -> list[Path]:
    """The report of all modules where there is one that can be read whole, then one for each."""
    whole, single = folder / WHOLE, sorted(folder.glob(f"*_{WHOLE}"))[:MOST_FILES]
    if whole.is_file() and (not single or whole.stat().st_size <= MAX_XML_BYTES):
        # Reports of all modules up to 2020.1 have the top alone.
        return [whole, *single]
    return single


def _one_clock(reports: Sequence[CsynthReport], path: Path) -> float:
    periods = {report.target_ns for report in reports}
    if len(periods) > 1 or not min(periods) > 0:
        told = ", ".join(f"{each} ns" for each in sorted(periods))
        raise InputError("several-clocks", f"its reports are for clocks of {told}", where=str(path))
    return periods.pop()


def _all(loops: Sequence[LoopReport]) -> Iterator[LoopReport]:
    for loop in loops:
        yield loop
        yield from _all(loop.inner)


def _innermost(loops: Sequence[LoopReport]) -> Iterator[LoopReport]:
    return (loop for loop in _all(loops) if not loop.inner)
