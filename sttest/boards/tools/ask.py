"""Asks an installed program a question, and survives whatever it does: hangs, floods, crashes, garbage.

A program is given ``LIMIT_S`` seconds and ``MAX_ANSWER_BYTES``; one that needs more is killed with all that it
started.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Literal

LIMIT_S = 1.0
"""Together with the start of Python this keeps a survey, whose questions are asked at once, below 2 s."""
MAX_ANSWER_BYTES = 64 * 1024
_POLL_S = 0.05

Outcome = Literal["answered", "missing", "failed", "silent"]


@dataclass(frozen=True)
class Answer:
    """What came of a question.

    Attributes:
        outcome: ``answered``: left with exit code 0; ``missing``: no such program; ``failed``: could not be
            started, left with another code, by a signal, or printed without end; ``silent``: not done in time.
        text: what it printed, on both streams; for a failure to start, the reason.
        trouble: a few words on what went wrong; empty where nothing did.
        path: the program's file.
    """

    outcome: Outcome
    text: str = ""
    trouble: str = ""
    path: str = ""

    @property
    def last_line(self) -> str:
        """Where programs tell why they failed, as one printable line."""
        lines = [line for line in self.text.splitlines() if line.strip()]
        return printable(lines[-1]) if lines else ""


def ask(command: Sequence[str], limit_s: float = LIMIT_S) -> Answer:
    """Runs a program without input, for at most ``limit_s`` seconds."""
    path = shutil.which(command[0])
    if path is None:
        return Answer("missing")
    try:
        process = subprocess.Popen(
            [path, *command[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        return Answer("failed", trouble=f"cannot be started ({error.strerror})", path=path)
    with process:
        try:
            return _answer(process, path, limit_s)
        finally:
            _kill_group(process)


def printable(text: str, most: int = 200) -> str:
    """One line of at most ``most`` characters, without any that could steer a terminal."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _answer(process: subprocess.Popen[bytes], path: str, limit_s: float) -> Answer:
    assert process.stdout is not None
    deadline = time.monotonic() + limit_s
    output = _read(process, process.stdout, deadline)
    text = output.decode("utf-8", errors="replace")
    if len(output) == MAX_ANSWER_BYTES:
        return Answer("failed", text, f"printed more than {MAX_ANSWER_BYTES} bytes", path)
    try:
        code = process.wait(timeout=max(deadline - time.monotonic(), _POLL_S))
    except subprocess.TimeoutExpired:
        return Answer("silent", text, f"no answer within {limit_s:g} s", path)
    if code == 0:
        return Answer("answered", text, path=path)
    return Answer("failed", text, f"killed by signal {-code}" if code < 0 else f"exit code {code}", path)


def _read(process: subprocess.Popen[bytes], stream: IO[bytes], deadline: float) -> bytes:
    """Output until its end, the deadline or the size limit; a child that keeps the pipe open is not waited for."""
    output = b""
    while len(output) < MAX_ANSWER_BYTES and time.monotonic() < deadline:
        ready, _, _ = select.select([stream], [], [], _POLL_S)
        if not ready and process.poll() is not None:
            break
        chunk = os.read(stream.fileno(), MAX_ANSWER_BYTES) if ready else b""
        if ready and not chunk:
            break
        output += chunk
    return output[:MAX_ANSWER_BYTES]


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Ends what still runs; a process that has left by itself has been reaped, and its number may be another's."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
