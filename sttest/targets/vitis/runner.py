"""Runs the steps of a build: each once per content of its inputs, with a log, a time limit, and nothing left behind.

A stamp beside a step's output holds the hash of the command, of the inputs and of the tool's version.  A step whose
stamp is right is not run again; one that fails leaves its log and no stamp, so that a build takes up there.
"""

import hashlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sttest.core.errors import InputError, SttestError
from sttest.core.files import read_object, write_text
from sttest.targets.doctor.ask import printable
from sttest.targets.vitis.steps import BuildStep

STAMP_SCHEMA = "sttest.build-stamp/1"
_POLL_S = 0.2
_TAIL_BYTES = 64 * 1024
_CHUNK_BYTES = 1024 * 1024
Tell = Callable[[str], None]


@dataclass(frozen=True)
class StepResult:
    """A step that is done."""

    name: str  # name of the step
    seconds: float  # duration; 0 if it had been done before
    was_done: bool  # whether it was done before
    log: Path  # output of the tool


def run_steps(steps: Sequence[BuildStep], folder: Path, version: str, tell: Tell) -> list[StepResult]:
    """Runs what has to be run, in order.

    Args:
        steps: steps of one build.
        folder: folder of the build; it is made.
        version: version of the tool; another one makes everything anew.
        tell: is told the step and the last line that it printed.

    Raises:
        SttestError: a step failed, made nothing or did not end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return [_run(step, folder, version, tell) for step in steps]


def digest(step: BuildStep, version: str) -> str:
    """The hash of everything that a step's result depends on."""
    found = hashlib.sha256(json.dumps([version, *step.command]).encode())
    for path in step.inputs:
        found.update(path.name.encode() + b"\0")
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                found.update(chunk)
    return found.hexdigest()


def _run(step: BuildStep, folder: Path, version: str, tell: Tell) -> StepResult:
    stamp, log = folder / f"{step.name}.stamp.json", folder / f"{step.name}.log"
    wanted = digest(step, version)
    if step.output.is_file() and _stamped(stamp) == wanted:
        return StepResult(step.name, 0.0, True, log)
    stamp.unlink(missing_ok=True)
    # What an earlier attempt left must not be taken for this one's.
    step.output.unlink(missing_ok=True)
    began = time.monotonic()
    code = _execute(step, folder, log, tell)
    seconds = time.monotonic() - began
    if code:
        raise _failed(step, log, f"killed by signal {-code}" if code < 0 else f"exit code {code}")
    if not step.output.is_file() or not step.output.stat().st_size:
        raise _failed(step, log, f"left with 0 and made no {step.output.name}")
    content = {"schema": STAMP_SCHEMA, "step": step.name, "digest": wanted, "version": version, "seconds": seconds}
    write_text(stamp, json.dumps(content) + "\n")
    return StepResult(step.name, seconds, False, log)


def _stamped(stamp: Path) -> str | None:
    try:
        return read_object(stamp, STAMP_SCHEMA).get("digest")
    except InputError:
        return None


def _execute(step: BuildStep, folder: Path, log: Path, tell: Tell) -> int:
    """The exit code; whatever the step started is gone at the end, also after Ctrl-C."""
    deadline = time.monotonic() + step.limit_s
    with log.open("wb") as output:
        process = subprocess.Popen(
            step.command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            while not _has_left(process):
                if time.monotonic() > deadline:
                    raise SttestError(
                        "build-timeout",
                        f"did not end; its log is {log}",
                        where=f"step {step.name}",
                        bound=step.limit_s,
                        unit="s",
                        hints=[f"allow more time with --timeout-{step.name}"],
                    )
                tell(f"{step.name}: {_last_line(log)}")
                time.sleep(_POLL_S)
        finally:
            _end(process)
    return process.returncode


def _has_left(process: subprocess.Popen[bytes]) -> bool:
    """Looked at without being reaped: until then the number of its group is nobody else's."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends all that the tool started: Vivado and its runs are in the same group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _failed(step: BuildStep, log: Path, how: str) -> SttestError:
    said = _error_line(log) or _last_line(log)
    return SttestError(
        "build-failed",
        f"{step.command[0]}: {how}{f': {said}' if said else ''}; its log is {log}",
        where=f"step {step.name}",
        hints=["mend it and run the same command again: it goes on at this step"],
    )


def _error_line(log: Path) -> str:
    """The first complaint among the last lines, as the tools mark theirs."""
    lines = (line for line in _tail(log) if line.startswith(("ERROR:", "CRITICAL WARNING:", "error:")))
    return printable(next(lines, ""))


def _last_line(log: Path) -> str:
    lines = [line for line in _tail(log) if line.strip()]
    return printable(lines[-1], most=100) if lines else ""


def _tail(log: Path) -> list[str]:
    """Logs grow to hundreds of megabytes."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        return file.read(_TAIL_BYTES).decode("utf-8", errors="replace").splitlines()
