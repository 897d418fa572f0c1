"""What calls take: as stated by name (``--cycles matmul=1200``), else one cycle, which is said."""

from collections.abc import Sequence

from sttest.core.errors import InputError, did_you_mean
from sttest.sim.graph import MAX_CYCLES

UNSTATED = 1
"""assumed: cycles of a call for which none are stated."""


class KernelCycles:
    """Cycles by function.

    Args:
        stated: entries such as ``matmul=1200``.
        where: for errors.

    Raises:
        InputError: an entry is not of that form.
    """

    def __init__(self, stated: Sequence[str], where: str) -> None:
        self.where = where
        self.stated: dict[str, int] = {}
        self.called: set[str] = set()
        for entry in stated:
            name, _, number = entry.partition("=")
            if not name or not (number.isascii() and number.isdecimal()) or not 1 <= int(number[:18]) <= MAX_CYCLES:
                hints = ["write --cycles NAME=NUMBER, as in --cycles matmul=1200"]
                raise InputError("bad-cycles", f"'{entry:.80}' states no cycles", where=where, hints=hints)
            self.stated[name] = int(number)

    def of(self, name: str) -> int:
        """What one call takes."""
        self.called.add(name)
        return self.stated.get(name, UNSTATED)

    def notes(self) -> list[str]:
        """What was assumed.

        Raises:
            InputError: cycles are stated for what is never called.
        """
        for name in self.stated:
            if name not in self.called:
                hints = [did_you_mean(name, self.called) if self.called else "leave it out: nothing is called"]
                raise InputError("unknown-kernel", f"no call of '{name:.80}'", where=self.where, hints=hints)
        missing = sorted(self.called - set(self.stated))
        if not missing:
            return []
        names = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
        return [
            f"a call takes {UNSTATED} cycle where --cycles does not say (here {names}): times are too short; whether "
            "it deadlocks, and the depths that lift that, do not depend on times"
        ]
