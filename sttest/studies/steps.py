"""The steps of an experiment, counted for whoever tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

from sttest.core.progress import tell


def step_counter(steps: int) -> Callable[[str], None]:
    """A function that says which of so many steps is done."""
    count = 0

    def say(what: str) -> None:
        nonlocal count
        count += 1
        tell(f"{min(count, steps)} of {steps} steps, {what}")

    return say
