"""What the front page says of each experiment."""

import math
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sttest.core.program import program_hash
from sttest.core.results import Row
from sttest.studies.report.ledger import Cell, Ledger, cells
from sttest.studies.report.read import ResultSet
from sttest.studies.tables import EXPERIMENTS

KINDS = {
    "measured": ("●", "read off a running machine"),
    "published": ("◆", "stands in a paper, or in public notes that are named"),
    "datasheet": ("■", "stands in a vendor's documents"),
    "simulated": ("○", "an engine of sttest computed it"),
    "fitted": ("~", "chosen so that one published row comes out right"),
    "assumed": ("?", "neither of these; the note says why"),
    "derived": ("=", "computed from numbers of other kinds, as its note says"),
    "synthesized": ("▦", "yosys counted it in a netlist"),
}
"""Mark and meaning of each kind of number."""
_TITLES = {"gpu_baseline": "the same models measured on an NVIDIA H200: time, power, energy"}
_WIDTH, _GUTTER, _STEP, _TOP = 1000.0, 190.0, 24.0, 8.0
_RATIOS = (0.125, 0.25, 0.5, 0.8, 1.0, 1.25, 2.0, 4.0, 8.0)


@dataclass(frozen=True)
class Entry:
    """An experiment in one line; ``worst`` of its errors only where it has references."""

    name: str
    anchor: str
    title: str
    note: str
    numbers: int
    kinds: Sequence[tuple[str, int]]
    compared: int
    median: Cell | None
    worst: Cell | None
    finished: str
    hash: str
    revision: str
    stale: str  # why the numbers may be others today; empty for what today's program made from a clean checkout
    version: str
    versions: str
    group: str


@dataclass(frozen=True)
class ComparisonLane:
    """All comparisons of an experiment."""

    label: str
    anchor: str
    y: float
    dots: Sequence[tuple[float, int]]  # place on the axis, and place in the ledger


@dataclass(frozen=True)
class Comparisons:
    """Ours over the reference, on a logarithmic axis."""

    height: float
    ticks: Sequence[tuple[float, str]]
    lanes: Sequence[ComparisonLane]


def anchor(prefix: str, name: str) -> str:
    """An id for a section; ``prefix`` makes it different for each, whatever the names."""
    return f"{prefix}-{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}"


def entry(number: int, found: ResultSet, ledger: Ledger) -> Entry:
    """What the manifest and the rows of an experiment say."""
    manifest = found.manifest
    errors = [abs(row.error) for row in found.rows if row.error is not None]
    kinds = Counter(row.kind for row in found.rows)
    study = _mapping(_mapping(manifest.get("config")).get("study"))
    title = study.get("title") or EXPERIMENTS.get(found.name) or _TITLES.get(found.name, "")
    versions = _mapping(manifest.get("versions"))
    summaries = [
        Row(found.name, f"{which} |error|", 100 * of(errors), "%", "derived",
            note=f"of {len(errors)} numbers with a reference; |value / reference - 1|")
        for which, of in (("median", statistics.median), ("largest", max))
    ] if errors else []  # fmt: skip
    median, worst = cells(summaries, ledger) if summaries else (None, None)
    return Entry(
        found.name, anchor(f"e{number}", found.name), str(title), str(study.get("note") or ""), len(found.rows),
        [(kind, kinds[kind]) for kind in KINDS if kinds[kind]], len(errors), median, worst,
        str(manifest.get("finished_utc", ""))[:10], str(manifest.get("config_hash", "")),
        _revision(manifest.get("git")), staleness(manifest), str(versions.get("sttest", "")),
        ", ".join(f"{name} {version}" for name, version in versions.items()), "What if" if study else "Tables",
    )  # fmt: skip


def comparisons(found: Sequence[tuple[Entry, Sequence[int]]], ledger: Ledger) -> Comparisons:
    """Every number with a reference, by experiment.

    Args:
        found: experiments and the places of their numbers in the ledger.
        ledger: ledger of the page.
    """
    errors = ((number, ledger.rows[number].error) for _, numbers in found for number in numbers)
    ratios = {number: 1 + error for number, error in errors if error is not None and error > -1}
    reach = max((abs(math.log(ratio)) for ratio in ratios.values()), default=1.0) * 1.05 or 1.0

    def x(ratio: float) -> float:
        return _GUTTER + (_WIDTH - _GUTTER - 20) * (math.log(ratio) / reach + 1) / 2

    lanes = []
    for each, numbers in found:
        dots = [(x(ratios[number]), number) for number in numbers if number in ratios]
        if dots:
            lanes.append(ComparisonLane(each.name, each.anchor, _TOP + _STEP * (len(lanes) + 0.5), dots))
    ticks = [(x(ratio), f"{ratio:g}×") for ratio in _RATIOS if abs(math.log(ratio)) <= reach]
    return Comparisons(_TOP + _STEP * len(lanes) + 22, ticks, lanes)


def span(entries: Sequence[Entry]) -> str:
    """First and last day on which something was finished."""
    days = sorted(each.finished for each in entries if each.finished)
    if not days:
        return ""
    return days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"


def versions(entries: Sequence[Entry]) -> str:
    """Versions of sttest that made the results."""
    return ", ".join(sorted({each.version for each in entries if each.version}))


def configuration(manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Scalars at the top of a manifest's configuration."""
    for name, value in _mapping(manifest.get("config")).items():
        if isinstance(value, str | int | float):
            yield str(name), str(value)


def staleness(manifest: Mapping[str, Any]) -> str:
    """Why the numbers of a manifest may be others today; empty where this very program made them.

    Args:
        manifest: as `ResultFolder` writes it; older ones name the program in their configuration, or not at all.
    """
    program = manifest.get("program") or _mapping(manifest.get("config")).get("program")
    if _mapping(manifest.get("git")).get("changed"):
        return "made from a checkout with changes"
    if program is None:
        return "its program is not recorded"
    return "" if program == program_hash() else f"made by program {program}, this is {program_hash()}"


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _revision(git: object) -> str:
    found = _mapping(git)
    commit = str(found.get("commit") or "")[:10]
    return f"{commit}, with changes" if commit and found.get("changed") else commit
