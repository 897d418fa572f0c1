"""Looks for the tools and hardware outside sttest: what is there, in which version, and what its absence disables."""

from sttest.targets.doctor.ask import PartStatus, Status
from sttest.targets.doctor.survey import CAPABILITIES, PARTS, Capability, ExternalTool, require_tools, survey

__all__ = ["CAPABILITIES", "PARTS", "Capability", "ExternalTool", "PartStatus", "Status", "require_tools", "survey"]
