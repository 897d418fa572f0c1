"""Tries one input on a reader, in this process or in a fork of it that is ended at a limit of time."""

from __future__ import annotations

import math
import multiprocessing
import re
import resource
import signal
import time
import traceback
from pathlib import Path
from typing import Any

from targets import Target

MEMORY_BYTES = 4 << 30
LIMIT_S = 20.0
"""Of processor time, so that a busy machine changes nothing; an input may take ``WALL`` times as long on the clock."""
WALL = 10
HARMFUL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
MAX_TEXT_CHARS = 10_000


def tried(target: Target, data: bytes, folder: Path) -> str:
    """What is wrong with how a reader takes an input; empty for a result or an error of sttest's own."""
    from sttest.core.errors import SttestError

    lay(target, data, folder)
    before = {path.name for path in folder.iterdir()}
    try:
        told = target.read(folder / target.file)
        wrong = ""
        if isinstance(told, str):
            told.encode()
            wrong = _control(told)
    except SttestError as error:
        wrong = _wrong_text(error)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # Rust's panics are no exceptions
        return f"{type(error).__name__} at {_place(error)}"
    return wrong or _left(folder, before)


def lay(target: Target, data: bytes, folder: Path) -> None:
    """Writes an input where its reader looks for it."""
    for name, content in target.beside.items():
        (folder / name).write_bytes(content)
    (folder / target.file).write_bytes(data)


def _wrong_text(error: Any) -> str:
    told = str(error)
    if error.exit_code == 1:
        return f"exit code 1, {error.code}"
    return f"text of more than {MAX_TEXT_CHARS} characters" if len(told) > MAX_TEXT_CHARS else _control(told)


def _control(told: str) -> str:
    found = HARMFUL.search(told)
    return f"control character {found[0]!r} in the text" if found else ""


def _left(folder: Path, before: set[str]) -> str:
    left = [path for path in folder.iterdir() if path.name not in before and path.is_file()]
    for path in left:
        path.unlink()
    return f"left behind {left[0].suffix or left[0].name}" if left else ""


def _place(error: BaseException) -> str:
    """The innermost function of sttest in a traceback, which stays where it is when lines above it change."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/sttest/" in frame.filename]
    return f"{Path(frames[-1].filename).name}, {frames[-1].name}" if frames else "no function of sttest"


# --- In a fork


def tried_apart(target: Target, data: bytes, folder: Path, limit_s: float = LIMIT_S) -> str:
    """The same in a fork with bounds on its memory and time."""
    ours, theirs = multiprocessing.get_context("fork").Pipe(duplex=False)
    worker = multiprocessing.get_context("fork").Process(target=_apart, args=(target, data, folder, theirs, limit_s))
    worker.start()
    theirs.close()
    try:
        if not ours.poll(WALL * limit_s):
            return f"more than {WALL * limit_s:g} s on the clock"
        return ours.recv()
    except EOFError:
        worker.join(10)
        if worker.exitcode == -signal.SIGXCPU:
            return f"more than {limit_s:g} s"
        return f"ended with exit code {worker.exitcode}"
    finally:
        worker.kill()
        worker.join()
        ours.close()


def _apart(target: Target, data: bytes, folder: Path, pipe: Any, limit_s: float) -> None:
    bound_memory()
    bound_s = math.ceil(time.process_time() + limit_s)
    resource.setrlimit(resource.RLIMIT_CPU, (bound_s, bound_s + 10))
    pipe.send(tried(target, data, folder))


def bound_memory(memory_bytes: int = MEMORY_BYTES) -> None:
    """Address space that this process may add to what it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit_bytes = pages * resource.getpagesize() + memory_bytes
    resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
