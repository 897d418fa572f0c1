"""What a probe found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "other-version", "missing", "failed", "unreadable", "silent"]
"""``other-version``: works, but sttest was written for another release; ``unreadable``: answered in a way that
holds no version; ``silent``: did not answer in time, so that nothing is known."""


@dataclass(frozen=True)
class Finding:
    """One part, looked for.

    Attributes:
        status: whether it is there and answers.
        version: as the part itself reports it; None where it does not.
        detail: one printable line: where it was found, or what is wrong with it.
    """

    status: Status
    version: str | None = None
    detail: str = ""

    @property
    def usable(self) -> bool | None:
        """Whether to count on the part; None where it is not known."""
        return None if self.status == "silent" else self.status in ("ok", "other-version")
