"""Refuses work whose tools are not there, before any of it is begun."""

from __future__ import annotations

from collections.abc import Collection

from sttest.boards.tools.capability import CAPABILITIES
from sttest.boards.tools.parts import PARTS
from sttest.boards.tools.survey import survey
from sttest.errors import ToolMissingError


def require_tools(capability: str, *, without: Collection[str] = ()) -> None:
    """Makes sure that a capability's parts are there; takes little more than a second.

    Args:
        capability: its name among `CAPABILITIES`.
        without: parts that are not needed this time.

    Raises:
        ToolMissingError: names every part that is missing, and what installs it.
    """
    needs = next(able.needs for able in CAPABILITIES if able.name == capability)
    parts = [part for part in PARTS if part.name in needs and part.name not in without]
    found = survey(parts)
    missing = [part for part in parts if not found[part.name].usable]
    if missing:
        told = "; ".join(f"{part.name}: {found[part.name].detail or found[part.name].status}" for part in missing)
        ways = [f"for {part.name}: {part.remedy}" for part in missing if part.remedy]
        raise ToolMissingError("tools-missing", told, where=capability, levers=[", ".join(ways)] if ways else [])
