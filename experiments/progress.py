"""What an experiment tells while it runs: a line on stderr per finished step, at most one in a few seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from sttest.core.progress import seconds_text

_EVERY_S = 3.0


def step_printer(steps: int) -> Callable[[str], None]:
    """A function that prints a step, the time, and an estimate of the time that the other ``steps`` will take."""
    began = said = time.monotonic()
    count = 0

    def say(what: str) -> None:
        nonlocal count, said
        count, now = count + 1, time.monotonic()
        if now - said < _EVERY_S:
            return
        said = now
        left = seconds_text((now - began) / count * max(steps - count, 0))
        told = f"{min(count, steps)} of {steps} {what}, {seconds_text(now - began)}, about {left} left"
        print(told, file=sys.stderr, flush=True)

    return say
