"""A part outside sttest that something needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sttest.boards.tools.finding import Finding


@dataclass(frozen=True)
class Part:
    """A program, package or piece of hardware.

    Attributes:
        name: as people call it; unique.
        serves: what it is for.
        probe: looks for it; never raises, and takes little more than `ask.LIMIT_S`.
        expected: start of the version that sttest was written for; empty where any will do.
        install: the one line that installs it on Debian or Ubuntu; empty where there is none.
        advice: what to do where no line installs it.
    """

    name: str
    serves: str
    probe: Callable[[], Finding]
    expected: str = ""
    install: str = ""
    advice: str = ""

    @property
    def remedy(self) -> str:
        """What to do where it is missing."""
        return self.install or self.advice
