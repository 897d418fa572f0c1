"""What is said of each experiment in one line, and whether its numbers are those of this program."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sttest.core.closure import program_hash
from sttest.core.errors import InputError
from sttest.studies.report.front import worst
from sttest.studies.report.hypotheses import is_rejected
from sttest.studies.report.ledger import error_text
from sttest.studies.report.read import ResultSet
from sttest.studies.tables import questions

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
_TITLES = {
    "gpu_baseline": "the same models measured on NVIDIA GPUs: time, power, energy",
    "cosimulation": "solution folders of public repositories beside their co-simulation",
}


@dataclass(frozen=True)
class ResultEntry:
    """An experiment in one line; ``worst`` is its largest miss, where it has references."""

    name: str
    anchor: str
    title: str
    note: str
    numbers: int
    compared: int
    rejected: int
    worst: str
    finished: str
    hash: str
    revision: str
    stale: str  # why the numbers may be others today; empty for what today's program made from a clean checkout
    version: str
    versions: str
    group: str


def anchor(prefix: str, name: str) -> str:
    """An id for a section; ``prefix`` makes it different for each, whatever the names."""
    return f"{prefix}-{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}"


def entry(number: int, found: ResultSet) -> ResultEntry:
    """What the manifest and the rows of an experiment say."""
    manifest = found.manifest
    study = _mapping(_mapping(manifest.get("config")).get("study"))
    ablation = _mapping(_mapping(manifest.get("config")).get("ablation"))
    title = study.get("title") or ablation.get("title") or questions().get(found.name) or _TITLES.get(found.name, "")
    versions = _mapping(manifest.get("versions"))
    off, rejected = worst(found.rows), sum(map(is_rejected, found.rows))
    return ResultEntry(
        found.name,
        anchor(f"e{number}", found.name),
        str(title),
        str(study.get("note") or ablation.get("note") or ""),
        len(found.rows),
        sum(row.error is not None and not is_rejected(row) for row in found.rows),
        rejected,
        error_text(off.error) if off else "",
        str(manifest.get("finished_utc", ""))[:10],
        found.config_hash,
        _revision(manifest.get("git")),
        staleness(manifest),
        str(versions.get("sttest", "")),
        ", ".join(f"{name} {version}" for name, version in versions.items()),
        "What if" if study or ablation else "Tables",
    )


def span(entries: Sequence[ResultEntry]) -> str:
    """First and last day on which something was finished."""
    days = sorted(each.finished for each in entries if each.finished)
    if not days:
        return ""
    return days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"


def versions(entries: Sequence[ResultEntry]) -> str:
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
        manifest: as `ResultFolder` writes it; older ones do not say what their program consisted of.
    """
    program, makers = manifest.get("program"), manifest.get("program_of")
    if _mapping(manifest.get("git")).get("changed"):
        return "made from a checkout with changes"
    if not isinstance(makers, list) or not program:
        return "what it depends on is not recorded"
    try:
        today = program_hash(*map(str, makers))
    except InputError as error:
        return f"{error.where} {error.what}, so it can't be compared"
    return "" if program == today else f"made by program {program}, which is {today} today"


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _revision(git: object) -> str:
    found = _mapping(git)
    commit = str(found.get("commit") or "")[:10]
    return f"{commit}, with changes" if commit and found.get("changed") else commit
