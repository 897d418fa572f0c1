"""What a run on a card has given so far."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from sttest.boards.backends.device.card import Card
from sttest.boards.backends.device.options import LaunchTimes
from sttest.boards.backends.device.profile import KernelProfile


@dataclass(frozen=True)
class Step:
    """A launch that completed.

    Attributes:
        phase, doing, layer: what it was.
        times: that it took.
        ended_s: when its end was known, on a clock without a date.
    """

    phase: str
    doing: str
    layer: int
    times: LaunchTimes
    ended_s: float = field(default_factory=time.monotonic)


@dataclass
class Log:
    """What a run has given so far; it survives the run's end by an error.

    Attributes:
        steps: launches, in order.
        idle_w: power readings at rest.
        profiles: what the counters on the card say, per phase.
        platform: what the card says it is.
        planned: launches that there should be.
        equal_tokens, golden_tokens: of a generation that came to its end.
        largest_difference: from the golden: of logits, or of all elements of a block.
    """

    planned: int = 0
    steps: list[Step] = field(default_factory=list)
    idle_w: list[float] = field(default_factory=list)
    profiles: dict[str, KernelProfile] = field(default_factory=dict)
    platform: str = ""
    equal_tokens: int | None = None
    golden_tokens: int | None = None
    largest_difference: float | None = None

    @property
    def agrees(self) -> bool:
        """Whether all is as the golden has it."""
        if self.golden_tokens is not None:
            return self.equal_tokens == self.golden_tokens
        return self.largest_difference == 0

    def left(self, card: Card, phase: str) -> None:
        """Takes over what a card has to say when it is let go of."""
        if card.profile is not None:
            self.profiles[phase] = card.profile

    def write_steps(self, path: Path, engine: str) -> None:
        """A line of CSV per launch."""
        lines = ["engine,phase,step,layer,host_us,simulated_us,watts"]
        for step in self.steps:
            times = (step.times.host_us, step.times.simulated_us, step.times.watts)
            cells = [engine, step.phase, step.doing, step.layer, *("" if each is None else each for each in times)]
            lines.append(",".join(map(str, cells)))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
