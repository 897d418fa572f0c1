"""Looks for the tools and hardware outside sttest: what is there, in which version, and what its absence disables."""

from sttest.boards.tools.capability import CAPABILITIES, Capability
from sttest.boards.tools.finding import Finding, Status
from sttest.boards.tools.part import Part
from sttest.boards.tools.parts import PARTS
from sttest.boards.tools.require import require_tools
from sttest.boards.tools.survey import survey

__all__ = ["CAPABILITIES", "PARTS", "Capability", "Finding", "Part", "Status", "require_tools", "survey"]
