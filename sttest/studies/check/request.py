"""What a check is asked for, and how it goes to the process that does it."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

NO_DEADLOCK, NO_LOSS = "no-deadlock", "no-loss"


@dataclass(frozen=True)
class Asked:
    """How designs are read, and which depths are proposed as a change.

    ``form``: name of a format where what the files hold is not to decide; the others are options of formats;
    ``is_strict``: whether an option that a design's format does not have is an error; ``no_run``: whether no format
    may execute code that came in.
    """

    form: str = ""
    reports: str | None = None
    top: str | None = None
    rates: str | None = None
    folding: str | None = None
    target: str = NO_DEADLOCK
    is_strict: bool = True
    no_run: bool = False

    def options(self) -> dict[str, Any]:
        """Options of formats that were given, paths as such."""
        paths = {name: Path(value) for name in ("reports", "rates", "folding") if (value := getattr(self, name))}
        return {**paths, **({"top": self.top} if self.top else {})}

    def to_json(self) -> dict[str, Any]:
        """Plain values, of which :class:`Asked` is made again."""
        return asdict(self)
