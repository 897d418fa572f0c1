"""Speculative decoding (Leviathan et al., arXiv 2211.17192): a draft proposes tokens, a step of the model checks all.

A step of M tokens takes the last accepted one and M - 1 drafted ones.  It makes those that are accepted, up to the
first that is not, and one of its own.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sttest.core.errors import InputError
from sttest.core.files import read_csv
from sttest.core.numbers import whole

ACCEPTED = "accepted"
_ROUNDING = 1e-9
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
            counts = tuple(whole(row[ACCEPTED]) for row in rows)
        except ValueError as error:
            raise InputError("bad-trace", str(error), where=str(path), hints=_HINTS) from error
        if not counts or min(counts) < 0:
            raise InputError("bad-trace", "holds no counts of at least 0", where=str(path), hints=_HINTS)
        return cls(counts=counts)

    def chances(self, step_tokens: int) -> dict[int, float]:
        """How likely a step is to make so many tokens, its own included.

        >>> Acceptance(0.5).chances(3), Acceptance(counts=(0, 9, 2, 9)).chances(4)
        ({1: 0.5, 2: 0.25, 3: 0.25}, {1: 0.25, 3: 0.25, 4: 0.5})
        """
        if self.counts:
            made = sorted(Counter(min(count, step_tokens - 1) + 1 for count in self.counts).items())
            return {tokens: steps / len(self.counts) for tokens, steps in made}
        stopped = {tokens: self.share ** (tokens - 1) * (1 - self.share) for tokens in range(1, step_tokens)}
        chances = {**stopped, step_tokens: self.share ** (step_tokens - 1)}
        return {tokens: chance for tokens, chance in chances.items() if chance}

    def token_shares(self, step_tokens: int, percents: Sequence[float]) -> dict[float, float]:
        """Percentiles, over tokens, of the part of a step that a token takes: 1 / of those that the step makes.

        >>> Acceptance(0.5).token_shares(3, (50, 95))
        {50: 0.5, 95: 1.0}
        """
        chances, made = self.chances(step_tokens), self.made(step_tokens)
        found: dict[float, float] = {}
        for percent in percents:
            reached = 0.0
            for tokens in sorted(chances, reverse=True):
                reached += chances[tokens] * tokens / made
                if reached >= percent / 100 - _ROUNDING:
                    found[percent] = 1 / tokens
                    break
        return found

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
