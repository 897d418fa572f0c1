"""A process that answers messages, and that is gone when its holder lets go: with all that it started."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from sttest.boards.backends.device.wire import Message, receive, send


class NoAnswerError(Exception):
    """The process did not answer in time; it still runs."""


class ProcessLeftError(Exception):
    """The process has left instead of answering."""


class HeldProcess:
    """A process of its own group, whose standard input and output carry messages.

    A thread listens, so that an answer can be waited for with a limit; the process itself may be stopped, or hold
    an interpreter's lock, and does not keep its holder.

    Args:
        command: to start.
        folder: that it works in.
        environment: all of it.
    """

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._answers: queue.Queue[Message | None] = queue.Queue()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, start_new_session=True,
            cwd=folder, env=environment,
        )  # fmt: skip
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def ask(self, head: Mapping[str, Any], body: bytes, limit_s: float) -> Message:
        """Says something and waits for the answer.

        Raises:
            NoAnswerError: none within the limit.
            ProcessLeftError: there is nobody to answer.
        """
        assert self._process.stdin is not None
        with suppress(OSError):  # the process has gone; its answer, None, says so
            send(self._process.stdin, head, body)
        try:
            answer = self._answers.get(timeout=limit_s)
        except queue.Empty:
            raise NoAnswerError from None
        if answer is None:
            raise ProcessLeftError
        return answer

    def close(self, limit_s: float) -> None:
        """Lets it leave by itself."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(limit_s)

    def wait(self) -> None:
        """Until it has left, without reaping it: until then its number, and its group's, is nobody else's."""
        os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)

    def last_words(self) -> str:
        """The last line that it printed."""
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def end(self) -> int:
        """Kills it with all that it started, waits until it is gone, and gives its exit code."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        code = self._process.wait()
        for stream in (self._process.stdin, self._said):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        return code

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            while (message := receive(stream)) is not None:
                self._answers.put(message)
        self._answers.put(None)
