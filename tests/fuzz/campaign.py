"""Fuzzes every reader within a budget: each input must give a result or an error of sttest's own, in 20 s and 4 GB.

    python tests/fuzz/campaign.py --executions 1000 --seed 1
    python tests/fuzz/campaign.py graph text --executions 100000 --minutes 10

A worker that hangs or dies is ended and replaced.  What went wrong is reduced, kept in ``build/fuzz/NAME`` and told;
exit code 1 if there was any.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from targets import TARGETS, Target
from trial import LIMIT_S, WALL, tried, tried_apart

BEFORE_S = 600.0
"""Of processor time, for a worker to import and compile what it needs."""
MOST_DEATHS = 10
MAX_ACCESSES = "1000000"
"""Of a graph; what is larger is refused."""
_LOOK_EVERY_S = 0.2
_SHOWN_BYTES = 160


@dataclass
class Found:
    """What became of a target: inputs tried, seconds, and by what is wrong the smallest input."""

    name: str
    executions: int = 0
    seconds: float = 0.0
    wrong: dict[str, bytes] = field(default_factory=dict)


def fuzzed(target: Target, executions: int, seed: int, folder: Path, limit_s: float) -> Found:
    """Tries so many inputs, or as many as the time allows, with one worker after another."""
    found, began = Found(target.name), time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    for turn in range(MOST_DEATHS):
        left_s = began + limit_s - time.monotonic()
        if found.executions >= executions or left_s <= 0:
            break
        told = _work(target, executions - found.executions, seed + 1000 * turn, folder, left_s)
        found.executions += _count(folder)
        if told:
            under_way = folder / "in" / target.file
            found.wrong.setdefault(told, under_way.read_bytes() if under_way.exists() else b"")
    found.seconds = time.monotonic() - began
    for path in sorted((folder / "wrong").glob("*.input")):
        found.wrong.setdefault(path.with_suffix(".txt").read_text(), path.read_bytes())
    return found


def _count(folder: Path) -> int:
    path = folder / "count"
    count = int(path.read_text() or 0) if path.exists() else 0
    path.unlink(missing_ok=True)
    return count


def _work(target: Target, executions: int, seed: int, folder: Path, limit_s: float) -> str:
    """One worker's life; what the input under way did to it, if it was not ended for the time or came to its end.

    Raises:
        RuntimeError: it did not get as far as the first input.
    """
    command = [
        sys.executable,
        str(Path(__file__).with_name("worker.py")),
        target.name,
        "--folder",
        str(folder),
        "--executions",
        str(executions),
        "--seed",
        str(seed),
    ]
    environment = {**os.environ, "STTEST_MAX_ACCESSES": MAX_ACCESSES, "PYTHONPATH": str(ROOT)}
    began_file, since = folder / "began", time.monotonic()
    began_file.unlink(missing_ok=True)
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=folder
        ) as worker,
    ):
        watch = _Watch(worker.pid, folder / "in" / target.file)
        try:
            while worker.poll() is None:
                time.sleep(_LOOK_EVERY_S)
                if not began_file.exists():
                    if watch.cpu_s() > BEFORE_S:
                        break
                    since = time.monotonic()
                    continue
                if told := watch.told():
                    return told
                if time.monotonic() - since > limit_s:
                    return ""
        finally:
            worker.kill()
    if not began_file.exists():
        raise RuntimeError(f"the worker of {target.name} did not begin:\n{(folder / 'log').read_text()[-2000:]}")
    return f"ended with exit code {worker.returncode}" if worker.returncode else ""


class _Watch:
    """Says when an input takes too long: the file that holds it is written anew for each."""

    def __init__(self, process: int, file: Path) -> None:
        self._process, self._file = process, file
        self._written, self._began_s, self._began_cpu_s = -1, 0.0, 0.0

    def told(self) -> str:
        """What is wrong, if something is."""
        try:
            written, cpu_s = self._file.stat().st_mtime_ns, self.cpu_s()
        except FileNotFoundError:  # none is under way, or the worker has ended
            self._written = -1
            return ""
        if written != self._written:
            self._written, self._began_s, self._began_cpu_s = written, time.monotonic(), cpu_s
        if cpu_s - self._began_cpu_s > LIMIT_S:
            return f"more than {LIMIT_S:g} s"
        waited = time.monotonic() - self._began_s > WALL * LIMIT_S
        return f"more than {WALL * LIMIT_S:g} s on the clock" if waited else ""

    def cpu_s(self) -> float:
        """Seconds of a processor that the worker took."""
        fields = Path(f"/proc/{self._process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def reduced(
    target: Target, data: bytes, told: str, trial: Callable[[Target, bytes, Path], str] = tried_apart
) -> bytes | None:
    """A smaller input that goes wrong in the same way; None where the input alone does not."""
    left = 12 if told.startswith("more than") else 400
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if trial(target, data, folder) != told:
            return None
        size = max(1, len(data) // 2)
        while size and left > 0:
            at = 0
            while at < len(data) and left > 0:
                shorter = data[:at] + data[at + size :]
                left -= 1
                if trial(target, shorter, folder) == told:
                    data = shorter
                else:
                    at += size
            size //= 2
    return data


def told_of(found: Found, room: Path) -> list[str]:
    """A line per kind of what went wrong, with the reduced input, which is kept."""
    target, lines = TARGETS[found.name], list[str]()
    if found.wrong:
        _warm(target)
    for number, (told, data) in enumerate(sorted(found.wrong.items())):
        smaller = reduced(target, data, told)
        kept = room / found.name / f"{number}-{target.file}"
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(data if smaller is None else smaller)
        remark = ", but not when it is read alone" if smaller is None else ""
        lines.append(f"  {found.name}: {told}{remark}; {kept}: {kept.read_bytes()[:_SHOWN_BYTES]!r}")
    return lines


def _warm(target: Target) -> None:
    """Imports and compiles what forks of this process need."""
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(target.corpus.iterdir()):
            tried(target, path.read_bytes(), Path(folder))


def campaign(
    names: Sequence[str], executions: int, seed: int, room: Path, *, minutes: float = 30.0, jobs: int = 2
) -> list[Found]:
    """Fuzzes targets, some at a time, each in a folder of its own, with so many executions and minutes."""

    def one(name: str) -> Found:
        found = fuzzed(TARGETS[name], executions, seed, room / name, 60 * minutes)
        rate = found.executions / max(found.seconds, 1e-9)
        print(
            f"{name:14} {found.executions:>9,} {found.seconds:>7.0f} s {rate:>7,.0f}/s  {len(found.wrong)} wrong",
            flush=True,
        )
        return found

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, names))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs it and gives the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"targets [all of {', '.join(TARGETS)}]")
    parser.add_argument("--executions", type=int, default=1000, help="of each target [1000]")
    parser.add_argument("--minutes", type=float, default=30.0, help="of each target, at most [30]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="targets at a time [2]")
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "fuzz", metavar="FOLDER", help="[build/fuzz]")
    asked = parser.parse_args(arguments)
    if unknown := [name for name in asked.names if name not in TARGETS]:
        parser.error(f"no target '{unknown[0]}'")
    room = Path(tempfile.mkdtemp(prefix="sttest-fuzz-"))
    try:
        found = campaign(
            asked.names or list(TARGETS), asked.executions, asked.seed, room, minutes=asked.minutes, jobs=asked.jobs
        )
    finally:
        shutil.rmtree(room, ignore_errors=True)
    os.environ["STTEST_MAX_ACCESSES"] = MAX_ACCESSES
    lines = [line for each in found for line in told_of(each, asked.keep)]
    print("\n".join(lines))
    total = sum(each.executions for each in found)
    print(f"{total:,} executions of {len(found)} targets with seed {asked.seed}, {len(lines)} went wrong")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
