"""Runs many hostile inputs in worker processes with bounds on memory and time, and counts the outcomes."""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from benchmarks.hostile.cases import Case, make_case
from benchmarks.hostile.outcome import outcome
from benchmarks.hostile.seeds import seeds


@dataclass(frozen=True)
class Bounds:
    """``memory_bytes``: address space that a worker may add to what it starts with; ``case_s``: for one input."""

    memory_bytes: int = 10 << 30
    case_s: float = 120.0


@dataclass
class Found:
    """Counts by outcome, the inputs that went wrong, the slowest input, and the most memory held by a worker."""

    counts: Counter[str] = field(default_factory=Counter)
    bugs: list[str] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")
    peak: tuple[int, str] = (0, "")
    wall_s: float = 0.0

    def add(self, number: int, told: str, seconds: float, seed: int) -> None:
        """Counts one outcome."""
        self.counts[told] += 1
        if told.startswith("BUG"):
            self.bugs.append(f"{number}: {told} [{make_case(seed, number).how}]")
        if seconds > self.slowest[0]:
            self.slowest = seconds, _short(seed, number)


def _short(seed: int, number: int) -> str:
    return f"{number}: {make_case(seed, number).how}"[:200]


def campaign(seed: int, numbers: range, bounds: Bounds, progress: Callable[[int], None] = lambda _: None) -> Found:
    """Tries the inputs of these numbers one after the other; a worker that hangs or dies is replaced."""
    _warm()
    found, began = Found(), time.perf_counter()
    following = numbers.start
    while following < numbers.stop:
        following = _work(seed, range(following, numbers.stop), bounds, found, progress)
    found.wall_s = time.perf_counter() - began
    return found


def _warm() -> None:
    """Has the engines compiled before workers are forked, so that no case waits for it."""
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds():
            outcome(Case(-1, seed.kind, "valid", seed.entry, seed.files), Path(folder))


def _work(seed: int, numbers: range, bounds: Bounds, found: Found, progress: Callable[[int], None]) -> int:
    """One worker's life; gives the number of the first input that it left over."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    worker = context.Process(target=_worker, args=(theirs, seed, numbers, bounds.memory_bytes), daemon=True)
    worker.start()
    theirs.close()
    number = numbers.start
    try:
        while number < numbers.stop:
            began = time.perf_counter()
            told, peak_bytes = _answer(ours, worker, bounds)
            found.add(number, told, time.perf_counter() - began, seed)
            if peak_bytes > found.peak[0]:
                found.peak = peak_bytes, _short(seed, number)
            number += 1
            progress(number)
            if told.startswith("BUG ended") or told.startswith("BUG timeout"):
                break
    finally:
        worker.kill()
        worker.join()
    return number


def _answer(ours: Connection, worker: BaseProcess, bounds: Bounds) -> tuple[str, int]:
    if not ours.poll(bounds.case_s):
        return f"BUG timeout of {bounds.case_s:g} s", 0
    try:
        return ours.recv()
    except EOFError:
        worker.join(10)
        return f"BUG ended with exit code {worker.exitcode}", 0


def _worker(theirs: Connection, seed: int, numbers: range, memory_bytes: int) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit_bytes = pages * resource.getpagesize() + memory_bytes
    resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in numbers:
        with tempfile.TemporaryDirectory() as folder:
            told = outcome(make_case(seed, number), Path(folder))
        theirs.send((told, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024))
