"""Runs commands while the n-th thing that they do to their output and caches fails, and looks at what is left."""

from __future__ import annotations

import errno
import json
import mmap
import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES)
KILLED = 0
"""In place of an error: the process ends."""
_ROOT_CHARS = 512
_FORM = struct.Struct(f"iiii{_ROOT_CHARS}s{_ROOT_CHARS}s8192s")
_HERE = Path(__file__).parent
_NUMBER = re.compile(rb"\d[\d.:TZe+-]*")
_TIMED = ("manifest.json",)
"""Files that say when and how long; of these, all but numbers is compared."""
Tree = dict[str, bytes]


def tree(folder: Path) -> Tree | None:
    """Content of all files below a folder by path, empty folders too; None where there is no folder."""
    if not folder.is_dir():
        return None
    return {
        str(path.relative_to(folder)): _content(path) if path.is_file() else b"" for path in sorted(folder.rglob("*"))
    }


def _content(path: Path) -> bytes:
    data = path.read_bytes()
    return _NUMBER.sub(b"0", data) if path.name in _TIMED else data


@dataclass(frozen=True)
class Ran:
    """A command that ended: its exit code, what it printed, and what failed in it."""

    code: int
    told: str
    seen: int  # things done to files
    failed: str  # what failed, empty where nothing did


class VerbServer:
    """The process that commands are forks of.

    Args:
        room: a folder for its own files.
    """

    def __init__(self, room: Path) -> None:
        self.room = room
        shim = room / "shim.so"
        command = ["gcc", "-shared", "-fPIC", "-O1", "-o", str(shim), str(_HERE / "fault_shim.c"), "-ldl"]
        subprocess.run(command, check=True, timeout=120)
        control = room / "control"
        control.write_bytes(bytes(_FORM.size))
        with control.open("r+b") as file:
            self._control = mmap.mmap(file.fileno(), _FORM.size)
        environment = {**os.environ, "LD_PRELOAD": str(shim), "STTEST_FAULT_CONTROL": str(control)}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        self._process = subprocess.Popen(
            [sys.executable, str(_HERE / "verb_server.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def run(self, place: Path, arguments: Sequence[str], *, at: int = 0, error: int = 0, warm: bool = False) -> Ran:
        """Runs a command in ``place``, with ``cache`` in it; the ``at``-th thing it does to files there fails."""
        roots = [os.fsencode(place / name) for name in ("work/", "cache/")]
        self._control[:] = _FORM.pack(at, error, 0, 0, *roots, b"")
        told = self.room / "told"
        asked = {
            "cwd": str(place / "work"),
            "cache": str(place / "cache"),
            "args": [*arguments],
            "told": str(told),
            "warm": warm,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        _, _, seen, fired, *_, what = _FORM.unpack(self._control[:])
        self._control[:] = bytes(_FORM.size)
        return Ran(code, told.read_text(errors="replace"), seen, what.rstrip(b"\0").decode() if fired else "")

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate(timeout=60)


@dataclass(frozen=True)
class Expected:
    """A command, what is there before it, and what it leaves."""

    arguments: tuple[str, ...]
    before: Path  # ``work`` and ``cache``, with an older output in ``work/out``
    old: Tree
    new: Tree
    seen: int  # things that it does to files

    def run(self, server: VerbServer, place: Path, at: int, error: int) -> str:
        """One fault, then the same command without; gives what is wrong, empty where nothing is."""
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.before, place)
        ran = server.run(place, self.arguments, at=at, error=error)
        name = errno.errorcode[error] if error else "SIGKILL"
        case = f"{self.arguments[0]}, {name} at {at} of {self.seen} ({ran.failed or 'not reached'})"
        wrong = list(self._wrong(ran, place / "work", is_killed=not error))
        again = server.run(place, self.arguments)
        if again.code or tree(place / "work/out") != self.new:
            wrong.append(f"the next run gives {again.code}, {again.told[-500:]!r}")
        if names := [*_unfinished(place / "work")] if error else []:
            wrong.append(f"the next run leaves {names}")
        return f"{case}: {'; '.join(wrong)}" if wrong else ""

    def _wrong(self, ran: Ran, work: Path, *, is_killed: bool) -> Iterator[str]:
        left = tree(work / "out")
        if is_killed and left is None:  # between two renames; the next run looks
            left = tree(work / ".out.old")
        if left != self.old and left != self.new:
            yield f"half an output: {sorted(left or ())}"
        if is_killed:
            return
        if "bug in sttest" in ran.told or "Traceback" in ran.told:
            yield f"a bug: {ran.told[-800:]!r}"
        if ran.code not in (0, 2):
            yield f"exit code {ran.code}: {ran.told[-300:]!r}"
        if ran.code == 0 and left != self.new:
            yield "exit code 0, and the older output"
        errors = [line for line in ran.told.splitlines() if line.startswith("error: ")]
        if len(errors) != (ran.code != 0):
            yield f"errors are {errors}"
        if names := list(_unfinished(work)):
            yield f"left behind: {names}"


def _unfinished(work: Path) -> Iterator[str]:
    """What is half done: hidden names in the folder and in that of stored points."""
    for path in work.rglob(".*"):
        yield str(path.relative_to(work))


def expectation(server: VerbServer, before: Path, scratch: Path, arguments: Sequence[str]) -> Expected:
    """What a command leaves when nothing fails, twice the same."""
    found = []
    for _ in range(2):
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.copytree(before, scratch)
        ran = server.run(scratch, arguments, warm=not found)
        assert ran.code == 0, ran.told
        found.append((tree(scratch / "work/out"), ran.seen))
    (new, _), (again, seen) = found
    assert new == again, [name for name in new or () if new[name] != (again or {}).get(name)]
    old = tree(before / "work/out")
    assert old is not None
    assert new is not None
    return Expected(tuple(arguments), before, old, new, seen)
