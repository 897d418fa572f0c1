"""Checks of several inputs, one after the other in a process of their own, each bounded in time.

Whatever was found before the time was over is told, and what there was no time for.
"""

import json
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any

from sttest.core.children import python_command
from sttest.core.errors import DoesNotFitError, SttestError
from sttest.studies.check.finding import Finding, refusal
from sttest.studies.check.request import Asked

_WORKER = ["-m", "sttest.studies.check.worker"]
__depends__ = ("sttest/studies/check/worker.py",)


def check_all(
    sources: Sequence[str], asked: Asked, data: bytes, seconds: float, say: Callable[[str], None]
) -> Iterator[list[Finding]]:
    """The findings of each input, in order.

    Args:
        sources: paths as they were named; ``-`` is standard input.
        asked: how they are read.
        data: what standard input held.
        seconds: that each may take.
        say: callback that gets the name of each input before it is checked.
    """
    number = 0
    while number < len(sources):
        with _worker(list(enumerate(sources))[number:], asked, data) as answers:
            while number < len(sources):
                say(sources[number] if len(sources) == 1 else f"{number} of {len(sources)} inputs, {sources[number]}")
                found, is_alive = _answer(answers, sources[number], seconds)
                yield found
                number += 1
                if not is_alive:
                    break


class _Answers:
    """What a worker says, line by line."""

    def __init__(self, process: "subprocess.Popen[bytes]", errors: IO[bytes]) -> None:
        self._process, self._errors = process, errors
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None, "it is a pipe"
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def next(self, deadline: float) -> dict[str, Any] | None:
        """The next answer; None where the worker has ended.

        Raises:
            queue.Empty: there is none until the deadline.
        """
        line = self._lines.get(timeout=max(deadline - time.monotonic(), 0.0))
        return json.loads(line) if line.endswith(b"\n") else None

    def how_it_ended(self, source: str) -> SttestError:
        """What a worker that has ended too early has died of."""
        code = self._process.wait()
        if code < 0:
            hints = ["run it where there is more memory", "see docs/reference/limits.md"]
            return DoesNotFitError("worker-died", f"the check was ended by signal {-code}", where=source, hints=hints)
        self._errors.seek(0)
        last = self._errors.read().decode(errors="replace").strip().rpartition("\n")[2]
        what = f"this is a bug in sttest, {last or f'the check ended with {code}'}"
        return SttestError("internal-error", what, where=source)


def _answer(answers: _Answers, source: str, seconds: float) -> tuple[list[Finding], bool]:
    """What was found of an input, and whether its worker goes on with the next."""
    deadline, found = time.monotonic() + seconds, list[Finding]()
    while True:
        try:
            told = answers.next(deadline)
        except queue.Empty:
            return _stopped(found, source, seconds), False
        if told is None:
            return [*found, refusal(source, answers.how_it_ended(source))], False
        found = [Finding.model_validate(each) for each in told["findings"]]
        if told["done"]:
            return found, True


def _stopped(found: Sequence[Finding], source: str, seconds: float) -> list[Finding]:
    """What is known when the time is over, with what is not."""
    after = f"after {seconds:g} s; more with --seconds"
    if not found:
        what = f"reading and simulating it was stopped {after}"
        return [Finding(source=source, verdict="unknown", stopped=what)]
    last = found[-1].model_copy(update={"stopped": f"sizing, and what follows, was stopped {after}"})
    return [*found[:-1], last]


@contextmanager
def _worker(inputs: Sequence[tuple[int, str]], asked: Asked, data: bytes) -> Iterator[_Answers]:
    """A process that checks these inputs; it is ended with the ``with`` block."""
    command = python_command(_WORKER, ends_with_us=True)
    request = json.dumps({"inputs": inputs, "asked": asked.to_json()}).encode()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        try:
            assert process.stdin is not None, "it is a pipe"
            with suppress(BrokenPipeError):  # how it ended is told with the answers
                process.stdin.write(request + b"\n" + data)
                process.stdin.close()
            yield _Answers(process, errors)
        finally:
            process.kill()
            process.wait()
