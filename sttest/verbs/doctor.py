"""`sttest doctor`: what is installed, in which version, and what each missing part disables."""

from collections.abc import Mapping
from typing import Any

from sttest.core.tables import print_table
from sttest.targets.doctor import CAPABILITIES, PARTS, Capability, ExternalTool, Finding, survey
from sttest.verbs.output import print_json

SCHEMA = "sttest.doctor/1"
_WORKS = {True: "yes", False: "no", None: "not known"}


def run(*, as_json: bool) -> None:
    """Prints the report; a missing part is a finding, not an error."""
    found = survey(PARTS)
    if as_json:
        print_json(_document(found))
        return
    rows = (
        (part.name, found[part.name].status, found[part.name].version or "", _remark(part, found)) for part in PARTS
    )
    print_table(("part", "status", "version", "remark"), rows)
    rows = ((able.name, _WORKS[able.works(found)], _because(able, found)) for able in CAPABILITIES)
    print_table(("what", "works here", "because of"), rows)


def disabled_by(part: ExternalTool, found: Mapping[str, Finding]) -> list[str]:
    """Names of what does not work for want of a part; empty if it is there, or did not answer."""
    return [able.name for able in CAPABILITIES if part.name in able.lacks(found)]


def _remark(part: ExternalTool, found: Mapping[str, Finding]) -> str:
    finding = found[part.name]
    if finding.usable or not part.remedy:
        return finding.detail
    return f"{finding.detail}; {part.remedy}"


def _because(able: Capability, found: Mapping[str, Finding]) -> str:
    """The parts that stand in the way."""
    return ", ".join(able.lacks(found) or [name for name in able.needs if found[name].usable is None])


def _document(found: Mapping[str, Finding]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "parts": [_entry(part, found) for part in PARTS],
        "capabilities": [
            {"name": able.name, "works": able.works(found), "needs": list(able.needs), "lacks": able.lacks(found)}
            for able in CAPABILITIES
        ],
    }


def _entry(part: ExternalTool, found: Mapping[str, Finding]) -> dict[str, Any]:
    finding = found[part.name]
    return {
        "name": part.name,
        "serves": part.serves,
        "status": finding.status,
        "version": finding.version,
        "expected": part.expected or None,
        "detail": finding.detail,
        "install": part.install or None,
        "advice": part.advice or None,
        "disables": disabled_by(part, found),
    }
