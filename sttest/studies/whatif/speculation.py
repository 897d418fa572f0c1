"""Speculative decoding (Leviathan et al., arXiv 2211.17192): a draft proposes tokens, a step of the model checks all.

A step of M tokens takes the last accepted one and M - 1 drafted ones.  It makes those that are accepted, up to the
first that is not, and one of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import read_csv

ACCEPTED = "accepted"
_HINTS = ("give a share between 0 and 1", f"name a CSV file with a column '{ACCEPTED}'")


@dataclass(frozen=True)
class Acceptance:
    """How many drafted tokens in a row are accepted: a share of each by itself, or counts of a trace."""

    share: float = 1.0
    counts: tuple[int, ...] = ()  # accepted tokens per step, of a draft that never stops

    @classmethod
    def of(cls, given: str | float, folder: Path) -> "Acceptance":
        """From a share, or the path of a trace.

        Raises:
            InputError: no share, or no such trace.
        """
        if not isinstance(given, str):
            if not 0 <= given <= 1:
                raise InputError("bad-value", f"{given:g} is no share", where="study: acceptance", hints=_HINTS)
            return cls(float(given))
        path = folder / given
        rows = read_csv(path, (ACCEPTED,), hints=_HINTS)
        try:
            counts = tuple(int(row[ACCEPTED]) for row in rows)
        except ValueError as error:
            raise InputError("bad-trace", str(error), where=str(path), hints=_HINTS) from error
        if not counts or min(counts) < 0:
            raise InputError("bad-trace", "holds no counts of at least 0", where=str(path), hints=_HINTS)
        return cls(counts=counts)

    def made(self, step_tokens: int) -> float:
        """Mean tokens that a step makes, its own included.

        >>> Acceptance(0.5).made(3), Acceptance(1.0).made(4), Acceptance(counts=(0, 9, 2)).made(4)
        (1.75, 4.0, 2.6666666666666665)
        """
        if self.counts:
            return _mean([min(count, step_tokens - 1) + 1 for count in self.counts])
        return float(sum(self.share**drafted for drafted in range(step_tokens)))


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values)
