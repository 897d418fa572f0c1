"""A pseudo-terminal of 80 columns: what a command prints there."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

COLUMNS, ROWS = 80, 24
_COMMAND = (sys.executable, "-c", "from sttest.cli import main; main()")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@dataclass(frozen=True)
class Seen:
    """What a person sees on stdout, what went to stderr, and how the command left."""

    lines: list[str]
    stderr: str
    exit_code: int

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)


def in_terminal(*arguments: object, folder: Path, columns: int = COLUMNS, timeout_s: float = 600) -> Seen:
    """Runs the command line as a process of its own, with stdout and stdin a pseudo-terminal and no ``COLUMNS`` set."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    chunks: list[bytes] = []
    reader = threading.Thread(target=_drain, args=(master, chunks), daemon=True)
    reader.start()
    done = subprocess.run(
        [*_COMMAND, *map(str, arguments)],
        stdin=slave,
        stdout=slave,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**environment, "TERM": "xterm"},
        timeout=timeout_s,
        check=False,
    )
    os.close(slave)
    reader.join(10)
    return Seen(_lines(chunks), done.stderr.decode(), done.returncode)


def seen_here(*arguments: object, columns: int = COLUMNS) -> Seen:
    """The same within this process, which has imported everything; stderr stays where it is."""
    from sttest.cli.app import app

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    chunks: list[bytes] = []
    reader = threading.Thread(target=_drain, args=(master, chunks), daemon=True)
    reader.start()
    before, before_err = sys.stdout, sys.stderr
    code: object = None
    with os.fdopen(slave, "w", encoding="utf-8") as terminal, StringIO() as errors:
        sys.stdout, sys.stderr = terminal, errors
        try:
            app([*map(str, arguments)])
        except SystemExit as end:
            code = end.code
        finally:
            sys.stdout, sys.stderr = before, before_err
            terminal.flush()
        told = errors.getvalue()
    reader.join(10)
    return Seen(_lines(chunks), told, code if isinstance(code, int) else 0)


def _lines(chunks: list[bytes]) -> list[str]:
    text = _ESCAPES.sub("", b"".join(chunks).decode()).replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n")


def _drain(master: int, chunks: list[bytes]) -> None:
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:  # how Linux says that the other end is closed
            chunk = b""
        if not chunk:
            os.close(master)
            return
        chunks.append(chunk)
