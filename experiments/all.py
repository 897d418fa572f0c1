"""Every registered experiment, one after the other, each in its own folder of results."""

from __future__ import annotations

import time
from pathlib import Path

from rich.console import Console

from experiments.registry import run
from sttest.core.tables import print_table
from sttest.studies.tables import programs


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> dict[str, float]:
    """Runs them and prints how long each took; finished points of earlier runs are taken over.

    Args:
        out: folder of the folders of results.
        engine: simulation engine that computes the times.
        jobs: processes at a time.

    Raises:
        SttestError: whatever an experiment raises; those before it have left their results.
    """
    names = list(programs())
    console, seconds = Console(stderr=True, highlight=False), {}
    for number, name in enumerate(names, 1):
        console.print(f"{number}/{len(names)} {name}", style="bold")
        began = time.perf_counter()
        print(run(name, out / name, engine, jobs, f"{name}, {number} of {len(names)}"), end="", flush=True)
        seconds[name] = time.perf_counter() - began
    print_table(("experiment", "s"), [(name, round(value, 1)) for name, value in seconds.items()])
    return seconds
