"""What an experiment tells while it runs: one line on stderr per finished step."""

from __future__ import annotations

import time
from collections.abc import Callable


def step_printer(steps: int) -> Callable[[str], None]:
    """A function that prints a step with the time and, as far as ``steps`` is known, the share that is done."""
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    began, count = time.perf_counter(), 0

    def say(what: str) -> None:
        nonlocal count
        count += 1
        console.print(f"[{time.perf_counter() - began:5.0f} s] {min(count, steps)}/{steps} {what}", markup=False)

    return say
